// Plurals in German.
import { pluralIn } from '../plural.ts'

export const plural = pluralIn('de')
