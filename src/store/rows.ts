/** Rows as they come back: decoded where they leave the store, and named where they do not decode. */
import { Effect, Schema } from "effect"
import { StoreError } from "../domain/Errors.ts"

/** The most that one step of pruning drops: some 10 ms, in which nothing else is written. */
export const pruneStep = 200

/** Reads a row back; one that does not fit is named, and is no failure of the rows beside it. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(table: string, schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (row: object, name: string | number): Effect.Effect<S["Type"], StoreError> =>
    Effect.mapError(
      decode(row),
      (cause) =>
        new StoreError({
          operation: "decode",
          detail: `${table} ${name} does not read back: ${cause.message.slice(0, 500)}`,
          unusable: false,
          cause
        })
    )
}

/** Those that read back; the others are logged and left out. */
export const readable = <A>(decoded: Iterable<Effect.Effect<A, StoreError>>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const found: Array<A> = []
    for (const row of decoded) {
      yield* Effect.matchEffect(row, {
        onSuccess: (value) => Effect.sync(() => found.push(value)),
        onFailure: (error) =>
          Effect.logError("a stored row was left out").pipe(Effect.annotateLogs({ error: error.message }))
      })
    }
    return found
  })
