// What a repeated request is answered. The claim of a key and the trace against duplicates are rows
// of the transfer's own transaction, so they hold across instances, crashes and restarts.
import { invalid, Refusal, errorStatus, type Code } from '../domain/errors.ts'
import type { Order } from './order.ts'

/** How long a key stands for its first answer, in milliseconds. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000
/** How long an identical transfer without a key is taken for a repetition, in milliseconds. */
export const duplicateWindowMs = 10_000

const keyShape = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key of a request, if there is one: 1–255 visible ASCII characters. */
export function readIdempotencyKey(
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || keyShape.test(key)) return key
  return invalid('/headers/idempotency-key', 'is not of the accepted form')
}

/** What an earlier request with the same key came to: a transfer, or the code of a refusal. */
export type Claim = { fingerprint: string; transferId: string | null; refusal: Code | null }

/** Whether a key that was claimed then still stands for its first answer. */
export const isLive = ({ claimed_at: at }: { claimed_at: Date }, now: number): boolean =>
  at.getTime() > now - keyLifetimeMs

const replayed = { 'idempotency-replayed': 'true' }

/**
 * The answer that a repeated request gets, or undefined when this is the first one. With a key it
 * is the first answer again, and only the key counts: to pay the same twice, one sends a fresh key.
 *
 * @param claim what was found under the order's key
 * @param recentId the identical transfer of the last seconds
 */
export function answerRepeated(
  order: Pick<Order, 'key'>,
  fingerprint: string,
  { claim, recentId }: { claim: Claim | undefined; recentId: string | undefined },
): Refusal | { replayOf: string } | undefined {
  if (claim) {
    if (claim.fingerprint !== fingerprint) return new Refusal('idempotency_key_reused')
    if (claim.transferId !== null) return { replayOf: claim.transferId }
    return new Refusal(claim.refusal ?? 'internal_error', { headers: replayed })
  }
  if (order.key === undefined && recentId !== undefined) {
    const headers = { location: `/api/v1/transfers/${recentId}` }
    return new Refusal('duplicate_transfer', { headers })
  }
  return undefined
}

/**
 * Whether a refusal is kept as the first answer of its key. Those that the state of the accounts
 * decided are (409): a client that repeats the request must not be paid by surprise once money has
 * come in, long after it was told no. What was refused before it could take effect (400, 401, 403,
 * 404), or without the ledger's knowledge (5xx), leaves the key free.
 */
export const isKept = (code: Code): boolean => errorStatus(code) === 409
