// The plan of the one look for what is due in all queues. Each idle instance has it once a second,
// so each part of it reads the few rows of its own index.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { genericPlans } from '../src/database/connections/generic-plans.ts'
import { holidayRules } from '../src/domain/calendar/business-days.ts'
import { readQueues } from '../src/features/overview/due-sql.ts'
import { type Bank, bank } from './support/bank.ts'
import { people } from './support/people.ts'
import { indexesOf, rowsRead, sum } from './support/plans.ts'

const now = '2026-01-03T12:00:00Z'
const day = '2026-01-03'

/** Thousands of each queue that are done or are due on another day, and none that is due. */
async function fillQueues({ sql }: Bank, account: string): Promise<void> {
  const { id } = people.ada
  await sql(
    `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
     select gen_random_uuid(), 'phone-changed', $1, $2, $2::timestamptz + '1 day', 'infinity'
     from generate_series(1, 5000)`,
    [id, now],
  )
  await sql(
    `insert into payment_lists (id, account_id, maker_id, form, execute_on, digest, line_count,
       total, ready_count, ready_total, made_count, refused_count, status, caller_id, session_id,
       is_program, ordered_at, ended_at, created_at)
     select gen_random_uuid(), $2, $1, 'json', $4::date + n % 50 + 1, sha256(''), 1, 1, 1, 1,
       case when n > 2000 then 1 else 0 end, 0,
       case when n > 2000 then 'executed' else 'ordered' end, $1, $1, false, $3,
       case when n > 2000 then $3::timestamptz end, $3
     from generate_series(1, 5000) n`,
    [id, account, now, day],
  )
  await sql(
    `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
       to_account_id, amount, reference, rhythm, first_on, next_on, retry_days, created_at, status)
     select gen_random_uuid(), $2, $1, $1, $1, false, $2, 100, '', 'monthly', '2026-01-01',
       case when n <= 3000 then $4::date + n % 50 + 5 end, 5, $3,
       case when n <= 3000 then 'active' else 'ended' end
     from generate_series(1, 6000) n`,
    [id, account, now, day],
  )
  await sql(
    `insert into webhooks (id, url, description, types, hmac_key, seed, after_number, created_at)
     select gen_random_uuid(), 'https://a.example/', '', '{transfer.completed,card.issued}',
       sha256(''), sha256(''), 20000, $1
     from generate_series(1, 3)`,
    [now],
  )
  await sql(
    `insert into webhook_deliveries (id, webhook_id, number, type, at, account_ids, due_at, done_at)
     select gen_random_uuid(), w.id, n, 'transfer.completed', $1, '{}', $1::timestamptz + '1 hour',
       case when n > 1000 then $1::timestamptz end
     from webhooks w, generate_series(1, 5000) n`,
    [now],
  )
  await sql('truncate events')
  await sql(
    `insert into events (type, at, ids, last_number)
     select 'transfer.completed', $1, array[gen_random_uuid()], n from generate_series(1, 20000) n`,
    [now],
  )
  await sql(`vacuum analyze mails, payment_lists, standing_orders, webhooks, webhook_deliveries,
    events`)
}

test('the look for what is due in all queues reads each by its own index, and little of what is not due', async (t) => {
  const fixture = await bank(t)
  await fillQueues(fixture, await fixture.account())
  for (const setting of genericPlans) await fixture.sql(`set ${setting.replace('-c ', '')}`)
  const { webhooks: _, ...indexes } = await indexesOf(fixture, readQueues)
  assert.deepEqual(indexes, {
    mails: ['mails_due'],
    payment_lists: ['payment_lists_due', 'payment_lists_due'],
    standing_orders: ['standing_orders_untried_by_rule', 'standing_orders_waiting'],
    webhook_deliveries: ['webhook_deliveries_due'],
    events: ['events_numbered', 'events_not_numbered'],
  })
  const rules = [...holidayRules]
  const asked = [now, day, rules, rules.map(() => day)] as const
  const { 'Function Scan': __, ...read } = await rowsRead(fixture, readQueues, asked)
  // The three webhooks, twice.
  assert.ok(sum(read) <= 6, JSON.stringify(read))
  const found = await fixture.db.run(readQueues, [new Date(now), day, rules, rules.map(() => day)])
  const none = { mails: false, lists: false, orders: false, webhooks: false, events: false }
  assert.deepEqual(found, [none])
})
