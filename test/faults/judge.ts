// Compares the books with the answers that the clients got. The books are read from the database,
// after the storm, when everything that could be settled is.
import { longReadMs } from '../../src/cli/database.ts'
import { openDatabase, type LocalAddress } from '../../src/database/connections/connect.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { queryUntilAnswered } from './base.ts'
import { type History, isFinal, type Payment, toState, underLoad, violate } from './history.ts'
import { judgeLists } from './lists.ts'
import type { Seeded } from './seed.ts'

type Row = { id: string; from: string; to: string; cents: bigint; reference: string; at: number }
type Books = {
  transfers: Row[]
  /** Money from and to other banks, and what was brought back. */
  others: Pick<Row, 'from' | 'to' | 'cents'>[]
  balances: Map<string, bigint>
  /** How far below zero clearings have left them. */
  unarranged: Map<string, bigint>
}

/** The longest time to an answer, under any fault. Milliseconds. */
const answerMsMax = 10_000

export async function judge(
  history: History,
  seeded: Seeded,
  address: LocalAddress,
): Promise<void> {
  const books = await readBooks(address)
  const payments = Map.groupBy(books.transfers, ({ reference }) => reference)
  await judgeLists(history, payments, address)
  judgePayments(history, payments)
  judgeBalances(history, seeded, books)
  judgeFreezes(history, books)
  judgeSlowness(history)
  await judgeClaims(history, address)
  await judgeSessions(history, address)
  await judgeSums(history, address)
}

async function readBooks(address: LocalAddress): Promise<Books> {
  const transfers = await queryUntilAnswered(
    address,
    `select id, from_account_id, to_account_id, amount::text, reference, created_at
     from transfers where kind = 'transfer'`,
  )
  const others = await queryUntilAnswered(
    address,
    `select from_account_id, to_account_id, amount::text from transfers
     where kind not in ('transfer', 'deposit')`,
  )
  const balances = await queryUntilAnswered(
    address,
    'select id, balance::text, unarranged::text from accounts',
  )
  return {
    transfers: transfers.map((row) => ({
      id: row['id'] as string,
      from: row['from_account_id'] as string,
      to: row['to_account_id'] as string,
      cents: BigInt(row['amount'] as string),
      reference: row['reference'] as string,
      at: (row['created_at'] as Date).getTime(),
    })),
    others: others.map((row) => ({
      from: row['from_account_id'] as string,
      to: row['to_account_id'] as string,
      cents: BigInt(row['amount'] as string),
    })),
    balances: new Map(
      balances.map((row) => [row['id'] as string, BigInt(row['balance'] as string)]),
    ),
    unarranged: new Map(
      balances.map((row) => [row['id'] as string, BigInt(row['unarranged'] as string)]),
    ),
  }
}

/** Acknowledged: there once, as asked for. Refused: not there. Nothing else is there. */
function judgePayments(history: History, found: Map<string, Row[]>): void {
  for (const payment of history.payments) {
    const { reference, cents, from, to } = payment
    const rows = found.get(reference) ?? []
    found.delete(reference)
    const state = toState(payment)
    if (rows.length > 1) violate(history, `${reference} was doubled: ${rows.length} transfers`)
    if (state === 'ok' && rows.length === 0) {
      violate(history, `${reference} was acknowledged and is lost: ${told(payment)}`)
    }
    if (state === 'refused' && rows.length > 0) {
      violate(history, `${reference} was refused and took effect: ${told(payment)}`)
    }
    for (const row of rows) {
      if (row.cents !== cents || row.from !== from || row.to !== to) {
        violate(history, `${reference} is another payment in the books`)
      }
      if (payment.attempts.some(({ id }) => id !== undefined && id !== row.id)) {
        violate(history, `${reference} was answered with another transfer than it is`)
      }
    }
  }
  for (const reference of found.keys()) {
    violate(history, `Nobody asked for the payment ${reference}`)
  }
}

const told = ({ key, attempts }: Payment): string =>
  `${key === undefined ? 'without a key' : 'with a key'}, answered ` +
  attempts.map(({ status, code }) => `${status ?? 'nothing'} ${code ?? ''}`.trim()).join(', ')

/**
 * Every account holds its opening balance and its payments in the books, and is not overdrawn but
 * by what was cleared.
 */
