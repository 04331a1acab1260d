/** What the process says of itself: the version, and when it began. */
import { Context } from "effect"

export class About extends Context.Service<
  About,
  {
    readonly version: string
    readonly pid: number
    /** Unix milliseconds. */
    readonly startedAt: number
  }
>()("evergate/http/About") {}
