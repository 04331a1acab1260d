/** `npm run faults [-- --write]`: prints the page; ends with 1 where a fault has neither test nor reason. */
import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { catalogue } from "./catalogue.ts"
import { report } from "./report.ts"

const { page, bare, tooManyReasons } = report(catalogue)
console.log(page)
if (process.argv.includes("--write")) writeFileSync(resolve(import.meta.dirname, "../../docs/faults.md"), page)
if (bare.length > 0) console.error(`neither test nor reason: ${bare.join(", ")}`)
if (tooManyReasons) console.error("more than one in ten has a reason in place of a test")
process.exitCode = bare.length > 0 || tooManyReasons ? 1 : 0
