/** What the process says of itself: the version, when it began, and where its settings came from. */
import { Context } from "effect"

export class About extends Context.Service<
  About,
  {
    readonly version: string
    readonly pid: number
    /** Unix milliseconds. */
    readonly startedAt: number
    readonly config: { readonly source: string; readonly loadedAt: number }
  }
>()("evergate/http/About") {}
