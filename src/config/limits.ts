// The windows of every limit class, and the setting that overrides them.
import { durationMs, Unusable } from './values.ts'
import { nearest } from './did-you-mean.ts'

/** What a window is counted under. `token` is the session that a refresh token belongs to. */
export type LimitKey = 'address' | 'name' | 'email' | 'token'

/** At most `quota` in any span of `windowMs` milliseconds. */
export type Window = {
  readonly quota: number
  readonly windowMs: number
  /** If absent: the caller, or the client address on a public route. */
  readonly key?: LimitKey
  /** If absent: every request. */
  readonly counts?: 'failures'
}

type Definition = Pick<Window, 'key' | 'counts'> & { limit: string }
type Definitions = Readonly<Record<string, string | Definition>>

/** Limits as an operator writes them. All windows of a class hold independently of each other. */
const defaults = {
  read: { burst: '10/1s', sustained: '1000/1h' },
  sensitive: { burst: '5/1s', sustained: '300/1h' },
  admin: { burst: '5/1s', sustained: '300/1h' },
  transfer: { burst: '5/1s', sustained: '100/1h' },
  // By person: each tells something of an account or its holder. New payees of this bank count.
  payeeCheck: { burst: '10/1m', sustained: '60/1d' },
  // By program: those that pay, and the banks that ask here for their customers.
  payeeAnswer: { burst: '20/1s', sustained: '20000/1d' },
  // By bank and IBAN: names that are no match.
  payeeGuess: {
    perIban: { limit: '20/1h', key: 'name', counts: 'failures' },
  },
  // By person: names of customers could be guessed.
  invitation: { burst: '5/1m', sustained: '30/1d' },
  export: { burst: '2/1s', sustained: '30/1h' },
  service: { burst: '100/1s', sustained: '100000/1h' },
  login: {
    failedPerAddress: { limit: '5/1m', key: 'address', counts: 'failures' },
    failedPerUsername: { limit: '5/1m', key: 'name', counts: 'failures' },
    attempts: { limit: '100/1h', key: 'address' },
  },
  // Wrong codes: of a known device, else of the user, or of the session in which they confirm.
  factor: {
    failedPerUser: { limit: '10/1h', key: 'name', counts: 'failures' },
  },
  refresh: {
    burst: { limit: '5/1s', key: 'token' },
    sustained: { limit: '100/1h', key: 'token' },
  },
  confirm: { burst: '5/1s', sustained: '100/1h' },
  reset: {
    perEmail: { limit: '3/1h', key: 'email' },
    perAddress: { limit: '30/1h', key: 'address' },
  },
  // Logout tokens. The issuer has one address, and all staff may log out there at once.
  issuer: { burst: '20/1s', sustained: '5000/1h' },
  address: { burst: '100/1s' },
  badTokens: { burst: '100/1m' },
  docs: { burst: '50/1s', sustained: '1000/1h' },
  // Scripts of the portal: an empty cache loads 20 of them, and a whole office has one address.
  files: { burst: '500/1s', sustained: '20000/1h' },
} as const satisfies Record<string, Definitions>

const example = '{"read":{"burst":"10/1s","sustained":"1000/1h"}}'
const windowMax = '1d'

export type LimitClass = keyof typeof defaults
export type LimitTable = {
  readonly [C in LimitClass]: Readonly<Record<keyof (typeof defaults)[C], Window>>
}
type Json = Readonly<Record<string, unknown>>

export const defaultLimits: LimitTable = merge({})

/** JSON such as `{"read":{"burst":"50/1s"}}` → the default table with those windows replaced. */
export function parseLimits(text: string): LimitTable {
  const overrides = parseJson(text)
  if (!isObject(overrides)) throw new Unusable(`has to be a JSON object such as ${example}`)
  return merge(overrides)
}

/** Reports everything that is wrong, not only the first problem. */
function merge(overrides: Json): LimitTable {
  const reasons = unknownKeys('class', overrides, defaults)
  const table = mapValues<Definitions>(defaults, (windows, name) => {
    const own = Object.hasOwn(overrides, name) ? overrides[name] : {}
    if (!isObject(own)) {
      reasons.push(`has to give ${name} as an object of windows, such as ${example}`)
      return {}
    }
    reasons.push(...unknownKeys('window', own, windows, `${name}.`))
    return mapValues(windows, (definition, window) => {
      const { limit, ...traits } =
        typeof definition === 'string' ? { limit: definition } : definition
      const parsed = parseWindow(Object.hasOwn(own, window) ? own[window] : limit)
      if (!parsed) {
        reasons.push(
          `has to give ${name}.${window} as "count/duration", such as "10/1s", ` +
            `the count from 1 to 999999999 and the duration up to ${windowMax}`,
        )
      }
      return Object.freeze({ ...parsed, ...traits })
    })
  })
  if (reasons.length > 0) throw new Unusable(...reasons)
  return table as LimitTable
}

function mapValues<V>(object: Readonly<Record<string, V>>, map: (value: V, key: string) => object) {
  const entries = Object.entries(object).map(([key, value]) => [key, map(value, key)])
  return Object.freeze(Object.fromEntries(entries))
}

/** One reason for each unknown key, with the nearest known one. */
function unknownKeys(kind: string, object: object, known: object, prefix = ''): string[] {
  return Object.keys(object)
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => {
      const meant = nearest(key, Object.keys(known))
      const shown = key.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)
      const wrong = `${kind} ${prefix}${shown}`
      return `names a ${wrong} that does not exist; did you mean ${prefix}${meant}?`
    })
}

function parseWindow(value: unknown): Pick<Window, 'quota' | 'windowMs'> | undefined {
  if (typeof value !== 'string') return undefined
  const [, count, span = ''] = /^([1-9]\d{0,8})\/(\w+)$/.exec(value) ?? []
  const windowMs = durationMs(span)
  if (windowMs === undefined || windowMs > (durationMs(windowMax) ?? 0)) return undefined
  return { quota: Number(count), windowMs }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
