/** Certificates made on the spot, with the dates and names that a test wants: X.509 by hand, for Node reads but makes none. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  /** Names and IPv4 addresses that it is good for. */
  readonly names: ReadonlyArray<string>
  /** Days from now. */
  readonly from?: number
  readonly until?: number
}

const day = 86_400_000

/** Signed by itself. */
export const certificate = ({ names, from = -1, until = 365 }: CertificateOptions): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(set(sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(names[0] ?? "nobody")))))
  const signedWith = sequence(oid(1, 2, 840, 10045, 4, 3, 2))
  const extensions = sequence(
    sequence(oid(2, 5, 29, 19), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(oid(2, 5, 29, 17), der(0x04, sequence(...names.map(alternative))))
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    signedWith,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions)
  )
  const signature = sign("sha256", body, privateKey)
  const whole = sequence(body, signedWith, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replaceAll(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

const der = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])

const lengthOf = (length: number): ReadonlyArray<number> =>
  length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]

const sequence = (...parts: ReadonlyArray<Buffer>): Buffer => der(0x30, Buffer.concat(parts))
const set = (...parts: ReadonlyArray<Buffer>): Buffer => der(0x31, Buffer.concat(parts))

const oid = (first: number, second: number, ...others: ReadonlyArray<number>): Buffer =>
  der(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))

const base128 = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f]

const alternative = (name: string): Buffer =>
  /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name))

/** UTCTime: two digits of the year are enough for a test. */
const time = (days: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(Date.now() + days * day).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`))
