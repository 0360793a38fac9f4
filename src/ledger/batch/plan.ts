// Decides the movements of a batch one after another, each on what the one before left, and gathers
// the rows to write. Pure but for new identifiers: nothing here is true until its COMMIT is.
import { rfc3339 } from '../../domain/clock.ts'
import type { Days } from '../../domain/days.ts'
import { countLimit, type ExceededLimit, type PlainCode, Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import type { Standing } from '../../gate/approvals.ts'
import { giveBackSpent, mark, post } from './book.ts'
import { callersOf, refuseCaller } from '../rules/caller.ts'
import { type Account, decide, isAboveDailyLimit, isOfPayee, spentOn } from '../rules/decide.ts'
import { giveBackUnconfirmed, takeConfirmation } from '../rules/confirmation.ts'
import { sealNumber, toExternalName } from '../rules/external-ids.ts'
import { type BatchFacts, BooksAhead, emptyPlan, type Plan, type Replay, timeOf } from './facts.ts'
import { type CountedHold, holdsMax, noteChanged } from '../rules/holds.ts'
import { answerRepeated, isKept, type Submission } from './idempotency.ts'
import {
  isPosting,
  type Kind,
  type LockedTransfer,
  type Movement,
  type Outcome,
  type Posted,
  statusAfter,
  type Transfer,
} from '../rules/movement.ts'
import { type OrderRun, refuseRun, toOutcome } from '../rules/standing-order-runs.ts'
import {
  approve,
  type CardAttempt,
  decline,
  earliestOf,
  findDecline,
  refundCard,
  tellOfCard,
  toAttempt,
} from './plan-cards.ts'
import { cardOf, findHold, reserve, takeOut } from './plan-holds.ts'
import type { LockedAccount, Mark, NewTransfer, Step } from '../rows/transfers.ts'
import { undecided } from './undecided.ts'

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
  { movement, fingerprint, claimName }: Submission,
  facts: BatchFacts,
  plan: Plan,
): Plan['outcomes'][number] {
  const { now } = facts
  const areKept = callersOf(movement).every((id) => facts.kept.has(id))
  if (!areKept) return undecided()
  if (movement.run) return planRun(movement, movement.run, facts, plan)
  const barred = refuseCaller(movement, facts)
  if (barred) return new Refusal(barred, { because: 'inside the transaction' })
  const claim = claimName === undefined ? undefined : facts.claims.get(claimName)
  const recentId = movement.externalId ? undefined : facts.recent.get(fingerprint)
  const repeated =
    answerNumbered(movement, facts) ?? answerRepeated(movement, fingerprint, { claim, recentId })
  // The key of an approved request belongs to the approval. An answer that it already has is of
  // another request.
  if (repeated && movement.approval && 'replayOf' in repeated) {
    return new Refusal('idempotency_key_reused')
  }
  if (repeated) {
    return 'replayOf' in repeated ? { ...repeated, isHold: movement.kind === 'hold' } : repeated
  }

  const from = facts.accounts.get(movement.fromAccountId)
  const named = facts.accounts.get(movement.toAccountId)
  const suspense = facts.accounts.get(movement.suspenseId ?? '')
  const original = facts.originals.get(movement.originalId ?? '')
  const hold = findHold(movement, facts)
  const payment = facts.payments.get(hold?.id ?? '')
  const card = facts.cards.get(cardOf(movement) ?? '')
  const at = timeOf(now, earliestOf(movement, facts), from, named, suspense)
  if (at === undefined)
    return new Refusal('unavailable', { outage: 'clock', because: new BooksAhead() })
  const beneficiary = facts.beneficiaries.get(movement.beneficiaryId ?? '')
  const keepAnswer = (transferId: string | null, code: PlainCode | null, told?: string): void => {
    const { key, caller } = movement
    if (key === undefined) return
    const claim = { callerId: caller.userId, key, fingerprint, claimedAt: new Date(now) }
    plan.claims.push({ ...claim, transferId, refusal: code, limitTold: told ?? null })
  }
  const day = facts.days.dayOf(at)
  const judge = (to: LockedAccount | undefined): PlainCode | undefined =>
    decide(movement, { from, to, original, beneficiary, hold, payment, card, at, day })
  const first = judge(named)
  const isDiverted = suspense !== undefined && first !== undefined && isOfPayee(first)
  const to = isDiverted ? suspense : named
  const refusal = isDiverted ? judge(suspense) : first
  const attempt = toAttempt(movement, { from, hold, at, day })
  const reason = attempt && findDecline(attempt, refusal, facts)
  if (refusal && !reason) {
    // The approval stays open: the checker may approve again, on purpose.
    const limit =
      refusal === 'limit_exceeded' ? findLimit(movement, from, facts.days, day) : undefined
    if (isKept(refusal) && !movement.approval) {
      keepAnswer(null, refusal, limit && JSON.stringify(limit))
    }
    return refused(refusal, limit)
  }
  // Last, so that only a movement that can succeed uses up a confirmation. The key stays free.
  const transferId = newId(at)
  const taken = takeConfirmation(movement, { transferId, beneficiary }, facts, plan)
  if (taken === 'missing') return new Refusal('confirmation_required')
  // From here on the movement succeeds.
  const sides = { original, hold, from, to }
  const booked = toBooked(movement, { original, to })
  const about = { ...sides, movement: booked, transferId, at, day, attempt }
  const made =
    attempt && reason ? decline(attempt, reason, plan) : effect(about, fingerprint, facts, plan)
  const { id } = thingOf(made)
  if (taken) plan.events.push({ ...taken, target: id })
  use(movement, id, facts, plan)
  number(movement, id, facts, plan)
  const isChanged = 'hold' in made && movement.hold?.step === 'change'
  keepAnswer(id, null, isChanged ? noteChanged(made.hold) : undefined)
  return made
}

