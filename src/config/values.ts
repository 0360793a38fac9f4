// From the text of a setting to its value: one parser per kind of value. No message repeats the
// value: any setting may hold a secret, if only by mistake, and these lines end up in logs.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { isWide, parseRange, type Range } from '../domain/address.ts'
import { currencies, type Currency, parseAmount } from '../domain/money.ts'
import { type BankCode, codeProblem } from '../domain/bban.ts'
import { isBic } from '../domain/iban.ts'
import { isTimeZone } from '../domain/days.ts'
import { passwordProblem } from '../domain/password-rules.ts'
import { type Role, roles } from '../domain/roles.ts'
import { normaliseEmail, normaliseUsername } from '../domain/usernames.ts'
import { dayMs } from '../domain/clock.ts'

/** What is wrong with a value; each reason follows the setting's name in a sentence. */
export class Unusable extends Error {
  readonly reasons: readonly string[]
  constructor(...reasons: string[]) {
    super(reasons.join('; '))
    this.reasons = reasons
  }
}

/** Returns the value, or throws {@link Unusable}. */
export type Parser<T> = (text: string) => T

/** Refuses with the reason what `parse` returns undefined for. */
const parser =
  <T>(reason: string, parse: (text: string) => T | undefined): Parser<T> =>
  (text) => {
    const value = parse(text)
    if (value === undefined) throw new Unusable(reason)
    return value
  }

/** Passes the text unchanged if it is usable. */
const check = (reason: string, isUsable: (text: string) => boolean): Parser<string> =>
  parser(reason, (text) => (isUsable(text) ? text : undefined))

/** Letters of any script, digits, spaces and plain punctuation. */
export const displayName = check(
  'has to be 1 to 70 letters, digits, spaces and plain punctuation',
  (text) =>
    /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd} .,'&()-]*$/u.test(text) && Array.from(text).length <= 70,
)

/** As people write it, so that a phone can call it (RFC 3966 has the digits). */
export const phone = check(
  'has to be a telephone number of 5 to 15 digits, such as +49 30 1234567',
  (text) => /^\+?(?:[ ()/-]*\d){5,15}$/.test(text) && text.length <= 30,
)

export const postalAddress = check(
  'has to be 1 to 140 letters, digits, spaces and plain punctuation',
  (text) =>
    /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd} .,'&()/-]*$/u.test(text) && Array.from(text).length <= 140,
)

const bankCodeForm = 'has to be a country and the first part of its numbers, such as DE/37040044'

/** `DE/37040044` */
export const bank: Parser<BankCode> = (text) => {
  const [, country, prefix] = /^([A-Z]{2})\/([A-Z0-9]{1,30})$/.exec(text) ?? []
  if (country === undefined || prefix === undefined) throw new Unusable(bankCodeForm)
  const code = Object.freeze({ country, prefix })
  const problem = codeProblem(code)
  if (problem !== undefined) throw new Unusable(problem)
  return code
}

export const banks: Parser<readonly BankCode[]> = (text) =>
  Object.freeze(text.split(',').map((part) => bank(part.trim())))

/** As Node writes it where it knows it by the same letters: `europe/berlin` is `Europe/Berlin`. */
export const timeZone = parser(
  'has to be a time zone of the IANA database, such as Europe/Berlin',
  (text) => {
    if (!isTimeZone(text)) return undefined
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    return known.toLowerCase() === text.toLowerCase() ? known : text
  },
)

/** A time of the day, of 24 hours: `16:00`. */
export const timeOfDay = check('has to be a time of the day from 00:00 to 23:59', (text) =>
  /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
)

export const bic = check('has to be a BIC such as MARKDEFFXXX, in capitals', isBic)

/** Decimal digits only: no sign, no exponent, no leading zero, nothing around them. */
export const wholeNumber = (min: number, max: number): Parser<number> =>
  parser(`has to be a whole number from ${min} to ${max}`, (text) => {
    const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })

/** A part of the whole, from 0 to 1. */
export const ratio: Parser<number> = parser(
  'has to be a number from 0 to 1, such as 0.01',
  (text) => (/^(0(\.\d{1,6})?|1)$/.test(text) ? Number(text) : undefined),
)

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: dayMs } as const
type Unit = keyof typeof unitMs

