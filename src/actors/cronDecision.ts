/** What follows from an occurrence, as the ledger takes it. Ticker → **cronDecision** → JobStore. */
import { Effect, Hash } from "effect"
import type { PromptDue } from "../domain/Inbound.ts"
import type { Job } from "../domain/Job.ts"
import type { Outbound } from "../domain/Outbound.ts"
import { DeliveryId } from "../domain/Outbound.ts"
import type { SessionScope } from "../domain/Session.ts"
import { keyOf } from "../domain/Session.ts"
import { makeTurnId } from "../domain/Turn.ts"
import type { Due } from "../schedules/due.ts"
import type { Consequence, Decision } from "../store/JobStore.ts"

/** Why an occurrence is skipped under `overlap: skip`. */
export const overlap = "the run before it has not ended; overlap skip"

/** `overlaps`: a run of the job from an earlier look has not ended. Those of one look queue behind each other. */
export const decisionOf = Effect.fnUntraced(function* (
  job: Job,
  due: Due,
  options: { readonly overlaps: boolean; readonly scope: SessionScope; readonly now: number }
) {
  const { scheduledAt } = due
  const consequence: Consequence =
    due._tag === "Skip"
      ? { _tag: "Skip", reason: due.reason }
      : options.overlaps
        ? { _tag: "Skip", reason: overlap }
        : yield* runOf(job, scheduledAt, options)
  const decision: Decision = { job: job.id, scheduledAt, decidedAt: options.now, consequence }
  return decision
})

const runOf = Effect.fnUntraced(function* (
  job: Job,
  scheduledAt: number,
  { scope, now }: { readonly scope: SessionScope; readonly now: number }
) {
  const { action, deliverTo } = job
  if (action._tag === "Text") {
    const message: Outbound = {
      id: deliveryIdOf(job, scheduledAt),
      address: deliverTo,
      text: action.text,
      replyTo: null
    }
    return { _tag: "Say", message } as const
  }
  const event: PromptDue = { _tag: "PromptDue", job: job.id, scheduledAt, deliverTo, prompt: action.prompt }
  const entry = { event, session: keyOf(event, scope), turn: yield* makeTurnId, receivedAt: now }
  return { _tag: "Turn", entry } as const
})

/** One a job and instant, and at most 50 characters: a long name is shortened and told apart by a hash of the whole. */
const deliveryIdOf = ({ id }: Job, scheduledAt: number): DeliveryId => {
  const name = id.length <= 32 ? id : `${id.slice(0, 22)}_${(Hash.string(id) >>> 0).toString(36)}`
  return DeliveryId.make(`d_${name}_${scheduledAt.toString(36)}`)
}
