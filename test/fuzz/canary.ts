// What must not come out again: everything a client types carries one word, so that a single search
// finds it in a log whatever it was.

/** Part of every text, name, header, path and password that a run sends. */
export const canary = 'zqxcanary'

/** Whoever typed it can be read off the text. */
export const signed = (by: string, text: string | number = ''): string =>
  `${canary} ${by} ${text}`.trim()

/** Personal texts of a person, as {@link signed} or as part of an e-mail address. */
export const canarySignature = (by: string): RegExp => new RegExp(`${canary}[ .]${by}\\b`, 'i')

/** What no line of a log may hold, whatever the requests were. */
const neverLogged: readonly [what: string, pattern: RegExp][] = [
  ['what a client typed', new RegExp(canary, 'i')],
  ['a token', /\bey[\w-]{8,}\.[\w-]+/],
  ['an opaque token or its hash', /(?<![\w/.-])[\w-]{43,}(?![\w/.-])/],
  ['a bearer field', /bearer [^ "]/i],
  ['a password hash', /argon2id?\$/],
  ['a password of a test', /\bkine\b/],
  ['an e-mail address', /@example\.com/],
  ['an IBAN', /\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/],
  ['a telephone number', /\+\d{9,15}\b/],
]

/** What is wrong with a line of the log, or undefined. */
export function wrongInLine(line: string): string | undefined {
  const found = neverLogged.find(([, pattern]) => pattern.test(line))
  if (found) return `${found[0]} is in the log`
  if (!line.endsWith('\n') || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(line.slice(0, -1))) {
    return 'a line of the log has a raw control character'
  }
  return isEvent(line) ? undefined : 'a line of the log is not one JSON event'
}

function isEvent(line: string): boolean {
  if (line.indexOf('\n') !== line.length - 1) return false
  try {
    const event = JSON.parse(line) as Record<string, unknown>
    const { level, time, message } = event
    return (
      typeof level === 'number' &&
      typeof message === 'string' &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(time))
    )
  } catch {
    return false
  }
}

/** A secret as it could come out again: as it is, percent-encoded, in hexadecimal, in base64. */
export function toSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Base64 of a text depends on where it begins; the ends mix with what stands around it.
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const inner = (encoding: 'base64' | 'base64url') => shifted.toString(encoding).slice(4, -4)
    return [inner('base64'), inner('base64url')]
  })
  const inJson = JSON.stringify(secret).slice(1, -1)
  const escaped = encodeURIComponent(secret)
  return [...new Set([secret, inJson, escaped, bytes.toString('hex'), ...inBase64])]
}
