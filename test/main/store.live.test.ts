/** Stores that fail under a real gateway: it says so, keeps what it cannot keep unacknowledged, and heals by itself or ends with 74. */
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Effect, Option } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import type { RunningOptions } from "../processes.ts"
import { startProgram } from "../processes.ts"
import type { Place } from "../service.ts"
import { command, environment, feishuOf, gateway, place, until } from "../service.ts"

const isRoot = process.getuid?.() === 0
const nobody = 65_534

const open = { direct: "open" }
/** More than what is free within pages, and no more than one reply. */
const long = "x".repeat(20_000)
/** What is not acknowledged comes again soon. */
const impatient = { redeliver: Array.from({ length: 30 }, () => "1 second" as const), ackWithin: "1 second" } as const

/** Locks the home's database from another process, until the scope closes. */
const locked = Effect.fnUntraced(function* ({ folder, home }: Place) {
  const locker = new URL("../locker.ts", import.meta.url)
  const other = yield* startProgram(locker, [join(home, "evergate.db")], { env: environment(folder), cwd: folder })
  yield* other.seen("the lock", (out) => (out.includes("locked") ? true : undefined))
})

/** A trouble that lasts as long as the scope, and how a gateway is started that can be put into it. */
interface Trouble {
  readonly what: string
  readonly says: string
  readonly prepare: (here: Place) => Effect.Effect<Partial<RunningOptions>, never, Scope.Scope>
  readonly strike: (here: Place) => Effect.Effect<void, never, Scope.Scope>
}

/** Lets every database of the process grow no more while the file is there: the store is full, the disk is not. */
const noMorePages = (sign: string): string => `
  import { existsSync } from "node:fs"
  import { DatabaseSync } from "node:sqlite"
  const exec = DatabaseSync.prototype.exec
  DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql)
    if (!sql.includes("synchronous=FULL")) return
    setInterval(() => exec.call(this, "PRAGMA max_page_count=" + (existsSync(${JSON.stringify(sign)}) ? 1 : 1_000_000)), 20)
  }
`

const whileThere = (file: string, bytes: number) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => fill(file, bytes)),
      () => Effect.sync(() => rmSync(file))
    )
  )

/** As much of it as there is place for. */
const fill = (file: string, bytes: number): void => {
  try {
    writeFileSync(file, Buffer.alloc(bytes))
  } catch (error) {
    assert.include(String(error), "ENOSPC")
  }
}

const limited: Trouble = {
  what: "has all the pages that it may have",
  says: "the disk is full; free some space",
  prepare: ({ folder }) =>
    Effect.sync(() => {
      const file = join(folder, "pages.mjs")
      writeFileSync(file, noMorePages(join(folder, "full")))
      return { nodeArgs: ["--import", pathToFileURL(file).href] }
    }),
  strike: ({ folder }) => Effect.andThen(whileThere(join(folder, "full"), 0), Effect.sleep("200 millis"))
}

const fullDisk: Trouble = {
  what: "is on a disk without any space left",
  says: "the disk is full; free some space",
  prepare: ({ home }) =>
    Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => {
          mkdirSync(home, { mode: 0o700 })
          execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", home])
        }),
        () => Effect.sync(() => execFileSync("umount", ["-l", home]))
      ),
      {}
    ),
  strike: ({ home }) => whileThere(join(home, "ballast"), 32 * 1024 * 1024)
}

const foreignLock: Trouble = {
  what: "is locked by another process",
  says: "locked by another process",
  prepare: () => Effect.succeed({}),
  strike: locked
}

/** Containers mostly do not let their programs mount. */
const mayMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "evergate-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "ignore" })
    execFileSync("umount", [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const survives = ({ prepare, says, strike }: Trouble) =>
  Effect.gen(function* () {
    const peer = yield* FeishuPeer.make(impatient)
    const here = yield* place({ platforms: [feishuOf(peer, { access: open })] })
    const running = yield* gateway(here, yield* prepare(here))
    yield* running.statusWhere(({ health }) => health === "ok")
    const [line] = yield* peer.lines

    const during = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* strike(here)
        const refused = yield* running.post("/api/messages", { to: "feishu:oc_1", text: long })
        assert.strictEqual(refused.status, 503, running.out())
        const said = yield* peer.say({ text: long, chat: "oc_1" })
        const status = yield* running.statusWhere(({ store }) => !store.ok)
        yield* Effect.sleep("2 seconds")
        const acknowledged = yield* Effect.timeoutOption(said.acknowledged, "100 millis")
        const livez = yield* running.get("/livez")
        return { refused, status, said, acknowledged, livez }
      })
    )
    yield* during.said.acknowledged
    const sent = yield* until(peer.exchange.ledger, (sent) => sent.length > 0)
    yield* running.statusWhere(({ health }) => health === "ok")
    const [same] = yield* peer.lines
    const { code } = yield* running.stop()

    assert.deepStrictEqual([during.refused.status, during.livez.status, code], [503, 200, 0])
    assert.containSubset(during.status, { health: "down", platforms: [{ state: "connected" }] })
    assert.include(during.status.store.lastError ?? "", says)
    assert.isTrue(Option.isNone(during.acknowledged))
    assert.strictEqual(sent.length, 1)
    assert.isTrue(same === line)
  })

describe.concurrent("a store that takes no writes under a gateway that runs", () => {
  it.live.each([limited, foreignLock])(
    "$what: nothing is acknowledged, and all is answered once it is well",
    survives,
    40_000
  )

  it.live.skipIf(!mayMount())(
    `${fullDisk.what}: nothing is acknowledged, and all is answered once it is well`,
    () => survives(fullDisk),
    40_000
  )
})

describe.concurrent("a start", { timeout: 40_000 }, () => {
  it.live("on a database that another process has locked: 74, naming it, and nothing is changed", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* (yield* gateway(here)).stop()
      yield* locked(here)

      const { code, out } = yield* command(here, ["run"])

      assert.strictEqual(code, 74)
      assert.include(out, join(here.home, "evergate.db"))
      assert.include(out, "locked by another process; stop what else has the database open")
    })
  )

  it.live("in a home that may not be written: 74, naming it", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* Effect.sync(() => {
        mkdirSync(here.home)
        chmodSync(here.home, 0o555)
        chmodSync(here.folder, 0o755)
      })

      const { code, out } = yield* command(here, ["run"], isRoot ? { uid: nobody } : {})
      yield* Effect.sync(() => chmodSync(here.home, 0o700))

      assert.strictEqual(code, 74)
      assert.include(out, `${here.home}/evergate.lock cannot be used: EACCES`)
      assert.isFalse(existsSync(join(here.home, "evergate.db")))
    })
  )
})
