/**
 * Group commit: one fiber takes what waits and puts it into one transaction, so that one flush of the disk serves all of it.
 * A lone write is committed at once: there is no timer, a group is whatever came while the last one was written.
 */
import type { Scope } from "effect"
import { Cause, Deferred, Effect, Exit, Fiber, Queue } from "effect"
import type { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql"
import { isLocked, isTrouble, patience } from "./storeError.ts"

/** Bodies that wait; who comes then waits to be let in. */
const waiting = 1024

/** The most in one transaction, so that none holds the event loop for long. */
const together = 256

/** One body and its caller. `Told` lets the caller know, once what it is told is on the disk. */
interface Request {
  /** In a transaction of its own. */
  readonly alone: Effect.Effect<Told>
  /** In the group's transaction, unguarded: a failure is the group's. */
  readonly trusted: Effect.Effect<Told, unknown>
  /** In the group's transaction, within a savepoint: fails only when the transaction is lost. */
  readonly guarded: Effect.Effect<Told, SqlError.SqlError>
  readonly lost: (cause: Cause.Cause<SqlError.SqlError>) => Told
}
type Told = Effect.Effect<unknown>

/** Commits a body, maybe with others; `settle` turns how it ended into what the caller gets. */
export type Commit = <A, E, B, F>(
  body: Effect.Effect<A, E>,
  settle: (exit: Exit.Exit<A, E | SqlError.SqlError>) => Exit.Exit<B, F>
) => Effect.Effect<B, F>

/** Starts the fiber. When the scope closes it still writes what waits; later writes fail. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<Commit, never, Scope.Scope> {
  const queue = yield* Queue.bounded<Request, Cause.Done>(waiting)

  const commit = (group: ReadonlyArray<Request>): Effect.Effect<unknown> => {
    const [first] = group
    if (first !== undefined && group.length === 1) return Effect.flatten(first.alone)
    const all = <E>(how: (request: Request) => Effect.Effect<Told, E>) => transaction(sql, Effect.forEach(group, how))
    // A savepoint each costs as much as the writes, and hardly a body fails: it is worth it only once one did.
    return all((request) => request.trusted).pipe(
      // Whatever it was, it comes again and is told to the one whose it is; but a lost transaction would be lost again.
      Effect.catchCause((cause) => {
        const trouble = troubleIn(cause)
        return trouble === null ? all((request) => request.guarded) : Effect.fail(trouble)
      }),
      Effect.matchCause({
        onSuccess: (told) => told,
        onFailure: (cause) => group.map((request) => request.lost(cause))
      }),
      Effect.flatMap(Effect.all)
    )
  }

  const committer = yield* Queue.takeBetween(queue, 1, together).pipe(
    // Where there is a crowd, what it was told leads to the next writes: they are let in, so that one flush serves more.
    Effect.flatMap((group) => (group.length === 1 ? commit(group) : Effect.andThen(commit(group), Effect.yieldNow))),
    Effect.forever,
    Effect.catchTag("Done", () => Effect.void),
    Effect.withTracerEnabled(false),
    // Ended by its queue, never in the middle of a group.
    Effect.uninterruptible,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(committer)))

  return (body, settle) =>
    Effect.suspend(() => {
      const { answer, request } = makeRequest(sql, body, settle)
      return Effect.flatMap(Queue.offer(queue, request), (taken) => (taken ? Deferred.await(answer) : settle(closed)))
    })
})

/** Waits for a lock that another process holds, up to `patience`; BEGIN asks for it, so nothing has run by then. */
const transaction = <A, E>(sql: SqlClient.SqlClient, body: Effect.Effect<A, E>) =>
  Effect.retry(sql.withTransaction(body), {
    schedule: patience,
    while: (error) => SqlError.isSqlError(error) && isLocked(error)
  })

const makeRequest = <A, E, B, F>(
  sql: SqlClient.SqlClient,
  body: Effect.Effect<A, E>,
  settle: (exit: Exit.Exit<A, E | SqlError.SqlError>) => Exit.Exit<B, F>
) => {
  const answer = Deferred.makeUnsafe<B, F>()
  const tell = (exit: Exit.Exit<A, E | SqlError.SqlError>): Told =>
    Effect.suspend(() => Deferred.done(answer, settle(exit)))
  const request: Request = {
    alone: Effect.map(Effect.exit(transaction(sql, body)), tell),
    trusted: Effect.map(body, (value) => tell(Exit.succeed(value))),
    guarded: Effect.flatMap(Effect.exit(sql.withTransaction(body)), (exit) => {
      const trouble = Exit.isFailure(exit) ? troubleIn(exit.cause) : null
      return trouble === null ? Effect.succeed(tell(exit)) : Effect.fail(trouble)
    }),
    lost: (cause) => tell(Exit.failCause(cause))
  }
  return { answer, request }
}

/** What ends not only the body: a full disk, for one, rolls all of the transaction back. */
const troubleIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | null => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) && isTrouble(error) ? error : null
}

const closed = Exit.fail(
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: null, message: "the store is closed" }) })
)
