// Loaded before the service (`node --import`): changes the text of its files as the bug says. Fails
// if the text to change is missing, since the bug would then be none.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { bugs } from './bug-table.ts'

const name = new URL(import.meta.url).searchParams.get('bug') ?? ''
const source = new URL('../../src/', import.meta.url).href

/** The file with the bug in it. */
export function withBug(bug: string, file: string): string {
  let text = readFileSync(fileURLToPath(new URL(file, source)), 'utf8')
  for (const { from, to } of (bugs[bug]?.changes ?? []).filter((each) => each.file === file)) {
    if (text.split(from).length !== 2)
      throw new Error(`${bug}: ${file} does not hold once: ${from}`)
    text = text.replace(from, () => to)
  }
  return text
}

if (name !== '') {
  const changes = bugs[name]?.changes ?? []
  const files = new Map(changes.map(({ file }) => [new URL(file, source).href, file]))
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const file = files.get(url)
      return file === undefined ? loaded : { ...loaded, source: withBug(name, file) }
    },
  })
}
