/** What Feishu's codes mean for a message that was to be sent. Policy is here; words of the platform go no further. */
import type { SendErrorReason } from "../../domain/Errors.ts"
import { RateLimited, Rejected, Unavailable, Unknown } from "../../domain/Errors.ts"
import { retryAfter } from "../../domain/retryAfter.ts"
import type { Answer } from "./call.ts"

/** The token is over, whatever it was believed to live: get another and ask once more. */
export const staleToken = new Set([99991663, 99991664, 99991665, 99991668, 99991677])

/** The message that was to be answered is gone, or threads do not go there: the next road is taken instead. */
export const noReplyThere = new Set([99992354, 230011, 230019, 230050, 230071, 230072, 230110, 230111])

/** The whole account waits, or one chat. */
const accountLimited = new Set([99991400, 11232])
const chatLimited = new Set([230020, 11233])

/** Neither taken nor refused for good: the platform is busy with it, or the operator can mend it while it waits. */
const passing = new Set([18121, 230049, 99991401, 99991661, 99991662, 99991672, 99991673, ...staleToken])

/** Where the platform names no wait. */
const leastWait = 1000

/** Why a message was not sent, from an answer that is not a success. */
export const sendFailure = (answer: Answer, nowMillis: number): SendErrorReason => {
  const { status, envelope } = answer
  const code = envelope?.code ?? 0
  const detail = envelope === null ? `HTTP ${status} without Feishu's answer` : `${code}: ${envelope.message}`
  if (status === 429 || accountLimited.has(code)) {
    return new RateLimited({ detail, retryAfterMillis: waitOf(answer, nowMillis), scope: "account" })
  }
  if (chatLimited.has(code)) {
    return new RateLimited({ detail, retryAfterMillis: waitOf(answer, nowMillis), scope: "chat" })
  }
  if (status === 503 || passing.has(code)) return new Unavailable({ detail })
  // Whether a server that broke had taken the message is not known; nor is it after an answer that is not Feishu's.
  if (status >= 500 || code === 0) return new Unknown({ detail })
  return new Rejected({ code: String(code), detail: envelope?.message ?? "" })
}

const waitOf = ({ headers }: Answer, nowMillis: number): number =>
  Math.max(leastWait, retryAfter(headers["x-ogw-ratelimit-reset"] ?? headers["retry-after"], nowMillis) ?? 0)
