/** How the time with a link ended, as far as opening the next one goes. */
import { Cause, Exit, Result } from "effect"
import type { LinkError, LinkErrorReason } from "../domain/LinkError.ts"
import { Defect, Ended, ServerRequested } from "../domain/LinkError.ts"

export type Outcome =
  | { readonly _tag: "Lost"; readonly reason: LinkErrorReason }
  | { readonly _tag: "Goodbye"; readonly reason: LinkErrorReason }
  | { readonly _tag: "Asked" }

export const asked: Outcome = { _tag: "Asked" }

export const goodbye = (detail: string): Outcome => ({ _tag: "Goodbye", reason: new ServerRequested({ detail }) })

export const lost = (exit: Exit.Exit<unknown, LinkError>): Outcome => ({ _tag: "Lost", reason: reasonOf(exit) })

/** Whatever ended a life or an attempt is one of the contract's kinds; a bug too, so that it waits like any failure. */
export const reasonOf = (exit: Exit.Exit<unknown, LinkError>): LinkErrorReason => {
  if (Exit.isSuccess(exit)) return new Ended({ detail: "it returned" })
  const error = Cause.findError(exit.cause)
  if (Result.isSuccess(error)) return error.success.reason
  return Cause.hasInterruptsOnly(exit.cause)
    ? new Ended({ detail: "it was interrupted from within" })
    : new Defect({ detail: Cause.pretty(exit.cause) })
}
