// Which rule a new password breaks. The bank checks all again, and alone knows the common ones.
import { texts } from './language.ts'

/** @param username as the person has it; undefined: it is not known */
export function passwordError(password: string, username?: string): string | undefined {
  const t = texts()
  const text = password.normalize('NFKC')
  const { length } = [...text]
  if (length === 0) return t.form.required
  if (length < 12) return t.password.short
  if (length > 128) return t.password.long
  return username && text.toLowerCase().includes(username) ? t.password.named : undefined
}
