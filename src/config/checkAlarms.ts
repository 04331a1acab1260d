/** Who is told when something is wrong: each entry is one of three kinds, by the key that it has. */
import { Option, Predicate, Schema } from "effect"
import * as Address from "../domain/Address.ts"
import { checkPlatform } from "./checkPlatforms.ts"
import type { Path } from "./document.ts"
import type { Reading } from "./reading.ts"
import type { AlarmSettings } from "./Settings.ts"
import { alarmKinds, ChatAlarm } from "./Settings.ts"

/** More are a slip of the pen, and each is a fiber. */
const most = 20

/** The alarms that have no fault. */
export const checkAlarms = (
  reading: Reading,
  raw: unknown,
  platforms: ReadonlyArray<string> | null
): ReadonlyArray<AlarmSettings> => {
  if (raw === undefined || raw === "off") return []
  if (!Array.isArray(raw) || raw.length > most) {
    reading.tell(["alarms"], { expected: `off, or a list of at most ${most}`, hint: "see docs/settings.md" })
    return []
  }
  return raw.flatMap((item, index) => checkAlarm(reading, item, ["alarms", index], platforms) ?? [])
}

const checkAlarm = (
  reading: Reading,
  item: unknown,
  path: Path,
  platforms: ReadonlyArray<string> | null
): AlarmSettings | null => {
  const kind = kinds.find((key) => Predicate.isObject(item) && Object.hasOwn(item, key))
  switch (kind) {
    case "to":
      return checkChat(reading, item, path, platforms)
    case "webhook":
      return reading.decode(alarmKinds.webhook, item, path)
    case "heartbeat":
      return reading.decode(alarmKinds.heartbeat, item, path)
    default:
      reading.tell(path, { expected: "`to`, `webhook` or `heartbeat`", hint: "see docs/settings.md" })
      return null
  }
}

const kinds = ["to", "webhook", "heartbeat"] as const

const checkChat = (reading: Reading, item: unknown, path: Path, platforms: ReadonlyArray<string> | null) => {
  const settings = reading.decode(ChatAlarm, item, path)
  const target = reading.part(Target, item, path)
  if (target === null) return null
  const address = Option.getOrNull(Address.parse(target.to))
  if (address !== null) return checkPlatform(reading, [...path, "to"], address.platform, platforms) ? settings : null
  reading.tell([...path, "to"], { expected: "an address", hint: "write <platform id>:<chat id>[:<thread id>]" })
  return null
}

const Target = Schema.Struct({ to: ChatAlarm.fields.to })
