// How a repeated request is answered. The claim of a key and the trace against duplicates are rows
// of the transfer's own transaction, so they hold across instances, crashes and restarts.
import { hash } from 'node:crypto'
import { databaseNow } from '../../database/background/clocks.ts'
import { awaitStandby } from '../../database/connections/standby.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction, type Transactions } from '../../database/connections/transaction.ts'
import { type Clock, dayMs } from '../../domain/clock.ts'
import {
  type Code,
  errorStatus,
  type ExceededLimit,
  invalid,
  Refusal,
  refuse,
} from '../../domain/errors.ts'
import { type Claim, readClaims } from '../rows/claims.ts'
import { readExternalIds } from '../rows/external-ids.ts'
import type { Movement, Outcome, Posted, TransferMovement } from '../rules/movement.ts'
import type { NamedByMovement } from '../rules/named-by-movement.ts'
import { readTransfers } from '../rows/transfers.ts'

/** How long a key stands for its first answer. */
export const keyLifetimeMs = dayMs
/** How long an identical transfer without a key counts as a repetition. */
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

/** A transfer as it is asked for: its beneficiary may be gone. */
export type TransferTerms = Omit<
  TransferMovement,
  'toAccountId' | 'counterparty' | 'events' | 'approval' | 'confirmation' | 'details'
> & {
  toAccountId?: string | undefined
}

/**
 * The terms as 16 bytes in UUID form: equal for the same caller ordering the same movement.
 * Computed over validated values, so `"1.5"` and `"1.50"` EUR are one amount. The account that a
 * beneficiary stands for is left out: it is not known any more once the beneficiary is deleted.
 */
export function movementFingerprint(movement: Movement | TransferTerms): string {
  const { beneficiaryId, originalId, hold }: NamedByMovement = movement
  const terms = [
    movement.kind,
    movement.caller.userId,
    movement.fromAccountId,
    beneficiaryId === undefined ? movement.toAccountId : null,
    movement.amount.toString(),
    movement.currency,
    movement.reference,
    beneficiaryId ?? null,
    originalId ?? null,
    // Other movements add nothing, so that claims of another version compare.
    ...(hold ? [JSON.stringify(hold, unitsAsText)] : []),
  ]
  return toFingerprint(terms)
}

/**
 * What the key of a movement stands for: also the check of its payee. Without a key, the same
 * payment is the same one with another check.
 */
function toClaimFingerprint(fingerprint: string, movement: Movement | TransferTerms): string {
  const check = movement.kind === 'transfer' ? movement.payee?.check : undefined
  return check ? toFingerprint([fingerprint, check.id, check.isAccepted]) : fingerprint
}

/** 16 bytes in UUID form. */
export function toFingerprint(terms: readonly unknown[]): string {
  const hex = hash('sha256', JSON.stringify(terms, unitsAsText), 'hex')
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}` +
    `-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  )
}

const unitsAsText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value

/** A key is unique per caller: the key of one caller tells nothing about another's. */
export const toClaimName = (callerId: string, key: string): string => `${callerId} ${key}`

/** A movement in the queue, with the promise of its answer. */
export type Submission = PromiseWithResolvers<Outcome> & {
  movement: Movement
  /** Empty of a movement under an external identifier alone: nothing else makes it a repetition. */
  fingerprint: string
  /** What is kept with its key. */
  claimFingerprint: string
  claimName: string | undefined
}

/** Its draft is its number for ever: two drafts that pay the same are two payments. */
export const isDraft = (movement: Movement): boolean =>
  movement.kind === 'transfer' && movement.draft !== undefined

export function toSubmission(movement: Movement): Submission {
  const { key, caller, externalId } = movement
  const claimName = key === undefined ? undefined : toClaimName(caller.userId, key)
  const isNumbered = externalId !== undefined || isDraft(movement)
  const fingerprint = key === undefined && isNumbered ? '' : movementFingerprint(movement)
  return {
    movement,
    fingerprint,
    claimFingerprint: toClaimFingerprint(fingerprint, movement),
    claimName,
    ...Promise.withResolvers<Outcome>(),
  }
}

