/** `Evergate-Signature`: shows a receiver that a request is ours and fresh. HMAC-SHA256 of "<seconds>.<body>". */
import { Clock, Effect, Redacted } from "effect"
import { hmacSha256, key, Mac } from "effect/crypto/Mac"
import * as Hex from "effect/encoding/Hex"

/** The headers that sign a body; none where there is no secret. */
export const makeSign = Effect.fnUntraced(function* (secret: Redacted.Redacted | null) {
  const mac = yield* Mac
  const encoder = new TextEncoder()
  // The secret's text is its key. Only an empty one is refused, which settings do not let through.
  const signer = secret === null ? null : yield* Effect.orDie(key(hmacSha256, encoder.encode(Redacted.value(secret))))

  return Effect.fnUntraced(function* (body: string) {
    if (signer === null) return {}
    const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const tag = yield* Effect.orDie(mac.sign(signer, encoder.encode(`${seconds}.${body}`)))
    return { "evergate-signature": `t=${seconds},v1=${Hex.encode(tag)}` }
  })
})
