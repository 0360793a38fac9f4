// What waits in the bank and how its parts are, as a scrape shows them.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dayMs } from '../domain/clock.ts'
import { utcDays } from '../domain/days.ts'
import { newId } from '../domain/ids.ts'
import { purgesOf } from './core.ts'
import { lacksRoom } from './measure.ts'
import { addEvents, commandEvent } from '../audit/sql.ts'
import { transaction } from '../database/connections/transaction.ts'
import { openDatabase } from '../database/connections/connect.ts'
import { sceneIn, transferBody } from '../../test/support/fixture.ts'
import { orderScene } from '../../test/support/orders.ts'
import { listScene } from '../../test/support/payment-lists.ts'
import { indexAll } from '../../test/support/payment-search.ts'
import { payElsewhereAndBack } from '../../test/support/payments-elsewhere.ts'
import { freePort } from '../../test/support/program.ts'
import { withoutThisYear } from '../../test/support/years.ts'
import { people, world, type World } from '../../test/support/world.ts'

type Values = Record<string, number | undefined>

async function measured(t: TestContext) {
  const port = await freePort()
  const bank = await world(t, { settings: { METRICS_PORT: String(port) } })
  const scrape = async (): Promise<Values> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const lines = [...text.matchAll(/^strongroom_(\w+(?:\{currency="\w+"\})?) (\S+)$/gm)]
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]))
  }
  const read = async (): Promise<Values> => {
    await bank.running.measuring.read()
    return scrape()
  }
  return { bank, scrape, read }
}

const messages = ({ logged }: World): string[] =>
  logged.map((line) => (JSON.parse(line) as { message: string }).message)

/** The values of those names. */
const waits = (values: Values, ...names: string[]) => names.map((name) => values[name])

test('mails, deliveries and events that wait are counted, with the age of the oldest', async (t) => {
  const { bank, read } = await measured(t)
  await bank.running.core.outbox.close()
  await bank.running.core.webhooks.close()
  await bank.running.core.feed.close()
  const before = await read()
  assert.deepEqual(
    [before['mails_waiting'], before['mail_oldest_age_seconds'], before['webhooks_disabled']],
    [0, 0, 0],
  )
  const now = bank.clock.now()
  for (const ageMs of [90_000, 30_000]) {
    await bank.sql(
      `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
       values ($1, 'password-changed', $2, $3, $3, $4)`,
      [newId(now - ageMs), people.ada.id, new Date(now - ageMs), new Date(now + 60_000)],
    )
  }
  await bank.sql(
    `insert into webhook_deliveries
       (id, webhook_id, number, type, at, account_ids, due_at, done_at)
     select gen_random_uuid(), gen_random_uuid(), 1, 'account.opened', $1::timestamptz, '{}', $1,
       done
     from unnest(array[null, null, $1::timestamptz]) as done`,
    [new Date(now - 5000)],
  )
  await bank.sql(
    `insert into events (type, at, ids) values ('account.opened', now(), array[$1, $1]::uuid[])`,
    [people.ada.id],
  )
  const after = await read()
  assert.deepEqual([after['mails_waiting'], after['mail_oldest_age_seconds']], [2, 90])
  assert.deepEqual(
    [after['webhook_deliveries_waiting'], after['webhook_oldest_age_seconds']],
    [2, 5],
  )
  assert.equal(after['events_not_numbered'], (before['events_not_numbered'] ?? 0) + 2)
})

test('an order is due from the beginning of its day, until it is tried', async (t) => {
  const { bank, read } = await measured(t)
  const made = await orderScene(bank)
  assert.deepEqual(waits(await read(), 'orders_due', 'order_oldest_age_seconds'), [0, 0])
  await made.make({ firstOn: '2026-01-05' })
  await made.make({ firstOn: '2026-01-04' })
  // It waits for money once it is tried.
  await made.make({ firstOn: '2026-01-05', amount: '5000.00', retryDays: 3 })
  await made.make({ firstOn: '2026-01-06' })
  assert.deepEqual(waits(await read(), 'orders_due', 'order_oldest_age_seconds'), [0, 0])
  bank.clock.advance(Date.parse('2026-01-05T12:00:00Z') - bank.clock.now())
  assert.deepEqual(waits(await read(), 'orders_due', 'order_oldest_age_seconds'), [3, 36 * 3600])
  await bank.running.core.orders.work()
  assert.deepEqual(waits(await read(), 'orders_due', 'order_oldest_age_seconds'), [0, 0])
})

