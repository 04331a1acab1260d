/**
 * All checks, side by side, each with its deadline; told causes before symptoms. What cannot be looked at since something else
 * failed is told too, so that nothing that is missing looks well.
 */
import { Clock, Duration, Effect } from "effect"
import { Mask } from "../actors/Mask.ts"
import type { Loaded } from "../config/load.ts"
import type { ConfigError } from "../config/report.ts"
import type { Settings } from "../config/Settings.ts"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import type { Status } from "../http/Status.ts"
import { examineFiles, faultsOf, loadedFrom } from "./configuration.ts"
import { examineJobs } from "./jobs.ts"
import { examineLinks, examineOutbox } from "./kept.ts"
import type { StoreView } from "./Machine.ts"
import { Machine } from "./Machine.ts"
import type { Answer } from "./process.ts"
import { examineAccounts, examineProcess, examineServices } from "./process.ts"
import { examinePlatform } from "./reach.ts"
import { examineStore } from "./storage.ts"

/** What is to be looked at, as far as it is known. */
export interface Patient {
  /** The whole configuration, or what is wrong with it. */
  readonly loaded: Loaded | ConfigError
  /** Where the home and the database are; null where the configuration does not even say that. */
  readonly place: { readonly home: string; readonly database: string } | null
  readonly envFile: string | null
  /** The running gateway, asked; null within it: it knows of itself that it runs. */
  readonly answer: Effect.Effect<Answer> | null
  /** The largest database that is read through; reading stops everything else in its process. */
  readonly checkedBytes: number
}

const within = Duration.seconds(4)
const platformsWithin = Duration.seconds(21)

const look = about(null)

const noView: { readonly view: StoreView | null } = { view: null }

/** The lines, in the order in which a person is to read them. */
export const diagnose = (patient: Patient): Effect.Effect<ReadonlyArray<Finding>, never, Machine> =>
  Effect.gen(function* () {
    const settings = settingsOf(patient)
    // The database is read first: it tells credentials that have worked from ones that never did.
    const [{ findings: storage, view }, answer] = yield* Effect.all(
      [bounded("store", within, examinePlace(patient, settings), noView), patient.answer ?? Effect.succeed(null)],
      { concurrency: "unbounded" }
    )
    const [before, platforms] = yield* Effect.all(
      [
        lines("process", within, examineGateway(patient, settings, answer)),
        lines("platforms", platformsWithin, examinePlatforms(patient, settings, view))
      ],
      { concurrency: "unbounded" }
    )
    const status = answer !== null && "status" in answer ? answer.status : null
    const after = yield* examineKept(patient, settings, view, status)
    // A far end may echo what it was shown.
    const mask = yield* Mask
    return [...before, ...platforms, ...storage, ...after].map((line) => ({ ...line, seen: mask(line.seen) }))
  })

const settingsOf = ({ loaded }: Patient): Settings | null => ("settings" in loaded ? loaded.settings : null)

const enabledOf = (settings: Settings | null) => settings?.platforms.filter(({ enabled }) => enabled) ?? []

/** The configuration, the files, the process, the accounts. Within the gateway only what may change by itself. */
const examineGateway = Effect.fnUntraced(function* (
  patient: Patient,
  settings: Settings | null,
  answer: Answer | null
) {
  const { homeLock, versions } = yield* Machine
  const { loaded, place } = patient
  const files = place === null ? [] : yield* examineFiles(filesOf(patient, place))
  if (answer === null) return files
  const version = look.ok("versions", `evergate ${versions.evergate}, node ${versions.node} on ${versions.platform}`)
  const configuration = "settings" in loaded ? [loadedFrom(loaded)] : faultsOf(loaded)
  const process =
    place === null
      ? [look.skip("gateway", "the configuration does not say where it is")]
      : examineProcess(place.home, yield* homeLock(place.home), answer)
  const services =
    place === null || settings === null ? [] : yield* examineServices(place.home, settings.shutdown.drain)
  const accounts = place === null ? [] : yield* examineAccounts(place.home, enabledOf(settings))
  return [version, ...configuration, ...files, ...process, ...services, ...accounts]
})

const filesOf = ({ envFile, loaded }: Patient, place: NonNullable<Patient["place"]>) => ({
  source: loaded.source,
  envFile,
  ...place,
  secrets: "settings" in loaded ? loaded.secrets : []
})

/** Each account by itself, side by side. */
const examinePlatforms = Effect.fnUntraced(function* (
  { loaded }: Patient,
  settings: Settings | null,
  view: StoreView | null
) {
  if (settings === null || !("env" in loaded)) return [look.skip("platforms", "the configuration is wrong")]
  const kept = keptOf(view)
  const found = yield* Effect.forEach(
    enabledOf(settings),
    (platform) =>
      examinePlatform(
        platform,
        "proxy" in platform ? (platform.proxy ?? settings.proxy) : settings.proxy,
        loaded.env,
        kept?.proved.get(platform.id)
      ),
    { concurrency: "unbounded" }
  )
  return found.flat()
})

const examinePlace = ({ checkedBytes, place }: Patient, settings: Settings | null) =>
  place === null
    ? Effect.succeed({ view: null, findings: [look.skip("store", "the configuration does not say where it is")] })
    : examineStore(place.database, settings?.platforms.map(({ id }) => id) ?? [], checkedBytes)

const keptOf = (view: StoreView | null) => (view === null || view.kept === "older" ? null : view.kept)

/** Cron, what was not said, and how the links are: what the store and the gateway have of it. */
const examineKept = Effect.fnUntraced(function* (
  { answer }: Patient,
  settings: Settings | null,
  view: StoreView | null,
  status: Status | null
) {
  const kept = keptOf(view)
  const now = yield* Clock.currentTimeMillis
  const platforms = enabledOf(settings).map(({ id }) => id)
  const links = answer === null ? [] : examineLinks(platforms, kept?.timelines ?? new Map(), status, now)
  if (kept === null) {
    const because = view === null ? "the store has nothing to say" : "the store is an older one"
    return [look.skip("cron", because), look.skip("outbox", because), ...links]
  }
  const isRunning = answer === null || status !== null
  const jobs =
    settings === null
      ? [look.skip("cron", "the configuration is wrong")]
      : examineJobs(kept.jobs, { now, platforms, isRunning })
  return [...jobs, ...examineOutbox(kept, now), ...links]
})

/** What does not end in time is a finding like any other. */
const bounded = <A, R>(
  check: string,
  limit: Duration.Duration,
  examining: Effect.Effect<A & { readonly findings: ReadonlyArray<Finding> }, never, R>,
  otherwise: A
) =>
  Effect.timeoutOrElse(examining, {
    duration: limit,
    orElse: () =>
      Effect.succeed({
        ...otherwise,
        findings: [
          look.fail(check, `could not be looked at within ${Duration.format(limit)}`, "look at what loads this machine")
        ]
      })
  })

const lines = <R>(
  check: string,
  limit: Duration.Duration,
  examining: Effect.Effect<ReadonlyArray<Finding>, never, R>
) =>
  Effect.map(
    bounded(
      check,
      limit,
      Effect.map(examining, (findings) => ({ findings })),
      {}
    ),
    ({ findings }) => findings
  )
