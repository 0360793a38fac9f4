// Turns of the worker of standing orders: how many runs are in one, and that what fails in the
// middle of one, or ends it, neither keeps another order from its payment nor makes any twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBankCalendar } from '../../database/background/bank-calendar.ts'
import { type Database, openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { one, statement } from '../../database/statements/statement.ts'
import { utcDays } from '../../domain/days.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Movement, Submit, TransferMovement } from '../../ledger/rules/movement.ts'
import { deposit, openAccount, readBalance } from '../../../test/support/fixture.ts'
import { orderBank } from '../../../test/support/orders.ts'
import type { Span } from '../../../test/support/world.ts'
import { openOrders } from './worker.ts'

type Given = {
  /** How many payments of others the ledger has taken when it has taken that many runs. */
  others?(runs: number): number
  submit?(movement: Movement, submit: Submit, close: () => Promise<void>): Promise<unknown>
  database?: Database
}

/** A customer with orders of one day. */
async function turnBank(t: Span) {
  const bank = await orderBank(t, '100000.00')
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const { config, core } = bank.running
  const calendar = await readBankCalendar(db)
  return {
    ...bank,
    db,
    /** As many more orders like that one. */
    async copy(id: string, count: number) {
      await bank.sql(
        `insert into standing_orders overriding system value
         select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
         from standing_orders o, generate_series(1, $2) where o.id = $1`,
        [id, count],
      )
    },
    /** Works with a worker of its own; `atOnce` has the runs under way as each run begins. */
    async workIn({ others = () => 0, submit, database = db }: Given = {}) {
      const atOnce: number[] = []
      let endedCount = 0
      const orders = openOrders({
        db: database,
        config,
        clock: bank.clock,
        clocks: { require() {}, days: () => utcDays, calendar: () => calendar },
        log: { warn: (...told) => assert.fail(JSON.stringify(told)), error() {} },
        ledger: {
          askedCount: () => others(atOnce.length),
          submit: (async (movement: Movement) => {
            atOnce.push(atOnce.length + 1 - endedCount)
            const { ledger } = core
            return (
              submit ? submit(movement, ledger.submit, orders.close) : ledger.submit(movement)
            ).finally(() => endedCount++)
          }) as Submit,
        },
      })
      await orders.work()
      await orders.close()
      return { atOnce, failedCount: orders.failedCount() }
    },
    async outcomes() {
      const { rows } = await bank.sql(
        `select concat_ws(' ', outcome, refusal, count(*)) as told from standing_order_runs
         group by outcome, refusal order by outcome, refusal`,
      )
      return rows.map(({ told }) => told)
    },
  }
}

const once = { rhythm: 'once', firstOn: '2026-01-02', amount: '1.00' }

test('five times the square root of the payments of others in the last turn are under way, at least 4', async (t) => {
  const bank = await turnBank(t)
  await bank.copy(await bank.make(once), 639)
  // The first turn has 16 times 4 runs, with 32 payments beside each 4; the next has 128 runs, with
  // one payment; then 64, with none.
  let submittedCount = 0
  const others = (runs: number) => (runs < 64 ? 8 * runs : runs < 192 ? 512 : 513)
  const twoTurns = Promise.withResolvers<void>()
  const { atOnce, failedCount } = await bank.workIn({
    others,
    async submit(movement, submit) {
      submittedCount++
      // With none the next turn is taken while one runs.
      if (submittedCount === 512) twoTurns.resolve()
      if (submittedCount > 256 && submittedCount <= 512) await twoTurns.promise
      return submit(movement)
    },
  })
  const most = [0, 64, 192, 256].map((from, place, all) =>
    Math.max(...atOnce.slice(from, all[place + 1])),
  )
  assert.deepEqual([most, atOnce.length, failedCount], [[4, 29, 4, 256], 640, 0])
  assert.deepEqual(await bank.outcomes(), ['made 640'])
  assert.equal(await bank.balance(), '99360.00')
})

const planning = statement(
  'test_planning',
  [],
  { plans: 'text', hashJoin: 'text', mergeJoin: 'text', wholeTables: 'text' },
  `select current_setting('plan_cache_mode') as plans,
     current_setting('enable_hashjoin') as "hashJoin",
     current_setting('enable_mergejoin') as "mergeJoin",
     current_setting('enable_seqscan') as "wholeTables"`,
)

test('a turn is taken by one plan for any number of orders, and the connection plans on as before', async (t) => {
  const bank = await turnBank(t)
  await bank.make(once)
  const planned: unknown[] = []
  const database: Database = {
    ...bank.db,
    runTransaction: (work, opening) =>
      bank.db.runTransaction(async (tx) => {
        planned.push(await one(tx, planning, []))
        return work(tx)
      }, opening),
  }
  await bank.workIn({ database })
  await transaction(bank.db, async (tx) => void planned.push(await one(tx, planning, [])))
  const byKeys = {
    plans: 'force_generic_plan',
    hashJoin: 'off',
    mergeJoin: 'off',
    wholeTables: 'off',
  }
  const afterwards = planned.pop()
  // The order is taken, and then no more is found.
  assert.ok(planned.length >= 2)
  for (const plan of planned) assert.deepEqual(plan, byKeys)
  assert.deepEqual(afterwards, {
    plans: 'auto',
    hashJoin: 'on',
    mergeJoin: 'on',
    wholeTables: 'on',
  })
})

test('an order that becomes due before those that a turn has taken is paid after the last of these', async (t) => {
  const bank = await turnBank(t)
  const id = await bank.make(once)
  await bank.copy(id, 199)
  const days: string[] = []
  await bank.workIn({
    async submit(movement, submit) {
      days.push((movement as TransferMovement).run?.dueOn ?? '')
      if (days.length === 1) {
        await bank.sql(
          `insert into standing_orders overriding system value
           select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(),
             'first_on', '2026-01-01', 'next_on', '2026-01-01', 'leased_until', null))).*
           from standing_orders o where o.id = $1`,
          [id],
        )
      }
      return submit(movement)
    },
  })
  assert.deepEqual([days.length, days.indexOf('2026-01-01')], [201, 200])
  assert.deepEqual(await bank.outcomes(), ['made 201'])
})

test('a full turn of two currencies, of what an account lacks and of what its limit refuses makes each payment once', async (t) => {
  const bank = await turnBank(t)
  const dollars = await openAccount(bank.ada(), 'USD')
  const second = await openAccount(bank.ada(), 'USD')
  await deposit(await bank.as('root'), dollars, '30.00', 'USD')
  const made = await bank.ada().post(`/api/v1/accounts/${dollars}/orders`, {
    ...once,
    currency: 'USD',
    toAccountId: second,
    reference: '',
  })
  assert.equal(made.status, 201, made.text)
  // The account has thirty dollars for fifty orders; the day's limit lets forty euros leave.
  await bank.copy(made.body.id, 49)
  await bank.copy(await bank.make(once), 109)
  await bank.sql('update accounts set daily_transfer_limit = 4000 where id = $1', [bank.from])
  assert.equal((await bank.workIn()).atOnce.length, 160)
  assert.deepEqual(await bank.outcomes(), [
    'made 70',
    'refused insufficient_funds 20',
    'refused limit_exceeded 70',
  ])
  assert.equal(await bank.balance(), '99960.00')
  assert.equal(await readBalance(bank.ada(), dollars), '0.00')
  assert.equal(await readBalance(bank.ada(), second), '30.00')
})

test('a defect of one run in the middle of a full turn leaves the others made, and that one for later', async (t) => {
  const bank = await turnBank(t)
  await bank.copy(await bank.make(once), 159)
  const { rows } = await bank.sql('select id from standing_orders order by id offset 100 limit 1')
  await bank.sql(`create function fail_run() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
  await bank.sql(`create trigger fail before insert on standing_order_runs
    for each row when (new.order_id = '${String(rows[0]?.['id'])}') execute function fail_run()`)
  assert.equal((await bank.workIn()).failedCount, 1)
  assert.deepEqual(await bank.outcomes(), ['made 159'])
  await bank.sql('drop trigger fail on standing_order_runs')
  bank.clock.advance(30_000)
  assert.equal((await bank.workIn()).atOnce.length, 1)
  assert.deepEqual(await bank.outcomes(), ['made 160'])
  assert.equal(await bank.balance(), '99840.00')
})

test('no run of a turn begins once the service ends, or 15 s after the turn began', async (t) => {
  const bank = await turnBank(t)
  await bank.copy(await bank.make(once), 63)
  for (const [end, expected] of [
    ['late', 4],
    ['in time', 60],
  ] as const) {
    bank.clock.advance(30_000)
    let isFirst = true
    const { atOnce } = await bank.workIn({
      async submit(movement, submit) {
        const outcome = await submit(movement)
        if (isFirst) bank.clock.advance(end === 'late' ? 15_000 : 14_999)
        isFirst = false
        return outcome
      },
    })
    assert.equal(atOnce.length, expected, end)
  }
  await bank.copy(await bank.make(once), 63)
  const { atOnce } = await bank.workIn({
    async submit(movement, submit, close) {
      void close()
      return submit(movement)
    },
  })
  assert.equal(atOnce.length, 1)
})

test('a service that ends in the middle of a full turn leaves each run to its lease, and none is made twice', async (t) => {
  const bank = await turnBank(t)
  await bank.copy(await bank.make(once), 159)
  let count = 0
  const { atOnce, failedCount } = await bank.workIn({
    async submit(movement, submit) {
      const place = ++count
      if (place > 100) throw new Refusal('unavailable', { outage: 'closing', because: 'closing' })
      const outcome = await submit(movement)
      // It is made, and its answer is lost.
      if (place > 90) throw new Refusal('outcome_unknown')
      return outcome
    },
  })
  assert.deepEqual([atOnce.length, failedCount], [160, 70])
  assert.deepEqual(await bank.outcomes(), ['made 100'])
  assert.equal((await bank.workIn()).atOnce.length, 0)
  bank.clock.advance(30_000)
  assert.equal((await bank.workIn()).atOnce.length, 60)
  assert.deepEqual(await bank.outcomes(), ['made 160'])
  assert.equal(await bank.balance(), '99840.00')
})
