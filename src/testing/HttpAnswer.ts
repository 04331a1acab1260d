/** An HTTP exchange as a far end sees it, over loopback and in memory alike. */

export interface HttpAsked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type HttpAnswer =
  | {
      readonly _tag: "Answer"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: string
    }
  /** The request is read and never answered. */
  | { readonly _tag: "Hang" }
  /** The connection breaks in place of an answer. */
  | { readonly _tag: "Reset" }

export const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
  _tag: "Answer",
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

export const page = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
  _tag: "Answer",
  status,
  headers: { "content-type": "text/html", ...headers },
  body
})

export const hang: HttpAnswer = { _tag: "Hang" }
export const reset: HttpAnswer = { _tag: "Reset" }
