// A bank without its listeners: a database of its own, the ledger on it, and accounts with money.
// For tests of what lies below the interface.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import pg from 'pg'
import { type FakeClock, fakeClock } from './clock.ts'
import {
  type Address,
  type ServiceDatabase,
  openDatabase,
} from '../../src/database/connections/connect.ts'
import { type Code, Refusal } from '../../src/domain/errors.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Db } from '../../src/database/statements/statement.ts'
import { execute } from '../../src/database/statements/query.ts'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import { type Ledger, openLedger } from '../../src/ledger/batch/batch.ts'
import type {
  MovementCaller,
  MovementOf,
  Transfer,
  TransferMovement,
} from '../../src/ledger/rules/movement.ts'
import { lastTime } from './damages.ts'
import { headsOfEmpty } from './heads.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { workHere } from '../../src/ledger/proof/verify-workers.ts'
import type { Role } from '../../src/gate/roles.ts'
import { cloneTemplate, cluster, type Span } from './database.ts'
import { people } from './people.ts'

const shared = await cluster()
after(() => shared.stop())

export type Bank = {
  address: Address
  db: ServiceDatabase
  ledger: Ledger
  clock: FakeClock
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /**
   * The mismatch that the verification names after a change; the change is rolled back.
   *
   * @param find verifies; by default all, and again as what is new since the bank was empty
   */
  mismatchAfter(change: () => Promise<unknown>, find?: FindMismatch): Promise<string>
  /** A new account of Ada's with that balance. */
  account(balance?: bigint, owner?: keyof typeof people): Promise<string>
  balance(accountId: string): Promise<bigint>
  /** Ada's transfer of one cent; `more` replaces parts of it. */
  movement(from: string, to: string, more?: Partial<TransferMovement>): TransferMovement
  deposit(to: string, amount: bigint): Promise<void>
}

export const sessions = { ada: newId(1), ben: newId(2), root: newId(3) }

const toCaller = (name: keyof typeof sessions, role: Role): MovementCaller => ({
  userId: people[name].id,
  sessionId: sessions[name],
  kid: null,
  role,
})
export const callers = {
  ada: toCaller('ada', 'customer'),
  ben: toCaller('ben', 'customer'),
  root: toCaller('root', 'admin'),
}

type FindMismatch = (db: Db, bankIds: readonly string[]) => Promise<string | undefined>

const findMismatch: FindMismatch = async (db, bankIds) => {
  const { mismatch } = await verifyLedger(db, { now: 0 })
  // Of transfers that are older than a minute the entries are counted, not looked up.
  const old = await verifyLedger(db, { now: lastTime, workers: workHere(db, 2) })
  assert.equal(old.mismatch, mismatch)
  const since = headsOfEmpty(bankIds)
  const onlyNew = await verifyLedger(db, { now: lastTime, since, onlyNewFrom: 0 })
  assert.equal(onlyNew.mismatch, mismatch)
  return mismatch
}

let countries = 0

export async function bank(t: Span): Promise<Bank> {
  const { address, stop } = await cloneTemplate(shared)
  const clock = fakeClock()
  const db = openDatabase(address)
  const ledger = openLedger(db, clock)
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  t.after(async () => {
    await ledger.close()
    await db.close()
    await owner.end()
    await stop()
  })
  const sql: Bank['sql'] = async (text, values) => (await owner.query(text, values)).rows
  let before: Promise<unknown> = Promise.resolve()
  // One connection, as each change is seen there alone: statements take turns.
  const typed: Db = {
    run(statement, values) {
      const answer = before.then(() => execute(owner, statement, values))
      before = answer.catch(() => {})
      return answer
    },
  }
  for (const [name, id] of Object.entries(sessions)) {
    await sql(
      `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
       values ($1, $2, '2026-01-01', '2026-01-02', '2027-01-01')`,
      [id, people[name as keyof typeof sessions].id],
    )
  }
  const deposit = async (to: string, amount: bigint) => {
    await ledger.submit({
      kind: 'deposit',
      fromAccountId: bankAccount('cash', 'EUR'),
      toAccountId: to,
      amount,
      currency: 'EUR',
      reference: 'Seed',
      caller: callers.root,
    })
  }
  return {
    address,
    db,
    ledger,
    clock,
    sql,
    deposit,
    async mismatchAfter(change, find = findMismatch) {
      const own = await sql(`select id from accounts where kind <> 'customer' order by id`)
      await sql('begin')
      try {
        await change()
        return (
          (await find(
            typed,
            own.map(({ id }) => id as string),
          )) ?? 'nothing'
        )
      } finally {
        await sql('rollback')
      }
    },
    async account(balance = 0n, name = 'ada') {
      const id = newId(clock.now())
      const iban = `XX00${String(countries++).padStart(16, '0')}`
      await sql(
        `insert into accounts (id, owner_id, iban, currency, created_at)
         values ($1, $2, $3, 'EUR', '2026-01-01')`,
        [id, people[name].id, iban],
      )
      if (balance > 0n) await deposit(id, balance)
      return id
    },
    async balance(accountId) {
      const rows = await sql('select balance::text from accounts where id = $1', [accountId])
      return BigInt(rows[0]?.['balance'] as string)
    },
    movement: (fromAccountId, toAccountId, more) => ({
      kind: 'transfer',
      fromAccountId,
      toAccountId,
      amount: 1n,
      currency: 'EUR',
      reference: '',
      caller: callers.ada,
      ...more,
    }),
  }
}

/** A payee of that account at another bank, the same one each time, as a movement names it. */
export async function payeeElsewhere({ sql }: Bank, from: string) {
  const counterparty = { name: 'Elsewhere', iban: 'DE89370400440532013000' }
  await sql(
    `insert into beneficiaries (id, account_id, name, iban, created_at)
     values ($1, $2, $3, $4, '2026-01-01') on conflict do nothing`,
    [newId(1), from, counterparty.name, counterparty.iban],
  )
  const [known] = await sql('select id from beneficiaries where account_id = $1', [from])
  return { counterparty, reference: 'Rent', beneficiaryId: known?.['id'] as string }
}

/** A payment of Ada's out of that account to another bank: it waits in clearing. */
export async function payElsewhere(made: Bank, from: string, amount = 7n): Promise<Transfer> {
  const more = { amount, ...(await payeeElsewhere(made, from)), key: newId(1) }
  const movement = made.movement(from, bankAccount('clearing', 'EUR'), more)
  return (await made.ledger.submit(movement)).transfer
}

/** The administrator's movement to settle such a payment, or to return it. */
export function finishing<K extends 'settlement' | 'return'>(
  { id, fromAccountId: payer, toAccountId: clearing, amount }: Transfer,
  kind: K,
) {
  const [fromAccountId, toAccountId] = kind === 'return' ? [clearing, payer] : [payer, clearing]
  const money = { amount, currency: 'EUR', reference: '' } as const
  const about = { originalId: id, caller: callers.root }
  return { kind, fromAccountId, toAccountId, ...money, ...about } as MovementOf<K>
}

export const code = async (answer: Promise<unknown>): Promise<Code | 'done'> => {
  try {
    await answer
    return 'done'
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.code
    throw thrown
  }
}

export async function expectRefusal(answer: Promise<unknown>): Promise<Refusal> {
  const thrown = await answer.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(thrown instanceof Refusal, String(thrown))
  return thrown
}
