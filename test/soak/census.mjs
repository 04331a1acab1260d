/** Loaded before the service's own code: at a message it collects garbage and tells what the process holds. */
import { readdirSync } from "node:fs"

process.on("message", () => {
  globalThis.gc()
  globalThis.gc()
  process.send({
    heap: process.memoryUsage().heapUsed,
    descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    sockets: process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length
  })
})
