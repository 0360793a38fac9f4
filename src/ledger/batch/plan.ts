// Decides the movements of a batch one after another, each on what the one before left, and gathers
// the rows to write. Only here they are put into the plan: what plans a movement of one type
// returns them. Pure but for new identifiers: nothing here is true until its COMMIT is.
import { type ExceededLimit, type PlainCode, Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Standing } from '../../gate/approvals.ts'
import { callersOf, refuseCaller } from '../rules/caller.ts'
import { isBelow } from '../rules/balance-notice.ts'
import { isOfPayee, refuseUnknownSide } from '../rules/decide.ts'
import { refuseMember } from '../rules/members.ts'
import { takeConfirmation } from '../rules/confirmation.ts'
import { sealNumber, toExternalName } from '../rules/external-ids.ts'
import {
  type BatchFacts,
  type BatchState,
  type Before,
  BooksAhead,
  emptyPlan,
  type Place,
  type Plan,
  type Planned,
  type Replay,
  type Rows,
  timeOf,
} from './facts.ts'
import { answerRepeated, isDraft, isKept, type Submission } from './idempotency.ts'
import {
  isForced,
  type Movement,
  type MovementKind,
  type MovementOf,
  type TransferMovement,
} from '../rules/movement.ts'
import { accountsOf, type NamedByMovement } from '../rules/named-by-movement.ts'
import { type ListLine, refuseLine, toLineName, toLineOutcome } from '../rules/list-lines.ts'
import type { PaidDraft, StandingDraft } from '../rules/signatures.ts'
import { type OrderRun, refuseRun, toOutcome } from '../rules/standing-order-runs.ts'
import { alertOwner } from './book.ts'
import { addCardRows } from './card-rows.ts'
import { planAuthorization, planCard, planIncrement, planRefund } from './plan-card.ts'
import { planChargeback, planTakeback } from './plan-chargeback.ts'
import { planBooking } from './plan-booking.ts'
import { planClearing } from './plan-clearing.ts'
import { planBack, planStep } from './plan-follow-up.ts'
import { planCapture, planHold } from './plan-hold.ts'
import { planTransfer } from './plan-transfer.ts'
import type { LockedAccount } from '../rows/transfers.ts'
import { undecided } from './undecided.ts'

type Outcome = Plan['outcomes'][number]
type Batch = { facts: BatchFacts; state: BatchState; plan: Plan }
type Leaf<M> = (movement: M, place: Place, before: Before) => Planned

const leaves: { [K in MovementKind]: Leaf<MovementOf<K>> } = {
  transfer: planTransfer,
  deposit: planBooking,
  withdrawal: planBooking,
  incoming: planBooking,
  fee: planBooking,
  interest: planBooking,
  correction: planBooking,
  sending: planStep,
  settlement: planStep,
  reversal: planBack,
  return: planBack,
  cancellation: planBack,
  hold: planHold,
  capture: planCapture,
  authorization: planAuthorization,
  increment: planIncrement,
  card: planCard,
  clearing: planClearing,
  refund: planRefund,
  chargeback: planChargeback,
  takeback: planTakeback,
}

/** @param state as it was read; changed by each movement for the next ones */
export function planBatch(
  submissions: readonly Submission[],
  facts: BatchFacts,
  state: BatchState,
): Plan {
  const plan = emptyPlan([...state.accounts.keys()])
  const batch = { facts, state, plan }
  for (const submission of submissions) plan.outcomes.push(planOne(submission, batch))
  // Two transfers with different keys may be identical: the later one is remembered.
  const latest = new Map(plan.transfers.map((posted) => [posted.fingerprint, posted]))
  for (const posted of plan.transfers) {
    if (latest.get(posted.fingerprint) !== posted) posted.fingerprint = null
  }
  return plan
}

