/** The way to a platform on virtual time: what hangs, what crashes, and what is not looked at any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { PlatformSettings } from "../../src/config/Settings.ts"
import type { Way } from "../../src/doctor/Machine.ts"
import { Machine } from "../../src/doctor/Machine.ts"
import { examinePlatform } from "../../src/doctor/reach.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { about } from "../../src/domain/Finding.ts"
import { ConnectionRefused, Proxy } from "../../src/domain/LinkError.ts"
import type { Diagnosis } from "../../src/platforms/Platform.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { quiet } from "../actors/world.ts"

const settings: PlatformSettings = {
  kind: "local",
  id: PlatformId.make("fake"),
  enabled: true,
  access: { direct: "open", group: "all", allow: [], deny: [] }
}
const refused = about("fake").fail("credentials", "refused", "check them")
const open: Way = {
  proxy: null,
  resolve: Effect.succeed(["192.0.2.1"]),
  connect: Effect.succeed("192.0.2.1:443"),
  secure: Effect.succeed(90 * 86_400_000),
  date: Effect.succeed(0)
}

/** The lines that there are once so much time has passed, as `check state`. */
const linesOf = Effect.fnUntraced(function* (way: Partial<Way>, examine: Diagnosis["examine"], proved = false) {
  const fake = yield* FakePlatform.make({ fingerprint: "known" })
  const never = () => Effect.die("nobody asks")
  const machine = Machine.of({
    versions: { evergate: "0", node: "0", platform: "here" },
    exposed: never,
    services: never,
    homeLock: never,
    accountLock: never,
    store: never,
    freeBytes: never,
    wayTo: () => Effect.succeed({ ...open, ...way }),
    platform: () => Effect.succeed({ ...fake.platform, diagnosis: { origin: "https://platform.test", examine } })
  })
  const examining = yield* Effect.forkScoped(
    examinePlatform(settings, "none", {}, proved ? "known" : undefined).pipe(Effect.provideService(Machine, machine))
  )
  yield* quiet
  yield* TestClock.adjust("20 seconds")
  return yield* Fiber.join(examining)
}, Effect.scoped)

const states = (lines: Effect.Success<ReturnType<typeof linesOf>>) =>
  lines.map(({ check, state }) => `${check} ${state}`)

const well = Effect.succeed([about("fake").ok("credentials", "taken")])

describe("the way to a platform", () => {
  it.effect.each([
    ["open", {}, well, ["dns ok", "tcp ok", "tls ok", "clock ok", "credentials ok"]],
    [
      "a resolver that hangs",
      { resolve: Effect.never },
      well,
      ["dns fail", "tcp skip", "tls skip", "clock skip", "credentials skip"]
    ],
    [
      "TLS that hangs",
      { secure: Effect.never },
      well,
      ["dns ok", "tcp ok", "tls fail", "clock skip", "credentials skip"]
    ],
    [
      "a port that refuses",
      { connect: Effect.fail(new ConnectionRefused({ address: "192.0.2.1:443" })) },
      well,
      ["dns ok", "tcp fail", "tls skip", "clock skip", "credentials skip"]
    ],
    [
      "a proxy, which looks names up by itself",
      { proxy: "http://proxy.test:3128", resolve: null, connect: Effect.fail(new Proxy({ proxy: "p", detail: "no" })) },
      well,
      ["proxy fail", "tls skip", "clock skip", "credentials skip"]
    ],
    [
      "a clock that is 6 minutes off, which may be why the rest fails",
      { date: Effect.succeed(-360_000) },
      well,
      ["dns ok", "tcp ok", "tls ok", "clock fail", "credentials ok"]
    ],
    [
      "a certificate that ends in a week",
      { secure: Effect.succeed(7 * 86_400_000) },
      well,
      ["dns ok", "tcp ok", "tls warn", "clock ok", "credentials ok"]
    ],
    ["a platform that hangs", {}, Effect.never, ["dns ok", "tcp ok", "tls ok", "clock ok", "credentials fail"]],
    ["an adapter that crashes", {}, Effect.die("a bug"), ["dns ok", "tcp ok", "tls ok", "clock ok", "credentials fail"]]
  ] as ReadonlyArray<readonly [string, Partial<Way>, Diagnosis["examine"], ReadonlyArray<string>]>)(
    "%s",
    ([, way, examine, expected]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(states(yield* linesOf(way, examine)), expected)
      })
  )

  it.effect("F218: credentials that have connected before were taken back, others are wrong", () =>
    Effect.gen(function* () {
      const before = yield* linesOf({}, Effect.succeed([refused]), true)
      const never = yield* linesOf({}, Effect.succeed([refused]))

      assert.match(before.at(-1)?.seen ?? "", /revoked or reset/)
      assert.deepStrictEqual(never.at(-1), refused)
    })
  )
})
