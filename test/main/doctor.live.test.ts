/** `evergate doctor` as a user runs it: one thing is wrong with a real account, machine or gateway, and its line says what to do. */
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Clock, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import type { Finding } from "../../src/domain/Finding.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { JobId } from "../../src/domain/Job.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import * as Store from "../../src/layers/Store.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import * as Feishu from "../../src/testing/feishu/FeishuPeer.ts"
import { failure } from "../../src/testing/feishu/routes.ts"
import type { HttpAnswer } from "../../src/testing/HttpAnswer.ts"
import * as Peer from "../../src/testing/Peer.ts"
import { certificate } from "../certificates.ts"
import type { RunningOptions } from "../processes.ts"
import type { Place } from "../service.ts"
import { command, feishuOf, gateway, place } from "../service.ts"

interface Examined {
  readonly code: number | null
  readonly findings: ReadonlyArray<Finding>
}

const doctor = (place: Place, options: Partial<RunningOptions> = {}): Effect.Effect<Examined> =>
  Effect.map(command(place, ["doctor", "--json"], options), ({ code, out, err }) => {
    assert.strictEqual(err, "")
    return { code, findings: JSON.parse(out) as ReadonlyArray<Finding> }
  })

/** The line of a check; dies with all of them where there is none. */
const line = ({ findings }: Examined, check: string): Finding => {
  const found = findings.find((finding) => finding.check === check)
  assert.isDefined(found, `no line ${check} in ${JSON.stringify(findings, null, 2)}`)
  return found
}

/** The line, as state and texts. */
const says = (examined: Examined, check: string, state: Finding["state"], seen: RegExp, remedy: RegExp): void => {
  const finding = line(examined, check)
  assert.strictEqual(finding.state, state, JSON.stringify(finding))
  assert.match(finding.seen, seen)
  assert.match(finding.remedy ?? "", remedy)
  assert.strictEqual(examined.code, examined.findings.some((other) => other.state === "fail") ? 69 : 0)
}

/** One account at this domain. */
const at = (domain: string, more: object = {}) => ({
  platforms: [
    {
      id: "feishu",
      kind: "feishu",
      appId: "cli_9f0e7d6c5b4a3921",
      appSecret: "a secret of its own",
      domain,
      proxy: "none",
      ...more
    }
  ]
})

const withAccount = (peer: FeishuPeer, more: Readonly<Record<string, unknown>> = {}) =>
  place({ platforms: [feishuOf(peer, more)] })

const page: HttpAnswer = {
  _tag: "Answer",
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html>Please log in to the hotel's network</html>"
}

describe.concurrent("the doctor finds of the account", () => {
  it.live("F218: a wrong secret", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer, { appSecret: "somebody else's" })

      says(
        yield* doctor(here),
        "credentials",
        "fail",
        /refused the credentials \(1000040345\)/,
        /check the app's id and secret/
      )
    })
  )

  it.live("F218: a secret that has worked and was revoked, while the gateway keeps trying", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer)
      const running = yield* gateway(here)
      yield* running.statusWhere(({ health }) => health === "ok")
      yield* running.stop()
      yield* here.configure({ platforms: [feishuOf(peer)] })
      yield* peer.exchange.endpoint.always(failure(1000040345, "app invalid"))

      const examined = yield* doctor(here)

      says(
        examined,
        "credentials",
        "fail",
        /connected before, so they were revoked or reset/,
        /copy the secret that is valid now/
      )
    })
  )

  it.live("a placeholder secret, and skips what depends on the configuration", () =>
    Effect.gen(function* () {
      const here = yield* place(at("feishu", { appSecret: "your-secret-here" }))

      const examined = yield* doctor(here)

      says(examined, "configuration", "fail", /placeholder/, /set platforms\[0\].appSecret/)
      assert.strictEqual(line(examined, "configuration").subject, "platforms[0].appSecret")
      assert.strictEqual(line(examined, "platforms").state, "skip")
    })
  )

  it.live("a secret's file that others can read", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer, { appSecret: "${file:./secret}" })
      const secret = join(here.folder, "secret")
      yield* Effect.sync(() => {
        writeFileSync(secret, `${peer.options.appSecret}\n`)
        chmodSync(secret, 0o644)
      })

      says(yield* doctor(here), "files", "warn", /secret can be read by others/, new RegExp(`chmod go-rwx ${secret}`))
    })
  )

  it.live("an app of the other brand", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer)
      yield* peer.exchange.endpoint.always(failure(1000040351, "wrong domain"))

      says(yield* doctor(here), "setup", "fail", /1000040351/, /check `domain`/)
    })
  )

  it.live("F224: a missing scope, which is no trouble of the network", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make({ scopes: ["im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly"] })
      const here = yield* withAccount(peer)

      const examined = yield* doctor(here)

      says(
        examined,
        "scopes",
        "fail",
        /it may not send: im:message:send_as_bot is missing/,
        /add im:message:send_as_bot .* publish a version/
      )
      for (const check of ["tcp", "credentials", "bot"]) assert.strictEqual(line(examined, check).state, "ok")
    })
  )
})

