/** The built service as its users run it: a folder with a home and a configuration, processes, their logs and their API. */
import type { Duration, Scope } from "effect"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Status } from "../src/http/Status.ts"
import type { FeishuPeer } from "../src/testing/feishu/FeishuPeer.ts"
import type { Answered } from "./asking.ts"
import { ask, post } from "./asking.ts"
import type { Ended, Running, RunningOptions } from "./processes.ts"
import { startProgram } from "./processes.ts"

export const program = new URL("../dist/main.js", import.meta.url)

/** Where a gateway lives; several processes may be started in it, one after the other or at once. */
export interface Place {
  readonly folder: string
  readonly home: string
  /** The file, which names the home and a port that the system picks, and what was given. */
  readonly config: string
  readonly configure: (settings: Readonly<Record<string, unknown>>) => Effect.Effect<void>
}

export const place = Effect.fnUntraced(function* (
  settings: Readonly<Record<string, unknown>> = {}
): Effect.fn.Return<Place, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const [home, config] = [join(folder, "home"), join(folder, "evergate.json")]
  const configure: Place["configure"] = (settings) =>
    Effect.sync(() => writeFileSync(config, JSON.stringify({ home, http: { port: 0 }, ...settings })))
  yield* configure(settings)
  return { folder, home, config, configure }
})

export interface LogLine {
  readonly time: string
  readonly level: string
  readonly event: string
  readonly [field: string]: unknown
}

/** Whole lines of JSON; the last may still be on its way, and others may not be the log's. */
export const linesOf = (out: string): ReadonlyArray<LogLine> =>
  out
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []))

export interface Gateway extends Running {
  readonly url: string
  readonly lines: () => ReadonlyArray<LogLine>
  /** Waits for the log's line of this event with these fields. */
  readonly line: (
    event: string,
    fields?: Readonly<Record<string, unknown>>,
    within?: Duration.Input
  ) => Effect.Effect<LogLine>
  readonly get: (path: string) => Effect.Effect<Answered>
  readonly post: (path: string, body?: unknown) => Effect.Effect<Answered>
  readonly status: Effect.Effect<Status>
  /** Asks until the status is as it should be. */
  readonly statusWhere: (is: (status: Status) => boolean, within?: Duration.Input) => Effect.Effect<Status>
  readonly stop: (signal?: NodeJS.Signals) => Effect.Effect<Ended>
}

/** The arguments of the command line, in a place. */
export const start = (
  { folder, config }: Place,
  args: ReadonlyArray<string>,
  options: Partial<RunningOptions> = {}
): Effect.Effect<Running, never, Scope.Scope> =>
  startProgram(program, [...args, "--config", config], {
    ...options,
    cwd: folder,
    env: environment(folder, options.env)
  })

/** Nothing of the tester's own: no proxies, no tokens, no configuration. */
export const environment = (folder: string, more: RunningOptions["env"] = {}): RunningOptions["env"] => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  TZ: "UTC",
  ...more
})

/** A command, run to its end. */
export const command = (place: Place, args: ReadonlyArray<string>, options: Partial<RunningOptions> = {}) =>
  Effect.scoped(Effect.flatMap(start(place, args, options), ({ ended }) => ended))

/** A gateway that listens. */
export const gateway = Effect.fnUntraced(function* (
  place: Place,
  options: Partial<RunningOptions> = {},
  flags: ReadonlyArray<string> = []
): Effect.fn.Return<Gateway, never, Scope.Scope> {
  const running = yield* start(place, ["run", ...flags], options)
  const ready = yield* lineOf(running, "ready", {})
  return gatewayOf(running, String(ready["url"]))
})

export const gatewayOf = (running: Running, url: string): Gateway => {
  const get = (path: string) => ask(`${url}${path}`)
  // What the endpoint answers with is the schema's; the API's tests show it.
  const status = Effect.map(get("/api/status"), ({ json }) => json as Status)
  return {
    ...running,
    url,
    lines: () => linesOf(running.out()),
    line: (event, fields = {}, within) => lineOf(running, event, fields, within),
    get,
    post: (path, body = {}) => post(`${url}${path}`, body),
    status,
    statusWhere: (is, within = "15 seconds") => until(status, is, within, running.out),
    stop: (signal = "SIGTERM") => Effect.andThen(running.kill(signal), running.ended)
  }
}

export const lineOf = (
  running: Running,
  event: string,
  fields: Readonly<Record<string, unknown>>,
  within?: Duration.Input
): Effect.Effect<LogLine> =>
  running.seen(
    `${event} ${JSON.stringify(fields)}`,
    (out) =>
      linesOf(out).find(
        (line) => line.event === event && Object.entries(fields).every(([key, value]) => line[key] === value)
      ),
    within
  )

/** Looks again every 25 ms; dies with what it saw last where it never is so, and with what else there is to say. */
export const until = <A>(
  look: Effect.Effect<A>,
  is: (value: A) => boolean,
  within: Duration.Input = "15 seconds",
  more: () => string = () => ""
): Effect.Effect<A> => {
  let last: A | undefined
  const looking = Effect.gen(function* () {
    while (true) {
      last = yield* look
      if (is(last)) return last
      yield* Effect.sleep("25 millis")
    }
  })
  const orElse = () => Effect.die(new Error(`never so: ${JSON.stringify(last)}\n${more()}`))
  return Effect.timeoutOrElse(looking, { duration: within, orElse })
}

/** An account on the peer, with whatever a test says of its link. */
export const feishuOf = (peer: FeishuPeer, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "feishu",
  kind: "feishu",
  appId: peer.options.appId,
  appSecret: peer.options.appSecret,
  domain: peer.url,
  proxy: "none",
  ...more
})
