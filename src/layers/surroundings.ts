/** Where the process runs, as the configuration asks for it. */
import { homedir } from "node:os"
import type { Surroundings } from "../config/find.ts"

export const surroundings: Surroundings = { env: process.env, cwd: process.cwd(), userHome: homedir() }
