/** Loaded before the service's own code: at SIGUSR2 its main thread does what STALL says, and for long. */
import { DatabaseSync } from "node:sqlite"

const nested = "[".repeat(2_000_000) + "]".repeat(2_000_000)

const stalls = {
  loop: function spinning() {
    while (true);
  },
  shadow: function naming(process = { turns: 0 }) {
    while (true) process.turns++
  },
  regexp: function matching() {
    return /^(a+)+$/.test(`${"a".repeat(60)}b`)
  },
  json: function parsing() {
    return JSON.parse(`[${Array.from({ length: 16 }, () => nested).join(",")}]`)
  },
  sqlite: function counting() {
    const counted =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000000000) SELECT count(*) FROM n"
    return new DatabaseSync(":memory:").prepare(counted).get()
  }
}

process.on("SIGUSR2", () => stalls[process.env.STALL]())
