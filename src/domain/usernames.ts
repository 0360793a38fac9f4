// User names and e-mail addresses in the canonical form that is stored, compared and counted.

const usernameShape = /^[a-z0-9][a-z0-9._-]{2,31}$/
const atom = "[a-z0-9!#%&'*+/=?^_{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The dot-atom form of RFC 5321 with a host name; quoted local parts are refused. */
const emailShape = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)*${label}$`)
const emailLengthMax = 254

/** Full-width letters, ligatures and capitals become plain small letters (NFKC, UAX #15). */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The canonical user name, or undefined if the text is not one. */
export function normaliseUsername(text: string): string | undefined {
  const folded = fold(text)
  return usernameShape.test(folded) ? folded : undefined
}

/** The canonical e-mail address (ASCII only), or undefined if the text is not one. */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > emailLengthMax) return undefined
  const folded = fold(text)
  return folded.length <= emailLengthMax && emailShape.test(folded) ? folded : undefined
}
