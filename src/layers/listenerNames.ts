/** The names under which a listener may be asked for. */
import { hostname, networkInterfaces } from "node:os"

const wildcards = new Set(["0.0.0.0", "::", ""])

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** Of a wildcard those of the machine. */
export const namesOf = (host: string): ReadonlySet<string> => {
  const loopback = ["localhost", "127.0.0.1", "[::1]"]
  if (!wildcards.has(host)) return new Set([...loopback, bracketed(host.toLowerCase())])
  const addresses = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => bracketed(address))
  )
  return new Set([...loopback, hostname().toLowerCase(), ...addresses])
}
