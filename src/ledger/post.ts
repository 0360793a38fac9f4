// One batch, one transaction, two flights: BEGIN, the locks and everything that is read go out
// together; then everything that is written and COMMIT. Nothing waits between statements of a
// flight.
import { addEvents } from '../audit/sql.ts'
import { readStanding } from './beneficiaries-sql.ts'
import type { Clock } from '../domain/clock.ts'
import { beginReading, readTime } from '../database/clocks.ts'
import type { Held } from '../database/lane.ts'
import { isRefusedCommit } from '../database/failure.ts'
import { readSessions } from '../gate/live-sessions.ts'
import type { RowOf } from '../database/statement.ts'
import { asRefusal, type Code, Refusal } from '../domain/errors.ts'
import type { Currency } from '../domain/money.ts'
import { zeroHash } from './hash-chain.ts'
import type { Beneficiary } from './decide.ts'
import { type Submission, toClaimName, type Posted, type Transfer } from './order.ts'
import { type BatchFacts, type Locked, type Plan, planBatch } from './plan.ts'
import { duplicateWindowMs, isLive, keyLifetimeMs } from './idempotency.ts'
import { toRows, settlementRows, statusRows } from './rows.ts'
import {
  dropClaims,
  lockAccounts,
  readClaims,
  readRecent,
  readTransfers,
  writeBatch,
  writeClaims,
  writeSettlements,
  writeStatuses,
} from './sql.ts'

/** The transaction certainly had no effect. */
export class NotCommitted extends Error {}

/** The answer to COMMIT was lost: the plan is true or it is not, as a whole. */
export class InDoubt extends Error {
  readonly plan: Plan
  constructor(plan: Plan, cause: unknown) {
    super('The answer to COMMIT was lost', { cause })
    this.plan = plan
  }
}

/**
 * Executes the orders in turn in one transaction. Returns only once its COMMIT is durable, an
 * answer for each order at its place.
 *
 * The time of the orders is the database's, read after their locks were had. When the clock of this
 * process differs from it nothing is posted.
 *
 * @throws {@link NotCommitted} or {@link InDoubt}, for all orders alike
 */
export async function postBatch(
  held: Held,
  asked: readonly Submission[],
  clock: Clock,
): Promise<(Posted | Refusal)[]> {
  const { facts, stale, now } = await readFacts(held, asked, clock)
  const plan = await planned(held, () => planBatch(asked, facts, now))
  const replays = await writePlan(held, plan, stale, now)
  return plan.outcomes.map((outcome) => {
    if (outcome instanceof Refusal) return outcome
    if ('transfer' in outcome) return { transfer: outcome.transfer, isReplayed: false }
    const transfer = replays.get(outcome.replayOf)
    if (transfer) return { transfer, isReplayed: true }
    return new Refusal('internal_error', { because: 'a claim names a transfer that is not there' })
  })
}

/**
 * What is thrown between the flights must not leave a transaction open on the lane. Unless it is a
 * refusal it is a defect: trying again would not help.
 */
async function planned<R>(held: Held, work: () => R): Promise<R> {
  try {
    return work()
  } catch (thrown) {
    await abandon(held)
    throw new NotCommitted('The plan failed', { cause: asRefusal(thrown) })
  }
}

type Read = { facts: BatchFacts; stale: { callerId: string; key: string }[]; now: number }

async function readFacts(held: Held, asked: readonly Submission[], clock: Clock): Promise<Read> {
  const orders = asked.map(({ order }) => order)
  const keyed = orders.filter(({ key }) => key !== undefined)
  const keyless = asked.filter(({ claimName }) => claimName === undefined)
  const originals = unique(orders.flatMap(({ originalId }) => originalId ?? []))
  const beneficiaries = unique(orders.flatMap(({ beneficiaryId }) => beneficiaryId ?? []))
  const accounts = unique(orders.flatMap((order) => [order.fromAccountId, order.toAccountId]))
  const sessions = unique(orders.map(({ caller }) => caller.sessionId))
  const toTime = beginReading(clock)
  const [begun, ...flight] = held.together(
    () =>
      [
        held.command('begin'),
        held.run(lockAccounts, [accounts]),
        held.run(readTime, []),
        held.run(readSessions, [sessions]),
        keyed.length > 0
          ? held.run(readClaims, [
              keyed.map(({ caller }) => caller.userId),
              keyed.map(({ key }) => key as string),
            ])
          : [],
        keyless.length > 0
          ? held.run(readRecent, [keyless.map(({ fingerprint }) => fingerprint)])
          : [],
        originals.length > 0 ? held.run(readTransfers, [originals]) : [],
        beneficiaries.length > 0 ? held.run(readStanding, [beneficiaries]) : [],
      ] as const,
  )
  await settled(held, [begun, ...flight])
  const rows = await Promise.all(flight)
  return planned(held, () => toFacts(rows, toTime(rows[1][0]?.at as Date)))
}

type Rows = [
  RowOf<typeof lockAccounts.gives>[],
  RowOf<typeof readTime.gives>[],
  RowOf<typeof readSessions.gives>[],
  RowOf<typeof readClaims.gives>[],
  RowOf<typeof readRecent.gives>[],
  RowOf<typeof readTransfers.gives>[],
  RowOf<typeof readStanding.gives>[],
]