function planOne(submission: Submission, batch: Batch): Outcome {
  const { movement, fingerprint } = submission
  const { facts, state, plan } = batch
  const areKept = callersOf(movement).every((id) => facts.kept.has(id))
  if (!areKept) return undecided()
  if (movement.kind === 'transfer' && movement.run) return planRun(movement, movement.run, batch)
  if (movement.kind === 'transfer' && movement.line) {
    return planLine(movement, movement.line, batch)
  }
  const early = refuseEarly(submission, batch)
  if (early) return early

  const found = findPlace(movement, batch)
  if (found instanceof Refusal) return found
  const { place, suspense } = found
  const planned = planMovement(movement, place, suspense, batch)
  if (typeof planned !== 'function') {
    const { code, limit } = planned
    // The approval stays open: the checker may approve again, on purpose.
    if (isKept(code) && !movement.approval) {
      claimKey(submission, { code, note: limit && JSON.stringify(limit) }, batch)
    }
    return refused(code, limit)
  }
  // Last, so that only a movement that can succeed uses up a confirmation. The key stays free.
  const id = newId(place.at)
  const { beneficiaryId }: NamedByMovement = movement
  const confirmed = takeConfirmation(movement, {
    transferId: id,
    beneficiary: facts.beneficiaries.get(beneficiaryId ?? ''),
    challenge: state.confirmed.get(movement.confirmation?.challengeId ?? ''),
    before: state.unconfirmed.get(movement.fromAccountId),
    now: facts.now,
  })
  if (confirmed === 'missing') return new Refusal('confirmation_required')
  // From here on the movement succeeds.
  const rows = planned(id)
  const { made, madeId, transfer, original } = rows
  if (transfer && !original && !movement.externalId && !rows.draft) {
    transfer.fingerprint = fingerprint
    state.recent.set(fingerprint, madeId)
  }
  addRows(rows, batch)
  const { used, event, unconfirmed } = confirmed
  if (event) plan.events.push({ ...event, target: madeId })
  if (used !== undefined) {
    state.confirmed.delete(used)
    plan.used.push(used)
  }
  if (unconfirmed) countUnconfirmed([movement.fromAccountId, unconfirmed], batch)
  useApproval(movement, madeId, batch)
  numberThing(movement, madeId, batch)
  claimKey(submission, { madeId, note: rows.note }, batch)
  return made
}

/** Why the movement is not planned: its caller may not, or it was answered before. */
function refuseEarly(
  { movement, fingerprint, claimFingerprint, claimName }: Submission,
  { facts, state }: Batch,
): Refusal | Replay | undefined {
  const barred = refuseCaller(movement, facts, state.approvals)
  if (barred) return new Refusal(barred, { because: 'inside the transaction' })
  const claim = claimName === undefined ? undefined : facts.claims.get(claimName)
  const isNumbered = movement.externalId !== undefined || isDraft(movement)
  const recentId = isNumbered ? undefined : state.recent.get(fingerprint)
  const repeated =
    answerNumbered(movement, state) ??
    answerRepeated(movement, claimFingerprint, { claim, recentId })
  // The key of an approved request belongs to the approval. An answer that it already has is of
  // another request.
  if (!repeated || !('replayOf' in repeated)) return repeated
  if (movement.approval) return new Refusal('idempotency_key_reused')
  return { ...repeated, isHold: movement.kind === 'hold' || 'request' in movement }
}

/** The first answer to an external identifier that is used. */
function answerNumbered(
  { externalId, caller }: Movement,
  { externals }: BatchState,
): Refusal | Omit<Replay, 'isHold'> | undefined {
  const known = externalId && externals.get(toExternalName(caller.userId, externalId.id))
  if (!known) return undefined
  return known.bodyHash === externalId.bodyHash
    ? { replayOf: known.transferId, told: null }
    : new Refusal('idempotency_key_reused')
}

function findPlace(
  movement: Movement,
  { facts, state }: Batch,
): { place: Place; suspense: LockedAccount | undefined } | Refusal {
  const [from, to, suspense] = accountsOf(movement).map((id) => state.accounts.get(id))
  const at = timeOf(facts.now, earliestOf(movement, facts, state), from, to, suspense)
  if (at === undefined) {
    return new Refusal('unavailable', { outage: 'clock', because: new BooksAhead() })
  }
  if (!from || !to) return refused(refuseUnknownSide(movement))
  return { place: { from, to, at, day: facts.days.dayOf(at) }, suspense }
}

