/** The program and the Node that run now, by their own paths: what a child or a service manager is to start. */
import { extname } from "node:path"
import { fileURLToPath } from "node:url"

export const program = {
  node: process.execPath,
  main: fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url))
}
