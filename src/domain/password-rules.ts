// Rules of a new password, for requests and for the configuration.
import { dictionary } from '@zxcvbn-ts/language-common'

const lengthMin = 12
const lengthMax = 128
const commonPasswords = new Set(
  (dictionary['passwords-common'] ?? []).filter((password) => password.length >= lengthMin),
)

/**
 * What is wrong with a password, as the rest of a sentence; undefined if nothing is. 12 to 128
 * characters (code points) after NFKC, not a common password, not containing the user name (OWASP
 * ASVS 6.2).
 *
 * @param username in its canonical form; if absent, its rule is not checked
 */
export function passwordProblem(password: string, username?: string): string | undefined {
  const normalised = password.normalize('NFKC')
  const { length } = [...normalised]
  if (length < lengthMin) return `has fewer than ${lengthMin} characters`
  if (length > lengthMax) return `has more than ${lengthMax} characters`
  const lower = normalised.toLowerCase()
  if (commonPasswords.has(lower) || isRepetition(lower)) return 'is a common password'
  if (username !== undefined && lower.includes(username)) return 'contains the user name'
  return undefined
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`: one to four characters, repeated. */
const isRepetition = (text: string): boolean => /^(.{1,4})\1+$/su.test(text)