/**
 * Nothing is authorised before the day of the last authorisation of the card has begun: a day does
 * not come again, whatever the clocks show. In milliseconds since the epoch.
 */
function earliestOf(
  { request }: NamedByMovement,
  { days }: BatchFacts,
  { cards }: BatchState,
): number {
  const day = cards.get(request?.cardId ?? '')?.spentOn ?? null
  return day === null ? 0 : days.startOf(day)
}

/**
 * By what plans its kind; into suspense where that is refused because of the payee's account, or
 * out of suspense what is forced upon an account that is closed.
 */
function planMovement(
  movement: Movement,
  place: Place,
  suspense: LockedAccount | undefined,
  before: Before,
): Planned {
  const leaf = leaves[movement.kind] as Leaf<Movement>
  const barred = refuseMember(movement, place, before.facts.members)
  const first = barred ? { code: barred } : leaf(movement, place, before)
  if (!suspense || typeof first === 'function') return first
  if (isForced(movement.kind)) {
    const isGone = first.code === 'account_closed'
    return isGone ? leaf(movement, { ...place, from: suspense }, before) : first
  }
  return isOfPayee(first.code) ? leaf(movement, { ...place, to: suspense }, before) : first
}

/**
 * A run needs no key: its row is its claim. An equal payment on the same day is another payment.
 */
function planRun(movement: TransferMovement, run: OrderRun, batch: Batch): Outcome {
  const { facts, state, plan } = batch
  const found = findPlace(movement, batch)
  if (found instanceof Refusal) return found
  const { at, day } = found.place
  const standing = state.runs.get(run.orderId)
  const when = { at, day, calendar: facts.calendar.at(at) }
  const barred = refuseRun(run, standing, { ...when, now: facts.now })
  if (!standing || barred === 'illegal_transition') return new Refusal('illegal_transition')
  const ended = refuseMember(movement, found.place, facts.members)
  const code = barred ?? ended
  const planned = code ? { code } : planTransfer(movement, found.place, batch)
  const end = (result: Parameters<typeof toOutcome>[1]['result']): void => {
    const isOfMember = ended !== undefined
    const { row, order } = toOutcome(standing, { ...when, result, isOfMember })
    plan.runs.push(row)
    state.runs.set(run.orderId, order)
  }
  if (typeof planned !== 'function') {
    end({ refusal: planned.code })
    return refused(planned.code)
  }
  const rows = planned(newId(at))
  end({ transferId: rows.madeId })
  addRows(rows, batch)
  return rows.made
}

/** A line needs no key, as a run does not. Lines that pay the same twice are two payments. */
function planLine(movement: TransferMovement, line: ListLine, batch: Batch): Outcome {
  const { facts, state, plan } = batch
  const found = findPlace(movement, batch)
  if (found instanceof Refusal) return found
  const { at, day } = found.place
  const name = toLineName(line)
  const standing = state.lines.get(name)
  const barred = refuseLine(line, standing, { now: facts.now, day })
  if (!standing || barred === 'illegal_transition') return new Refusal('illegal_transition')
  const code = barred ?? refuseMember(movement, found.place, facts.members)
  const planned = code ? { code } : planTransfer(movement, found.place, batch)
  const end = (result: Parameters<typeof toLineOutcome>[2]): void => {
    const row = toLineOutcome(standing, at, result)
    plan.lines.push(row)
    state.lines.set(name, { ...standing, outcome: row.outcome })
  }
  if (typeof planned !== 'function') {
    end({ refusal: planned.code })
    return refused(planned.code)
  }
  const rows = planned(newId(at))
  end({ transferId: rows.madeId })
  addRows(rows, batch)
  return rows.made
}

