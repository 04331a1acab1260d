/**
 * Where the gateway of a configuration is to be found: its home, its address, its store. Commands that only talk to it
 * take no more than this, so that they run without the variables that the rest of the file asks for.
 */
import { Effect, Path, Predicate, Schema, Struct } from "effect"
import { PlatformId } from "../domain/Address.ts"
import { localChat } from "./check.ts"
import { at, without } from "./document.ts"
import { fillIn } from "./fillIn.ts"
import type { Surroundings, Wanted } from "./find.ts"
import { find, homeIn, withEnvFile } from "./find.ts"
import { keysAt } from "./keys.ts"
import { isLoopback } from "./loopback.ts"
import { reading } from "./reading.ts"
import { ConfigError } from "./report.ts"
import type { Settings } from "./Settings.ts"
import { Sections } from "./Settings.ts"

export interface Whereabouts extends Pick<Settings, "home" | "http" | "store"> {
  /** The ids of its platforms, as far as they are known. */
  readonly platforms: ReadonlyArray<string>
}

const { home, http, store } = Sections.fields
const Place = Schema.Struct({ home, http, store })
const isId = Schema.is(PlatformId)

/** What of a configuration says where its gateway is; of the rest nothing is asked, and nothing is told. */
export const whereabouts = Effect.fnUntraced(function* (wanted: Wanted, surroundings: Surroundings) {
  const path = yield* Path.Path
  const here = { ...surroundings, env: yield* withEnvFile(wanted, surroundings) }
  const { document, source, folder, faults, isWhole } = yield* find(wanted, here)
  if (!isWhole) return yield* new ConfigError({ source, faults })
  const raw = Predicate.isObject(document.raw) ? Struct.pick(document.raw, ["home", "http", "store"]) : {}
  const filled = yield* fillIn(document, raw, here.env, folder)
  const read = reading(document)
  const place = read.decode(Place, filled.holes.reduce(without, filled.tree), [], keysAt(Sections))
  // On loopback nobody asks for a token, so one that is not set is not missed.
  const missed = filled.faults.filter(({ path }) => path !== "http.token" || !isLoopback(place?.http.host ?? ""))
  const all = [...missed, ...read.faults]
  if (place === null || all.length > 0) return yield* new ConfigError({ source, faults: all })
  const platforms = at(document.raw, ["platforms"]) ?? localChat
  const found: Whereabouts = {
    ...place,
    home: homeIn(path, folder, here, wanted)(place.home),
    platforms: Array.isArray(platforms) ? platforms.map((item) => at(item, ["id"])).filter(isId) : []
  }
  return found
})