describe.concurrent("the doctor finds of the way there", () => {
  it.live("a clock that is 10 minutes off", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const late = new Date((yield* Clock.currentTimeMillis) - 600_000).toUTCString()
      const port = yield* Peer.serve({
        http: (asked) =>
          Effect.map(peer.exchange.answer(asked), (answer) =>
            answer._tag === "Answer" ? { ...answer, headers: { ...answer.headers, date: late } } : answer
          ),
        upgrade: Effect.succeed(null),
        socket: () => Effect.die("nobody is to connect")
      })
      const here = yield* withAccount(peer, { domain: `http://127.0.0.1:${port}` })

      const examined = yield* doctor(here)

      says(examined, "clock", "fail", /clock is 10m.* ahead of/, /set the clock/)
      assert.strictEqual(line(examined, "credentials").state, "ok")
    })
  )

  it.live("a name that does not resolve, and asks nothing beyond it", () =>
    Effect.gen(function* () {
      const here = yield* place(at("https://feishu.invalid"))

      const examined = yield* doctor(here)

      says(examined, "dns", "fail", /^Dns: the name feishu.invalid did not resolve/, /check the name, the resolver/)
      for (const check of ["tcp", "tls", "clock", "credentials"]) {
        assert.containSubset(line(examined, check), { state: "skip", seen: "not looked at: dns failed" })
      }
    })
  )

  it.live("a port that refuses", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(Peer.listen(net.createServer()))
      const here = yield* place(at(`http://127.0.0.1:${port}`))

      says(yield* doctor(here), "tcp", "fail", /^ConnectionRefused: 127.0.0.1:\d+ refused/, /address and port/)
    })
  )

  it.live.each([
    ["signed by itself", {}, false, /self-signed certificate/, /NODE_EXTRA_CA_CERTS/],
    ["expired", { until: -1 }, true, /expired/, /renew/],
    ["another host's", { names: ["other.test"] }, true, /altnames/, /another host's/]
  ] as const)("a certificate that is %s", ([, made, trusted, seen, remedy]) =>
    Effect.gen(function* () {
      const { cert, key } = certificate({ names: ["127.0.0.1"], from: -9, ...made })
      const port = yield* Peer.serve(nothing, { cert, key })
      const here = yield* place(at(`https://127.0.0.1:${port}`))
      const ca = join(here.folder, "ca.pem")
      yield* Effect.sync(() => writeFileSync(ca, cert))

      const examined = yield* doctor(here, trusted ? { env: { NODE_EXTRA_CA_CERTS: ca } } : {})

      says(examined, "tls", "fail", seen, remedy)
      assert.strictEqual(line(examined, "tcp").state, "ok")
      assert.strictEqual(line(examined, "credentials").state, "skip")
    })
  )

  it.live("F074: a proxy that nobody listens on, by its name, and not the platform", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(Peer.listen(net.createServer()))
      const here = yield* place(at("https://open.feishu.invalid", { proxy: "env" }))

      const examined = yield* doctor(here, { env: { HTTPS_PROXY: `http://ann:hidden-word@127.0.0.1:${port}` } })

      says(
        examined,
        "proxy",
        "fail",
        new RegExp(`the proxy http://127.0.0.1:${port} failed: refused`),
        /never goes round/
      )
      assert.strictEqual(line(examined, "credentials").state, "skip")
      assert.notInclude(JSON.stringify(examined), "hidden-word")
    })
  )

  it.live.each([
    [
      "wants a password",
      "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
      /user and password \(407\)/
    ],
    ["hangs", "", /did not answer within 3s/]
  ] as const)("a proxy that %s", ([, answer, seen]) =>
    Effect.gen(function* () {
      const proxy = yield* Peer.connectProxy(() => 0)
      yield* proxy.answer(answer)
      const here = yield* place(at("https://open.feishu.invalid", { proxy: `http://127.0.0.1:${proxy.port}` }))

      says(yield* doctor(here), "proxy", "fail", seen, /proxy/)
    })
  )

  it.live("a proxy of a scheme that is not supported", () =>
    Effect.gen(function* () {
      const here = yield* place(at("https://open.feishu.invalid", { proxy: "env" }))

      const examined = yield* doctor(here, { env: { HTTPS_PROXY: "socks5://127.0.0.1:1080" } })

      says(examined, "proxy", "fail", /socks5:\/\/127.0.0.1:1080 failed: the scheme socks5 is not supported/, /proxy/)
    })
  )

  it.live("a captive portal, whose page is not the platform's answer", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer)
      yield* peer.exchange.endpoint.always(page)

      says(yield* doctor(here), "bootstrap", "fail", /^Protocol: .*not Feishu's JSON/, /captive portal/)
    })
  )
})

