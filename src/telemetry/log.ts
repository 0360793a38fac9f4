// Logs: one JSON line per event on standard output. The fields of an event are allowed by name, and
// every line that a secret could be in is masked once more before it is written.
import { setTimeout as delay } from 'node:timers/promises'
import pino from 'pino'
import type { Config } from '../config/config.ts'
import { type AddressDetail, shownAddress } from '../domain/address.ts'
import { isAnswer } from '../database/connections/failure.ts'
import type { LockHolder } from '../database/connections/lock-holder.ts'
import { wallTime } from '../domain/clock.ts'
import { type Code, type OutageCause, Refusal } from '../domain/errors.ts'
import { LoggedError } from '../domain/logged-error.ts'
import { withPriority } from './journal.ts'
import { secretForms } from '../domain/secret-forms.ts'

/** The fields of an event. Nothing else is handed to the logger. */
export type Event = {
  requestId?: string
  method?: string
  /** The route's pattern, never the address a client sent. */
  route?: string
  status?: number
  code?: string
  /** The limit that refused, as `class.window`: both are names of the table of limits. */
  window?: string
  milliseconds?: number
  userId?: string
  sessionId?: string
  /** Shown as far as STRONGROOM_LOG_ADDRESS says, at every level. */
  address?: string
  because?: string
  /** Why an answer is `unavailable`; also in the lines when such answers begin and end. */
  cause?: OutageCause
  /** The session that holds requests up. */
  lock?: Omit<LockHolder, 'since'> & { since: string | null }
  /** Where to read on. */
  runbook?: string
  /** The version of this program. */
  version?: string
  /** The request's own span, or the caller's where the request has none. */
  traceId?: string
  spanId?: string
  error?: DescribedError
  [counter: `${string}Count`]: number
}

/** An error in an event: nothing of it is a value that a client or the database holds. */
export type DescribedError = {
  name: string
  /** Only an error of this program has it. */
  message?: string
  stack: string | undefined
  /** The SQLSTATE, or the code of an error of the system. */
  state: string | undefined
  /** Names of the schema, and of the function of PostgreSQL that refused. */
  table?: string
  column?: string
  constraint?: string
  routine?: string
}

/**
 * An answer to a request that met a route. Every text of it is this program's own (an identifier,
 * a method and a pattern of the list of routes), except for the address.
 */
export type Answer = {
  requestId: string
  method: string
  route: string
  status: number
  /** The code of the refusal that was the answer. */
  code?: Code | undefined
  window?: string | undefined
  milliseconds: number
  userId: string | undefined
  address: string
}

type Write = (event: Event, message: string) => void
const probes: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])
const isSuccess = (status: number): boolean => status < 400

/** What is told of each warning and error, whatever level is written. */
export type FaultListener = (level: 'warn' | 'error', event: Event, message: string) => void
export type Log = Record<'debug' | 'info' | 'warn' | 'error', Write> & {
  /** The end of what a line of that level began. It is no fault: no listener is called. */
  over(level: 'warn' | 'error', event: Event, message: string): void
  /** Whether an answer has no line: the setting STRONGROOM_LOG_ANSWERS leaves it out. */
  leavesOut(route: string | undefined, status: number): boolean
  /** Calls the listener before each warning and error. */
  onFault(listener: FaultListener): void
  /** The lowest level that is written. */
  level: string
  /**
   * Writes the line that `info` would write with the message `answered`, without the pass that
   * looks for secrets: nothing in it could hold one.
   */
  answered(answer: Answer): void
  /**
   * Writes the buffered lines, before the process ends. False when they could not be written in
   * time: `process.exit` would then wait for them without end, so the process has to be killed.
   */
  flush(timeoutMs: number): Promise<boolean>
}

/** Lines that wait for their reader. Those beyond it are lost and counted. */
const bufferBytesMax = 16 * 1024 * 1024

