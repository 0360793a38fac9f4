// `npm run documents`: writes the documents that are made from the code. A test compares them.
import { writeFile } from 'node:fs/promises'
import { configurationDocument, errorsDocument, permissionsDocument } from '../openapi/markdown.ts'
import { openApiDocument } from '../openapi/document.ts'
import { routes } from '../features/routes.ts'

/** Every generated document: its path from the root of the repository, and what it has to say. */
export const generatedDocuments = (): Readonly<Record<string, string>> => ({
  'docs/CONFIGURATION.md': configurationDocument(),
  'docs/ERRORS.md': errorsDocument(),
  'docs/PERMISSIONS.md': permissionsDocument(routes),
  'docs/openapi.json': `${JSON.stringify(openApiDocument(routes), null, 2)}\n`,
})

if (import.meta.main) {
  for (const [path, content] of Object.entries(generatedDocuments())) {
    await writeFile(new URL(`../../${path}`, import.meta.url), content)
    process.stdout.write(`${path}\n`)
  }
}