/** An HTTP server with nothing to say. */
const nothing: Peer.Handlers = {
  http: () => Effect.succeed(failure(404, "nothing here", 404)),
  upgrade: Effect.succeed({ _tag: "Reset" }),
  socket: () => Effect.die("nobody is to connect")
}

describe.concurrent("the doctor finds of the process", () => {
  it.live("F218: nothing in a gateway that is well, whose link does not notice the visit", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const here = yield* withAccount(peer)
      yield* Effect.sync(() => chmodSync(here.config, 0o600))
      const running = yield* gateway(here)
      yield* running.statusWhere(({ health }) => health === "ok")

      const examined = yield* doctor(here)
      const [link] = (yield* running.status).platforms

      assert.deepStrictEqual(
        examined.findings.filter(({ state }) => state !== "ok"),
        []
      )
      assert.strictEqual(examined.code, 0)
      assert.containSubset(link, { state: "connected", connects: 1, disconnects: 0 })
    })
  )

  it.live("that it is stopped", () =>
    Effect.gen(function* () {
      const here = yield* place()

      says(yield* doctor(here), "gateway", "fail", /it is stopped/, /evergate start/)
    })
  )

  it.live("the lock of a process that is dead", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      yield* running.kill("SIGKILL")
      yield* running.ended

      const examined = yield* doctor(here)

      says(examined, "lock", "warn", new RegExp(`left of process ${running.pid}, which is gone`), /evergate start/)
      says(examined, "gateway", "fail", /it is stopped/, /evergate start/)
    })
  )

  it.live("a gateway that runs and does not answer, within half a minute", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      yield* running.kill("SIGSTOP")
      const began = yield* Clock.currentTimeMillis

      const examined = yield* doctor(here)

      says(
        examined,
        "gateway",
        "fail",
        new RegExp(`process ${running.pid} runs and does not answer`),
        /evergate restart/
      )
      assert.isBelow((yield* Clock.currentTimeMillis) - began, 30_000)
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "F078, F216: nothing in a unit that was just installed, and that it kills too soon once the drain is longer",
    () =>
      Effect.gen(function* () {
        const here = yield* place()
        const units = join(here.folder, ".config/systemd/user")
        const unit = yield* command(here, ["service", "install", "--print"])
        yield* Effect.sync(() => {
          mkdirSync(units, { recursive: true })
          writeFileSync(join(units, "evergate.service"), unit.out)
        })

        const installed = yield* doctor(here)
        yield* here.configure({ shutdown: { drain: "60s" } })
        const longer = yield* doctor(here)

        says(installed, "service", "ok", /waits 35s for a stop, whose drain takes up to 20s/, /^$/)
        says(longer, "service", "fail", /waits 35s for a stop, whose drain takes up to 60s/, /evergate service install/)
      })
  )

  it.live("a second gateway on the account, with its home", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const elsewhere = yield* withAccount(peer)
      const other = yield* gateway(elsewhere)
      const here = yield* withAccount(peer)

      // The same user: where the gateways of a user look, the doctor looks too.
      const examined = yield* doctor(here, { env: { HOME: elsewhere.folder } })

      says(
        examined,
        "account",
        "fail",
        new RegExp(`another gateway uses it: process ${other.pid} .*home ${elsewhere.home}`),
        new RegExp(`EVERGATE_HOME=${elsewhere.home} evergate stop`)
      )
    })
  )
})

