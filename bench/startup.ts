/** `node dist/main.js` up to `/livez`, beside a process that imports the same modules and listens. Needs a build. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, report } from "./processes.ts"

const rounds = 7
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** Milliseconds from the start of a process until it answers. */
const untilAnswer = async (
  args: ReadonlyArray<string>,
  port: number,
  env: Record<string, string> = {}
): Promise<number> => {
  const began = performance.now()
  const child = spawn(process.execPath, [...args], { stdio: "ignore", env: { ...process.env, ...env } })
  let ended = false
  child.once("exit", () => (ended = true))
  for (;;) {
    if (ended) throw new Error(`${args.join(" ")} ended before it answered`)
    const answered = await fetch(`http://127.0.0.1:${port}/livez`).then(
      (response) => response.text().then(() => response.ok),
      () => false
    )
    if (answered) break
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const took = performance.now() - began
  const exit = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await exit
  return took
}

const folder = mkdtempSync(join(tmpdir(), "evergate-bench-"))
const config = (port: number) => {
  const file = join(folder, `${port}.json`)
  writeFileSync(
    file,
    JSON.stringify({ home: join(folder, String(port)), http: { port }, platforms: [{ id: "local", kind: "local" }] })
  )
  return file
}
const listener = (port: number) => {
  const file = join(folder, `${port}.mjs`)
  const modules = ["cli/Cli.js", "cli/run.js", "layers/Service.js"].map((name) =>
    JSON.stringify(new URL(`../dist/${name}`, import.meta.url).href)
  )
  writeFileSync(
    file,
    `import { enableCompileCache } from "node:module"
enableCompileCache()
${modules.map((name) => `await import(${name})`).join("\n")}
const { createServer } = await import("node:http")
createServer((request, response) => response.end("ok")).listen(${port}, "127.0.0.1")`
  )
  return file
}

const ours: Array<number> = []
const ceiling: Array<number> = []
for (let round = 0; round < rounds + 1; round++) {
  const barePort = await freePort()
  const bare = await untilAnswer([listener(barePort)], barePort)
  const port = await freePort()
  const gateway = await untilAnswer([main, "run", "--config", config(port)], port)
  // The first round fills the compile cache.
  if (round > 0) {
    ceiling.push(bare)
    ours.push(gateway)
  }
}
report("start until /livez", median(ours), median(ceiling), "ms", "at most 1,000 ms and 2.5 times")
rmSync(folder, { recursive: true })
