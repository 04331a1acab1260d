/** The gateway as a service: the unit that is written, and what a manager hears on a socket of the test's own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { command, gateway, place, until } from "../service.ts"

const has = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined
const isSystemd = process.platform === "linux"

/** Node has no datagram sockets; perl, which git brings along, has. Prints a line a datagram. */
const listener = `use IO::Socket::UNIX; use Socket; $| = 1;
my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!; print "open\\n";
while (defined $s->recv(my $m, 4096)) { $m =~ s/\\n/ /g; print "$m\\n" }`

const listen = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn("perl", ["-e", listener, path], { stdio: ["ignore", "pipe", "inherit"] })
        let heard = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => (heard += text))
        return { child, heard: () => heard }
      }),
      ({ child }) => Effect.sync(() => void child.kill())
    ),
    ({ heard }) => Effect.sync(heard)
  )

describe.concurrent("a service", () => {
  it.live.skipIf(!has("perl") || !has("systemd-notify"))("says that it is ready, alive and stopping", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const socket = join(here.folder, "notify.sock")
      const heard = yield* listen(socket)
      yield* until(heard, (text) => text.includes("open"))
      const service = yield* gateway(here, { env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "500000" } })
      yield* until(heard, (text) => text.includes("WATCHDOG=1"))
      const { code, out } = yield* service.stop()
      const said = yield* until(heard, (text) => text.includes("STOPPING=1"))

      assert.include(said, `READY=1 MAINPID=${service.pid}`)
      assert.strictEqual(code, 0)
      assert.notInclude(out, "WARN")
    })
  )

  it.live.skipIf(!isSystemd || !has("systemd-analyze"))("F212: the unit passes systemd's own check", () =>
    Effect.gen(function* () {
      const here = yield* place({ shutdown: { drain: "7s" } })
      const { code, out } = yield* command(here, ["service", "install", "--print"])
      const file = join(here.folder, "evergate.service")
      writeFileSync(file, out)

      assert.strictEqual(code, 0)
      assert.strictEqual(execFileSync("systemd-analyze", ["verify", file], { encoding: "utf8" }), "")
    })
  )

  it.live.skipIf(!isSystemd)(
    "F216: install writes the unit and tells the manager; again is the same; uninstall leaves the home",
    () =>
      Effect.gen(function* () {
        const here = yield* place()
        const control = join(here.folder, "bin")
        const log = join(here.folder, "systemctl.log")
        mkdirSync(control)
        writeFileSync(join(control, "systemctl"), `#!/bin/sh\necho "$@" >> ${log}\n`, { mode: 0o755 })
        const env = { PATH: `${control}:${process.env["PATH"]}` }
        const unit = join(here.folder, ".config/systemd/user/evergate.service")

        const first = yield* command(here, ["service", "install"], { env })
        const installed = existsSync(unit)
        const second = yield* command(here, ["service", "install"], { env })
        const gone = yield* command(here, ["service", "uninstall"], { env })
        const none = yield* command(here, ["service", "uninstall"], { env })

        assert.deepStrictEqual([first.code, second.code, gone.code, none.code], [0, 0, 0, 0])
        assert.isTrue(installed)
        assert.isFalse(existsSync(unit))
        assert.include(none.out, "no service here")
        const told = ["--user daemon-reload", "--user enable --now evergate.service"]
        const left = ["--user disable --now evergate.service", "--user daemon-reload"]
        assert.deepStrictEqual(execFileSync("cat", [log], { encoding: "utf8" }).trim().split("\n"), [
          ...told,
          ...told,
          ...left
        ])
      })
  )

  it.live("F211: variables that only this shell has are refused, and what to do is said", () =>
    Effect.gen(function* () {
      const here = yield* place({ agent: { kind: "http", url: "${AGENT}" } })
      const refused = yield* command(here, ["service", "install", "--print"], { env: { AGENT: "http://127.0.0.1:1/" } })
      const file = join(here.folder, "variables")
      writeFileSync(file, "AGENT=http://127.0.0.1:1/\n", { mode: 0o600 })
      const taken = yield* command(here, ["service", "install", "--print", "--env-file", file])

      assert.strictEqual(refused.code, 78)
      assert.include(refused.err, "--env-file")
      assert.strictEqual(taken.code, 0)
      if (isSystemd) assert.include(taken.out, `--env-file ${file}`)
      assert.notInclude(taken.out, "127.0.0.1:1")
    })
  )
})
