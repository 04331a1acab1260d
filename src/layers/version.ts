/** The version of this build, from its package. */
import { createRequire } from "node:module"

// The package is ours; its `version` is a text.
export const version = (createRequire(import.meta.url)("../../package.json") as { readonly version: string }).version