/** `500ms`, `30s`, `15m`, `12h`, `1d` → milliseconds; undefined when it is none of them. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text) ?? []
  return count ? Number(count) * unitMs[unit as Unit] : undefined
}

/** A duration in milliseconds, from `min` to `max` in steps of `step`, all three as written. */
export function duration(min: string, max: string, step = '1ms'): Parser<number> {
  const [minMs = 0, maxMs = 0, stepMs = 1] = [min, max, step].map(durationMs)
  const inSteps = stepMs === 1 ? '' : `, in steps of ${step}`
  return (text) => {
    const value = durationMs(text)
    if (value === undefined) throw new Unusable('has to be a duration such as 500ms, 30s or 12h')
    if (value >= minMs && value <= maxMs && value % stepMs === 0) return value
    throw new Unusable(`has to be a duration from ${min} to ${max}${inSteps}`)
  }
}

/** `64KB`, `2MB` → bytes (1 KB is 1024 bytes, 1 MB is 1024 KB). */
export function size(minKb: number, maxKb: number): Parser<number> {
  return (text) => {
    const [, count, unit] = /^([1-9]\d{0,5})(KB|MB)$/.exec(text) ?? []
    if (!count) throw new Unusable('has to be a size such as 64KB or 2MB')
    const kb = Number(count) * (unit === 'MB' ? 1024 : 1)
    if (kb >= minKb && kb <= maxKb) return kb * 1024
    throw new Unusable(`has to be a size from ${minKb}KB to ${maxKb / 1024}MB`)
  }
}

export const oneWord = <const W extends readonly string[]>(words: W): Parser<W[number]> =>
  parser(`has to be one of ${words.join(', ')}`, (text) => words.find((word) => word === text))

export const onOff: Parser<boolean> = (text) => oneWord(['on', 'off'])(text) === 'on'

/** Relative paths start at the folder that the service was started in. */
export const path: Parser<string> = (text) => resolve(text)

export const imagePath = parser('has to be a file that ends in .svg or .png', (text) =>
  /\.(svg|png)$/.test(text) ? resolve(text) : undefined,
)

const hostName =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
/** The last label of a name is never a number: `127.0.0.256` is a mistyped address, not a name. */
const isHost = (text: string): boolean =>
  text.includes('%') ? false : isIP(text) !== 0 || (hostName.test(text) && !/(^|\.)\d+$/.test(text))

/** An IP address without brackets or zone, or a host name (RFC 1123 section 2.1). */
export const host = check('has to be an IP address or a host name', isHost)

/** Comma-separated, spaces around the commas allowed; every part has to satisfy `parse`. */
function list<T>(text: string, parse: (part: string) => T | undefined, expected: string): T[] {
  return text.split(',').map((part, index) => {
    return parser(`has to be ${expected}; part ${index + 1} is not`, parse)(part.trim())
  })
}

/** Names of operations, each once. Whether there are such operations is known to the service. */
export const operations: Parser<readonly string[]> = (text) => {
  const read = (part: string) => (/^[a-z][A-Za-z]{0,79}$/.test(part) ? part : undefined)
  const expected = 'a comma-separated list of operations such as createDeposit'
  return Object.freeze([...new Set(list(text, read, expected))])
}

/** What the bank makes of the names of payees. */
export const payeeChecks = ['off', 'shown', 'required'] as const

/** A token of RFC 6750 section 2.1. */
export const bearer = check('has to be 16 to 500 characters of a bearer token', (text) =>
  /^[A-Za-z0-9._~+/-]{16,500}=*$/.test(text),
)

export type Amounts = Readonly<Partial<Record<Currency, bigint>>>

/** `EUR=1000,JPY=150000` → minor units by currency; `none` → no currency. */
export const amounts: Parser<Amounts> = (text) => {
  const expected = 'none, or a comma-separated list of amounts such as EUR=1000'
  const read = (part: string): [Currency, bigint] | undefined => {
    const [code, amount = '', ...more] = part.split('=')
    const currency = currencies.find((known) => known === code)
    const units = currency && more.length === 0 ? parseAmount(amount, currency) : undefined
    return currency && units !== undefined ? [currency, units] : undefined
  }
  const pairs = text === 'none' ? [] : list(text, read, expected)
  const given = new Map(pairs)
  if (given.size < pairs.length) throw new Unusable('names a currency twice')
  return Object.freeze(Object.fromEntries(pairs))
}

export const factorPolicies = ['off', 'optional', 'required'] as const
export type FactorPolicy = (typeof factorPolicies)[number]

export const usualPolicies = {
  customer: 'optional',
  'support-agent': 'optional',
  admin: 'required',
} as const

/**
 * `optional` for all roles, or a list such as `customer=required`. A role that is not named keeps
 * its default: a list that asks more of customers must not ask less of administrators.
 */
