// What the bank's own accounts are called.
import { type BankCode, textOfWord } from '../../../../languages/words.ts'
import { texts } from '../../texts/language.ts'

/** An account that the bank has in every currency by its word, a further one by its own name. */
export const bankAccountName = (code: string, name: string): string =>
  textOfWord(texts().trial.codes, code as BankCode, name)