export const isLive = ({ claimedAt }: Claim, now: number): boolean =>
  claimedAt.getTime() > now - keyLifetimeMs

type SentBefore = { callerId: string } & Partial<Record<'key' | 'externalId', string | undefined>>

/** A key with less time left may have expired when the ledger looks. */
const marginMs = 10_000

/** Whether the ledger has an answer to this key or external identifier: it orders nothing then. */
export async function isRepeated(
  db: Db,
  { callerId, key, externalId }: SentBefore,
  now: number,
): Promise<boolean> {
  if (externalId !== undefined) {
    return (await readExternalIds(db, [{ callerId, externalId }])).length > 0
  }
  const claims = key === undefined ? [] : await readClaims(db, [{ callerId, key }])
  return claims.some((claim) => isLive(claim, now + marginMs))
}

const replayed = { 'idempotency-replayed': 'true' }

/**
 * The answer to a repeated request, or undefined when this is the first one. With a key it is the
 * first answer again, and only the key counts: a client that pays the same twice sends a new key.
 *
 * @param claim what was found under the movement's key
 * @param recentId the identical transfer of the last seconds
 */
export function answerRepeated(
  movement: Pick<Movement, 'key'>,
  fingerprint: string,
  { claim, recentId }: { claim: Claim | undefined; recentId?: string | undefined },
): Refusal | { replayOf: string; told: string | null } | undefined {
  if (claim) {
    if (claim.fingerprint !== fingerprint) return new Refusal('idempotency_key_reused')
    if (claim.transferId !== null) return { replayOf: claim.transferId, told: claim.limitTold }
    const limit =
      claim.limitTold === null ? {} : { limit: JSON.parse(claim.limitTold) as ExceededLimit }
    const because = 'the first answer is repeated'
    return new Refusal(claim.refusal ?? 'internal_error', { because, headers: replayed, ...limit })
  }
  if (movement.key === undefined && recentId !== undefined) {
    const headers = { location: `/api/v1/transfers/${recentId}` }
    return new Refusal('duplicate_transfer', { headers })
  }
  return undefined
}

/**
 * Whether a refusal is kept as the first answer of its key. Those that the state of the accounts
 * decided are (409): a client that repeats the request must not pay by surprise when money has come
 * in, long after the refusal. A request that was refused before it could take effect (400, 401,
 * 403, 404), or without the ledger's knowledge (5xx), leaves the key free.
 */
export const isKept = (code: Code): boolean => errorStatus(code) === 409 && !asksForMore.has(code)

/** The same request, with what it lacks, is to succeed under its key. */
const asksForMore: ReadonlySet<Code> = new Set(['payee_check_required', 'payee_not_accepted'])

/**
 * The first answer to a request whose key is known, when the request cannot become a movement
 * again: the beneficiary or an account it names is gone. Nothing is changed. The transaction is
 * there to commit: a claim that no standby has is no answer yet.
 *
 * Throws the first answer when that was a refusal, and `idempotency_key_reused` when the key stands
 * for other terms. Refuses with `not_found` when the key is not known.
 */
export async function replayMovement(
  db: Transactions,
  clock: Clock,
  terms: TransferTerms,
): Promise<Posted> {
  const { key, caller } = terms
  if (key === undefined) return refuse('not_found', { because: 'gone' })
  const first = await transaction(db, async (tx) => {
    const now = await databaseNow(tx, clock)
    const claims = await readClaims(tx, [{ callerId: caller.userId, key }])
    const claim = claims.find((found) => isLive(found, now))
    const fingerprint = toClaimFingerprint(movementFingerprint(terms), terms)
    const answer = answerRepeated({ key }, fingerprint, { claim })
    await tx.run(awaitStandby, [])
    return answer && 'replayOf' in answer ? readTransfers(tx, [answer.replayOf]) : answer
  })
  if (first instanceof Refusal) throw first
  const [transfer] = first ?? []
  if (!transfer) return refuse('not_found', { because: 'gone' })
  return { transfer, isReplayed: true }
}
