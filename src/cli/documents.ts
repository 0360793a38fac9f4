// `npm run documents`: writes what is generated in the documents and in the client. A test compares
// it.
import { readFileSync, writeFileSync } from 'node:fs'
import { generateClient } from '../../client/generate.ts'
import { routes } from '../features/routes.ts'
import { openApiDocument } from '../openapi/document.ts'
import { importSchema } from './import/format.ts'
import { fillRegions, generatedRegions } from '../openapi/markdown.ts'

const fromRoot = (path: string): URL => new URL(`../../${path}`, import.meta.url)

/** Every document with something generated, by its path from the root: its whole text. */
export const generatedDocuments = (): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(generatedRegions(routes)).map(([path, regions]) => [
      path,
      fillRegions(readFileSync(fromRoot(path), 'utf8'), regions),
    ]),
  ),
  'docs/openapi.json': `${JSON.stringify(openApiDocument(routes), null, 2)}\n`,
  'docs/import.schema.json': `${JSON.stringify(importSchema(), null, 2)}\n`,
  'client/src/generated.ts': generateClient(routes),
})

if (import.meta.main) {
  for (const [path, content] of Object.entries(generatedDocuments())) {
    writeFileSync(fromRoot(path), content)
    process.stdout.write(`${path}\n`)
  }
}
