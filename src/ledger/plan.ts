// Decides the orders of a batch one after another, each on what the one before left, and gathers
// the rows to write. Pure but for new identifiers: nothing here is true until its COMMIT is.
import type { AuditEvent } from '../audit/sql.ts'
import { clockDifferenceMaxMs } from '../database/clocks.ts'
import { rfc3339 } from '../domain/clock.ts'
import { utcDay, utcDayEnd } from '../domain/date-range.ts'
import { type Code, type ExceededLimit, Refusal } from '../domain/errors.ts'
import { newId, newSalt } from '../domain/ids.ts'
import { formatAmount } from '../domain/money.ts'
import type { Confirmed } from '../gate/confirmations.ts'
import type { Standing, UsedApproval } from '../gate/approvals.ts'
import type { Alert } from './alerts.ts'
import { type CallerFacts, callersOf, refuseCaller } from './caller.ts'
import type { Claim } from './claims.ts'
import { type Account, decide, isAboveDailyLimit, maxBalance, spentOn } from './decide.ts'
import { type ConfirmationPlan, takeConfirmation, type Unconfirmed } from './confirmed.ts'
import { commitTexts, entryHash, joinTerms, joinTexts } from './hash-chain.ts'
import { answerRepeated, isKept, type Submission } from './idempotency.ts'
import type { Kind, Order, Posted, Texts, Transfer } from './order.ts'
import type { BeneficiaryRow, Ending, LockedAccount, NewTransfer } from './sql.ts'
import { toEntryTexts } from './texts.ts'
import { undecided } from './undecided.ts'

/** All that was read in the transaction, after the locks were had. */
export type BatchFacts = CallerFacts & {
  accounts: Map<string, LockedAccount>
  /** By claim name. */
  claims: Map<string, Claim>
  /** Claims whose keys are free again. */
  staleClaims: Claim[]
  /** Transfer identifiers by fingerprint. */
  recent: Map<string, string>
  originals: Map<string, Transfer>
  beneficiaries: Map<string, BeneficiaryRow>
  /** By challenge: those that orders name and that can be used up. */
  confirmed: Map<string, Confirmed>
  /** By account; none of people without a second factor. */
  unconfirmed: Map<string, Unconfirmed>
}

/** What the orders of a batch come to if it commits, and what is written for that. */
export type Plan = ConfirmationPlan & {
  /** The accounts that are locked while the plan is written. */
  locked: readonly string[]
  /** One for each order; the transfer of `replayOf` still has to be read. */
  outcomes: (Posted | { replayOf: string } | Refusal)[]
  transfers: NewTransfer[]
  accounts: Set<LockedAccount>
  /** By transfer. */
  endings: Map<string, Ending>
  claims: Claim[]
  /** Of the orders that take effect. */
  events: AuditEvent[]
  /** That these orders use up. */
  approvals: UsedApproval[]
  alerts: Alert[]
}

export const emptyPlan = (locked: readonly string[]): Plan => ({
  locked,
  outcomes: [],
  transfers: [],
  accounts: new Set(),
  endings: new Map(),
  claims: [],
  events: [],
  approvals: [],
  alerts: [],
  used: [],
  unconfirmed: new Map(),
})

/**
 * Times in an account never go back, so an entry that was dated into the future would carry its
 * date to every account that is paid from there. Orders on its account are refused until then.
 */
class BooksAhead extends Error {
  override readonly name = 'BooksAhead'
}

export function planBatch(submissions: readonly Submission[], facts: BatchFacts): Plan {
  const plan = emptyPlan([...facts.accounts.keys()])
  for (const submission of submissions) plan.outcomes.push(planOne(submission, facts, plan))
  // Two transfers with different keys may be identical: the later one is remembered.
  const latest = new Map(plan.transfers.map((posted) => [posted.fingerprint, posted]))
  for (const posted of plan.transfers) {
    if (latest.get(posted.fingerprint) !== posted) posted.fingerprint = null
  }
  return plan
}

