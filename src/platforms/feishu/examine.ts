/**
 * What is wrong with an account of Feishu, asked of Feishu itself. An address to connect to is asked for and never used, so
 * that a link that is up hears everything as before.
 */
import { Array as Arr, Effect, Option, Result, Schema } from "effect"
import type { Access } from "../../domain/access.ts"
import type { PlatformId } from "../../domain/Address.ts"
import type { SendError } from "../../domain/Errors.ts"
import type { About, Finding } from "../../domain/Finding.ts"
import { about } from "../../domain/Finding.ts"
import type { LinkError, LinkErrorKind } from "../../domain/LinkError.ts"
import type { Brand } from "./bootstrap.ts"
import type { Answer } from "./call.ts"
import type { Rest } from "./rest.ts"

export interface Examined {
  readonly id: PlatformId
  readonly appId: string
  readonly base: string
  readonly brand: Brand
  readonly access: Access
  readonly askForAddress: Effect.Effect<unknown, LinkError>
  readonly rest: Rest
}

const Bot = Schema.Struct({ bot: Schema.Struct({ app_name: Schema.String, activate_status: Schema.Number }) })
const Scopes = Schema.Struct({
  data: Schema.Struct({
    scopes: Schema.Array(Schema.Struct({ scope_name: Schema.String, grant_status: Schema.Number }))
  })
})
const decodeBot = Schema.decodeUnknownOption(Bot)
const decodeScopes = Schema.decodeUnknownOption(Scopes)

/** Credentials, the bot, its rights; what depends on a failure is not looked at. */
export const examine = (account: Examined): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const look = about(account.id)
    const address = yield* Effect.result(account.askForAddress)
    if (Result.isFailure(address)) {
      const refused = refusal(look, address.failure)
      const skipped = ["bot", "scopes"].map((check) => look.skip(check, `${refused.check} failed`))
      return [refused, ...skipped]
    }
    const credentials = look.ok("credentials", `${account.appId} may connect`)
    const [bot, scopes] = yield* Effect.all([examineBot(look, account), examineScopes(look, account)], {
      concurrency: 2
    })
    return [credentials, bot, scopes]
  })

const checks: Partial<Readonly<Record<LinkErrorKind, string>>> = { Auth: "credentials", Setup: "setup" }

const refusal = (look: About, { reason }: LinkError): Finding =>
  look.fail(checks[reason._tag] ?? "bootstrap", `${reason._tag}: ${reason.message}`, reason.hint)

const examineBot = (look: About, { appId, rest }: Examined): Effect.Effect<Finding> =>
  asked(rest.get("/open-apis/bot/v3/info"), (answer) =>
    Option.match(decodeBot(answer.envelope?.body), {
      onNone: () =>
        look.fail(
          "bot",
          `Feishu does not say who the bot is: ${said(answer)}`,
          "add the Bot feature to the app, then publish a version"
        ),
      onSome: ({ bot }) =>
        bot.activate_status === 2
          ? look.ok("bot", `${bot.app_name} is enabled`)
          : look.fail(
              "bot",
              `${bot.app_name} is not enabled (${bot.activate_status})`,
              `enable ${appId} in the tenant's admin console`
            )
    })
  ).pipe(
    Effect.catch((error) => Effect.succeed(look.fail("bot", error.message, "see docs/operations.md, Failure kinds")))
  )

const examineScopes = (look: About, account: Examined): Effect.Effect<Finding> =>
  asked(account.rest.get("/open-apis/application/v6/scopes"), (answer) =>
    Option.match(decodeScopes(answer.envelope?.body), {
      onNone: () => look.skip("scopes", `Feishu does not list them: ${said(answer)}`),
      onSome: ({ data }) => {
        const granted = new Set(data.scopes.flatMap((scope) => (scope.grant_status === 1 ? [scope.scope_name] : [])))
        const missing = needsOf(account.access).filter(({ scopes }) => !scopes.some((scope) => granted.has(scope)))
        return Arr.isReadonlyArrayNonEmpty(missing)
          ? lacking(look, account, missing)
          : look.ok("scopes", "the app may read and send messages")
      }
    })
  ).pipe(Effect.catch((error) => Effect.succeed(look.skip("scopes", error.message))))

/** What the app has to be allowed, each by any one of these scopes. */
interface Need {
  readonly to: string
  readonly scopes: Arr.NonEmptyReadonlyArray<string>
}

const all: Need = { to: "hear groups", scopes: ["im:message.group_msg"] }
const mentions: Need = {
  to: "hear mentions in groups",
  scopes: ["im:message.group_at_msg:readonly", "im:message.group_at_msg", ...all.scopes]
}

const needsOf = ({ group }: Access): ReadonlyArray<Need> => [
  { to: "send", scopes: ["im:message:send_as_bot", "im:message", "im:message:send"] },
  { to: "hear direct chats", scopes: ["im:message.p2p_msg:readonly", "im:message.p2p_msg"] },
  ...(group === "off" ? [] : [group === "all" ? all : mentions])
]

const lacking = (look: About, { appId, base, brand }: Examined, missing: ReadonlyArray<Need>): Finding => {
  const scopes = missing.map((need) => need.scopes[0]).join(",")
  const where = brand === "custom" ? "in the developer console" : `at ${base}/app/${appId}/auth?q=${scopes}`
  return look.fail(
    "scopes",
    missing.map((need) => `it may not ${need.to}: ${need.scopes[0]} is missing`).join("; "),
    `add ${scopes} ${where}, then publish a version`
  )
}

const asked = (asking: Effect.Effect<Answer, SendError>, read: (answer: Answer) => Finding) => Effect.map(asking, read)

const said = ({ envelope, status }: Answer): string =>
  envelope === null ? `HTTP ${status}` : `${envelope.code} ${envelope.message}`
