/**
 * SQLite's compiler with a memory. The store says the same few statements over and over: their text is put together once, and
 * found again by the pieces it is made of, which are the very strings of the program's text.
 */
import { Statement } from "effect/sql"

/** One step on the way from a statement's first piece to its text. */
interface Node {
  readonly next: Map<string | null, Node>
  text: string | null
}

/** More than the store's statements have pieces. Past it a new statement is put together each time. */
const mostNodes = 4_096

const makeNode = (): Node => ({ next: new Map(), text: null })

/** A drop-in for `Statement.makeCompilerSqlite`. */
export const make = (): Statement.Compiler => {
  const compiler = Statement.makeCompilerSqlite()
  const root = makeNode()
  let nodes = 1

  const nodeOf = (segments: Statement.Fragment["segments"]): Node | null => {
    let node = root
    for (const segment of segments) {
      // Only what is text or a parameter says by its kind alone how it reads.
      const isPiece = segment._tag === "Literal" && segment.params === undefined
      if (!isPiece && segment._tag !== "Parameter") return null
      const key = isPiece ? segment.value : null
      const known = node.next.get(key)
      if (known === undefined && nodes === mostNodes) return null
      const next = known ?? makeNode()
      if (known === undefined) {
        node.next.set(key, next)
        nodes++
      }
      node = next
    }
    return node
  }

  const compile: Statement.Compiler["compile"] = (statement, withoutTransform) => {
    const node = nodeOf(statement.segments)
    if (node === null) return compiler.compile(statement, withoutTransform)
    if (node.text === null) node.text = compiler.compile(statement, withoutTransform)[0]
    return [node.text, parametersOf(statement.segments)]
  }

  const remembering: Statement.Compiler = {
    dialect: compiler.dialect,
    compile,
    get withoutTransform() {
      return remembering
    }
  }
  return remembering
}

const parametersOf = (segments: Statement.Fragment["segments"]): ReadonlyArray<unknown> => {
  const parameters: Array<unknown> = []
  for (const segment of segments) if (segment._tag === "Parameter") parameters.push(segment.value)
  return parameters
}
