/** A program that keeps a database locked until it is killed. */
import { DatabaseSync } from "node:sqlite"

const db = new DatabaseSync(process.argv[2] ?? "")
db.exec("PRAGMA busy_timeout=5000; BEGIN IMMEDIATE")
process.stdout.write("locked\n")
setInterval(() => db.isTransaction, 1_000)
