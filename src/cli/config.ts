/** `evergate config`: says whether a configuration is right, what one may say, and writes one to begin with. */
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import { schemaDocument } from "../config/editorSchema.ts"
import { template } from "../config/template.ts"
import { surroundings } from "../layers/surroundings.ts"
import { ending, evergate, wanting } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { counted } from "./text.ts"

/** All that is wrong with it ends with 78; that a one-shot has passed does so only where the gateway never had it. */
const check = Effect.fnUntraced(function* (wanted: Wanted) {
  const { source, settings, over } = yield* load(wanted, surroundings)
  const { platforms, jobs } = settings
  yield* Console.log(`${source}: ok (${counted(platforms.length, "platform")}, ${counted(jobs.length, "job")})`)
  for (const { job } of over) {
    yield* Console.log(
      `  the instant of job "${job.id}" has passed: it is refused where the gateway has not had it before`
    )
  }
  return exitStatus.done
})

/** For editors, which then complete and check the file as it is written. */
const schema = Effect.as(Console.log(JSON.stringify(schemaDocument(), null, 2)), exitStatus.done)

/** Writes a file that a person then completes. One that is there stays as it is. */
const init = Effect.fnUntraced(function* (named: Option.Option<string>) {
  const file = Option.getOrElse(named, () => "evergate.yaml")
  const files = yield* FileSystem.FileSystem
  return yield* files.writeFileString(file, template, { flag: "wx", mode: 0o600 }).pipe(
    Effect.andThen(
      Console.log(`${file} is written; set FEISHU_APP_ID and FEISHU_APP_SECRET, or take Feishu out of it`)
    ),
    Effect.as(exitStatus.done),
    Effect.catch(({ reason }) => Effect.as(Console.error(notWritten(file, reason._tag)), exitStatus.failed))
  )
})

const notWritten = (file: string, reason: string): string =>
  reason === "AlreadyExists"
    ? `${file} is there already, and was not touched; name another file`
    : `${file} cannot be written: ${reason}`

const file = Argument.String("file").pipe(
  Argument.withDescription("The file to write; else that of --config, else evergate.yaml"),
  Argument.optional
)

export const command = Command.make("config").pipe(
  Command.withDescription("The configuration"),
  Command.withSubcommands([
    Command.make("check", {}, () => wanting(check)).pipe(
      Command.withDescription("Say whether it is right, and all that is wrong")
    ),
    Command.make("schema", {}, () => ending(schema)).pipe(
      Command.withDescription("Print the JSON Schema of the file, for editors")
    ),
    Command.make("init", { file }, ({ file }) =>
      ending(Effect.flatMap(evergate, ({ config }) => init(Option.orElse(file, () => config))))
    ).pipe(Command.withDescription("Write a file to begin with; one that is there is not touched"))
  ])
)
