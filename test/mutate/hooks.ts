// Loaded before the program under test (`node --import`): gives one file with one mutant in it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutants.ts'

const { file, start, end, text } = JSON.parse(process.env['MUTANT'] ?? '{}') as Mutant
const changed = new URL(`../../${file}`, import.meta.url).href

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (url !== changed) return loaded
    const source = readFileSync(fileURLToPath(url), 'utf8')
    return { ...loaded, source: source.slice(0, start) + text + source.slice(end) }
  },
})
