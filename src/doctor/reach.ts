/**
 * From the machine to a platform, in the order in which things depend on each other: proxy or name, connection, TLS, clock,
 * and what the platform itself says. After a failure nothing further is asked: it would only fail for the same reason.
 */
import { Clock, Duration, Effect, Exit, Result } from "effect"
import type { Environment } from "../config/references.ts"
import type { PlatformSettings } from "../config/Settings.ts"
import type { About, Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import { iso } from "../domain/instant.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import type { Diagnosis } from "../platforms/Platform.ts"
import type { Way } from "./Machine.ts"
import { Machine } from "./Machine.ts"

/** Of each step; all of them together have what `diagnose` gives a platform. */
const stepWithin = Duration.seconds(3)
const platformWithin = Duration.seconds(8)

/** Clocks that differ by more than this make certificates and signatures fail. */
const clockWarnMillis = 60_000
const clockFailMillis = 5 * 60_000
const certificateWarnMillis = 14 * 86_400_000

/** The lines of one account. `proved`: the fingerprint of settings that have connected before. */
export const examinePlatform = (
  settings: PlatformSettings,
  proxy: string,
  environment: Environment,
  proved: string | undefined
) =>
  Effect.gen(function* () {
    const machine = yield* Machine
    const platform = yield* machine.platform(settings, proxy, environment)
    if (platform?.diagnosis === undefined) return []
    const look = about(settings.id)
    const { diagnosis, fingerprint } = platform
    const way = yield* machine.wayTo(diagnosis.origin, proxy, environment)
    const steps = stepsOf(look, diagnosis, way)
    return (yield* inOrder(look, steps)).map((finding) => (proved === fingerprint ? revoked(finding) : finding))
  }).pipe(Effect.scoped)

interface Step {
  readonly check: string
  readonly run: Effect.Effect<ReadonlyArray<Finding>>
}

const stepsOf = (look: About, { examine, origin }: Diagnosis, way: Way): ReadonlyArray<Step> => {
  const host = URL.parse(origin)?.host ?? origin
  const { connect, date, proxy, resolve, secure } = way
  const step = <A>(
    check: string,
    asking: Effect.Effect<A, LinkErrorReason>,
    read: (value: A, now: number) => Finding
  ): Step => ({
    check,
    run: oneLine(
      look,
      check,
      check === "proxy" ? (proxy ?? host) : check === "dns" ? "the resolver" : host,
      asking,
      read
    )
  })
  const straight = proxy === null ? "tcp" : "proxy"
  return [
    ...(resolve === null
      ? []
      : [step("dns", resolve, (addresses) => look.ok("dns", `${host} is ${addresses.join(", ")}`))]),
    step(straight, connect, (address) =>
      look.ok(straight, proxy === null ? `${address} takes connections` : `${proxy} opens a tunnel to ${address}`)
    ),
    ...(secure === null ? [] : [step("tls", secure, (until, now) => certificate(look, host, until, now))]),
    step("clock", date, (server, now) => clock(look, host, server, now)),
    { check: "credentials", run: withinTime(look, examine) }
  ]
}

const remedyOfSilence = (check: string): string =>
  check === "proxy"
    ? "start the proxy, or correct `proxy` (HTTPS_PROXY); evergate never goes round it"
    : "let this host through the firewall, or set `proxy`"

const oneLine = <A>(
  look: About,
  check: string,
  who: string,
  asking: Effect.Effect<A, LinkErrorReason>,
  read: (value: A, now: number) => Finding
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const asked = yield* Effect.timeoutOption(Effect.result(asking), stepWithin)
    const now = yield* Clock.currentTimeMillis
    if (asked._tag === "None") {
      return [look.fail(check, `${who} did not answer within ${Duration.format(stepWithin)}`, remedyOfSilence(check))]
    }
    return [Result.isSuccess(asked.value) ? read(asked.value.success, now) : failed(look, check, asked.value.failure)]
  })

/** A fault of the proxy's is told as such, wherever it was met. */
const failed = (look: About, check: string, reason: LinkErrorReason): Finding =>
  look.fail(reason._tag === "Proxy" ? "proxy" : check, `${reason._tag}: ${reason.message}`, reason.hint)

const withinTime = (look: About, examine: Diagnosis["examine"]): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    // An adapter may be anybody's: that it crashes is a finding too.
    const examined = yield* Effect.exit(Effect.timeoutOption(examine, platformWithin))
    if (Exit.isFailure(examined))
      return [look.fail("credentials", "the adapter's own checks crashed", "report it with `evergate logs`")]
    if (examined.value._tag === "Some") return examined.value.value
    return [
      look.fail(
        "credentials",
        `the platform did not answer within ${Duration.format(platformWithin)}`,
        "try again; see its status page"
      )
    ]
  })

const certificate = (look: About, host: string, until: number, now: number): Finding =>
  until - now < certificateWarnMillis
    ? look.warn("tls", `${host}: its certificate ends at ${iso(until)}`, "have its owner renew it")
    : look.ok("tls", `${host}: its certificate is good until ${iso(until)}`)

const clock = (look: About, host: string, server: number | null, now: number): Finding => {
  if (server === null) return look.ok("clock", `${host} does not say what time it is`)
  const off = now - server
  const by = Duration.format(Duration.seconds(Math.round(Math.abs(off) / 1_000)))
  const seen = `this machine's clock is ${by} ${off > 0 ? "ahead of" : "behind"} ${host}`
  const remedy = "set the clock, best by a time service: timedatectl set-ntp true"
  if (Math.abs(off) > clockFailMillis) return look.fail("clock", seen, remedy)
  return Math.abs(off) > clockWarnMillis ? look.warn("clock", seen, remedy) : look.ok("clock", seen)
}

/** One after the other; those after a failure are named and not asked. */
const inOrder = Effect.fnUntraced(function* (look: About, steps: ReadonlyArray<Step>) {
  const findings: Array<Finding> = []
  let broken: string | null = null
  for (const { check, run } of steps) {
    if (broken !== null) {
      findings.push(look.skip(check, `${broken} failed`))
      continue
    }
    const found = yield* run
    findings.push(...found)
    // A clock that is off may or may not be why the rest fails: that is still asked.
    if (check !== "clock") broken = found.find(({ state }) => state === "fail")?.check ?? null
  }
  return findings
})

/** What has worked is not mistyped: somebody has taken it back. */
const revoked = (finding: Finding): Finding =>
  finding.check === "credentials" && finding.state === "fail"
    ? {
        ...finding,
        seen: `${finding.seen}; they have connected before, so they were revoked or reset`,
        remedy:
          "copy the secret that is valid now from the platform's console into the configuration, then evergate reload"
      }
    : finding
