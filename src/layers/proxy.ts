/**
 * Which way a host is reached: straight or through a proxy. Pure, and the same answer for REST calls and WebSockets.
 * `env` reads HTTPS_PROXY (for https: and wss:), HTTP_PROXY (for http: and ws:) and NO_PROXY, lower case first.
 */
import { Redacted } from "effect"
import { BlockList, isIP } from "node:net"
import { Proxy } from "../domain/LinkError.ts"

export interface Target {
  readonly secure: boolean
  /** Without brackets. */
  readonly host: string
  readonly port: number
}

export interface ProxyServer {
  readonly host: string
  readonly port: number
  /** For errors: never the password. */
  readonly name: string
  readonly authorization: Redacted.Redacted | null
}

export type Road =
  | { readonly _tag: "Direct" }
  | { readonly _tag: "Through"; readonly proxy: ProxyServer }
  /** A proxy was asked for and cannot be used. Going round it would break what its owner wants. */
  | { readonly _tag: "Blocked"; readonly error: Proxy }

export type Route = (target: Target) => Road

type Environment = Readonly<Record<string, string | undefined>>

const direct: Road = { _tag: "Direct" }

/** `setting` is the contract's `proxy`: env | none | http://host:port. */
export const route = (setting: string, environment: Environment): Route => {
  if (setting === "none") return () => direct
  if (setting !== "env") {
    const road = through(setting)
    return () => road
  }
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || ""
  const secure = through(read("HTTPS_PROXY"))
  const plain = through(read("HTTP_PROXY"))
  const excepted = exceptions(read("NO_PROXY"))
  return (target) => (excepted(target) ? direct : target.secure ? secure : plain)
}

const through = (text: string): Road => {
  if (text === "") return direct
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null) return blocked("(unreadable)", "its address is not a URL")
  if (url.protocol !== "http:") {
    return blocked(`${url.protocol}//${url.host}`, `the scheme ${url.protocol.slice(0, -1)} is not supported; use http`)
  }
  const port = url.port === "" ? 80 : Number(url.port)
  const user = `${decode(url.username)}:${decode(url.password)}`
  const authorization = user === ":" ? null : Redacted.make(`Basic ${Buffer.from(user).toString("base64")}`)
  return {
    _tag: "Through",
    proxy: { host: bare(url.hostname), port, name: `http://${url.hostname}:${port}`, authorization }
  }
}

const blocked = (proxy: string, detail: string): Road => ({ _tag: "Blocked", error: new Proxy({ proxy, detail }) })

/** A stray `%` in a password stands for itself. */
const decode = (part: string): string =>
  part.replaceAll(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())

const bare = (host: string): string => host.replaceAll(/^\[|\]$/g, "").toLowerCase()

/** NO_PROXY: names with their subdomains, `*`, addresses, CIDR blocks, each with a port where wanted. */
const exceptions = (list: string): ((target: Target) => boolean) => {
  const tests = list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(exception)
  return (target) => tests.some((test) => test(target))
}

const exception = (entry: string): ((target: Target) => boolean) => {
  if (entry === "*") return () => true
  const [, address = "", bits] = /^(.*)\/(\d{1,3})$/.exec(entry) ?? []
  if (bits !== undefined) return inBlock(bare(address), Number(bits))
  const [, host = "", port] = isIP(entry) === 6 ? [entry, entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? [])
  const name = bare(host).replace(/^\*?\./, "")
  return (target) =>
    (port === undefined || Number(port) === target.port) &&
    (target.host.toLowerCase() === name || (isIP(target.host) === 0 && target.host.toLowerCase().endsWith(`.${name}`)))
}

const inBlock = (address: string, bits: number): ((target: Target) => boolean) => {
  const family = isIP(address)
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return () => false
  const block = new BlockList()
  block.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6")
  return ({ host }) => {
    const version = isIP(host)
    return version !== 0 && block.check(host, version === 4 ? "ipv4" : "ipv6")
  }
}