function planOne(
  { order, fingerprint, claimName }: Submission,
  facts: BatchFacts,
  plan: Plan,
): Plan['outcomes'][number] {
  const { now } = facts
  const areKept = callersOf(order).every((id) => facts.kept.has(id))
  if (!areKept) return undecided()
  const barred = refuseCaller(order, facts)
  if (barred) return new Refusal(barred, { because: 'inside the transaction' })
  const claim = claimName === undefined ? undefined : facts.claims.get(claimName)
  const known = { claim, recentId: facts.recent.get(fingerprint) }
  const repeated = answerRepeated(order, fingerprint, known)
  // What the key of an approval stands for is another request: nothing was approved by its answer.
  if (repeated && order.approval && 'replayOf' in repeated) {
    return new Refusal('idempotency_key_reused')
  }
  if (repeated) return repeated

  const from = facts.accounts.get(order.fromAccountId)
  const to = facts.accounts.get(order.toAccountId)
  const original = facts.originals.get(order.originalId ?? '')
  const at = Math.max(now, from?.lastEntryAt.getTime() ?? 0, to?.lastEntryAt.getTime() ?? 0)
  const isAhead = at > now + clockDifferenceMaxMs
  if (isAhead) return new Refusal('unavailable', { because: new BooksAhead() })
  const beneficiary = facts.beneficiaries.get(order.beneficiaryId ?? '')
  const keepAnswer = (
    transferId: string | null,
    code: Code | null,
    limit?: ExceededLimit,
  ): void => {
    const { key, caller } = order
    if (key === undefined) return
    const claim = { callerId: caller.userId, key, fingerprint, claimedAt: new Date(now) }
    const limitTold = limit ? JSON.stringify(limit) : null
    plan.claims.push({ ...claim, transferId, refusal: code, limitTold })
  }
  const refusal = decide(order, { from, to, original, beneficiary, at, day: utcDay(at) })
  if (refusal) {
    // An approval stays open: the checker may approve again, and means it.
    const limit = refusal === 'limit_exceeded' ? findDailyLimit(order, from, at) : undefined
    if (isKept(refusal) && !order.approval) keepAnswer(null, refusal, limit)
    return refused(refusal, limit)
  }
  // Last, so that only what can succeed is asked for. The key stays free.
  const taken = takeConfirmation(order, beneficiary, facts, plan)
  if (taken === 'missing') return new Refusal('confirmation_required')
  // From here on the order succeeds.
  const { events = [] } = order
  const useFor = (target: string): void => {
    if (taken) plan.events.push({ ...taken, target })
    use(order, target, facts, plan)
  }
  if (order.kind === 'settlement') {
    plan.events.push(...events)
    useFor((original as Transfer).id)
    return settle(original as Transfer, to as LockedAccount, at, facts, plan)
  }
  const posted = post(order, order.kind, from as LockedAccount, to as LockedAccount, at)
  plan.transfers.push(posted)
  // The trail names the transfer. Its reference, which may name a person, can be erased there only.
  const detail = `transfer ${posted.transfer.id}`
  plan.events.push(...events.map((event) => ({ ...event, detail })))
  useFor(posted.transfer.id)
  plan.accounts.add(from as LockedAccount).add(to as LockedAccount)
  if (original) bringBack(original, posted.transfer, facts, plan)
  else {
    posted.fingerprint = fingerprint
    facts.recent.set(fingerprint, posted.transfer.id)
  }
  keepAnswer(posted.transfer.id, null)
  if (order.isLarge && from?.alertsEnabled && from.ownerId !== null) {
    plan.alerts.push({ id: newId(at), ownerId: from.ownerId, transfer: posted.transfer })
  }
  return { transfer: posted.transfer, isReplayed: false }
}

const refused = (code: Code, limit?: ExceededLimit): Refusal =>
  code === 'invalid_request'
    ? new Refusal(code, { details: [{ path: '/toAccountId', message: 'is the same account' }] })
    : new Refusal(code, limit && { limit })

/**
 * The daily limit that refuses the order, for the owner of the account: to a program with a grant
 * to pay from it, what else was paid is not told.
 */
function findDailyLimit(
  order: Order,
  from: Account | undefined,
  at: number,
): ExceededLimit | undefined {
  const day = utcDay(at)
  if (!from || !isAboveDailyLimit(order, { from, day }) || order.caller.operation !== undefined) {
    return undefined
  }
  const { currency } = order
  return {
    name: 'dailyTransfers',
    amount: formatAmount(from.dailyTransferLimit ?? 0n, currency),
    used: formatAmount(spentOn(from, day), currency),
    currency,
    resetsAt: rfc3339(utcDayEnd(at)),
  }
}

