/**
 * How a failure of the network reads as one of the contract's kinds: by the code that the operating system, the resolver
 * or TLS gave it, never by its text. REST calls and WebSockets share it, so that both name the same fault alike.
 */
import { Predicate, Schema } from "effect"
import type { LinkErrorReason, TlsFault } from "./LinkError.ts"
import { ConnectionRefused, Dns, Network, Protocol, Proxy, Tls } from "./LinkError.ts"

const isProxy = Schema.is(Proxy)

const resolverCodes = new Set(["ENOTFOUND", "ENODATA", "ESERVFAIL", "ENONAME"])
/** What OpenSSL and Node call the faults that something can be said about. */
const tlsFaults: Readonly<Record<string, TlsFault>> = {
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "notYetValid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "selfSigned",
  SELF_SIGNED_CERT_IN_CHAIN: "selfSigned",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrongName",
  HOSTNAME_MISMATCH: "wrongName",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  ERR_SSL_WRONG_VERSION_NUMBER: "noTls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "noTls"
}
const tlsCodes = new Set(["EPROTO", "INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", ...Object.keys(tlsFaults)])
const tlsPrefix = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_CERT_)/

/** What went wrong with `host`. The proxy's own faults arrive as `Proxy` already and stay so. */
export const networkFailure = (cause: unknown, host: string): LinkErrorReason => {
  const error = innermost(cause)
  if (isProxy(error)) return error
  const code = stringOf(error, "code")
  const detail = describe(error, code)
  if (resolverCodes.has(code) || code.startsWith("EAI_")) return new Dns({ host, detail })
  if (code === "ECONNREFUSED") return new ConnectionRefused({ address: addressOf(error, host) })
  if (endedInTls(error, code))
    return new Tls({ host, detail: "it ended in the middle of the handshake", fault: "ended" })
  if (tlsCodes.has(code) || tlsPrefix.test(code)) {
    const fault = tlsFaults[code]
    return new Tls({ host, detail, ...(fault === undefined ? {} : { fault }) })
  }
  if (isUndecodable(error, code)) return new Protocol({ detail })
  return new Network({ detail })
}

/** Answers that are none of HTTP's, or larger than anybody reads. undici's parser has no code for most of what it refuses. */
const isUndecodable = (error: unknown, code: string): boolean =>
  /^(HPE_|WS_ERR_|UND_ERR_RES_|UND_ERR_HEADERS_OVERFLOW$)/.test(code) || stringOf(error, "name") === "HTTPParserError"

/** Of all resets only the one before TLS stood names whom Node connected to, and no call of the system's that failed. */
const endedInTls = (error: unknown, code: string): boolean =>
  code === "ECONNRESET" && Predicate.hasProperty(error, "localAddress") && !Predicate.hasProperty(error, "syscall")

const unsentCodes = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "UND_ERR_CONNECT_TIMEOUT",
  "EACCES"
])

/** Whether the failure shows that the request never left: nothing was connected that could have carried it. */
export const neverSent = (cause: unknown): boolean => {
  switch (networkFailure(cause, "")._tag) {
    case "Dns":
    case "ConnectionRefused":
    case "Proxy":
    case "Tls":
      return true
    default:
      return unsentCodes.has(stringOf(innermost(cause), "code"))
  }
}

/** Wrappers keep the cause; where several addresses were tried, the first one's failure speaks for all. */
const innermost = (error: unknown, depth = 0): unknown => {
  if (depth === 5 || isProxy(error) || !Predicate.isObject(error)) return error
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return innermost(error.errors[0], depth + 1)
  }
  if ("cause" in error && Predicate.isObject(error.cause)) return innermost(error.cause, depth + 1)
  return error
}

const stringOf = (error: unknown, key: string): string => {
  const value = Predicate.hasProperty(error, key) ? error[key] : ""
  return Predicate.isString(value) || Predicate.isNumber(value) ? String(value) : ""
}

const describe = (error: unknown, code: string): string => {
  const message = stringOf(error, "message").slice(0, 200)
  if (message === "") return code === "" ? "no further detail" : code
  return code === "" || message.includes(code) ? message : `${code}: ${message}`
}

const addressOf = (error: unknown, host: string): string => {
  const address = stringOf(error, "address")
  const port = stringOf(error, "port")
  if (address === "") return host
  return port === "" ? address : `${address.includes(":") ? `[${address}]` : address}:${port}`
}
