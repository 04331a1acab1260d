/** The database behind the stores, by what the settings name. */
import { Layer } from "effect"
import { join, resolve } from "node:path"
import type { Settings } from "../config/Settings.ts"
import type { StoreError } from "../domain/Errors.ts"
import { Database } from "../store/Database.ts"
import * as Sqlite from "./Sqlite.ts"

/** A file, made where there is none. One that is corrupt, newer or not readable is refused, and not touched. */
export const layerSqlite = (options: { readonly filename: string }): Layer.Layer<Database, StoreError> =>
  Database.layer({ url: `sqlite:${options.filename}` }).pipe(Layer.provide(Sqlite.layer(options)))

/** Gone with its scope. */
export const layerMemory: Layer.Layer<Database, StoreError> = Database.layer({ url: "sqlite::memory:" }).pipe(
  Layer.provide(Sqlite.layerMemory)
)

/** The database file that the settings name. */
export const fileOf = ({ store, home }: Pick<Settings, "store" | "home">): string =>
  resolve(join(home, store.url.slice("sqlite:".length)))
