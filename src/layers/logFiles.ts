/**
 * The log of a gateway that `evergate start` detached: `logs/gateway.log` under its home, and what is a warning or worse once
 * more in `logs/gateway.error.log`. A file that is full is copied aside and begun again, so that whatever else writes to it, the
 * end of a crash for one, writes into the file that is read.
 */
import { copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** Set in the process that `start` detaches. */
export const marker = "EVERGATE_DETACHED"

/** Whether this process writes its log there, in place of standard output. */
export const areMeant = process.env[marker] === "1"

/** Where they are. */
export const pathsOf = (home: string) => ({
  log: join(home, "logs", "gateway.log"),
  errors: join(home, "logs", "gateway.error.log")
})

export interface Bounds {
  /** A file is begun again past this. */
  readonly mostBytes: number
  /** Older ones that are kept: `.1` is the newest. */
  readonly kept: number
}

const bounds: Bounds = { mostBytes: 10 * 1024 * 1024, kept: 5 }

export interface LogFile {
  /** Writes it down at once; false where that failed: a full disk costs lines, never the gateway. */
  readonly write: (text: string) => boolean
}

/** Opens a file to append to, with its folder, for its owner alone. */
export const open = (path: string): number => {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 })
  return openSync(path, "a", 0o600)
}

export const make = (path: string, { kept, mostBytes }: Bounds = bounds): LogFile => {
  const descriptor = open(path)
  let bytes = fstatSync(descriptor).size

  const rotate = () => {
    // Where it fails it is tried again when as much has come once more, and not for every line.
    bytes = 0
    const draft = `${path}.0`
    try {
      copyFileSync(path, draft)
    } catch {
      // A disk without room for the copy costs none of the older ones: the full file goes on.
      return rmSync(draft, { force: true, recursive: true })
    }
    rmSync(`${path}.${kept}`, { force: true })
    for (let nth = kept - 1; nth > 0; nth--) {
      try {
        renameSync(`${path}.${nth}`, `${path}.${nth + 1}`)
      } catch {
        // There are not so many yet.
      }
    }
    renameSync(draft, `${path}.1`)
    ftruncateSync(descriptor)
  }

  return {
    write: (text) => {
      try {
        if (bytes > mostBytes) rotate()
        bytes += writeSync(descriptor, text)
        return true
      } catch {
        return false
      }
    }
  }
}
