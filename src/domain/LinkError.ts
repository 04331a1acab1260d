/**
 * How a link can fail: the contract's kinds, each with a message for what happened and a hint for what to do.
 * The state that follows and the wait before the next attempt are `schedules/reconnect`'s; here are only the facts.
 */
import { Schema } from "effect"
import { PlatformId } from "./Address.ts"

/** The least wait that the platform named in refusing (Retry-After and the like). */
const retryAfterMillis = Schema.optionalKey(Schema.Number)

export class KeepaliveTimeout extends Schema.TaggedError<KeepaliveTimeout>()("KeepaliveTimeout", {
  clock: Schema.Literals(["path", "session"]),
  silenceMillis: Schema.Number
}) {
  override get message() {
    const what = this.clock === "path" ? "no byte came" : "the platform gave no sign of life"
    return `${this.clock} clock: ${what} for ${Math.round(this.silenceMillis)} ms`
  }
  readonly hint =
    "the link died silently and is replaced; if this repeats, look for a NAT, VPN or proxy that drops idle connections"
}

export class ClosedByServer extends Schema.TaggedError<ClosedByServer>()("ClosedByServer", {
  code: Schema.Number,
  reason: Schema.String
}) {
  override get message() {
    return `the server closed the connection with ${this.code}${this.reason === "" ? "" : ` (${this.reason})`}`
  }
  readonly hint = "nothing to do unless it repeats; then see the platform's status page"
}

export class NoCloseFrame extends Schema.TaggedError<NoCloseFrame>()("NoCloseFrame", { detail: Schema.String }) {
  override get message() {
    return `the connection ended without a close frame: ${this.detail}`
  }
  readonly hint = "nothing to do unless it repeats; then look at the network between here and the platform"
}

export class ServerRequested extends Schema.TaggedError<ServerRequested>()("ServerRequested", {
  detail: Schema.String
}) {
  override get message() {
    return `the platform asked for a new connection: ${this.detail}`
  }
  readonly hint = "nothing to do: a planned hand-over"
}

export class Dns extends Schema.TaggedError<Dns>()("Dns", { host: Schema.String, detail: Schema.String }) {
  override get message() {
    return `the name ${this.host} did not resolve: ${this.detail}`
  }
  readonly hint = "check the name, the resolver and the network"
}

export class Network extends Schema.TaggedError<Network>()("Network", { detail: Schema.String }) {
  override get message() {
    return `the network failed: ${this.detail}`
  }
  readonly hint = "check the route to the platform, and the limits of open files and local ports"
}

export class ConnectionRefused extends Schema.TaggedError<ConnectionRefused>()("ConnectionRefused", {
  address: Schema.String
}) {
  override get message() {
    return `${this.address} refused the connection`
  }
  readonly hint = "check that the address and port are right and that nothing blocks them"
}

export class ConnectTimeout extends Schema.TaggedError<ConnectTimeout>()("ConnectTimeout", {
  step: Schema.Literals(["bootstrap", "socket", "handshake"]),
  afterMillis: Schema.Number
}) {
  override get message() {
    return `the ${this.step} step took longer than ${Math.round(this.afterMillis)} ms`
  }
  readonly hint = "check the network; link.connectTimeout bounds each step"
}

export class Proxy extends Schema.TaggedError<Proxy>()("Proxy", { proxy: Schema.String, detail: Schema.String }) {
  override get message() {
    return `the proxy ${this.proxy} failed: ${this.detail}`
  }
  readonly hint = "check the proxy's address and password, or set `proxy: none`; evergate never goes round a proxy"
}

/** What is wrong with a certificate, or with who holds it, where TLS says so. */
export const TlsFault = Schema.Literals([
  "expired",
  "notYetValid",
  "selfSigned",
  "wrongName",
  "untrusted",
  "noTls",
  "ended"
])
export type TlsFault = typeof TlsFault.Type

const tlsHints: Readonly<Record<TlsFault, string>> = {
  expired: "the certificate's owner has to renew it; where it is not expired, this machine's clock is wrong: set it",
  notYetValid: "this machine's clock is behind: set it, best by a time service",
  selfSigned:
    "where a proxy opens TLS or the deployment is your own, name its CA by NODE_EXTRA_CA_CERTS=FILE; else somebody answers in the platform's place",
  wrongName:
    "the certificate is another host's: check the address, the resolver, and who answers in the platform's place",
  untrusted: "name the CA that signed it by NODE_EXTRA_CA_CERTS=FILE, or have the server send its whole chain",
  noTls: "whoever answers there speaks no TLS: check the scheme and the port, and look for a captive portal",
  ended: "something on the way cuts TLS off, mostly a firewall or a proxy: let the platform's host through"
}

export class Tls extends Schema.TaggedError<Tls>()("Tls", {
  host: Schema.String,
  detail: Schema.String,
  fault: Schema.optionalKey(TlsFault)
}) {
  override get message() {
    return `TLS with ${this.host} failed: ${this.detail}`
  }
  get hint(): string {
    return this.fault === undefined
      ? "check the certificate, this machine's clock, and NODE_EXTRA_CA_CERTS where a proxy opens TLS"
      : tlsHints[this.fault]
  }
}

