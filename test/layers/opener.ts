/** Opens a database and says how that went. Argument: the file. */
import { Effect, Layer } from "effect"
import * as Sqlite from "../../src/layers/Sqlite.ts"

const [, , filename = ""] = process.argv

const outcome = await Effect.runPromise(
  Effect.scoped(Layer.build(Sqlite.layer({ filename }))).pipe(
    Effect.match({
      onFailure: ({ detail, unusable }) => ({ detail, unusable }),
      onSuccess: () => "open"
    })
  )
)
process.stdout.write(JSON.stringify(outcome))