test('a list is due from its order or its day on, until its last line', async (t) => {
  const { bank, read } = await measured(t)
  const made = await listScene(bank)
  const due = async () => waits(await read(), 'lists_due', 'list_oldest_age_seconds')
  await made.make([made.known('1.00')])
  await made.order([made.known('1.00')], { executeOn: '2026-01-03' })
  assert.deepEqual(await due(), [0, 0])
  await made.order([made.known('1.00')])
  bank.clock.advance(60_000)
  assert.deepEqual(await due(), [1, 60])
  bank.clock.advance(Date.parse('2026-01-03T00:00:10Z') - bank.clock.now())
  assert.equal((await due())[0], 2)
  await bank.running.core.paymentLists.work()
  assert.deepEqual(await due(), [0, 0])
  // One whose last line has no outcome is late, from its order on.
  await bank.sql(`create function fail_line() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
  await bank.sql(`create trigger fail before update on payment_list_lines
    for each row when (new.place = 1 and new.outcome is not null) execute function fail_line()`)
  await made.goTo('2026-01-04')
  await made.order([made.known('1.00'), made.known('1.00')])
  await bank.running.core.paymentLists.work()
  bank.clock.advance(901_000)
  assert.deepEqual(await due(), [1, 901])
})

test('payments to other banks wait for a rail, and sent ones for their end', async (t) => {
  const { bank, read } = await measured(t)
  const made = await sceneIn(bank)
  const { kept } = await payElsewhereAndBack(made)
  bank.clock.advance(60_000)
  const pending = ['payments_pending', 'payment_pending_oldest_age_seconds'] as const
  const sent = ['payments_sent', 'payment_sent_oldest_age_seconds'] as const
  const before = await read()
  assert.deepEqual(
    [waits(before, ...pending), waits(before, ...sent)],
    [
      [1, 60],
      [0, 0],
    ],
  )
  const root = await bank.as('root')
  const way = `/api/v1/admin/transfers/${kept}`
  assert.equal((await root.post(`${way}/send`, { externalId: 'S' })).status, 200)
  const then = await read()
  assert.deepEqual(
    [waits(then, ...pending), waits(then, ...sent)],
    [
      [0, 0],
      [1, 60],
    ],
  )
  assert.equal((await root.post(`${way}/settle`, { externalId: 'T' })).status, 200)
  assert.deepEqual(waits(await read(), ...sent), [0, 0])
})

test('money in suspense has its sum by currency, and the age of the oldest that was not sent back', async (t) => {
  const { bank, read } = await measured(t)
  const { ada, root, from } = await sceneIn(bank)
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const come = async (externalId: string, amount: string, currency: string) => {
    const reply = await root.post('/api/v1/admin/incoming-payments', {
      iban,
      amount,
      currency,
      externalId,
      debtor: { name: 'Otto Example', iban: 'DE89370400440532013000' },
      onRefusal: 'suspense',
    })
    assert.equal(reply.status, 201, reply.text)
    bank.clock.advance(1000)
    return reply.body.id as string
  }
  assert.deepEqual(waits(await read(), 'suspense_oldest_age_seconds'), [0])
  const first = await come('A', '7.00', 'USD')
  const second = await come('B', '5.25', 'USD')
  await come('C', '1200', 'JPY')
  const last = await come('D', '1.00', 'USD')
  const all = ['suspense_balance{currency="USD"}', 'suspense_balance{currency="JPY"}'] as const
  const oldest = 'suspense_oldest_age_seconds'
  assert.deepEqual(waits(await read(), ...all, oldest), [13.25, 1200, 4])
  const sendBack = async (id: string) => {
    const reply = await root.post(`/api/v1/admin/transfers/${id}/reversal`, { reason: 'Unknown' })
    assert.equal(reply.status, 201, reply.text)
  }
  // The newer one goes first: the older one still lies there.
  await sendBack(second)
  assert.deepEqual(waits(await read(), ...all, oldest), [8, 1200, 4])
  await sendBack(first)
  assert.deepEqual(waits(await read(), ...all, oldest), [1, 1200, 2])
  await sendBack(last)
  assert.deepEqual(waits(await read(), ...all, oldest), [undefined, 1200, 2])
})

test('changes that wait for a second person are counted until they are over', async (t) => {
  const { bank, read } = await measured(t)
  const now = bank.clock.now()
  for (const [ageMs, leftMs] of [
    [7_200_000, 60_000],
    [60_000, 86_400_000],
    [90_000_000, -1000],
  ] as const) {
    await bank.sql(
      `insert into approvals
         (id, operation, request, maker_id, maker_session_id, created_at, expires_at)
       values ($1, 'freezeAccount', '{}', $2, $2, $3, $4)`,
      [newId(now - ageMs), people.root.id, new Date(now - ageMs), new Date(now + leftMs)],
    )
  }
  const names = ['approvals_waiting', 'approval_oldest_age_seconds'] as const
  assert.deepEqual(waits(await read(), ...names), [2, 7200])
  bank.clock.advance(61_000)
  assert.deepEqual(waits(await read(), ...names), [1, 121])
})

test('imported people without an invitation and without a password are counted', async (t) => {
  const { bank, read } = await measured(t)
  await bank.sql(`update users set password_hash = null where username in ('ada', 'ben')`)
  await bank.sql(`insert into imported (kind, source_id, id, invited_at)
    select 'person', username, id, case username when 'ben' then now() end
    from users where username in ('ada', 'ben', 'root')`)
  const names = ['invitations_waiting', 'invitation_idle_seconds'] as const
  await bank.sql(`update users set created_at = $1`, [new Date(bank.clock.now() - 90_000)])
  await bank.sql(`update imported set invited_at = $1 where source_id = 'ben'`, [
    new Date(bank.clock.now() - 30_000),
  ])
  assert.deepEqual(waits(await read(), ...names), [1, 30])
  await bank.sql('update imported set invited_at = null')
  assert.deepEqual(waits(await read(), ...names), [2, 90])
  await bank.sql('update imported set invited_at = $1', [new Date(bank.clock.now() - 30_000)])
  assert.deepEqual(waits(await read(), ...names), [0, 0])
})

test('the search of payments is as late as the oldest payment that it does not have', async (t) => {
  const { bank, read } = await measured(t)
  const { ada, from, to } = await sceneIn(bank)
  const pay = async () =>
    assert.equal((await ada.post('/api/v1/transfers', transferBody(from, to))).status, 201)
  const late = async () => {
    await bank.running.core.feed.last()
    return waits(await read(), 'payment_search_oldest_age_seconds')[0]
  }
  await indexAll(bank)
  assert.equal(await late(), 0)
  await pay()
  bank.clock.advance(40_000)
  await pay()
  bank.clock.advance(5000)
  assert.equal(await late(), 45)
  await indexAll(bank)
  // What is not looked up is not waited for.
  assert.equal((await ada.post('/api/v1/accounts', { currency: 'EUR' })).status, 201)
  assert.equal(await late(), 0)
})

test('entries of older releases whose texts are not filled in are counted', async (t) => {
  const { bank, read } = await measured(t)
  const { from } = await sceneIn(bank)
  assert.deepEqual(waits(await read(), 'entries_without_texts'), [0])
  await bank.sql('set session_replication_role = replica')
  await bank.sql(
    `update entries set reference = null, counterparty_name = null, counterparty_iban = null,
       texts_in_chain = false
     where account_id = $1`,
    [from],
  )
  assert.deepEqual(waits(await read(), 'entries_without_texts'), [1])
})

test('the archive, the replication slots and the transaction identifiers of the server are measured', async (t) => {
  const { bank, read } = await measured(t)
  const before = await read()
  // A cluster of tests has no archive.
  assert.deepEqual(
    waits(before, 'archive_failing', 'archive_timestamp_seconds', 'archive_waiting_bytes'),
    [undefined, undefined, undefined],
  )
  assert.ok((before['transaction_id_age'] ?? 0) > 100)
  const slots = before['replication_slots_inactive'] ?? 0
  const slot = `measured_${process.pid}`
  await bank.sql(`select pg_create_physical_replication_slot('${slot}', true)`)
  const then = await read()
  await bank.sql(`select pg_drop_replication_slot('${slot}')`)
  assert.ok((then['replication_slots_inactive'] ?? 0) > slots)
  assert.ok((then['replication_slot_behind_bytes'] ?? 0) > 0)
})

test('live sessions are those that are neither ended nor idle', async (t) => {
  const { bank, read } = await measured(t)
  const ada = await bank.login('ada')
  await bank.login('ben')
  assert.equal((await read())['sessions_live'], 2)
  await ada.post('/api/v1/auth/logout')
  assert.equal((await read())['sessions_live'], 1)
  bank.clock.advance(5 * 60_000)
  assert.equal((await read())['sessions_live'], 0)
})

test('the last runs of verify and backup are known by the audit trail; before the first, nothing is', async (t) => {
  const { bank, read } = await measured(t)
  const runs = [
    'verify_success',
    'verify_failure',
    'backup',
    'close_day_success',
    'close_day_failure',
    'verify_new_success',
    'verify_new_failure',
  ]
  const names = runs.map((name) => `${name}_timestamp_seconds`)
  const first = await read()
  assert.deepEqual(
    names.map((name) => first[name]),
    runs.map(() => undefined),
  )
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const at = (second: number) => 1_767_344_400_000 + second * 1000
  for (const [second, action, outcome] of [
    [1, 'verify', 'failure'],
    [2, 'verify', 'success'],
    [3, 'verify', 'success'],
    [4, 'backup', 'success'],
    [5, 'finishBackup', 'success'],
    [6, 'backup', 'success'],
    [7, 'closeDay', 'success'],
    [8, 'closeDay', 'failure'],
    [9, 'verifyNew', 'success'],
    [10, 'verifyNew', 'failure'],
  ] as const) {
    await transaction(db, (tx) => addEvents(tx, [commandEvent(at(second), { action, outcome })]))
  }
  const then = await read()
  assert.deepEqual(
    names.map((name) => then[name]),
    [3, 1, 5, 7, 8, 9, 10].map((second) => at(second) / 1000),
  )
})

test('a scrape sends no statement, and shows nothing of a database that did not answer', async (t) => {
  const { bank, scrape, read } = await measured(t)
  await read()
  await bank.sql('begin')
  await bank.sql('lock table mails, sessions, webhooks in access exclusive mode')
  assert.equal((await scrape())['mails_waiting'], 0)
  const values = await read()
  assert.equal(values['mails_waiting'], undefined)
  assert.equal(values['sessions_live'], undefined)
  await bank.sql('rollback')
  assert.equal((await read())['mails_waiting'], 0)
})

test('a webhook that the service has disabled is counted until it is enabled, and the log says when', async (t) => {
  const { bank, read } = await measured(t)
  const insert = `insert into webhooks
    (id, url, description, types, status, disabled_because, hmac_key, seed, after_number,
      created_at)
    values (gen_random_uuid(), 'https://a.example', '', '{account.opened}', 'disabled', $1,
      decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), 0, now())`
  for (const because of ['gone', 'failing', 'administrator']) await bank.sql(insert, [because])
  assert.equal((await read())['webhooks_disabled'], 2)
  assert.ok(!messages(bank).includes('no webhook is disabled any more'))
  await bank.sql(`update webhooks set status = 'active', disabled_because = null`)
  assert.equal((await read())['webhooks_disabled'], 0)
  await read()
  const told = messages(bank).filter((message) => message === 'no webhook is disabled any more')
  assert.equal(told.length, 1)
})

test('the disk, the certificate, the clock and the lines of level 50 are measured', async (t) => {
  const { read } = await measured(t)
  const { disk_full: isFull, ...values } = await read()
  const [free = 0, size = 0] = [values['data_disk_free_bytes'], values['data_disk_size_bytes']]
  assert.ok(free > 0 && free < size)
  assert.equal(isFull, 0)
  const week = 7 * 86_400
  assert.ok((values['certificate_expires_timestamp_seconds'] ?? 0) > Date.now() / 1000 + week)
  assert.ok(Math.abs(values['clock_difference_seconds'] ?? 1) < 1)
  assert.deepEqual([values['database_reachable'], values['log_errors_total']], [1, 0])
})

test('parts of years are made among the purges, and the metric tells until when all tables have them', async (t) => {
  const { bank, read } = await measured(t)
  const end = async () => (await read())['years_end_timestamp_seconds'] ?? 0
  const year = new Date().getUTCFullYear()
  assert.ok((await end()) >= Date.UTC(year + 1, 0) / 1000)
  await bank.sql(withoutThisYear('transfers'))
  assert.equal(await end(), Date.UTC(year, 0) / 1000)
  await bank.sql(withoutThisYear('audit_events'))
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const ages = { sessionKeep: dayMs, deviceIdle: dayMs }
  for (const batch of purgesOf(ages, { info() {} }, () => utcDays)) {
    while (await transaction(db, (tx) => batch(tx, Date.now())));
  }
  assert.equal(await end(), Date.UTC(year + 2, 0) / 1000)
})

test('a write that finds no room on the disk is told once, and the metric says so', async (t) => {
  const { bank, read } = await measured(t)
  const { ada, from, to } = await sceneIn(bank)
  await bank.sql(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$`)
  await bank.sql('create trigger spite before insert on entries execute function full_disk()')
  for (let turn = 0; turn < 3; turn++) {
    const reply = await ada.post('/api/v1/transfers', transferBody(from, to, `1.0${turn}`))
    assert.deepEqual([reply.status, reply.body.code], [503, 'unavailable'])
  }
  const told = messages(bank).filter((message) => message.includes('disk'))
  assert.deepEqual(told, ['the disk of the database is full'])
  const values = await read()
  assert.deepEqual([values['disk_full'], values['log_errors_total']], [1, 1])
  await bank.sql('drop trigger spite on entries')
})

test('the disk counts as full when it lacks room for one segment of the log, where the database is here', () => {
  const segment = 16_777_216
  const url = 'postgresql://elsewhere/bank'
  const cases: [databaseUrl: string | undefined, freeBytes: number, lacks: boolean][] = [
    [undefined, 0, true],
    [undefined, segment - 1, true],
    [undefined, segment, false],
    [url, 0, false],
  ]
  for (const [databaseUrl, freeBytes, lacks] of cases) {
    assert.equal(lacksRoom({ databaseUrl }, { freeBytes }), lacks, `${databaseUrl} ${freeBytes}`)
  }
  assert.equal(lacksRoom({ databaseUrl: undefined }, undefined), false)
})
