/** The remembered text of a statement is what SQLite's compiler makes of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Sqlite from "../../src/layers/Sqlite.ts"
import * as Compiler from "../../src/layers/sqliteCompiler.ts"

const plain = Statement.makeCompilerSqlite()

describe("a compiler with a memory", () => {
  it.effect("says what the plain one says, the first time and again with other values", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const compiler = Compiler.make()
      const statementsOf = (a: number, b: string) => [
        sql`SELECT ${a}`,
        sql`SELECT ${a}, ${b}`,
        sql`SELECT ${sql.literal("seq, id")} FROM t WHERE a = ${a}${sql.literal("")} AND b = ${b}`,
        sql`SELECT * FROM t WHERE a = ${a} AND NOT ${sql.in("platform", [b, "x"])}`,
        sql`SELECT * FROM ${sql("t")} WHERE ${sql`a = ${a}`}`
      ]

      for (const [a, b] of [
        [1, "one"],
        [2, "two"]
      ] as const) {
        for (const statement of statementsOf(a, b)) {
          assert.deepStrictEqual(compiler.compile(statement, false), plain.compile(statement, false))
        }
      }
    }).pipe(Effect.provide(Sqlite.layerMemory))
  )
})
