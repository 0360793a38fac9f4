// The statements in each language.
import type { Language } from '../src/domain/languages.ts'
import { statement as de } from './de/statement.ts'
import { statement as en } from './en/statement.ts'
import { statement as es } from './es/statement.ts'
import { statement as fr } from './fr/statement.ts'

export const statements = { de, en, es, fr } satisfies Record<Language, typeof en>
