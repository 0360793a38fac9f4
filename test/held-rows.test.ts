// What the service does by itself passes over a row that another transaction holds, a request or
// another instance: it neither waits for it nor changes it.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { transaction } from '../src/database/connections/transaction.ts'
import { type Db, statements } from '../src/database/statements/statement.ts'
import { newId } from '../src/domain/ids.ts'
import { endDueDrafts } from '../src/features/drafts/sql.ts'
import { takeDueMails } from '../src/features/mail/sql.ts'
import { takeDueOrders, takeWaitingOrders } from '../src/features/orders/sql.ts'
import { takeDueLines } from '../src/features/payment-lists/due-sql.ts'
import { cancelForgottenLists } from '../src/features/payment-lists/sql.ts'
import { lockPlace } from '../src/features/payments/index-sql.ts'
import { lockedCursor, takeDueDeliveries } from '../src/features/webhooks/delivery-sql.ts'
import { sweepOrderTexts } from '../src/ledger/erasure/order-texts.ts'
import { sweepHolds } from '../src/ledger/rows/holds.ts'
import { bank } from './support/bank.ts'

const now = Date.UTC(2026, 0, 2, 9)
const day = '2026-01-02'
const lease = { now, leaseEnd: now + 1000, count: 5, day }

type Case = {
  /** Its row: `$1` is its identifier, `$2` an account of a customer, `$3` the time. */
  insert?: string
  /** What the other transaction holds. */
  held: string
  /** Gives what it took. */
  take: (tx: Db, id: string) => Promise<unknown>
}

const order = (triedOn: string) =>
  `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
     to_account_id, amount, reference, rhythm, first_on, next_on, retry_days, created_at, tried_on)
   values ($1::uuid, $2::uuid, $1, $1, $1, false, $2, 1, '', 'monthly', '${day}', '${day}', 5,
     $3::timestamptz, ${triedOn})`
const list = (columns: string, values: string) =>
  `insert into payment_lists (id, account_id, maker_id, form, digest, salt, line_count, total,
     ready_count, ready_total, refused_count, created_at, ${columns})
   values ($1::uuid, $2::uuid, $1, 'json', sha256(''), substr(sha256(''), 1, 16), 1, 1, 1, 1, 0,
     $3::timestamptz, ${values})`

/** By the statement that takes it. */
const cases: Readonly<Record<string, Case>> = {
  orders_take_due: {
    insert: order('null'),
    held: 'standing_orders',
    take: (tx) => takeDueOrders(tx, { ...lease, due: { pay: day, before: day, after: day } }),
  },
  orders_take_again: {
    insert: order(`'2026-01-01'`),
    held: 'standing_orders',
    take: async (tx) => (await takeWaitingOrders(tx, lease)).due,
  },
  orders_take_texts: {
    insert: `insert into order_erasures (id) select $2::uuid from (values ($1, $3)) as v`,
    held: 'order_erasures',
    take: (tx) => sweepOrderTexts(tx, now),
  },
  mail_take_due: {
    insert: `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
      select $1::uuid, 'password-changed', owner_id, $3, $3, $3::timestamptz
      from accounts where id = $2`,
    held: 'mails',
    take: (tx) => takeDueMails(tx, now, lease.leaseEnd, 5),
  },
  lists_take_due: {
    insert: `with made as (${list(
      'status, caller_id, session_id, is_program, ordered_at',
      `'ordered', $1, $1, false, $3`,
    )}) insert into payment_list_lines (list_id, place, to_account_id, reference, amount,
          is_refused_early)
        values ($1, 0, $2, '', 1, false)`,
    held: 'payment_lists',
    take: (tx) => takeDueLines(tx, { ...lease, lists: 5, lines: 5 }),
  },
  lists_cancel_forgotten: {
    insert: list('status', `'checked'`),
    held: 'accounts',
    take: (tx) => cancelForgottenLists(tx, now, now),
  },
  drafts_end_due: {
    insert: `insert into payment_drafts (id, account_id, maker_id, to_account_id, amount, reference,
        expires_at, created_at)
      values ($1::uuid, $2::uuid, $1, $2, 1, '', $3, $3::timestamptz)`,
    held: 'payment_drafts',
    take: (tx) => endDueDrafts(tx, now),
  },
  webhooks_lock_cursor: {
    insert: `insert into webhooks (id, url, description, types, hmac_key, seed, after_number,
        created_at)
      select $1::uuid, 'https://a.example/', '', '{account.opened}', sha256(''), sha256(''), 0,
        $3::timestamptz from (values ($2)) as v`,
    held: 'webhooks',
    take: async (tx, id) => [await lockedCursor(tx, id)].filter(Boolean),
  },
  webhook_deliveries_take_due: {
    insert: `with made as (
        insert into webhooks (id, url, description, types, hmac_key, seed, after_number, created_at)
        values ($1::uuid, 'https://a.example/', '', '{account.opened}', sha256(''), sha256(''), 0,
          $3::timestamptz)
      ) insert into webhook_deliveries (id, webhook_id, number, type, at, account_ids, due_at)
        values ($2::uuid, $1, 1, 'account.opened', $3, '{}', $3)`,
    held: 'webhook_deliveries',
    take: (tx) => takeDueDeliveries(tx, now, lease.leaseEnd, [], 5),
  },
  payments_lock_place: {
    held: 'payment_terms_place',
    take: async (tx) => [await lockPlace(tx)].filter(Boolean),
  },
  ledger_lock_due_holds: {
    insert: `with counted as (
        update accounts set held = 1, active_holds = 1 where id = $2
      ) insert into holds (id, account_id, kind, currency, reference, caller_id, created_at,
        amount, remaining, status, expires_at)
      values ($1::uuid, $2::uuid, 'dispute', 'EUR', '', $1, $3, 1, 1, 'active', $3::timestamptz)`,
    held: 'accounts',
    take: (tx) => sweepHolds(tx, now),
  },
}

/** The purges by age are in `retention.test.ts`. */
const others = {
  ledger_find_held: 'finds what is held: src/ledger/batch/locked-accounts.test.ts',
  ibans_take_pooled: 'test/banks.test.ts',
}

test('each statement that passes over held rows is in one of these tables', async () => {
  const source = fileURLToPath(new URL('../src', import.meta.url))
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) await import(`${source}/${file}`)
  }
  const passing = [...statements.values()].filter(
    ({ text }) => text.includes('skip locked') && !/delete from \w+ where ctid/.test(text),
  )
  assert.deepEqual(
    passing.map(({ name }) => name).toSorted(),
    [...Object.keys(cases), ...Object.keys(others)].toSorted(),
  )
})

test('what the service does by itself passes over what another transaction holds, and comes back to it', async (t) => {
  const { db, sql, account } = await bank(t)
  const accountId = await account(100n)
  for (const [name, { insert, held, take }] of Object.entries(cases)) {
    const id = newId(now)
    const run = async (): Promise<number> => {
      const taken = await transaction(db, (tx) => take(tx, id))
      return Array.isArray(taken) ? taken.length : Number(taken)
    }
    // Rows that refer to no other ones.
    await sql('set session_replication_role = replica')
    if (insert) await sql(insert, [id, accountId, new Date(now)])
    await sql('reset session_replication_role')
    await sql('begin')
    await sql(`select from ${held} for update`)
    assert.equal(await run(), 0, `${name}: it is held`)
    await sql('commit')
    assert.equal(await run(), 1, `${name}: it is free`)
  }
})
