/** The log of a real process whose reader goes away. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"

const program = `
  const { Effect } = await import("effect")
  const { layer } = await import(${JSON.stringify(new URL("../../src/layers/Telemetry.ts", import.meta.url).href)})
  const line = (n) => Effect.andThen(Effect.logInfo("line " + n), Effect.sleep("1 millis"))
  await Effect.runPromise(
    Effect.forEach(Array.from({ length: 200 }, (_, n) => n), line).pipe(
      Effect.provide(layer({ level: "info", format: "json", secrets: [] }))
    )
  )
  process.stderr.write("alive at the end")
`

it.live("a pipe that is closed under it does not end the process", () =>
  Effect.gen(function* () {
    const { status, told } = yield* Effect.callback<{ readonly status: number | null; readonly told: string }>(
      (resume) => {
        const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
          stdio: ["ignore", "pipe", "pipe"]
        })
        let told = ""
        child.stderr.on("data", (chunk) => (told += String(chunk)))
        child.stdout.once("data", () => child.stdout.destroy())
        child.on("close", (status) => resume(Effect.succeed({ status, told })))
        return Effect.sync(() => child.kill("SIGKILL"))
      }
    )

    expect(told).toBe("alive at the end")
    expect(status).toBe(0)
  })
)
