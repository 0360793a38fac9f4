// The look for what is due: each queue is told to its worker within a second of its time.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { scene } from '../../test/support/fixture.ts'
import { until } from '../../test/support/mailbox.ts'
import { listScene } from '../../test/support/payment-lists.ts'
import { mockTimers } from '../../test/support/timers.ts'
import { people, world, type World } from '../../test/support/world.ts'
import { readBankCalendar } from '../database/background/bank-calendar.ts'
import { openDatabase } from '../database/connections/connect.ts'
import type { Db } from '../database/statements/statement.ts'
import { utcDays } from '../domain/days.ts'
import { newId } from '../domain/ids.ts'
import { watchDue } from './due.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The database answers as told; the workers say that they were woken. */
function watched(t: TestContext) {
  mockTimers(t, 'setInterval')
  const state = { due: {}, isAway: false, looks: 0, woken: [] as string[], numbered: 0 }
  let held: Promise<unknown> | undefined
  const run = async () => {
    state.looks++
    if (state.isAway) throw new Error('away')
    return [{ mails: false, lists: false, orders: false, webhooks: false, ...state.due }]
  }
  const worker = (name: string) => ({ wake: () => void state.woken.push(name) })
  const clocks = {
    days: () => utcDays,
    calendar: () => ({ at: () => ({ dueUntil: (day: string) => day }) }) as never,
    lane: { run } as unknown as Db,
  }
  const numberEvents = async () => {
    state.numbered++
    await held
    state.due = { webhooks: true }
  }
  const due = watchDue(
    { clock: fakeClock(), clocks, numberEvents },
    {
      mails: worker('mails'),
      lists: worker('lists'),
      orders: worker('orders'),
      webhooks: worker('webhooks'),
    },
  )
  return {
    ...due,
    state,
    /** From now on events are numbered when it is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    async pass(ms: number): Promise<string[]> {
      t.mock.timers.tick(ms)
      for (let turns = 0; turns < 5; turns++) await turn()
      return state.woken.splice(0)
    },
  }
}

test('one look a second wakes the workers that have something to do, and no other, also after one that found nothing', async (t) => {
  const { state, pass, stop } = watched(t)
  assert.deepEqual([await pass(999), state.looks], [[], 0])
  assert.deepEqual([await pass(1), state.looks], [[], 1])
  for (const name of ['mails', 'lists', 'orders', 'webhooks']) {
    state.due = { [name]: true }
    assert.deepEqual(await pass(1000), [name])
  }
  assert.equal(state.looks, 5)
  state.due = { events: true }
  assert.deepEqual(await pass(1000), ['webhooks'], 'what was numbered is told at once')
  assert.deepEqual([state.numbered, state.looks], [1, 7])
  state.isAway = true
  assert.deepEqual(await pass(1000), ['mails', 'lists', 'orders', 'webhooks'])
  state.isAway = false
  state.due = {}
  assert.deepEqual(await pass(1000), [])
  await stop()
  assert.deepEqual([await pass(5000), state.looks], [[], 9])
})

test('events that take long to number keep no queue waiting, and the end waits for them', async (t) => {
  const { state, pass, hold, stop } = watched(t)
  const release = hold()
  state.due = { events: true, mails: true }
  assert.deepEqual(await pass(1000), ['mails'])
  state.due = { events: true, orders: true }
  assert.deepEqual(await pass(1000), ['orders'])
  assert.deepEqual([state.numbered, state.looks], [1, 2])
  let isStopped = false
  const stopped = stop().then(() => (isStopped = true))
  assert.deepEqual([await pass(1000), isStopped], [[], false])
  // Without an answer the webhooks look for themselves.
  state.isAway = true
  release()
  await stopped
  assert.deepEqual(state.woken, ['webhooks'])
})

/** What the look finds in that bank. */
async function finder(t: TestContext, bank: World) {
  mockTimers(t, 'setInterval')
  const db = openDatabase(bank.address)
  const calendar = await readBankCalendar(db)
  const woken: string[] = []
  let looked = Promise.withResolvers<void>()
  const lane: Db = {
    async run(...asked) {
      const rows = await db.run(...asked)
      setImmediate(() => looked.resolve())
      return rows
    },
  }
  const worker = (name: string) => ({ wake: () => void woken.push(name) })
  const due = watchDue(
    {
      clock: bank.clock,
      clocks: { days: () => utcDays, calendar: () => calendar, lane },
      numberEvents: async () => {},
    },
    {
      mails: worker('mails'),
      lists: worker('lists'),
      orders: worker('orders'),
      webhooks: worker('webhooks'),
    },
  )
  t.after(() => due.stop().then(() => db.close()))
  return async (): Promise<string[]> => {
    await bank.running.core.feed.last()
    looked = Promise.withResolvers<void>()
    t.mock.timers.tick(1000)
    await looked.promise
    await turn()
    return woken.splice(0)
  }
}

/** Makes a standing order of every month. */
async function order(
  { ada, from, payeeId }: Awaited<ReturnType<typeof listScene>>,
  firstOn: string,
  amount = '100.00',
): Promise<string> {
  const terms = {
    beneficiaryId: payeeId,
    amount,
    currency: 'EUR',
    rhythm: 'monthly',
    firstOn,
    retryDays: 2,
  }
  const made = await ada().post(`/api/v1/accounts/${from}/orders`, terms)
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}

test('each queue is found at its time, to the millisecond, and no more once its worker has run', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { orders, outbox, webhooks } = bank.running.core
  await bank.work()
  const find = await finder(t, bank)
  const at = async (time: string) => {
    bank.clock.advance(Date.parse(time) - bank.clock.now())
    return find()
  }
  assert.deepEqual(await find(), [])
  const root = await bank.as('root')
  const hook = { url: 'https://192.0.2.1/in', types: ['account.opened'] }
  assert.equal((await root.post('/api/v1/admin/webhooks', hook)).status, 201)
  await order(bank, '2026-01-06')
  const waiting = await order(bank, '2026-01-05', '5000.00')
  await bank.order([bank.known('1.00')], { executeOn: '2026-01-07' })
  const mailAt = new Date('2026-01-04T12:00:00.000Z')
  await bank.sql(
    `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
     values ($1, 'password-changed', $2, $3, $3, $4)`,
    [newId(mailAt.getTime()), people.ada.id, mailAt, new Date('2026-02-01')],
  )
  await outbox.work()
  assert.deepEqual(await find(), [])
  assert.deepEqual(await at('2026-01-04T11:59:59.999Z'), [])
  assert.deepEqual(await at('2026-01-04T12:00:00.000Z'), ['mails'])
  await outbox.work()
  assert.deepEqual(await at('2026-01-04T23:59:59.999Z'), [])
  assert.deepEqual(await at('2026-01-05T00:00:00.000Z'), ['orders'])
  await orders.work()
  await outbox.work()
  // Its account may get money at any time.
  assert.deepEqual(await find(), ['orders'])
  await bank.sql(
    `update standing_orders set tried_on = null, next_on = '2026-02-05' where id = $1`,
    [waiting],
  )
  assert.deepEqual(await at('2026-01-05T23:59:59.999Z'), [])
  assert.deepEqual(await at('2026-01-06T00:00:00.000Z'), ['orders'])
  await orders.work()
  await outbox.work()
  assert.deepEqual(await at('2026-01-06T23:59:59.999Z'), [])
  assert.deepEqual(await at('2026-01-07T00:00:00.000Z'), ['lists'])
  await bank.work()
  assert.deepEqual(await find(), [])
  await bank.login('ada').then((ada) => ada.post('/api/v1/accounts', { currency: 'EUR' }))
  await outbox.work()
  assert.deepEqual(await find(), ['webhooks'], 'behind the events')
  await bank.sql('update webhooks set after_number = (select number from last_event)')
  assert.deepEqual(await find(), [])
  await webhooks.close()
  const deliveryAt = new Date(bank.clock.now() + 500)
  await bank.sql(
    `insert into webhook_deliveries (id, webhook_id, type, at, account_ids, due_at)
     select $1, id, 'webhook.test', $2, '{}', $2 from webhooks`,
    [newId(deliveryAt.getTime()), deliveryAt],
  )
  bank.clock.advance(499)
  assert.deepEqual(await find(), [])
  bank.clock.advance(1)
  assert.deepEqual(await find(), ['webhooks'])
})

test('a service that has been idle pays, executes and tells what becomes due', async (t) => {
  const bank = await listScene(await world(t, { isPolling: true }))
  await order(bank, '2026-01-06')
  await bank.order([bank.known('1.00')], { executeOn: '2026-01-06' })
  const read = async (text: string) => Object.values((await bank.sql(text)).rows[0] ?? {})[0]
  const count = (text: string) => async () => (await read(`select count(*)::int ${text}`)) === 0
  await until('nothing waits', count('from mails'))
  await until('all is numbered', count('from events where last_number is null'))
  bank.clock.advance(Date.parse('2026-01-06T12:00:00Z') - bank.clock.now())
  await until('the list', count(`from payment_lists where status <> 'executed'`))
  await until(
    'the order',
    async () => (await read('select count(*)::int from standing_order_runs')) === 1,
  )
  await until('the events', count('from events where last_number is null'))
  await until('the mails', count('from mails'))
})
