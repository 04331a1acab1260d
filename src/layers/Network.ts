/**
 * The machine's place on the network, as the system tells it: the addresses that others may reach, and on Linux the default
 * route. Addresses of a machine to itself, and those that every link makes up, come and go without a change of the network.
 */
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import type { NetworkInterfaceInfo } from "node:os"
import { networkInterfaces } from "node:os"
import { NetworkView } from "../actors/NetworkView.ts"

type Interfaces = Readonly<Record<string, ReadonlyArray<NetworkInterfaceInfo> | undefined>>

/** One text from what both say: names with their addresses, then the default routes. */
export const viewOf = (interfaces: Interfaces, routes: string): string =>
  [...addressesOf(interfaces), ...defaultRoutesOf(routes)].join("\n")

const addressesOf = (interfaces: Interfaces): ReadonlyArray<string> =>
  Object.entries(interfaces)
    .flatMap(([name, infos = []]) =>
      infos
        .filter(({ address, internal }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address))
        .map(({ address }) => `${name} ${address}`)
    )
    .toSorted()

/** Lines of /proc/net/route whose destination is all of the world: the interface and the gateway. */
const defaultRoutesOf = (routes: string): ReadonlyArray<string> =>
  routes
    .split("\n")
    .map((line) => line.split(/\s+/))
    .filter(([, destination, , , , , , mask]) => destination === "00000000" && mask === "00000000")
    .map(([name, , gateway = ""]) => `${name} by ${dotted(gateway)}`)
    .toSorted()

/** The kernel writes an address as one number, its last byte first. */
const dotted = (hex: string): string =>
  (hex.match(/../g) ?? [])
    .toReversed()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".")

/** Empty where the system does not say: then the addresses are all that is known. */
const readRoutes = (): string => {
  try {
    return readFileSync("/proc/net/route", "utf8")
  } catch {
    return ""
  }
}

/** For everything above it. */
export const layer: Layer.Layer<never> = Layer.succeed(NetworkView, {
  read: Effect.sync(() => viewOf(networkInterfaces(), readRoutes()))
})