/**
 * The movement with the texts that are booked: what lies in suspense says whom it was for. The
 * texts of the original may have been erased since the request read them: then the movement repeats
 * none.
 */
function toBooked(
  { suspenseDetails, ...movement }: Movement,
  { original, to }: { original: Transfer | undefined; to: LockedAccount | undefined },
): Movement {
  const isInSuspense = suspenseDetails !== undefined && to?.id === movement.suspenseId
  const told = isInSuspense ? { ...movement, details: suspenseDetails } : movement
  if (!original?.isErased) return told
  const { counterparty: _, ...rest } = told
  return { ...rest, reference: '' }
}

const thingOf = (made: Outcome) =>
  'transfer' in made ? made.transfer : 'hold' in made ? made.hold : made.authorization

type Effected = {
  movement: Movement
  /** Of the transfer, if it makes one. */
  transferId: string
  attempt: CardAttempt | undefined
  original: LockedTransfer | undefined
  hold: CountedHold | undefined
  from: LockedAccount | undefined
  to: LockedAccount | undefined
  at: number
  day: string
}

/** Books a movement that succeeds. */
function effect(
  { movement, transferId, original, hold, from, to, at, day, attempt }: Effected,
  fingerprint: string,
  facts: BatchFacts,
  plan: Plan,
): Outcome {
  const { kind, details, events = [] } = movement
  const held = { from: from as LockedAccount, hold, at, day }
  tellOfCard(movement, at, facts, plan)
  if (kind === 'hold') {
    const reserved = reserve(movement, held, facts, plan)
    return attempt ? approve(attempt, reserved.hold, plan) : reserved
  }
  if (kind === 'settlement' || kind === 'sending') {
    const { id } = original as LockedTransfer
    plan.events.push(...events.map((event) => ({ ...event, target: event.target ?? id })))
    return takeStep(
      { ...movement, kind },
      original as LockedTransfer,
      to as LockedAccount,
      at,
      facts,
      plan,
    )
  }
  const sides = { from: from as LockedAccount, to: to as LockedAccount }
  const posted = post(movement, kind, sides, { id: transferId, at, day })
  const { transfer } = posted
  plan.transfers.push(posted)
  if (details) plan.details.push({ ...details, transferId: transfer.id })
  // The trail names the transfer. Its reference, which may name a person, can be erased there only.
  const detail = `transfer ${transfer.id}`
  // Of a fee or interest that of the customer, where there is one.
  const isOfPayer = isPosting(kind) && from?.kind === 'customer'
  const account = ((isOfPayer ? from : to) as LockedAccount).id
  plan.events.push(
    ...events.map((event) => ({ ...event, target: event.target ?? account, detail })),
  )
  plan.accounts.add(from as LockedAccount).add(to as LockedAccount)
  if (original) bringBack(original, { transfer, to: sides.to, day }, facts, plan)
  else if (!movement.externalId) {
    posted.fingerprint = fingerprint
    facts.recent.set(fingerprint, transfer.id)
  }
  takeOut(movement, transfer, held, facts, plan)
  refundCard(movement, transfer, facts, plan)
  tellPayer(movement, from as LockedAccount, posted, plan)
  return { transfer, isReplayed: false }
}

