// Logs: one JSON line per event on standard output, of fields that are allowed by name, scrubbed
// once more at the stream for what must never be in them whoever wrote it.
import pino from 'pino'
import { type AddressDetail, shownAddress } from '../domain/address.ts'

/** What an event may say. Nothing else is ever handed to the logger. */
export type Event = {
  requestId?: string
  method?: string
  /** The route's pattern, never the address a client sent. */
  route?: string
  status?: number
  code?: string
  milliseconds?: number
  userId?: string
  sessionId?: string
  /** Shown as far as STRONGROOM_LOG_ADDRESS says, at every level. */
  address?: string
  because?: string
  error?: { name: string; stack: string | undefined; state: string | undefined }
  [counter: `${string}Count`]: number
}

export type Log = {
  debug(event: Event, message: string): void
  info(event: Event, message: string): void
  warn(event: Event, message: string): void
  error(event: Event, message: string): void
  /** Writes out what is buffered; before the process ends. */
  flush(): void
}

const secrets = [
  /\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, // JWT
  /\bBearer\s+[^\s"\\]+/gi,
  /\$argon2[^\s"\\]*/g,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g, // IBAN
  // Card numbers; what stands among other letters or dashes is an identifier.
  /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g,
]
const mightHoldSecret =
  /ey[A-Za-z0-9]|bearer|\$argon2|\d[ -]?\d{3}[ -]?\d{4}|[A-Z]{2}\d{2} ?[A-Z0-9]/i

/** The line with everything masked that looks like a token, a hash, a card number or an IBAN. */
export const scrub = (line: string): string =>
  mightHoldSecret.test(line)
    ? secrets.reduce((scrubbed, secret) => scrubbed.replace(secret, '[masked]'), line)
    : line

/** Ends of lines, commands to terminals and turns of writing that JSON may leave as they are. */
const unprintable = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** The same JSON with all of that escaped: one line and no command in every reader. */
const printable = (line: string): string =>
  line.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** @param write where lines go; standard output by default, buffered */
export function createLog(
  level: string,
  write?: (line: string) => void,
  addressDetail: AddressDetail = 'network',
): Log {
  const out = write ? undefined : pino.destination({ fd: 1, sync: false, minLength: 16_000 })
  const put = write ?? ((line: string) => void out?.write(line))
  const stream = { write: (line: string) => put(printable(scrub(line))) }
  const flusher = out && setInterval(() => out.flush(), 250).unref()
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' },
    stream,
  )
  const shown = (event: Event): Event | Omit<Event, 'address'> => {
    if (event.address === undefined) return event
    const { address, ...rest } = event
    const visible = shownAddress(address, addressDetail)
    return visible === undefined ? rest : { ...rest, address: visible }
  }
  return {
    debug: (event, message) => logger.debug(shown(event), message),
    info: (event, message) => logger.info(shown(event), message),
    warn: (event, message) => logger.warn(shown(event), message),
    error: (event, message) => logger.error(shown(event), message),
    flush() {
      if (flusher) clearInterval(flusher)
      out?.flushSync()
    },
  }
}

/** An error as an event may carry it: its stack and SQLSTATE, never its message or its values. */
export function describe(thrown: unknown): NonNullable<Event['error']> {
  const error = thrown instanceof Error ? thrown : new Error('not an Error')
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const state = (error as { code?: unknown }).code
  // Most subclasses, also those of drivers, leave the name that they inherit.
  const isNamed = !['Error', 'error'].includes(error.name)
  return {
    name: isNamed ? error.name : error.constructor.name,
    stack: frames?.slice(0, 8).join(' | '),
    state: typeof state === 'string' ? state : undefined,
  }
}
