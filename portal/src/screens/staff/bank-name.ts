// What the bank's own accounts are called.
import { texts } from '../../texts/language.ts'

/** An account that the bank has in every currency by its word, a further one by its own name. */
export function bankAccountName(code: string, name: string): string {
  const { codes } = texts().trial
  return codes[code as keyof typeof codes] ?? name
}
