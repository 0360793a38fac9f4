// The windows of every limit class (contract section 7), and the setting that overrides them.
import { durationMs, Unusable } from './values.ts'
import { nearest } from './did-you-mean.ts'

/** At most `quota` in any span of `windowMs` milliseconds. */
export type Window = { readonly quota: number; readonly windowMs: number }

/** As an operator writes them; burst and sustained windows hold independently of each other. */
const defaults = {
  read: { burst: '10/1s', sustained: '1000/1h' },
  sensitive: { burst: '5/1s', sustained: '300/1h' },
  admin: { burst: '5/1s', sustained: '300/1h' },
  transfer: { burst: '5/1s', sustained: '100/1h' },
  export: { burst: '2/1s', sustained: '30/1h' },
  login: { failedPerAddress: '5/1m', failedPerUsername: '5/1m', attempts: '100/1h' },
  refresh: { burst: '5/1s', sustained: '100/1h' },
  confirm: { burst: '5/1s', sustained: '100/1h' },
  reset: { perEmail: '3/1h', perAddress: '30/1h' },
  address: { burst: '100/1s' },
  badTokens: { burst: '100/1m' },
  docs: { burst: '50/1s', sustained: '1000/1h' },
} as const

const example = '{"read":{"burst":"10/1s","sustained":"1000/1h"}}'
const windowMax = '1d'

export type LimitClass = keyof typeof defaults
export type LimitTable = {
  readonly [C in LimitClass]: Readonly<Record<keyof (typeof defaults)[C], Window>>
}

export const defaultLimits: LimitTable = merge(defaults)

/** JSON such as `{"read":{"burst":"50/1s"}}` → the default table with those windows replaced. */
export function parseLimits(text: string): LimitTable {
  const given = parseJson(text)
  if (!isObject(given)) throw new Unusable(`has to be a JSON object such as ${example}`)
  return merge(given)
}

/** The default windows, with those of `given` in their place. All that is wrong is told at once. */
function merge(given: Readonly<Record<string, unknown>>): LimitTable {
  const reasons: string[] = []
  const table = Object.entries(defaults).map(([name, windows]) => {
    const own = Object.hasOwn(given, name) ? given[name] : {}
    if (!isObject(own)) {
      reasons.push(`has to give ${name} as an object of windows, such as ${example}`)
      return [name, {}]
    }
    reasons.push(...strangers('window', own, windows, `${name}.`))
    const merged = Object.entries({ ...windows, ...own }).map(([window, value]) => {
      const parsed = parseWindow(value)
      if (!parsed && Object.hasOwn(windows, window)) {
        reasons.push(
          `has to give ${name}.${window} as "count/duration", such as "10/1s", ` +
            `the count from 1 to 999999999 and the duration up to ${windowMax}`,
        )
      }
      return [window, parsed]
    })
    return [name, Object.freeze(Object.fromEntries(merged))]
  })
  reasons.unshift(...strangers('class', given, defaults))
  if (reasons.length > 0) throw new Unusable(...reasons)
  return Object.freeze(Object.fromEntries(table)) as LimitTable
}

/** One reason for each key that is not among the known ones, naming the nearest of those. */
function strangers(kind: string, given: object, known: object, within = ''): string[] {
  return Object.keys(given)
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => {
      const meant = nearest(key, Object.keys(known))
      const shown = key.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)
      const wrong = `${kind} ${within}${shown}`
      return `names a ${wrong} that does not exist; did you mean ${within}${meant}?`
    })
}

function parseWindow(value: unknown): Window | undefined {
  if (typeof value !== 'string') return undefined
  const [, count = '', span = ''] = /^([1-9]\d{0,8})\/(\w+)$/.exec(value) ?? []
  const windowMs = durationMs(span)
  const longest = durationMs(windowMax) ?? 0
  if (windowMs === undefined || windowMs > longest) return undefined
  return Object.freeze({ quota: Number.parseInt(count, 10), windowMs })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
