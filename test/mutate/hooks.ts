// Loaded before the program under test (`node --import`): gives one file with one mutant in it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { presentMutant, withMutant } from './present-mutant.ts'

const mutant = presentMutant()
const changed = mutant && new URL(`../../${mutant.file}`, import.meta.url).href

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!mutant || url !== changed) return loaded
    return { ...loaded, source: withMutant(mutant, readFileSync(fileURLToPath(url), 'utf8')) }
  },
})
