// Rules of a new password, for requests and for the configuration.
import { createRequire } from 'node:module'
import type * as Library from '@zxcvbn-ts/language-common'

const lengthMin = 12
const lengthMax = 128

const load = createRequire(import.meta.url)
let common: Set<string> | undefined

function readCommon(): Set<string> {
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof Library
  return new Set(dictionary['passwords-common'])
}

/** Unpacked with the first new password: every command would take 25 ms longer. */
const commonPasswords = (): Set<string> => (common ??= readCommon())

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
  if (isCommon(lower)) return 'is a common password'
  if (username !== undefined && lower.includes(username)) return 'contains the user name'
  return undefined
}

/**
 * The list has 308 passwords that are long enough. People lengthen a shorter one by digits and
 * signs at its ends, or write it twice: `iloveyou2024!`, `passwordpassword`.
 */
function isCommon(text: string): boolean {
  const core = text.replace(/^\P{L}+/u, '').replace(/\P{L}+$/u, '')
  const common = commonPasswords()
  return common.has(text) || common.has(core) || isRepetition(text)
}

const isRepetition = (text: string): boolean => /^(.+?)\1+$/su.test(text)