/** The first answer to an external identifier that is used. */
function answerNumbered(
  { externalId, caller }: Movement,
  { externals }: BatchFacts,
): Refusal | Omit<Replay, 'isHold'> | undefined {
  const known = externalId && externals.get(toExternalName(caller.userId, externalId.id))
  if (!known) return undefined
  return known.bodyHash === externalId.bodyHash
    ? { replayOf: known.transferId, told: null }
    : new Refusal('idempotency_key_reused')
}

/** From here on the external identifier of the movement stands for that transfer. */
function number(
  { kind, externalId, caller, authorization }: Movement,
  transferId: string,
  facts: BatchFacts,
  plan: Plan,
): void {
  if (!externalId) return
  const { id, bodyHash } = externalId
  const known = { callerId: caller.userId, externalId: id, bodyHash, transferId }
  facts.externals.set(toExternalName(caller.userId, id), known)
  // The chain holds what stands for a transfer.
  const seal = kind === 'hold' ? sealNumber(known) : null
  if (!authorization) plan.externals.push({ ...known, isSettlement: kind === 'settlement', seal })
}

/**
 * A run needs no key: its row is its claim. An equal payment on the same day is another payment.
 */
function planRun(
  movement: Movement,
  run: OrderRun,
  facts: BatchFacts,
  plan: Plan,
): Plan['outcomes'][number] {
  const standing = facts.runs.get(run.orderId)
  const from = facts.accounts.get(movement.fromAccountId)
  const to = facts.accounts.get(movement.toAccountId)
  const at = timeOf(facts.now, 0, from, to)
  if (at === undefined)
    return new Refusal('unavailable', { outage: 'clock', because: new BooksAhead() })
  const day = facts.days.dayOf(at)
  const barred = refuseRun(run, standing, { now: facts.now, day })
  if (!standing || !from || barred === 'illegal_transition') {
    return new Refusal('illegal_transition')
  }
  const beneficiary = facts.beneficiaries.get(movement.beneficiaryId ?? '')
  const known = { from, to, original: undefined, beneficiary, at, day }
  const refusal = barred ?? decide(movement, known)
  if (refusal) {
    plan.runs.push(toOutcome(standing, { at, day, result: { refusal } }))
    return refused(refusal)
  }
  const sides = { from, to: to as LockedAccount }
  const posted = post(movement, movement.kind as Kind, sides, { id: newId(at), at, day })
  plan.transfers.push(posted)
  plan.accounts.add(from).add(to as LockedAccount)
  const result = { transferId: posted.transfer.id }
  plan.runs.push(toOutcome(standing, { at, day, result }))
  tellPayer(movement, from, posted, plan)
  return { transfer: posted.transfer, isReplayed: false }
}