/** Uses up the approval of an order that succeeds: no later one of the same batch has it. */
function use({ approval }: Order, resourceId: string, facts: BatchFacts, plan: Plan): void {
  if (!approval) return
  const { id, checker } = approval
  const { userId: checkerId, sessionId: checkerSessionId } = checker
  facts.approvals.set(id, { ...(facts.approvals.get(id) as Standing), status: 'executed' })
  plan.approvals.push({ id, checkerId, checkerSessionId, resourceId })
}

/** Moves the money between the two accounts in memory, and links both chains. */
function post(
  order: Order,
  kind: Kind,
  from: LockedAccount,
  to: LockedAccount,
  at: number,
): NewTransfer {
  const { amount, counterparty } = order
  if (kind === 'transfer') {
    const day = utcDay(at)
    const spent = spentOn(from, day) + amount
    from.spentAmount = spent > maxBalance ? maxBalance : spent
    from.spentOn = day
  }
  const createdAt = new Date(at)
  const transfer: Transfer = {
    id: newId(at),
    kind,
    fromAccountId: from.id,
    toAccountId: to.id,
    fromSeq: from.lastSeq + 1n,
    toSeq: to.lastSeq + 1n,
    amount,
    currency: order.currency,
    reference: order.reference,
    beneficiaryId: order.beneficiaryId ?? null,
    counterpartyName: counterparty?.name ?? null,
    counterpartyIban: counterparty?.iban ?? null,
    reversalOf: order.originalId ?? null,
    callerId: order.caller.userId,
    createdAt,
    status: kind === 'transfer' && (counterparty?.iban ?? null) !== null ? 'pending' : 'completed',
    reversedBy: null,
    isErased: false,
  }
  const { sessionId } = order.caller
  const salt = newSalt()
  const terms = joinTerms({ ...transfer, sessionId }, commitTexts(salt, transfer))
  const texts = toEntryTexts(transfer, { from, to })
  const aboutFor = (own: Texts) => joinTexts(terms, commitTexts(salt, own))
  const fromHash = append(from, kind, -amount, createdAt, aboutFor(texts.fromTexts))
  const toHash = append(to, kind, amount, createdAt, aboutFor(texts.toTexts))
  return {
    transfer,
    sessionId,
    salt,
    ...texts,
    fromBalance: from.balance,
    toBalance: to.balance,
    fromHash,
    toHash,
    fingerprint: null,
  }
}

/** Adds an entry to the end of an account. */
function append(
  account: LockedAccount,
  kind: Kind | 'settlement',
  amount: bigint,
  createdAt: Date,
  about: string,
): string {
  account.lastSeq += 1n
  account.balance += amount
  account.lastEntryAt = createdAt
  const { id: accountId, lastSeq: seq, balance: balanceAfter } = account
  const entry = { accountId, seq, kind, amount, balanceAfter, createdAt }
  account.lastHash = entryHash(account.lastHash, entry, about)
  return account.lastHash
}

function settle(
  original: Transfer,
  clearing: LockedAccount,
  at: number,
  facts: BatchFacts,
  plan: Plan,
): Posted {
  const { id } = original
  const status = 'completed'
  const createdAt = new Date(at)
  const hash = append(clearing, 'settlement', 0n, createdAt, id)
  const { id: accountId, lastSeq: seq, balance } = clearing
  plan.endings.set(id, { id, status, settlement: { accountId, seq, balance, at: createdAt, hash } })
  plan.accounts.add(clearing)
  const transfer: Transfer = { ...original, status }
  facts.originals.set(id, transfer)
  return { transfer, isReplayed: false }
}

/** A reversal or a return can happen only once: no trace against duplicates is needed. */
function bringBack(
  original: Transfer,
  { id: reversedBy, kind }: Transfer,
  facts: BatchFacts,
  plan: Plan,
): void {
  const { id } = original
  const status = kind === 'return' ? 'returned' : original.status
  facts.originals.set(id, { ...original, status, reversedBy })
  if (kind === 'return') plan.endings.set(id, { id, status, settlement: null })
}
