/** What a platform can be told. */
import { Schema } from "effect"
import { Address } from "./Address.ts"

export const DeliveryId = Schema.NonEmptyString.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/**
 * One message to send. `id` is the same on every attempt and at most 50 characters, so that it serves as the platform's
 * idempotency key. `replyTo` is the id of the message it answers.
 */
export const Outbound = Schema.Struct({
  id: DeliveryId,
  address: Address,
  text: Schema.String,
  replyTo: Schema.NullOr(Schema.String)
})
export type Outbound = typeof Outbound.Type

/** The platform took it. `messageId` is null where the platform names none. */
export interface Receipt {
  readonly messageId: string | null
}
