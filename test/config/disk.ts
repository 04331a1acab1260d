/** The disk that the tests of the configuration read from. */
import { ByteSize, Effect, FileSystem, Layer, Path, PlatformError } from "effect"

const systemError = (tag: "NotFound" | "PermissionDenied", path: string) =>
  PlatformError.systemError({ _tag: tag, module: "FileSystem", method: "stat", pathOrDescriptor: path })

/** A disk that holds these files; a file of null is there and may not be read. */
export const disk = (files: Readonly<Record<string, string | null>>) =>
  Layer.merge(
    Path.layer,
    FileSystem.layerNoop({
      exists: (path) => Effect.succeed(path in files),
      stat: (path) =>
        path in files
          ? Effect.succeed({ type: "File", size: ByteSize.bytes(files[path]?.length ?? 0) } as FileSystem.File.Info)
          : Effect.fail(systemError("NotFound", path)),
      readFileString: (path) => {
        const text = files[path]
        return typeof text === "string" ? Effect.succeed(text) : Effect.fail(systemError("PermissionDenied", path))
      }
    })
  )
