// The one mutant of this process, which `mutate.ts` gives it in `MUTANT`.
import type { Mutant } from './mutants.ts'

export type PresentMutant = Pick<Mutant, 'file' | 'start' | 'end' | 'text'>

export function presentMutant(): PresentMutant | undefined {
  const given = process.env['MUTANT']
  return given === undefined ? undefined : (JSON.parse(given) as PresentMutant)
}

export const withMutant = ({ start, end, text }: PresentMutant, source: string): string =>
  source.slice(0, start) + text + source.slice(end)
