// One batch is one transaction in two pipelined round trips: BEGIN, the locks and all reads go out
// together, then all writes and COMMIT. No statement of a round trip waits for another's answer.
import { addEvents } from '../../audit/sql.ts'
import { readCalendars, toBankCalendar } from '../../database/background/bank-calendar.ts'
import { readTimeAndZones, toDays } from '../../database/background/bank-days.ts'
import { beginReading } from '../../database/background/clocks.ts'
import { answersOf } from '../../database/connections/cork.ts'
import { isRefusedCommit } from '../../database/connections/failure.ts'
import type { Transaction } from '../../database/connections/lane.ts'
import type { Clock } from '../../domain/clock.ts'
import { asRefusal, Refusal } from '../../domain/errors.ts'
import { lockApprovals, readStandings, writeUsed } from '../../gate/approvals.ts'
import { lockConfirmed, writeUsed as writeUsedConfirmations } from '../../gate/confirmations.ts'
import { findKeptCallers } from '../../gate/lock-callers.ts'
import { readMembersIn } from '../../gate/members.ts'
import { readSessions } from '../../gate/live-sessions.ts'
import { readKeys } from '../../gate/service-keys.ts'
import { writeAlerts, writeBelowTold } from '../rows/payment-mails.ts'
import { callersOf } from '../rules/caller.ts'
import { type Claim, dropClaims, readClaims, writeClaims } from '../rows/claims.ts'
import { readUnconfirmed, writeUnconfirmed } from '../rows/unconfirmed-payments.ts'
import { writeDetails } from '../rows/transfer-details.ts'
import { toExternalName } from '../rules/external-ids.ts'
import { numberedIn, readExternalIds, writeExternalIds } from '../rows/external-ids.ts'
import {
  duplicateWindowMs,
  isLive,
  keyLifetimeMs,
  type Submission,
  toClaimName,
} from './idempotency.ts'
import type { Authorization } from '../rules/authorizations.ts'
import {
  readAuthorizations,
  readCards,
  readPayments,
  writeAuthorizations,
  writeCardRows,
  writeChargebacks,
} from '../rows/authorizations.ts'
import type { BatchFacts, BatchState, Plan, Replay } from './facts.ts'
import { asFirstAnswered, type Hold } from '../rules/holds.ts'
import { expireHolds, readHolds, writeHolds } from '../rows/holds.ts'
import { isBack, type Outcome, type Transfer } from '../rules/movement.ts'
import { accountsOf, cardIdOf, holdIdOf, type NamedByMovement } from '../rules/named-by-movement.ts'
import { lockDrafts, readDraftPeople, toStanding, writePaidDrafts } from '../rows/drafts.ts'
import { readLines, writeLines } from '../rows/list-lines.ts'
import { accountsOfMembers } from '../rules/members.ts'
import { toLineName } from '../rules/list-lines.ts'
import { readOrders, writeRuns } from '../rows/standing-order-runs.ts'
import { addSpending } from './member-limits.ts'
import { planBatch } from './plan.ts'
import {
  ifAny,
  lockAccounts,
  lockTransfers,
  readBeneficiaries,
  readRecent,
  readTransfers,
  writeBatch,
  writeSteps,
} from '../rows/transfers.ts'

/** The transaction certainly had no effect. */
export class NotCommitted extends Error {}

/** No clear answer to COMMIT came: the plan is true or it is not, as a whole. */
export class InDoubt extends Error {
  readonly plan: Plan
  constructor(plan: Plan, cause: unknown) {
    super('The outcome of COMMIT is not known', { cause })
    this.plan = plan
  }
}

export type Posting = {
  clock: Clock
  /** Members act on accounts of others. Otherwise each movement of one is refused. */
  areMembersOn: boolean
}

/**
 * Executes the movements in turn in one transaction. Returns only once its COMMIT is durable, an
 * answer for each movement at its place.
 *
 * The time of the movements is the database's, read after their locks were had. When the clock of
 * this process differs from it nothing is posted.
 *
 * @throws {@link NotCommitted} or {@link InDoubt}, for all movements alike
 */
export async function postBatch(
  tx: Transaction,
  submissions: readonly Submission[],
  posting: Posting,
): Promise<(Outcome | Refusal)[]> {
  const { facts, plan } = await readAndPlan(tx, submissions, posting)
  const replays = await writePlan(tx, plan, facts)
  return plan.outcomes.map((outcome, index) =>
    'replayOf' in outcome
      ? answerAgain(submissions[index] as Submission, outcome, replays)
      : outcome,
  )
}

