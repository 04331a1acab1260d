/** The values that settings are made of, as they are written in a file: durations, secrets, ids, URLs. */
import { DateTime, Duration, Effect, Option, Redacted, Schema, SchemaGetter } from "effect"
import * as duration from "../domain/duration.ts"
import { isPlaceholder, isSample } from "./placeholders.ts"

/** `15s`, `10m`, `24h`, `7d`. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(duration.parse(text)) || "Expected a duration such as 15s, 10m, 24h or 7d")
).pipe(
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transform((text) => Option.getOrElse(duration.parse(text), () => Duration.zero)),
    encode: SchemaGetter.transform(duration.format)
  })
)

/** A duration that is not nothing: of a wait that would otherwise spin or end at once. */
export const PositiveDuration = DurationText.check(
  Schema.makeFilter((value) => Duration.toMillis(value) > 0 || "Expected a duration longer than 0")
)

const written = Schema.String.check(
  Schema.makeFilter((text) => !isPlaceholder(text) || "Expected the real value, not an empty text or a placeholder")
)

/** The id of an app of Feishu; not secret, but a template's filler is refused. */
export const AppId = written.check(
  Schema.isPattern(/^cli_[0-9A-Za-z]+$/, { message: "Expected an app's id: cli_ and letters or digits" }),
  Schema.makeFilter((text) => !isSample(text) || "Expected the id of your own app, not the one of an example")
)

/** A credential that no log, error or answer shows. */
export const Secret = Schema.RedactedFromValue(written)

/** A secret that may be left empty, for none. */
export const OptionalSecret = Schema.String.check(
  Schema.makeFilter((text) => text === "" || !isPlaceholder(text) || "Expected a secret or nothing, not a placeholder")
).pipe(
  Schema.decodeTo(Schema.NullOr(Schema.Redacted(Schema.String)), {
    decode: SchemaGetter.transform((text) => (text === "" ? null : Redacted.make(text))),
    encode: SchemaGetter.transform((secret) => (secret === null ? "" : Redacted.value(secret)))
  })
)

/** An id is a text; a number is taken where it reads back as it was written. */
export const Id = Schema.Union([Schema.NonEmptyString, Schema.Int])
  .annotate({ expected: "an id: a text, in quotes where it looks like a number" })
  .pipe(
    Schema.decodeTo(Schema.NonEmptyString, {
      decode: SchemaGetter.transform(String),
      encode: SchemaGetter.passthrough()
    })
  )

const isNumeric = Schema.isPattern(/^\d{1,9}(\.\d{1,9})?$/)

/** A number, also as the text that a `${…}` leaves. */
const NumberText = Schema.Union([Schema.Finite, Schema.String.check(isNumeric)])
  .annotate({ expected: "a number" })
  .pipe(Schema.decodeTo(Schema.Finite, { decode: SchemaGetter.transform(Number), encode: SchemaGetter.passthrough() }))

export const Port = NumberText.check(
  Schema.makeFilter(
    (port) => (Number.isInteger(port) && port >= 0 && port <= 65_535) || "Expected a port from 0 to 65535"
  )
)

/** By how much something grows: less than 1 would shrink it. */
export const Factor = NumberText.check(
  Schema.makeFilter((factor) => (factor >= 1 && factor <= 100) || "Expected a number from 1 to 100")
)

/** True or false, also as the text that a `${…}` leaves. */
export const Switch = Schema.Union([Schema.Boolean, Schema.Literals(["true", "false"])])
  .annotate({ expected: "true or false" })
  .pipe(
    Schema.decodeTo(Schema.Boolean, {
      decode: SchemaGetter.transform((value) => value === true || value === "true"),
      encode: SchemaGetter.passthrough()
    })
  )

const protocolOf = (text: string): string => (URL.canParse(text) ? new URL(text).protocol : "")

const isHttp = (text: string): boolean => /^https?:$/.test(protocolOf(text))

export const HttpUrl = Schema.String.check(
  Schema.makeFilter((text) => isHttp(text) || "Expected a URL that begins with http:// or https://")
)

/** A URL that is a credential itself: whoever knows it may use it. */
export const SecretUrl = Schema.RedactedFromValue(HttpUrl)

/** Which Feishu an app belongs to. */
export const FeishuDomain = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text === "feishu" ||
      text === "lark" ||
      isHttp(text) ||
      "Expected feishu, lark, or the base URL of a private deployment, https://…"
  )
)

/** Someone on a platform, as `admins` names people. */
export const Admin = Schema.String.annotate({ expected: "<platform id>:<user id>" }).check(
  Schema.isPattern(/^[^:\s]+:\S+$/, { message: "Expected <platform id>:<user id>" })
)

/** A name of the zone database. */
export const TimeZone = Schema.NonEmptyString.check(
  Schema.makeFilter(
    (name) => Option.isSome(DateTime.zoneMakeNamed(name)) || "Expected an IANA time zone such as Europe/Berlin or UTC"
  )
)

/** Where requests and WebSockets go out: the environment's proxy, none, or this one. */
export const ProxyText = Schema.String.check(
  Schema.makeFilter(
    (text) => text === "env" || text === "none" || isHttp(text) || "Expected env, none or http://host:port"
  )
)

/** The one value of a setting whose others are not built yet. */
export const only = <const L extends string>(value: L, others: string) =>
  Schema.Literals([value]).annotate({ expected: `${value}: ${others} is not built yet` })

/** The one duration of a setting whose others are not built yet. */
export const onlyDuration = (value: string) => {
  const wanted = Option.getOrThrow(duration.parse(value))
  return DurationText.check(
    Schema.makeFilter((found) => Duration.equals(found, wanted) || `Expected ${value}: another time is not built yet`)
  )
}

/** A setting with what it is for and what it is when nothing is said. */
export const setting = <S extends Schema.Top>(schema: S, description: string, fallback: S["Encoded"]) => {
  // The note goes onto the written side: that is the one that the JSON Schema and docs/settings.md show.
  const written = Schema.optionalKey(Schema.toEncoded(schema))
  const noted: typeof written = Schema.annotateKey<typeof written>({ description, default: fallback })(written)
  return Schema.decodeTo<S, typeof written>(schema, {
    decode: SchemaGetter.withDefault(Effect.succeed(fallback)),
    encode: SchemaGetter.passthrough<S["Encoded"]>()
  })(noted)
}

/** A setting that has to be there. */
export const required = <S extends Schema.Top>(schema: S, description: string) => {
  const written = Schema.toEncoded(schema)
  const noted: typeof written = Schema.annotateKey<typeof written>({ description })(written)
  return Schema.decodeTo(schema)(noted)
}

/** A setting that is left out where it is not meant. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(required(schema, description))
