// User names and e-mail addresses in the canonical form that is stored, compared and counted.

const usernameShape = /^[a-z0-9][a-z0-9._-]{2,31}$/
const atom = "[a-z0-9!#%&'*+/=?^_{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The dot-atom form of RFC 5321 with a host name; quoted local parts are refused. */
const emailShape = new RegExp(`^(${atom}(?:\\.${atom})*)@((?:${label}\\.)*${label})$`)
const emailLengthMax = 254
/** Octets (RFC 5321, 4.5.3.1.1); the shape is ASCII. */
const localPartMax = 64
/** A mail program decodes `=?utf-8?q?...?=` (RFC 2047) to an address that was not checked. */
const encodedWord = /=\?.*\?.*\?.*\?=/

/** Full-width letters, ligatures and capitals become plain small letters (NFKC, UAX #15). */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The canonical user name, or undefined if the text is not one. */
export function normaliseUsername(text: string): string | undefined {
  const folded = fold(text)
  return usernameShape.test(folded) ? folded : undefined
}

/**
 * The canonical e-mail address (ASCII only), or undefined if the text is not one. An international
 * domain is written in its A-labels (RFC 5890).
 */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > emailLengthMax) return undefined
  const folded = fold(text)
  const [, local = '', host = ''] = emailShape.exec(folded) ?? []
  const isSafe = local !== '' && local.length <= localPartMax && !encodedWord.test(local)
  return isSafe && folded.length <= emailLengthMax && isMailHost(host) ? folded : undefined
}

/** In front of a host it makes the URL parser judge all labels; of ASCII alone it judges none. */
const foreignLabel = 'ü'
const asciiForeignLabel = 'xn--tda'

/**
 * Whether it names a host, and not an IPv4 address, and each `xn--` label decodes and is the only
 * spelling of what it decodes to (UTS #46). No module of Node is used: the portal calls it too.
 */
function isMailHost(host: string): boolean {
  const url = `http://${foreignLabel}.${host}`
  return URL.canParse(url) && new URL(url).hostname === `${asciiForeignLabel}.${host}`
}
