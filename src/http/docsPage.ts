/** `/docs` as a page: made of the spec, without a script, and with nothing that is loaded from elsewhere. */
import type { OpenApi } from "effect/http-api"
import { operationsOf } from "./described.ts"
import { shapeOf } from "./shape.ts"

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

export const docsPage = (spec: OpenApi.OpenAPISpec): string => {
  const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    operationsOf(item).map(([method, operation]) => ({ path, method, operation }))
  )
  const sections = spec.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return `<h2>${escape(name)}</h2>\n${own.map((each) => sectionOf(each, spec)).join("\n")}`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>evergate: the API</title>
<link rel="stylesheet" href="/page/docs.css">
<main>
<h1>evergate ${escape(spec.info.version)}</h1>
<p>The API of the running gateway; <a href="/openapi.json">openapi.json</a> is the same for machines. A listener that
others reach wants <code>Authorization: Bearer …</code>; whatever changes something wants
<code>Content-Type: application/json</code>.</p>
${sections.join("\n")}
</main>
</html>
`
}

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: OpenApi.OpenAPISpecOperation
}

const sectionOf = ({ path, method, operation }: Described, { components }: OpenApi.OpenAPISpec): string => {
  const code = (schema: unknown) => `<pre>${escape(shapeOf(schema, components.schemas))}</pre>`
  const contents = (content: OpenApi.OpenApiSpecContent = {}) =>
    Object.entries(content).map(([type, { schema }]) =>
      type === "application/json" ? code(schema) : `<pre>${escape(type)}</pre>`
    )
  const parameters = operation.parameters.map(
    ({ in: where, name, required, schema }) =>
      `<li><code>${escape(name)}</code> in the ${where}${required ? "" : ", optional"}: <code>${escape(shapeOf(schema, components.schemas))}</code></li>`
  )
  const responses = Object.entries(operation.responses).map(
    ([status, { content }]) => `<dt>${status}</dt><dd>${contents(content).join("")}</dd>`
  )
  return `<details>
<summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code> ${escape(operation.summary ?? "")}</summary>
${parameters.length === 0 ? "" : `<ul>${parameters.join("")}</ul>`}
${contents(operation.requestBody?.content).join("")}
<dl>${responses.join("")}</dl>
</details>`
}

export const docsStyle = `:root { color-scheme: light dark }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1rem }
details { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.5rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere }
summary b { display: inline-block; min-width: 4.5rem }
pre { overflow-x: auto; margin: 0.25rem 0; padding: 0.5rem; font-size: 13px;
  background: color-mix(in srgb, currentColor 7%, transparent) }
dt { font-weight: 600 }
dd { margin: 0 0 0.5rem }
`