function toFacts(
  [locked, , callers, claims, recent, transfers, beneficiaries]: Rows,
  now: number,
): Read {
  const isRecent = ({ created_at }: { created_at: Date }) =>
    created_at.getTime() > now - duplicateWindowMs
  return {
    now,
    facts: {
      accounts: new Map(locked.map((row) => [row.id, accountFromRow(row)])),
      callers: new Map(callers.map((row) => [row.id, row])),
      claims: new Map(
        claims
          .filter((row) => isLive(row, now))
          .map((row) => [toClaimName(row.caller_id, row.key), claimFromRow(row)]),
      ),
      recent: new Map(recent.filter(isRecent).map((row) => [row.fingerprint, row.transfer_id])),
      originals: new Map(transfers.map((row) => [row.id, transferFromRow(row)])),
      beneficiaries: new Map(beneficiaries.map((row) => [row.id, beneficiaryFromRow(row)])),
    },
    stale: claims
      .filter((row) => !isLive(row, now))
      .map(({ caller_id: callerId, key }) => ({ callerId, key })),
  }
}

/** Waits for all of a flight; the first failure of it is why the transaction is given up. */
async function settled(held: Held, flight: readonly unknown[]): Promise<void> {
  const results = await Promise.allSettled(flight)
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return
  await abandon(held)
  throw new NotCommitted('A statement failed', { cause: failed.reason })
}

/** The connection may be gone; then so is the transaction. */
const abandon = (held: Held): Promise<unknown> => held.command('rollback').catch(() => {})

/** Sends the writes with COMMIT behind them. Returns the transfers that are answered again. */
async function writePlan(
  held: Held,
  plan: Plan,
  stale: Read['stale'],
  now: number,
): Promise<Map<string, Transfer>> {
  const { writes, read, commit } = held.together(() => send(held, plan, stale, now))
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
  return new Map((await read).map((row) => [row.id, transferFromRow(row)]))
}

/** Runs every write, then COMMIT, without waiting for any of them. */
function send(held: Held, plan: Plan, stale: Read['stale'], now: number) {
  const replays = plan.outcomes.flatMap((outcome) =>
    'replayOf' in outcome ? outcome.replayOf : [],
  )
  const writes: Promise<unknown>[] = []
  if (plan.touched.size > 0) writes.push(held.run(writeBatch, toRows(plan)))
  if (plan.settlements.length > 0) {
    writes.push(held.run(writeSettlements, settlementRows(plan)))
  }
  if (plan.statuses.size > 0) writes.push(held.run(writeStatuses, statusRows(plan)))
  if (plan.claims.length > 0) writes.push(...claim(held, plan, stale, now))
  if (plan.events.length > 0) writes.push(addEvents(held, plan.events))
  const read = replays.length > 0 ? held.run(readTransfers, [replays]) : []
  return { writes, read, commit: held.command('commit') }
}

/** Claims are inserted in one order everywhere, so two batches wait in one direction only. */
function claim(held: Held, plan: Plan, stale: Read['stale'], now: number): Promise<unknown>[] {
  const claims = plan.claims.toSorted((one, other) =>
    rowClaimName(one) < rowClaimName(other) ? -1 : 1,
  )
  const at = new Date(now)
  const dropped =
    stale.length === 0
      ? []
      : [
          held.run(dropClaims, [
            stale.map((old) => old.callerId),
            stale.map((old) => old.key),
            new Date(now - keyLifetimeMs),
          ]),
        ]
  return [
    ...dropped,
    held.run(writeClaims, [
      claims.map(({ callerId }) => callerId),
      claims.map(({ key }) => key),
      claims.map(({ fingerprint }) => fingerprint),
      claims.map(({ transferId }) => transferId),
      claims.map(({ refusal }) => refusal),
      claims.map(() => at),
    ]),
  ]
}
const rowClaimName = ({ callerId, key }: { callerId: string; key: string }): string =>
  toClaimName(callerId, key)

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

function accountFromRow(row: RowOf<typeof lockAccounts.gives>): Locked {
  return {
    id: row.id,
    kind: row.kind as Locked['kind'],
    ownerId: row.owner_id,
    currency: row.currency,
    status: row.status as Locked['status'],
    balance: row.balance,
    overdraftLimit: row.overdraft_limit,
    dailyTransferLimit: row.daily_transfer_limit,
    spentOn: row.spent_on,
    spentAmount: row.spent_amount,
    seq: row.last_seq,
    hash: row.last_hash ?? zeroHash,
    lastEntryAt: row.last_entry_at?.getTime() ?? 0,
  }
}

const beneficiaryFromRow = (row: RowOf<typeof readStanding.gives>): Beneficiary => ({
  accountId: row.account_id,
  status: row.status as Beneficiary['status'],
})

export const claimFromRow = (row: RowOf<typeof readClaims.gives>) => ({
  fingerprint: row.fingerprint,
  transferId: row.transfer_id,
  refusal: row.refusal as Code | null,
})

export function transferFromRow(row: RowOf<typeof readTransfers.gives>): Transfer {
  return {
    id: row.id,
    kind: row.kind as Transfer['kind'],
    status: row.status as Transfer['status'],
    fromAccountId: row.from_account_id,
    toAccountId: row.to_account_id,
    fromSeq: row.from_seq,
    toSeq: row.to_seq,
    amount: row.amount,
    currency: row.currency as Currency,
    reference: row.reference,
    beneficiaryId: row.beneficiary_id,
    counterpartyName: row.counterparty_name,
    counterpartyIban: row.counterparty_iban,
    reversalOf: row.reversal_of,
    reversedBy: row.reversed_by,
    callerId: row.caller_id,
    createdAt: row.created_at.getTime(),
    isErased: row.is_erased,
  }
}