/** Adds the rows of a movement to the plan, and leaves to the next ones what it has changed. */
function addRows(rows: Rows, batch: Batch): void {
  const { state, plan } = batch
  const { transfer, details, original, step, unconfirmed, hold, holdEvent, capture } = rows
  plan.alerts.push(...(rows.alerts ?? []))
  for (const left of rows.accounts ?? []) {
    const account = judgeBelow(left, batch)
    state.accounts.set(account.id, account)
    plan.accounts.set(account.id, account)
  }
  if (transfer) plan.transfers.push(transfer)
  if (details) plan.details.push(details)
  if (original) state.originals.set(original.id, original)
  // Several steps of a transfer in one batch are one change of its row.
  if (step) {
    const marks = [...(plan.steps.get(step.id)?.marks ?? []), ...step.marks]
    plan.steps.set(step.id, { ...step, marks })
  }
  if (unconfirmed) countUnconfirmed(unconfirmed, batch)
  if (hold) state.holds.set(hold.id, hold)
  if (hold && holdEvent) {
    plan.holds.set(hold.id, hold)
    plan.holdEvents.push(holdEvent)
  }
  if (capture) plan.captures.push(capture)
  plan.events.push(...(rows.events ?? []))
  if (rows.draft) endDraft(rows.draft, batch)
  if (rows.memberSpent) state.memberSpent.set(...rows.memberSpent)
  addCardRows(rows, batch)
}

/** Paid: no later movement of the same batch pays it again. */
function endDraft(paid: PaidDraft, { state, plan }: Batch): void {
  const standing = state.drafts.get(paid.id) as StandingDraft
  state.drafts.set(paid.id, { ...standing, status: 'paid' })
  plan.drafts.push(paid)
}

/** The account, whose owner is told if its balance has come below the chosen amount. */
function judgeBelow(account: LockedAccount, { plan }: Batch): LockedAccount {
  const { id, noticeBelow, balance, lastEntryAt: at } = account
  const isBelowTold = isBelow(noticeBelow, balance)
  if (isBelowTold === account.isBelowTold) return account
  plan.belowTold.set(id, { id, isBelowTold })
  if (isBelowTold) {
    plan.alerts.push(...alertOwner(account, { kind: 'balance-below', aboutId: id, at }))
  }
  return { ...account, isBelowTold }
}

function countUnconfirmed(
  [accountId, payments]: NonNullable<Rows['unconfirmed']>,
  { state, plan }: Batch,
): void {
  state.unconfirmed.set(accountId, payments)
  plan.unconfirmed.set(accountId, payments)
}

/** Uses up the approval of a movement that succeeds: no later one of the same batch has it. */
function useApproval({ approval }: Movement, resourceId: string, { state, plan }: Batch): void {
  if (!approval) return
  const { id, checker } = approval
  const { userId: checkerId, sessionId: checkerSessionId } = checker
  state.approvals.set(id, { ...(state.approvals.get(id) as Standing), status: 'executed' })
  plan.approvals.push({ id, checkerId, checkerSessionId, resourceId })
}

/** From here on the external identifier of the movement stands for that thing. */
function numberThing(
  { kind, externalId, caller }: Movement,
  transferId: string,
  { state, plan }: Batch,
): void {
  if (!externalId) return
  const { id, bodyHash } = externalId
  const known = { callerId: caller.userId, externalId: id, bodyHash, transferId }
  state.externals.set(toExternalName(caller.userId, id), known)
  if (kind === 'authorization' || kind === 'increment') return
  // The chain holds what stands for a transfer.
  const seal = kind === 'hold' ? sealNumber(known) : null
  plan.externals.push({ ...known, isSettlement: kind === 'settlement', seal })
}

type FirstAnswer = { madeId?: string; code?: PlainCode; note?: string | undefined }

/** From here on the key of the movement stands for that answer. */
function claimKey(
  { movement, claimFingerprint: fingerprint }: Submission,
  { madeId, code, note }: FirstAnswer,
  { facts, plan }: Batch,
): void {
  const { key, caller } = movement
  if (key === undefined) return
  const claim = { callerId: caller.userId, key, fingerprint, claimedAt: new Date(facts.now) }
  const answer = { transferId: madeId ?? null, refusal: code ?? null, limitTold: note ?? null }
  plan.claims.push({ ...claim, ...answer })
}

const refused = (code: PlainCode, limit?: ExceededLimit): Refusal =>
  code === 'invalid_request'
    ? new Refusal(code, { details: [{ path: '/toAccountId', message: 'is the same account' }] })
    : new Refusal(code, limit && { limit })