const secrets = [
  // JWT: base64url of `{`, and of the quote or the space behind it.
  /\be[wy][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /\bBearer\s+[^\s"\\]+/gi,
  /\$argon2[^\s"\\]*/g,
  ...secretForms.map((form) => new RegExp(form, 'g')),
  /__Host-[^\s;"\\]*/g, // cookie
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g, // IBAN
  // Card numbers. Digits next to other letters or dashes are part of an identifier.
  /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g,
]
const mightHoldSecret = new RegExp(
  [
    /e[wy][A-Za-z0-9]|[Bb][Ee][Aa][Rr][Ee][Rr]|\$argon2|__Host-/.source,
    /\d[ -]?\d{3}[ -]?\d{4}|[A-Z]{2}\d{2} ?[A-Z0-9]/.source,
    ...secretForms,
  ].join('|'),
)

/** The line with everything that looks like a token, a hash, a card number or an IBAN masked. */
export const maskSecrets = (line: string): string =>
  mightHoldSecret.test(line)
    ? secrets.reduce((scrubbed, secret) => scrubbed.replace(secret, '[masked]'), line)
    : line

/** Line separators, terminal and bidirectional controls that JSON may leave as they are. */
const unprintable = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** The same JSON with those characters escaped: one line, and no control, in every reader. */
const printable = (line: string): string =>
  line.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

type LogOptions = {
  answers?: Config['logAnswers']
  /** The journal reads the lines: each begins with its priority. */
  isJournal?: boolean
}

/** @param write where lines go; standard output by default, buffered */
export function createLog(
  level: string,
  write?: (line: string) => void,
  addressDetail: AddressDetail = 'network',
  { answers = 'all', isJournal = false }: LogOptions = {},
): Log {
  const mark = isJournal ? withPriority : (line: string) => line
  const out = write ? undefined : openStdout(mark)
  const put = (line: string) => (write ?? out?.put)?.(mark(line))
  const gather = (line: string) => (write ?? out?.gather)?.(mark(line))
  const leavesOut = (route: string | undefined, status: number): boolean =>
    isSuccess(status) && (answers === 'refusals' || (answers !== 'all' && probes.has(route)))
  const show = (address: string | undefined) =>
    address ? shownAddress(address, addressDetail) : undefined
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${wallTime()}"`,
      messageKey: 'message',
      formatters: {
        log(event) {
          const { address, ...rest } = event as Event
          const shown = show(address)
          return shown ? { ...rest, address: shown } : rest
        },
      },
    },
    { write: (line: string) => put(printable(maskSecrets(line))) },
  )
  const listeners: FaultListener[] = []
  const fault =
    (of: 'warn' | 'error'): Write =>
    (event, message) => {
      for (const listener of listeners) listener(of, event, message)
      logger[of](event, message)
    }
  const isAnswerLogged = logger.isLevelEnabled('info')
  const info = pino.levels.values['info']
  return {
    answered({ requestId, method, route, status, code, window, milliseconds, userId, address }) {
      if (!isAnswerLogged || leavesOut(route, status)) return
      const shown = show(address)
      const by = userId === undefined ? '' : `,"userId":"${userId}"`
      const reason = code === undefined ? '' : `,"code":"${code}"`
      const limit = window === undefined ? '' : `,"window":"${window}"`
      const from = shown === undefined ? '' : `,"address":${JSON.stringify(shown)}`
      gather(
        `{"level":${info},"time":"${wallTime()}","requestId":"${requestId}"` +
          `,"method":"${method}","route":"${route}","status":${status}${reason}${limit}` +
          `,"milliseconds":${milliseconds}${by}${from},"message":"answered"}\n`,
      )
    },
    debug: (event, message) => logger.debug(event, message),
    info: (event, message) => logger.info(event, message),
    warn: fault('warn'),
    error: fault('error'),
    over: (of, event, message) => logger[of](event, message),
    leavesOut,
    onFault: (listener) => void listeners.push(listener),
    level,
    flush: async (timeoutMs) => (await out?.flush(timeoutMs)) ?? true,
  }
}

/** Standard output. A reader that takes nothing costs no time, and memory up to a bound. */
function openStdout(mark: (line: string) => string) {
  const out = pino.destination({
    fd: 1,
    sync: false,
    minLength: 16_000,
    maxLength: bufferBytesMax,
    periodicFlush: 250,
    // As bytes: of text, it would measure all that waits at each write.
    contentMode: 'buffer',
  })
  let waitingBytes = 0
  let lostLineCount = 0
  let hasFailed = false
  /** Lines that the library below does not have yet. */
  let gathered = ''
  function hand(): void {
    if (gathered === '') return
    const bytes = Buffer.from(gathered)
    gathered = ''
    waitingBytes += bytes.length
    out.write(bytes as never)
  }
  function put(line: string): void {
    gathered += line
    hand()
  }
  /** Hands the lines of a turn of the event loop on as one piece: each piece costs about 3 µs. */
  function gather(line: string): void {
    if (gathered === '') setImmediate(hand)
    gathered += line
  }
  out.on('write', (written: number) => {
    waitingBytes -= written
    hasFailed = false
  })
  // Such as a reader that is gone, or a full disk. The lines wait, and the service goes on.
  out.on('error', () => void (hasFailed = true))
  out.on('drop', (bytes: Buffer) => {
    waitingBytes -= bytes.length
    lostLineCount += bytes.toString('latin1').split('\n').length - 1
  })
  out.on('drain', () => {
    if (lostLineCount === 0) return
    const head = `{"level":${pino.levels.values['warn']},"time":"${wallTime()}"`
    const message = 'lines were lost: they could not be written'
    put(mark(`${head},"lostLineCount":${lostLineCount},"message":"${message}"}\n`))
    lostLineCount = 0
  })
  const isWriting = () => waitingBytes > 0 && !hasFailed
  async function writeAll(): Promise<boolean> {
    // A flush during a write ends with that write, before the lines behind it.
    for (hand(); isWriting(); hand()) await new Promise((resolve) => out.flush(resolve))
    return waitingBytes === 0
  }
  const flush = (timeoutMs: number): Promise<boolean> =>
    Promise.race([writeAll(), delay(timeoutMs, false, { ref: false })])
  return { put, gather, flush }
}

/** Fields of the driver's errors. Its `message`, `detail` and `where` may hold personal data. */
const driverFields = ['table', 'column', 'constraint', 'routine'] as const

/**
 * An error in an event: its class, stack, SQLSTATE and names of the schema. Its message is shown if
 * this program wrote it, its values never.
 */
export function describeError(thrown: unknown): DescribedError {
  if (thrown instanceof Refusal) return describeError(thrown.options.because)
  const error = thrown instanceof Error ? thrown : new Error('not an Error')
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const fields = error as unknown as Record<string, unknown>
  const named = driverFields.flatMap((field) => {
    const value = fields[field]
    return typeof value === 'string' ? [[field, value]] : []
  })
  const state = fields['code']
  // Most subclasses, also those of drivers, inherit their name.
  const isNamed = !['Error', 'error'].includes(error.name)
  return {
    name: isNamed ? error.name : error.constructor.name,
    ...(error instanceof LoggedError && { message: error.message }),
    stack: frames?.slice(0, 8).join(' | '),
    state: typeof state === 'string' ? state : undefined,
    ...(isAnswer(error) && Object.fromEntries(named)),
  }
}