/** What requests that were repeated are answered with. */
type Replays = {
  transfers: Map<string, Transfer>
  holds: Map<string, Hold>
  authorizations: Map<string, Authorization>
}

function answerAgain(
  { movement }: Submission,
  { replayOf, told }: Replay,
  { transfers, holds, authorizations }: Replays,
): Outcome | Refusal {
  const [transfer, hold] = [transfers.get(replayOf), holds.get(replayOf)]
  const authorization = 'request' in movement && authorizations.get(replayOf)
  if (authorization) return { authorization, isReplayed: true }
  if (transfer) return { transfer, isReplayed: true }
  if (hold && 'hold' in movement) {
    return { hold: asFirstAnswered(movement, hold, told), isReplayed: true }
  }
  return new Refusal('internal_error', { because: 'a claim names a thing that is not there' })
}

async function readAndPlan(tx: Transaction, submissions: readonly Submission[], posting: Posting) {
  try {
    const { facts, state } = await readFacts(tx, submissions, posting)
    await expireDue(tx, facts, state)
    await addSpending(tx, submissions, { facts, state })
    return { facts, plan: planBatch(submissions, facts, state) }
  } catch (thrown) {
    // No transaction may stay open on the lane. If the connection is gone, so is the transaction.
    await tx.command('rollback').catch(() => {})
    throw new NotCommitted('Nothing was written', { cause: asRefusal(thrown) })
  }
}

/**
 * Gives back what holds keep whose time is over, before anything is decided: one more round trip,
 * for accounts that have such a hold alone. The holds that were read for movements are judged by
 * the time themselves.
 */
async function expireDue(
  tx: Transaction,
  { now }: BatchFacts,
  { accounts, cards }: BatchState,
): Promise<void> {
  const due = [...accounts.values()].flatMap(({ id, heldUntil }) =>
    heldUntil !== null && heldUntil.getTime() <= now ? id : [],
  )
  if (due.length === 0) return
  const [kept, spent] = await Promise.all([
    expireHolds(tx, due, now),
    readCards(tx, [...cards.keys()]),
  ])
  for (const row of kept) {
    const account = accounts.get(row.id)
    if (account) accounts.set(row.id, { ...account, ...row })
  }
  for (const card of spent) cards.set(card.id, card)
}

/** What the movements name, each once. */
function findNamed(submissions: readonly Submission[]) {
  const movements = submissions.map(({ movement }) => movement)
  const callersBy = (isProgram: boolean) =>
    unique(
      movements.flatMap(({ caller, approval, run, line }: NamedByMovement) => {
        if (run || line) return []
        if (approval) return isProgram ? [] : approval.checker.sessionId
        return (caller.operation !== undefined) === isProgram ? caller.sessionId : []
      }),
    )
  const judged = movements.filter(({ confirmation }) => confirmation !== undefined)
  return {
    movements,
    keys: movements.flatMap(({ key, caller }) =>
      key === undefined ? [] : { callerId: caller.userId, key },
    ),
    fingerprints: submissions.flatMap(({ claimName, fingerprint }) =>
      claimName === undefined && fingerprint !== '' ? fingerprint : [],
    ),
    sessionIds: callersBy(false),
    keyIds: callersBy(true),
    originalIds: unique(movements.flatMap(({ originalId }: NamedByMovement) => originalId ?? [])),
    beneficiaryIds: unique(
      movements.flatMap(({ beneficiaryId }: NamedByMovement) => beneficiaryId ?? []),
    ),
    orderIds: unique(movements.flatMap(({ run }: NamedByMovement) => run?.orderId ?? [])),
    lines: movements.flatMap(({ line }: NamedByMovement) => line ?? []),
    drafts: movements.flatMap(({ draft, caller }: NamedByMovement) =>
      draft ? { draftId: draft.id, signerId: caller.userId } : [],
    ),
    holdIds: unique(movements.flatMap((movement) => holdIdOf(movement) ?? [])),
    cardIds: unique(movements.flatMap((movement) => cardIdOf(movement) ?? [])),
    approvalIds: unique(movements.flatMap(({ approval }) => approval?.id ?? [])),
    // What brings money back pays it to the account that had paid.
    payers: unique([
      ...judged.map(({ fromAccountId }) => fromAccountId),
      ...movements.flatMap(({ kind, toAccountId }) => (isBack(kind) ? toAccountId : [])),
    ]),
    challengeIds: unique(judged.flatMap((o) => o.confirmation?.challengeId ?? [])),
    ofMembers: unique(movements.flatMap(accountsOfMembers)),
  }
}

