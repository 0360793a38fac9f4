// Decides the orders of a batch one after another, each on what the one before left, and gathers
// the rows to write. Pure but for new identifiers: nothing here is true until its COMMIT is.
import type { AuditEvent } from '../audit/sql.ts'
import { clockDifferenceMaxMs } from '../database/clocks.ts'
import { endedAt, type SessionState } from '../gate/live-sessions.ts'
import { type Code, Refusal } from '../domain/errors.ts'

import { newId, newSalt } from '../domain/ids.ts'
import { commitTexts, entryHash, joinTerms } from './hash-chain.ts'
import { type Account, type Beneficiary, decide, maxBalance, spentOn } from './decide.ts'
import type { Submission, Kind, Order, Status, Transfer } from './order.ts'
import { answerRepeated, type Claim, isKept } from './idempotency.ts'

/** An account under its lock, with the end of its chain. Changed as orders are decided. */
export type Locked = Account & { seq: bigint; hash: string; lastEntryAt: number }

/** All that was read in the transaction, after the locks were had. */
export type BatchFacts = {
  accounts: Map<string, Locked>
  /** By session. */
  callers: Map<string, SessionState>
  /** By claim name. */
  claims: Map<string, Claim>
  /** Transfer identifiers by fingerprint. */
  recent: Map<string, string>
  originals: Map<string, Transfer>
  beneficiaries: Map<string, Beneficiary>
}

/** A new transfer with what its two entries say. */
export type PostedEntry = {
  transfer: Transfer
  sessionId: string
  /** Of its texts: see {@link commitTexts}. */
  salt: string
  fromBalance: bigint
  toBalance: bigint
  fromHash: string
  toHash: string
  /** Null when a later transfer of the batch is the one to remember. */
  fingerprint: string | null
}

/** A transfer arrived at the other bank: an entry without an amount in the clearing account. */
export type Settlement = {
  transferId: string
  accountId: string
  seq: bigint
  balance: bigint
  hash: string
  createdAt: number
}

export type NewClaim = Claim & { callerId: string; key: string }

/** What an order came to, if the batch commits: `replayOf` still has to be read. */
export type Outcome = { transfer: Transfer } | { replayOf: string } | Refusal

export type Plan = {
  /** The accounts that are locked while the plan is written. */
  locked: readonly string[]
  outcomes: Outcome[]
  made: PostedEntry[]
  touched: Set<Locked>
  statuses: Map<string, Status>
  settlements: Settlement[]
  claims: NewClaim[]
  /** Of the orders that take effect. */
  events: AuditEvent[]
}

/**
 * Times in an account never go back, so an entry that was dated into the future would carry its
 * date to every account that is paid from there. Orders on its account are refused until then.
 */
class BooksAhead extends Error {
  override readonly name = 'BooksAhead'
}

/** @param now milliseconds since the epoch, read from the database after the locks were had */
export function planBatch(orders: readonly Submission[], facts: BatchFacts, now: number): Plan {
  const plan: Plan = {
    locked: [...facts.accounts.keys()],
    outcomes: [],
    made: [],
    touched: new Set(),
    statuses: new Map(),
    settlements: [],
    claims: [],
    events: [],
  }
  const latest = new Map<string, PostedEntry>()
  for (const asked of orders) plan.outcomes.push(planOne(asked, facts, now, plan, latest))
  return plan
}

function planOne(
  { order, fingerprint, claimName }: Submission,
  facts: BatchFacts,
  now: number,
  plan: Plan,
  latest: Map<string, PostedEntry>,
): Outcome {
  const { userId, sessionId } = order.caller
  const gone = callerRefusal(facts.callers.get(sessionId), order.caller, now)
  if (gone) return new Refusal(gone, { because: 'inside the transaction' })
  const claim = claimName === undefined ? undefined : facts.claims.get(claimName)
  const recentId = facts.recent.get(fingerprint)
  const repeated = answerRepeated(order, fingerprint, { claim, recentId })
  if (repeated) return repeated

  const from = facts.accounts.get(order.fromAccountId)
  const to = facts.accounts.get(order.toAccountId)
  const original = facts.originals.get(order.originalId ?? '')
  const at = Math.max(now, from?.lastEntryAt ?? 0, to?.lastEntryAt ?? 0)
  if (at > now + clockDifferenceMaxMs)
    return new Refusal('unavailable', { because: new BooksAhead() })
  const beneficiary = facts.beneficiaries.get(order.beneficiaryId ?? '')
  const refusal = decide(order, { from, to, original, beneficiary, day: utcDay(at) })
  if (refusal) {
    if (order.key !== undefined && isKept(refusal)) {
      plan.claims.push({ callerId: userId, key: order.key, fingerprint, transferId: null, refusal })
    }
    return refused(refusal)
  }
  // From here on the order succeeds.
  if (order.event) plan.events.push(order.event)
  if (order.kind === 'settlement') return settle(original as Transfer, to as Locked, at, plan)
  const made = post(order, order.kind, from as Locked, to as Locked, at, fingerprint)
  plan.made.push(made)
  plan.touched.add(from as Locked).add(to as Locked)
  if (original) bringBack(original, made, plan)
  else remember(made, fingerprint, facts, latest)
  if (order.key !== undefined) {
    const { id: transferId } = made.transfer
    plan.claims.push({ callerId: userId, key: order.key, fingerprint, transferId, refusal: null })
  }
  return { transfer: made.transfer }
}

