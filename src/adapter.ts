/** What a new platform needs: the port, the words that it translates into, and the ways in which it may fail. */
export { Access } from "./domain/access.ts"
export * as Address from "./domain/Address.ts"
export { PlatformId } from "./domain/Address.ts"
export { RateLimited, Rejected, SendError, Unavailable, Unknown } from "./domain/Errors.ts"
export { about, Finding } from "./domain/Finding.ts"
export { Attachment, Chat, MessageArrived, Sender } from "./domain/Inbound.ts"
export * as LinkFailure from "./domain/LinkError.ts"
export { LinkError } from "./domain/LinkError.ts"
export type { LinkErrorKind, LinkErrorReason } from "./domain/LinkError.ts"
export * as LinkSettings from "./domain/LinkSettings.ts"
export { DeliveryId, Outbound } from "./domain/Outbound.ts"
export type { Receipt } from "./domain/Outbound.ts"
export { PlatformHost } from "./platforms/Platform.ts"
export type {
  Capabilities,
  Diagnosis,
  Frame,
  Heard,
  Link,
  Liveness,
  Platform,
  Probe,
  Rate,
  Session
} from "./platforms/Platform.ts"
export { Transport } from "./platforms/Transport.ts"
export type { OpenOptions, Socket, SocketMessage } from "./platforms/Transport.ts"
export { monotonicMillis, monotonicMillisOf } from "./domain/monotonic.ts"
export { networkFailure } from "./domain/networkFailure.ts"