async function readFacts(
  tx: Transaction,
  submissions: readonly Submission[],
  { clock, areMembersOn }: Posting,
): Promise<{ facts: BatchFacts; state: BatchState }> {
  const { movements, keys, fingerprints, sessionIds, keyIds, ...named } = findNamed(submissions)
  const { originalIds, beneficiaryIds, orderIds, lines, drafts, ...others } = named
  const { holdIds, cardIds, approvalIds } = others
  const { payers, challengeIds, ofMembers } = named
  const toTime = beginReading(clock)
  const reads = tx.together(
    () =>
      [
        tx.command('begin'),
        lockAccounts(tx, unique(movements.flatMap(accountsOf))),
        ifAny(challengeIds, () => tx.run(lockConfirmed, [challengeIds])),
        ifAny(approvalIds, () => lockApprovals(tx, approvalIds)),
        lockTransfers(tx, originalIds),
        lockDrafts(tx, unique(drafts.map(({ draftId }) => draftId))),
        // From here on nothing waits for a lock.
        findKeptCallers(tx, unique(movements.flatMap(callersOf))),
        tx.run(readTimeAndZones, []),
        ifAny(sessionIds, () => tx.run(readSessions, [sessionIds])),
        ifAny(keyIds, () => tx.run(readKeys, [keyIds])),
        readClaims(tx, keys),
        readExternalIds(tx, numberedIn(movements)),
        readRecent(tx, fingerprints),
        readBeneficiaries(tx, beneficiaryIds),
        readUnconfirmed(tx, payers),
        ifAny(approvalIds, () => readStandings(tx, approvalIds)),
        ifAny(orderIds, () => readOrders(tx, orderIds)),
        ifAny(lines, () => readLines(tx, lines)),
        readDraftPeople(tx, drafts),
        readHolds(tx, holdIds),
        readPayments(tx, holdIds),
        readCards(tx, cardIds),
        ifAny(orderIds, () => tx.run(readCalendars, [])),
        areMembersOn && ofMembers.length > 0 ? readMembersIn(tx, ofMembers) : undefined,
      ] as const,
  )
  const [, accounts, confirmed, , originals, draftRows, kept, times, callers, ...further] =
    await answersOf(reads)
  const [serviceKeys, ...more] = further
  const [claims, externals, recent, beneficiaries, unconfirmed, approvals, runs, ...last] = more
  const [standingLines, draftPeople, holds, payments, cards, calendars, membersAt] = last
  const { at, zones } = times[0] as { at: Date; zones: string }
  const now = toTime(at)
  const live = claims.filter((claim) => isLive(claim, now))
  const isRecent = ({ createdAt }: { createdAt: Date }) =>
    createdAt.getTime() > now - duplicateWindowMs
  const facts = {
    now,
    days: toDays(zones),
    calendar: toBankCalendar(calendars, () => toDays(zones)),
    kept,
    callers: byId(callers),
    keys: byId(serviceKeys),
    claims: new Map(live.map((claim) => [claimName(claim), claim])),
    staleClaims: claims.filter((claim) => !isLive(claim, now)),
    beneficiaries: byId(beneficiaries),
    members: membersAt?.(now) ?? [],
  }
  const state = {
    accounts: byId(accounts),
    externals: new Map(externals.map((row) => [toExternalName(row.callerId, row.externalId), row])),
    recent: new Map(recent.filter(isRecent).map((row) => [row.fingerprint, row.transferId])),
    originals: byId(originals),
    confirmed: byId(confirmed),
    unconfirmed: new Map(unconfirmed.map(({ accountId, ...payments }) => [accountId, payments])),
    approvals: byId(approvals),
    runs: byId(runs),
    lines: new Map(standingLines.map((line) => [toLineName(line), line])),
    drafts: toStanding(draftRows, draftPeople),
    holds: byId(holds),
    payments: byId(payments),
    cards: byId(cards),
    memberSpent: new Map<string, bigint>(),
  }
  return { facts, state }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

const byId = <Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.id, row]))

const claimName = ({ callerId, key }: Claim): string => toClaimName(callerId, key)

