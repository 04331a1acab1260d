/**
 * A lock in a file. It is evidence about a process, not a fact: who finds one looks whether its holder lives, and takes it over
 * when it does not. Files appear whole and change by one atomic step, so that of several exactly one gets it.
 */
import type { Scope } from "effect"
import { Effect, Option, Predicate, Schema } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as Holder from "./holder.ts"

/** Somebody else holds it, and lives. */
export class LockHeld extends Schema.TaggedError<LockHeld>()("LockHeld", {
  path: Schema.String,
  holder: Holder.Holder
}) {}

/** The lock's folder cannot be made or written. */
export class LockUnusable extends Schema.TaggedError<LockUnusable>()("LockUnusable", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be used: ${this.detail}; check its owner, its mode and the disk`
  }
}

/** Holds the lock of this file until the scope closes. */
export const acquire = (
  path: string,
  facts: Holder.Facts = {}
): Effect.Effect<void, LockHeld | LockUnusable, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(claim(path, facts), release))

/** Who holds it now: none where nobody does, or whoever did is gone. */
export const holderOf = (path: string): Effect.Effect<Option.Option<Holder.Holder>, LockUnusable> =>
  Effect.map(read(path), (found) => found.pipe(Option.flatMap(Holder.parse), Option.filter(Holder.isAlive)))

/** A lock that is ours as long as its file says what we wrote. */
interface Claim {
  readonly path: string
  readonly text: string
}

/** Runs Node's synchronous calls on a file; what they throw is told by its name. */
export const attempt = <A>(path: string, run: () => A): Effect.Effect<A, LockUnusable> =>
  Effect.try({
    try: run,
    catch: (cause) => new LockUnusable({ path, detail: cause instanceof Error ? cause.message : String(cause) })
  })

/** Looks at a lock that changes hands meanwhile, and takeovers cut short within each other: more than there will ever be. */
const tries = 20

const claim = (path: string, facts: Holder.Facts, nth = 0): Effect.Effect<Claim, LockHeld | LockUnusable> =>
  Effect.gen(function* () {
    const self = yield* Holder.self(facts)
    const ours: Claim = { path, text: `${JSON.stringify(self)}\n` }
    const draft = `${path}.${self.claim}`
    const placed = attempt(path, () => writeFileSync(draft, ours.text, { flag: "wx", mode: 0o600 })).pipe(
      Effect.andThen(place(draft, path, nth)),
      Effect.ensuring(Effect.sync(() => rmSync(draft, { force: true })))
    )
    return yield* Effect.as(placed, ours)
  })

/** Gives the draft its place: at once where that is free, by a takeover where its holder is gone. */
const place = (draft: string, path: string, nth: number): Effect.Effect<void, LockHeld | LockUnusable> =>
  Effect.gen(function* () {
    if (nth === tries) return yield* new LockUnusable({ path, detail: "the lock keeps changing hands" })
    if (yield* link(draft, path)) return
    const found = yield* read(path)
    const holder = Option.flatMap(found, Holder.parse)
    if (Option.isSome(holder) && Holder.isAlive(holder.value)) {
      return yield* new LockHeld({ path, holder: holder.value })
    }
    const taken = Option.isSome(found) && (yield* takeOver(draft, path, found.value, nth))
    // It was let go, or somebody else was faster: look again.
    if (!taken) yield* place(draft, path, nth + 1)
  })

/**
 * Replaces a dead holder's file. Two that saw the same file must not both do so, so the step is guarded by a lock of its
 * own, got in the same way; false where the file is no longer what was seen.
 */
const takeOver = (draft: string, path: string, seen: string, nth: number) =>
  Effect.acquireUseRelease(
    claim(`${path}.takeover`, {}, nth + 1),
    () =>
      Effect.gen(function* () {
        if (!Option.contains(yield* read(path), seen)) return false
        yield* attempt(path, () => renameSync(draft, path))
        yield* Effect.logWarning("took over the lock of a gateway that is gone").pipe(Effect.annotateLogs({ path }))
        return true
      }),
    release
  )

/** None where it fails with this code. */
const unless = <A>(code: string, path: string, run: () => A): Effect.Effect<Option.Option<A>, LockUnusable> =>
  attempt(path, () => {
    try {
      return Option.some(run())
    } catch (error) {
      if (Predicate.hasProperty(error, "code") && error.code === code) return Option.none()
      throw error
    }
  })

/** False when the place is taken. */
const link = (draft: string, path: string): Effect.Effect<boolean, LockUnusable> =>
  Effect.map(
    unless("EEXIST", path, () => linkSync(draft, path)),
    Option.isSome
  )

/** The file's text; none when there is no file. */
export const read = (path: string): Effect.Effect<Option.Option<string>, LockUnusable> =>
  unless("ENOENT", path, () => readFileSync(path, "utf8"))

/** Removes the lock where it is still ours. */
const release = ({ path, text }: Claim): Effect.Effect<void> =>
  read(path).pipe(
    Effect.flatMap((found) =>
      Option.contains(found, text) ? attempt(path, () => rmSync(path, { force: true })) : Effect.void
    ),
    Effect.catchTag("LockUnusable", (error) =>
      Effect.logWarning("the lock stays behind; the next start takes it over").pipe(
        Effect.annotateLogs({ message: error.message })
      )
    )
  )
