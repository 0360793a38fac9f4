// How a command of the client ends: its exit code, and what it says about an error.
import { type BankError, isBankError } from '../src/index.ts'

export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unknown: 3,
  unwritten: 4,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

export const exitHelp = `
Exit codes: 0 done; 1 the bank refused; 2 wrong usage, or no login that can be used;
3 the bank was not reached or not available, or the outcome is not known: repeat with the
same --key; 4 what was asked for may be done, and the output cannot be written;
129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM.`

/** An end of a command that is not an error of the bank. */
export class Ended extends Error {
  readonly code: string
  readonly exitCode: number
  constructor(code: keyof typeof exitCodes, message: string) {
    super(message)
    this.code = code
    this.exitCode = exitCodes[code]
  }
}

/** Wrong usage: nothing was sent. */
export class UsageError extends Ended {
  constructor(message: string) {
    super('usage', message)
  }
}

/** Refusals of the login that was sent. */
const loginRefusals = ['unauthenticated', 'session_expired', 'session_revoked', 'token_expired']

const isUntrusted = /: (UNABLE_TO_|\w*SELF_SIGNED)\w+$/
const trustHelp =
  'The certificate is not trusted. For a bank with the local certificate, ' +
  'log in with --ca data/tls/ca.pem, the file of its data folder.'

/** The text for standard error, and the exit code. */
export function describeFailure(
  thrown: unknown,
  isJson: boolean,
): { text: string; exitCode: number } {
  if (!isBankError(thrown)) {
    if (!(thrown instanceof Ended)) throw thrown
    const { code, message, exitCode } = thrown
    return { text: isJson ? JSON.stringify({ code, message }) : message, exitCode }
  }
  const { code, message, details, idempotencyKey, requestId, location, retryAfterSeconds } =
    thrown as BankError & Partial<Record<Optional, unknown>>
  const isUnknown = ['not_reached', 'unavailable', 'outcome_unknown'].includes(code)
  const refused = loginRefusals.includes(code) ? exitCodes.usage : exitCodes.refused
  const exitCode = isUnknown ? exitCodes.unknown : refused
  if (isJson) {
    const said = { code, message, details, idempotencyKey, requestId, location, retryAfterSeconds }
    return { text: JSON.stringify(said), exitCode }
  }
  const places = Array.isArray(details) ? (details as { path: string; message: string }[]) : []
  const lines = [
    message,
    ...(isUntrusted.test(message) ? [trustHelp] : []),
    ...places.map((detail) => `  ${detail.path} ${detail.message}`),
    ...(typeof idempotencyKey === 'string' ? [`Repeat it with --key ${idempotencyKey}`] : []),
    ...(typeof retryAfterSeconds === 'number' ? [`Try again in ${retryAfterSeconds} s.`] : []),
  ]
  return { text: lines.join('\n'), exitCode }
}

type Optional = 'details' | 'idempotencyKey' | 'requestId' | 'location' | 'retryAfterSeconds'