export class HandshakeRejected extends Schema.TaggedError<HandshakeRejected>()("HandshakeRejected", {
  status: Schema.Number,
  detail: Schema.String,
  retryAfterMillis
}) {
  override get message() {
    return `the upgrade was refused with ${this.status}: ${this.detail}`
  }
  get hint(): string {
    // An upgrade is granted or refused; who answers with a page or a redirect is not the platform.
    return this.status < 400 || this.status === 511
      ? "a proxy or captive portal may be answering in the platform's place: open a page in a browser on this machine"
      : "nothing to do unless it repeats; then see the platform's status page"
  }
}

export class Bootstrap extends Schema.TaggedError<Bootstrap>()("Bootstrap", {
  code: Schema.String,
  detail: Schema.String,
  retryAfterMillis
}) {
  override get message() {
    return `asking for a connection failed with ${this.code}: ${this.detail}`
  }
  readonly hint = "nothing to do unless it repeats; then see the platform's status page"
}

export class Auth extends Schema.TaggedError<Auth>()("Auth", { code: Schema.String, detail: Schema.String }) {
  override get message() {
    return `the platform refused the credentials (${this.code}): ${this.detail}`
  }
  readonly hint = "check the app's id and secret, then reconnect"
}

export class Setup extends Schema.TaggedError<Setup>()("Setup", {
  code: Schema.String,
  detail: Schema.String,
  hint: Schema.String
}) {
  override get message() {
    return `the app is set up wrongly (${this.code}): ${this.detail}`
  }
}

export class ConnectionLimit extends Schema.TaggedError<ConnectionLimit>()("ConnectionLimit", {
  code: Schema.String,
  detail: Schema.String,
  retryAfterMillis
}) {
  override get message() {
    return `too many connections of this app (${this.code}): ${this.detail}`
  }
  readonly hint = "stop other clients of this app; the platform forgets dead ones by itself after a while"
}

export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { detail: Schema.String }) {
  override get message() {
    return `another client holds the connection: ${this.detail}`
  }
  readonly hint = "stop the other consumer of this account"
}

export class Protocol extends Schema.TaggedError<Protocol>()("Protocol", { detail: Schema.String }) {
  override get message() {
    return `undecodable data: ${this.detail}`
  }
  readonly hint = "a proxy or captive portal may be answering in the platform's place; else update evergate"
}

export class Overrun extends Schema.TaggedError<Overrun>()("Overrun", { frames: Schema.Number, bytes: Schema.Number }) {
  override get message() {
    return `events came faster than they could be kept: ${this.frames} frames, ${this.bytes} bytes waited; none was acknowledged`
  }
  readonly hint = "look at the disk's speed and at what loads this machine"
}

export class Deaf extends Schema.TaggedError<Deaf>()("Deaf", { detail: Schema.String }) {
  override get message() {
    return `connected, yet messages never arrived: ${this.detail}`
  }
  readonly hint = "the link is replaced; if this repeats, check the app's event subscription"
}

export class Ended extends Schema.TaggedError<Ended>()("Ended", { detail: Schema.String }) {
  override get message() {
    return `the connection's loop returned without an error: ${this.detail}`
  }
  readonly hint = "the link is replaced; if this repeats, it is a bug of the adapter"
}

export class Defect extends Schema.TaggedError<Defect>()("Defect", { detail: Schema.String }) {
  override get message() {
    return `a bug: ${this.detail}`
  }
  readonly hint = "please report it with the log's stack"
}

export const LinkErrorReason = Schema.Union([
  KeepaliveTimeout,
  ClosedByServer,
  NoCloseFrame,
  ServerRequested,
  Dns,
  Network,
  ConnectionRefused,
  ConnectTimeout,
  Proxy,
  Tls,
  HandshakeRejected,
  Bootstrap,
  Auth,
  Setup,
  ConnectionLimit,
  Conflict,
  Protocol,
  Overrun,
  Deaf,
  Ended,
  Defect
])
export type LinkErrorReason = typeof LinkErrorReason.Type

/** The contract's `kind`. */
export type LinkErrorKind = LinkErrorReason["_tag"]

export class LinkError extends Schema.TaggedError<LinkError>()("LinkError", {
  platform: PlatformId,
  reason: LinkErrorReason
}) {
  override get message() {
    return `${this.platform}: ${this.reason.message}; ${this.reason.hint}`
  }
}

/** What is left of a failure in the status and the timeline. `at` is Unix milliseconds. */
export interface LastError {
  readonly kind: LinkErrorKind
  readonly message: string
  readonly hint: string
  readonly at: number
}

export const lastError = (error: LinkError, at: number): LastError => ({
  kind: error.reason._tag,
  message: error.reason.message,
  hint: error.reason.hint,
  at
})
