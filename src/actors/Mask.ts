/**
 * Takes the secrets out of a text that a far end wrote: an error may echo what it was shown. It stands where such texts come
 * in, so that none of them is in a status, a page, a trace or the store. What is a secret, the settings say.
 */
import { Context, identity } from "effect"

export const Mask = Context.Reference<(text: string) => string>("evergate/actors/Mask", {
  defaultValue: () => identity
})