function judgeBalances(history: History, seeded: Seeded, books: Books): void {
  const { transfers, others, balances } = books
  const expected = new Map(seeded.opening)
  const move = (id: string, cents: bigint) => expected.set(id, (expected.get(id) ?? 0n) + cents)
  for (const { from, to, cents } of [...transfers, ...others]) {
    move(from, -cents)
    move(to, cents)
  }
  for (const [id, cents] of expected) {
    const balance = balances.get(id)
    if (balance !== cents) {
      violate(history, `Account ${id} holds ${balance}, and its payments say ${cents}`)
    }
    const isCustomers = seeded.opening.has(id)
    const floor = -(books.unarranged.get(id) ?? 0n)
    if (isCustomers && balance !== undefined && balance < floor) {
      violate(history, `Account ${id} is overdrawn`)
    }
  }
}

/** Times are whole milliseconds, read by two processes. */
const marginMs = 5

function judgeFreezes(history: History, { transfers }: Books): void {
  const byAccount = Map.groupBy(transfers, ({ from }) => from)
  for (const { accountId, fromTime, untilTime } of history.freezes) {
    const late = (byAccount.get(accountId) ?? []).filter(
      ({ at }) => at > fromTime + marginMs && at < untilTime - marginMs,
    )
    for (const { reference, at } of late) {
      violate(history, `${reference} left an account frozen for ${at - fromTime} ms`)
    }
  }
  for (const payment of history.payments) {
    const [first] = payment.attempts
    const ok = payment.attempts.find(({ status }) => status === 201)
    if (!first || !ok) continue
    const frozen = history.freezes.find(
      ({ accountId, from, until }) =>
        accountId === payment.from && first.sentAt > from && ok.endedAt < until,
    )
    if (frozen) violate(history, `${payment.reference} was accepted from a frozen account`)
  }
}

/**
 * Leaves out the times in which a service was stopped. Under a load above 1 the bound rises with
 * it.
 */
function judgeSlowness(history: History): void {
  const bound = underLoad(history, answerMsMax)
  for (const { what, sentAt, endedAt } of history.slow) {
    const paused = history.pauses
      .map(({ from, until }) => Math.max(0, Math.min(until, endedAt) - Math.max(from, sentAt)))
      .reduce((sum, ms) => sum + ms, 0)
    const ms = Math.round(endedAt - sentAt - paused)
    if (ms > bound) violate(history, `${what} took ${ms} ms`)
  }
}

/** Each key stands for the outcome of its payment. */
async function judgeClaims(history: History, address: LocalAddress): Promise<void> {
  const rows = await queryUntilAnswered(address, 'select key, transfer_id, refusal from claims')
  const claims = new Map(rows.map((row) => [row['key'] as string, row]))
  for (const { key, reference, attempts } of history.payments) {
    if (key === undefined) continue
    const claim = claims.get(key)
    const ok = attempts.find(({ id }) => id !== undefined)
    if (ok && claim?.['transfer_id'] !== ok.id) {
      violate(history, `${reference} was acknowledged and its key stands for something else`)
    }
    const refused = attempts.find((each) => each.status === 409 && isFinal(each))
    if (refused && claim?.['refusal'] !== refused.code) {
      violate(history, `${reference} was refused as ${refused.code} and its key says otherwise`)
    }
  }
}

async function judgeSessions(history: History, address: LocalAddress): Promise<void> {
  const rows = await queryUntilAnswered(address, 'select id from current_sessions')
  const alive = new Set(rows.map(({ id }) => id as string))
  for (const { id, overAt } of history.sessions) {
    if (overAt !== undefined && alive.has(id)) violate(history, `Session ${id} is alive again`)
  }
}

async function judgeSums(history: History, address: LocalAddress): Promise<void> {
  const sums = await queryUntilAnswered(
    address,
    `select coalesce(sum(amount), 0)::text as entries,
            (select sum(balance)::text from accounts) as balances from entries`,
  )
  const { entries, balances } = sums[0] ?? {}
  if (entries !== '0') violate(history, `All entries together come to ${entries as string}`)
  if (balances !== '0') violate(history, `All accounts together hold ${balances as string}`)
  // As the command has it: a page of the proof may wait for a busy machine.
  const db = openDatabase(address, { readMs: longReadMs })
  const { mismatch } = await verifyLedger(db)
  await db.close()
  if (mismatch !== undefined) violate(history, `verify: ${mismatch}`)
}