const refused = (code: Code): Refusal =>
  code === 'invalid_request'
    ? new Refusal(code, { details: [{ path: '/toAccountId', message: 'is the same account' }] })
    : new Refusal(code)

/** The gate let the caller in; whoever was locked out since then is out. */
function callerRefusal(
  row: SessionState | undefined,
  caller: Order['caller'],
  now: number,
): Code | undefined {
  return endedAt(row, caller, now) ?? (row?.roles.includes(caller.role) ? undefined : 'forbidden')
}

const dayLength = 24 * 60 * 60 * 1000
let lastDay = { number: -1, text: '' }

/** The day (UTC) of a time, `2026-01-31`. */
function utcDay(time: number): string {
  const number = Math.floor(time / dayLength)
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(time).toISOString().slice(0, 10) }
  }
  return lastDay.text
}

/** Moves the money between the two accounts in memory, and links both chains. */
function post(
  order: Order,
  kind: Kind,
  from: Locked,
  to: Locked,
  at: number,
  fingerprint: string,
): PostedEntry {
  const { amount, counterparty } = order
  if (kind === 'transfer') {
    const day = utcDay(at)
    const spent = spentOn(from, day) + amount
    from.spentAmount = spent > maxBalance ? maxBalance : spent
    from.spentOn = day
  }
  const transfer: Transfer = {
    id: newId(at),
    kind,
    status: kind === 'transfer' && (counterparty?.iban ?? null) !== null ? 'pending' : 'completed',
    fromAccountId: from.id,
    toAccountId: to.id,
    fromSeq: from.seq + 1n,
    toSeq: to.seq + 1n,
    amount,
    currency: order.currency,
    reference: order.reference,
    beneficiaryId: order.beneficiaryId ?? null,
    counterpartyName: counterparty?.name ?? null,
    counterpartyIban: counterparty?.iban ?? null,
    reversalOf: order.originalId ?? null,
    reversedBy: null,
    callerId: order.caller.userId,
    createdAt: at,
    isErased: false,
  }
  const { sessionId } = order.caller
  const salt = newSalt()
  const terms = joinTerms(transfer, sessionId, commitTexts(salt, transfer))
  const fromHash = append(from, kind, -amount, at, terms)
  const toHash = append(to, kind, amount, at, terms)
  return {
    transfer,
    sessionId,
    salt,
    fromBalance: from.balance,
    toBalance: to.balance,
    fromHash,
    toHash,
    fingerprint,
  }
}

/** Adds an entry to the end of an account. */
function append(
  account: Locked,
  kind: Kind | 'settlement',
  amount: bigint,
  createdAt: number,
  about: string,
): string {
  account.seq += 1n
  account.balance += amount
  account.lastEntryAt = createdAt
  const { id: accountId, seq, balance: balanceAfter } = account
  const link = { accountId, seq, kind, amount, balanceAfter, createdAt }
  account.hash = entryHash(account.hash, link, about)
  return account.hash
}

function settle(original: Transfer, clearing: Locked, createdAt: number, plan: Plan): Outcome {
  original.status = 'completed'
  plan.statuses.set(original.id, 'completed')
  const { id: transferId } = original
  const hash = append(clearing, 'settlement', 0n, createdAt, transferId)
  const { id: accountId, seq, balance } = clearing
  plan.settlements.push({ transferId, accountId, seq, balance, hash, createdAt })
  plan.touched.add(clearing)
  return { transfer: { ...original } }
}

/** A reversal or a return happens once by its nature; nothing has to be remembered of it. */
function bringBack(original: Transfer, made: PostedEntry, plan: Plan): void {
  original.reversedBy = made.transfer.id
  made.fingerprint = null
  if (made.transfer.kind !== 'return') return
  original.status = 'returned'
  plan.statuses.set(original.id, 'returned')
}

/** Two transfers on fresh keys may be identical: the later one is the one to remember. */
function remember(
  made: PostedEntry,
  fingerprint: string,
  facts: BatchFacts,
  latest: Map<string, PostedEntry>,
): void {
  const before = latest.get(fingerprint)
  if (before) before.fingerprint = null
  latest.set(fingerprint, made)
  facts.recent.set(fingerprint, made.transfer.id)
}