/** Queues the mail of a large payment. */
function tellPayer(
  { isLarge }: Movement,
  { alertsEnabled, ownerId }: LockedAccount,
  { transfer }: NewTransfer,
  plan: Plan,
): void {
  if (!isLarge || !alertsEnabled || ownerId === null) return
  plan.alerts.push({ id: newId(transfer.createdAt.getTime()), ownerId, transfer })
}

const refused = (code: PlainCode, limit?: ExceededLimit): Refusal =>
  code === 'invalid_request'
    ? new Refusal(code, { details: [{ path: '/toAccountId', message: 'is the same account' }] })
    : new Refusal(code, limit && { limit })

/**
 * The limit that refuses the movement, where its caller may know it. The daily limit is told to the
 * owner of the account: to a program with a grant to pay from it, what else was paid is not told.
 */
function findLimit(
  movement: Movement,
  from: Account | undefined,
  days: Days,
  day: string,
): ExceededLimit | undefined {
  const { hold } = movement
  if (hold?.step === 'place') return countLimit('activeHolds', holdsMax[hold.kind])
  if (
    !from ||
    !isAboveDailyLimit(movement, { from, day }) ||
    movement.caller.operation !== undefined
  ) {
    return undefined
  }
  const { currency } = movement
  return {
    name: 'dailyTransfers',
    amount: formatAmount(from.dailyTransferLimit ?? 0n, currency),
    used: formatAmount(spentOn(from, day), currency),
    currency,
    resetsAt: rfc3339(days.endOf(day)),
  }
}

/** Uses up the approval of a movement that succeeds: no later one of the same batch has it. */
function use({ approval }: Movement, resourceId: string, facts: BatchFacts, plan: Plan): void {
  if (!approval) return
  const { id, checker } = approval
  const { userId: checkerId, sessionId: checkerSessionId } = checker
  facts.approvals.set(id, { ...(facts.approvals.get(id) as Standing), status: 'executed' })
  plan.approvals.push({ id, checkerId, checkerSessionId, resourceId })
}

/** Notes that a transfer was sent, or has arrived, at another bank. */
function takeStep(
  movement: Pick<Movement, 'caller' | 'externalId'> & Pick<Mark, 'kind'>,
  original: LockedTransfer,
  clearing: LockedAccount,
  at: number,
  facts: BatchFacts,
  plan: Plan,
): Posted {
  const { id } = original
  const isSending = movement.kind === 'sending'
  const transfer: LockedTransfer = {
    ...original,
    status: isSending ? 'sent' : 'completed',
    claimedBy: isSending ? movement.caller.userId : original.claimedBy,
  }
  addStep(plan, { ...transfer, marks: [mark(movement, id, clearing, at)] })
  plan.accounts.add(clearing)
  facts.originals.set(id, transfer)
  return { transfer, isReplayed: false }
}

/** Several steps of a transfer in one batch are one change of its row. */
function addStep({ steps }: Plan, { id, status, marks }: Step): void {
  steps.set(id, { id, status, marks: [...(steps.get(id)?.marks ?? []), ...marks] })
}

type Returned = { transfer: Transfer; to: LockedAccount; day: string }

/**
 * A transfer is brought back only once: no trace against duplicates is needed. What the customer
 * had paid on the same day counts to no limit any more.
 */
function bringBack(
  original: LockedTransfer,
  { transfer: { id: reversedBy, kind }, to, day }: Returned,
  facts: BatchFacts,
  plan: Plan,
): void {
  const { id } = original
  const isOfDay = facts.days.dayOf(original.createdAt.getTime()) === day
  if (original.kind === 'transfer' && to.id === original.fromAccountId && isOfDay) {
    giveBackSpent(to, original, day)
    giveBackUnconfirmed(original, facts, plan)
  }
  // Money that came from another bank is sent back by a transfer of its own, which has states.
  const status = original.kind === 'incoming' ? undefined : statusAfter(kind)
  facts.originals.set(id, { ...original, status: status ?? original.status, reversedBy })
  if (status !== undefined) addStep(plan, { id, status, marks: [] })
}
