/** Writes docs/settings.md from the settings' schema. */
import { writeFileSync } from "node:fs"
import { settingsPage } from "../src/config/page.ts"

writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage())