/** What a gateway has kept, made without one. */
const keeping = <A, E>(here: Place, effect: Effect.Effect<A, E, JobStore | OutboxStore>) =>
  Effect.andThen(
    Effect.sync(() => mkdirSync(here.home, { recursive: true, mode: 0o700 })),
    Effect.scoped(
      Effect.provide(
        effect,
        Layer.mergeAll(JobStore.layer, OutboxStore.layer).pipe(
          Layer.provide(Store.layerSqlite({ filename: join(here.home, "evergate.db") }))
        )
      )
    )
  )

const chat = { platform: PlatformId.make("local"), chat: "me", thread: null }

describe.concurrent("the doctor finds in the store", () => {
  it.live("a corrupt database, which it does not touch", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const file = join(here.home, "evergate.db")
      yield* Effect.flatMap(gateway(here), ({ stop }) => stop())
      yield* Effect.sync(() => {
        const descriptor = openSync(file, "r+")
        const size = statSync(file).size
        for (let page = 8_192; page < size; page += 4_096)
          writeSync(descriptor, Buffer.alloc(2_048, 0xa5), 0, 2_048, page)
      })
      const before = readFileSync(file)

      const examined = yield* doctor(here)

      says(examined, "store", "fail", /corrupt|malformed/, /put a backup in its place/)
      assert.strictEqual(line(examined, "outbox").state, "skip")
      assert.isTrue(before.equals(readFileSync(file)))
    })
  )

  it.live("a job that never fires", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const now = yield* Clock.currentTimeMillis
      yield* keeping(
        here,
        Effect.flatMap(JobStore, (jobs) =>
          jobs.put({
            id: JobId.make("once"),
            schedule: "2020-01-01T00:00:00Z",
            timezone: "UTC",
            deliverTo: chat,
            action: { _tag: "Text", text: "too late" },
            misfire: { policy: "once", withinMillis: null },
            overlap: "skip",
            source: "api",
            createdAt: now
          })
        )
      )

      const examined = yield* doctor(here)

      says(examined, "cron", "fail", /never fires: nothing is due/, /job once anew with another schedule/)
    })
  )

  it.live("dead letters, with the command that says them again", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const now = yield* Clock.currentTimeMillis
      const id = DeliveryId.make("d_dead")
      yield* keeping(
        here,
        Effect.gen(function* () {
          const outbox = yield* OutboxStore
          yield* outbox.post({ id, address: chat, text: "hello", replyTo: null }, null, now)
          yield* outbox.bury(1, "the chat is gone", now)
        })
      )

      says(
        yield* doctor(here),
        "outbox",
        "warn",
        /messages given up: 1: d_dead to local:me: the chat is gone/,
        /evergate outbox retry d_dead/
      )
    })
  )

  it.live.skipIf(!mayMount())("a disk that is nearly full", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* tmpfs(here.home, "32m")

      says(yield* doctor(here), "disk", "fail", /^3\d MiB are free/, /free space there/)
    })
  )
})

/** Of a size of its own, as long as the scope is open. */
const tmpfs = (folder: string, size: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        mkdirSync(folder, { recursive: true })
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", folder], { stdio: "ignore" })
      }),
      () => Effect.sync(() => execFileSync("umount", [folder], { stdio: "ignore" }))
    )
  )

function mayMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