/** Sends the writes with COMMIT behind them. Returns what is answered again. */
async function writePlan(tx: Transaction, plan: Plan, facts: BatchFacts): Promise<Replays> {
  const { writes, read, commit } = tx.together(() => send(tx, plan, facts))
  const results = await Promise.allSettled([...writes, read, commit])
  const failed = results.find((result) => result.status === 'rejected')?.reason as unknown
  const tag = await commit.catch((thrown: unknown) => {
    if (writes.length === 0 || isRefusedCommit(thrown)) {
      throw new NotCommitted('COMMIT failed', { cause: failed })
    }
    throw new InDoubt(plan, thrown)
  })
  // COMMIT of a transaction that a failed statement aborted succeeds, with the tag ROLLBACK.
  if (tag !== 'COMMIT') throw new NotCommitted(`COMMIT answered ${tag}`, { cause: failed })
  const [transfers, holds, authorizations] = await read
  return {
    transfers: byId(transfers),
    holds: byId(holds),
    authorizations: byId(authorizations),
  }
}

/**
 * Runs every write, then COMMIT, without waiting for any of them. A COMMIT after row locks alone
 * waits for a standby, too, so an answer that is given again is on one by then.
 */
function send(tx: Transaction, plan: Plan, { now, staleClaims }: BatchFacts) {
  const replaysOf = (isHold: boolean) =>
    plan.outcomes.flatMap((outcome) =>
      'replayOf' in outcome && outcome.isHold === isHold ? outcome.replayOf : [],
    )
  const writes: Promise<unknown>[] = []
  const { cards } = plan
  const accounts = [...plan.accounts.values()]
  const areOnlyHeld = plan.transfers.length === 0 && plan.steps.size === 0
  if (accounts.length > 0 && !areOnlyHeld) {
    const isHeld = plan.holds.size > 0 || cards.authorizations.length > 0
    writes.push(writeBatch(tx, plan.transfers, accounts, isHeld))
  }
  const onlyHeld = areOnlyHeld ? accounts : []
  if (onlyHeld.length > 0 || cards.authorizations.length > 0 || cards.spent.size > 0) {
    writes.push(writeAuthorizations(tx, cards, onlyHeld))
  }
  if (plan.holds.size > 0) writes.push(writeHolds(tx, plan))
  // Before the refunds: a trigger holds those to what has not come back by a chargeback.
  if (cards.chargebacks.length + cards.ends.length > 0) writes.push(writeChargebacks(tx, cards))
  if (cards.events.length > 0 || cards.mails.length > 0) writes.push(writeCardRows(tx, cards))
  if (plan.steps.size > 0) writes.push(writeSteps(tx, [...plan.steps.values()]))
  if (plan.details.length > 0) writes.push(writeDetails(tx, plan.details))
  if (plan.externals.length > 0) writes.push(writeExternalIds(tx, plan.externals))
  if (plan.claims.length > 0) {
    if (staleClaims.length > 0) {
      writes.push(dropClaims(tx, staleClaims, new Date(now - keyLifetimeMs)))
    }
    // In one order in every batch: two batches can wait for each other in one direction only.
    const ordered = plan.claims.toSorted((one, other) =>
      claimName(one) < claimName(other) ? -1 : 1,
    )
    writes.push(writeClaims(tx, ordered))
  }
  if (plan.events.length > 0) writes.push(addEvents(tx, plan.events))
  if (plan.approvals.length > 0) writes.push(writeUsed(tx, plan.approvals, now))
  if (plan.belowTold.size > 0) writes.push(writeBelowTold(tx, [...plan.belowTold.values()]))
  if (plan.alerts.length > 0) writes.push(writeAlerts(tx, plan.alerts))
  if (plan.used.length > 0) {
    writes.push(tx.run(writeUsedConfirmations, [plan.used, new Date(now)]))
  }
  if (plan.runs.length > 0) writes.push(writeRuns(tx, plan.runs))
  if (plan.lines.length > 0) writes.push(writeLines(tx, plan.lines))
  if (plan.drafts.length > 0) writes.push(writePaidDrafts(tx, plan.drafts))
  if (plan.unconfirmed.size > 0) writes.push(writeUnconfirmed(tx, plan.unconfirmed))
  const read = Promise.all([
    readTransfers(tx, replaysOf(false)),
    readHolds(tx, replaysOf(true)),
    readAuthorizations(tx, replaysOf(true)),
  ])
  return { writes, read, commit: tx.command('commit') }
}