export const secondFactor: Parser<Readonly<Record<Role, FactorPolicy>>> = (text) => {
  const expected = 'off, optional or required, or a list such as customer=optional,admin=required'
  const toPolicy = (word: string) => factorPolicies.find((policy) => policy === word)
  const all = toPolicy(text)
  const read = (part: string): [Role, FactorPolicy] | undefined => {
    const [name, word = '', ...more] = part.split('=')
    const role = roles.find((known) => known === name)
    const policy = more.length === 0 ? toPolicy(word) : undefined
    return role && policy && [role, policy]
  }
  const pairs = all ? [] : list(text, read, expected)
  if (new Map(pairs).size < pairs.length) throw new Unusable('names a role twice')
  const others = roles.map((role) => [role, all ?? usualPolicies[role]] as const)
  return Object.freeze(Object.fromEntries([...others, ...pairs]) as Record<Role, FactorPolicy>)
}

/** Addresses and CIDR ranges. */
export const addressRanges: Parser<readonly string[]> = (text) => {
  const expected = 'a comma-separated list of IP addresses or CIDR ranges'
  const ranges = list(text, (part) => parseRange(part) && part, expected)
  // Two halves of all addresses would let every client choose its own address, and so its limits.
  if (ranges.some((part) => isWide(parseRange(part) as Range))) {
    throw new Unusable('may not hold a range wider than /8 of IPv4 or /7 of IPv6')
  }
  return Object.freeze(ranges)
}

/** Whether the text is an origin of such a URL, written the way a browser writes it. */
function isOrigin(text: string, ...protocols: string[]): boolean {
  const url = URL.parse(text)
  if (url === null || !protocols.includes(url.protocol) || url.origin !== text) return false
  // `https://*.example` is a well-formed URL, but it is meant as a pattern.
  return isHost(url.hostname.replace(/^\[|\]$/g, ''))
}

const plainly = 'in lower case, without path, trailing slash, user or default port'

export const origins: Parser<readonly string[]> = (text) =>
  Object.freeze(
    list(
      text,
      (part) => (isOrigin(part, 'https:', 'http:') ? part : undefined),
      `a comma-separated list of exact origins such as https://app.example (${plainly}; never *)`,
    ),
  )

export const httpsOrigin = check(
  `has to be an origin such as https://bank.example (${plainly})`,
  (text) => isOrigin(text, 'https:'),
)

/**
 * An issuer of OpenID Connect, compared letter by letter with `iss`: no other spelling of its URL
 * is the same one (OpenID Connect Core 1.0, 3.1.3.7).
 */
export const issuer = check(
  'has to be an https URL without user, query and fragment, such as https://id.bank.example',
  (text) => {
    const url = URL.parse(text)
    const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === ''
    return isPlain && text.length <= 255 && /^https:\/\/[^?#\s]+$/.test(text) && isHostOf(url)
  },
)

const isHostOf = ({ hostname }: URL): boolean => isHost(hostname.replace(/^\[|\]$/g, ''))

/** What a client calls itself, or proves itself by. */
export const clientText = check('has to be 1 to 255 letters, digits and signs of ASCII', (text) =>
  /^[!-~]{1,255}$/.test(text),
)

export type FactorClaim = { readonly claim: 'amr' | 'acr'; readonly value: string }

/** `amr=mfa,acr=gold` */
export const factorClaims: Parser<readonly FactorClaim[]> = (text) => {
  const expected = 'a comma-separated list of claims such as amr=mfa or acr=gold'
  const read = (part: string): FactorClaim | undefined => {
    const [, claim, value] = /^(amr|acr)=([!-+\--~]{1,100})$/.exec(part) ?? []
    return claim && value
      ? Object.freeze({ claim: claim as FactorClaim['claim'], value })
      : undefined
  }
  return Object.freeze(list(text, read, expected))
}

/** A plain address, so that it can never name a second recipient or header. */
export const mailAddress = check(
  'has to be a plain e-mail address such as bank@bank.example',
  (text) => normaliseEmail(text) === text.toLowerCase(),
)

/** A line of security.txt (RFC 9116 section 2.5.3). */
export const contact = check('has to be mailto:security@bank.example or an https URL', (text) =>
  /^mailto:\S+$/.test(text)
    ? normaliseEmail(text.slice('mailto:'.length)) !== undefined
    : /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text),
)

export const username = parser(
  'has to be 3 to 32 characters from a-z, 0-9, dot, underscore and hyphen, ' +
    'the first a letter or digit',
  normaliseUsername,
)

/** Checked like a password that a request sets. */
export const password: Parser<string> = (text) => {
  const problem = passwordProblem(text)
  if (problem === undefined) return text
  throw new Unusable(problem)
}
