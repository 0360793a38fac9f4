// The mails in each language.
import type { Language } from '../src/domain/languages.ts'
import { mail as de } from './de/mail.ts'
import { mail as en } from './en/mail.ts'
import { mail as es } from './es/mail.ts'
import { mail as fr } from './fr/mail.ts'

export const mails = { de, en, es, fr } satisfies Record<Language, typeof en>
