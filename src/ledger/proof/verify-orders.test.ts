// The verification names each standing order that is not what the trail and its runs say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elsewhere, orderBank, orderScene } from '../../../test/support/orders.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { newId } from '../../domain/ids.ts'
import { eraseBefore } from '../erasure/erase.ts'
import { verifyLedger } from './verify.ts'

/** Columns that move no money: the reason why the verification does not notice them. */
const unnoticed: Readonly<Record<string, string>> = {
  tried_on: 'when a run that waits for money was tried last',
  late_count: 'how many late runs there were in a row: it only pauses',
  leased_until: 'which instance is at it',
  attempts: 'how much later it is tried',
}

test('each column of an order that the owner of the database changes is found', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const { sql } = bank
  const program = await newProgram(bank, { readAccounts: people.ada.id, payFrom: [bank.from] })
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02', lastOn: '2026-03-01' })
  made.clock.advance(1)
  const paused = await bank.make()
  await bank.ada().patch(`/api/v1/orders/${id}`, { amount: '60.00' })
  await bank.ada().post(`/api/v1/orders/${paused}/pause`)
  await bank.goTo('2026-01-09')
  assert.equal((await bank.runs(id)).length, 2)
  const other = await bank.ada().post(`/api/v1/accounts/${bank.from}/beneficiaries`, {
    name: 'Thief',
    iban: 'GB33BUKB20201555555555',
  })
  const db = openDatabase(made.address)
  t.after(() => db.close())
  const mismatch = async () => (await verifyLedger(db)).mismatch
  assert.equal(await mismatch(), undefined)

  const tables = ['accounts', 'beneficiaries', 'standing_orders', 'standing_order_changes']
  await sql('set session_replication_role = replica')
  for (const table of tables) await sql(`create table kept_${table} as table ${table}`)
  const named = async (change: string) => {
    await sql(change)
    const found = await mismatch()
    for (const table of tables.toReversed()) await sql(`delete from ${table}`)
    for (const table of tables) await sql(`insert into ${table} select * from kept_${table}`)
    assert.equal(await mismatch(), undefined, change)
    return found?.replace(id, 'ID').replace(paused, 'PAUSED')
  }
  const term = (name: string) => `Order ID: its ${name} is not that of its last change`
  const place = 'Order ID: it is not where its last change and its runs led it'
  const changes: Record<string, [set: string, found: string]> = {
    id: ['id = gen_random_uuid()', 'Run of 2026-01-02 of order ID: there is no such order'],
    account_id: [
      `account_id = '${bank.to}'`,
      'Run of 2026-01-02 of order ID: the transfer that it names is missing, or is not its payment',
    ],
    maker_id: [`maker_id = '${program.id}'`, term('makerId')],
    caller_id: [`caller_id = '${program.id}'`, term('callerId')],
    session_id: [`session_id = '${program.keyId}'`, term('sessionId')],
    is_program: ['is_program = true', term('isProgram')],
    beneficiary_id: [`beneficiary_id = '${other.body.id}'`, term('beneficiaryId')],
    to_account_id: [`beneficiary_id = null, to_account_id = '${bank.to}'`, term('toAccountId')],
    amount: ['amount = 6001', term('amount')],
    reference: [`reference = ''`, term('reference')],
    rhythm: [
      `rhythm = 'monthly'`,
      'Run of 2026-01-09 of order ID: its order is not due on that day',
    ],
    first_on: [`first_on = '2025-12-26'`, term('firstOn')],
    last_on: [`last_on = '2027-03-01'`, term('lastOn')],
    next_on: [`next_on = '2026-01-23'`, place],
    retry_days: ['retry_days = 5', term('retryDays')],
    on_holiday: [`on_holiday = 'after'`, term('onHoliday')],
    status: [`status = 'ended', next_on = null`, place],
    paused_because: [`status = 'paused', paused_because = 'missed'`, place],
    version: ['version = version + 1', 'Order ID: its version is 2, the trail has 1'],
    payee_result: [`payee_result = 'match', payee_accepted = false`, term('payeeResult')],
    payee_accepted: [`payee_result = 'no_match', payee_accepted = true`, term('payeeResult')],
    created_at: [`created_at = created_at + interval '1 s'`, term('createdAt')],
  }
  const { rows } = await sql(
    `select column_name as name from information_schema.columns
     where table_schema = 'strongroom' and table_name = 'standing_orders' order by 1`,
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...Object.keys(changes), ...Object.keys(unnoticed)].toSorted(),
  )
  const ofOrder = `where id = '${id}'`
  for (const [set, found] of Object.values(changes)) {
    assert.equal(await named(`update standing_orders set ${set} ${ofOrder}`), found, set)
  }

  assert.equal(
    await named(
      `update standing_orders set status = 'active', paused_because = null where id = '${paused}'`,
    ),
    place.replace('ID', 'PAUSED'),
    'an order that its owner paused goes on',
  )
  assert.equal(
    await named(`update beneficiaries set iban = 'FR1420041010050500013M02606'
                 where id = '${bank.payeeId}'`),
    'Order ID: the IBAN of its payee is not that of its last change',
  )
  assert.equal(
    await named(`delete from standing_order_changes where order_id = '${id}' and version = 1`),
    'Order ID: its version is 1, the trail has 0',
  )
  assert.equal(
    await named(`delete from standing_order_changes where order_id = '${id}'`),
    'Order ID: the trail does not have it',
  )
  const texts = 'reference = null, payee_name = null, payee_iban = null'
  assert.equal(
    await named(`update standing_order_changes set ${texts}, erasure_id = gen_random_uuid()
                 where order_id = '${id}'`),
    'Order ID: its texts were erased without a record',
  )
})

test('the trail of orders takes rows, and gives up texts to an erasure alone', async (t) => {
  const bank = await orderBank(t)
  await bank.make()
  for (const change of [
    'delete from standing_order_changes',
    'truncate standing_order_changes',
    `update standing_order_changes set terms = '{}'`,
    `update standing_order_changes set reference = 'Other'`,
    'update standing_order_changes set payee_iban = null',
    `update standing_order_changes set version = 1, reference = null, payee_name = null,
       payee_iban = null, erasure_id = gen_random_uuid()`,
  ]) {
    await assert.rejects(bank.sql(change), /the trail of orders is append-only/, change)
  }
  const { rows } = await bank.sql(
    `select privilege_type as may from information_schema.role_table_grants
     where table_name = 'standing_order_changes' and grantee = 'strongroom_service' order by 1`,
  )
  assert.deepEqual(rows, [{ may: 'INSERT' }, { may: 'SELECT' }])
})

test('what an earlier release writes is in the trail without its maker, and a close and a pause by the bank are', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made, '100000.00')
  const [changed, missed] = [
    await bank.make({ firstOn: '2026-12-31' }),
    await bank.make({
      beneficiaryId: undefined,
      toAccountId: bank.to,
      rhythm: 'weekly',
      firstOn: '2026-01-02',
      amount: '1.00',
    }),
  ]
  // As release 0.3.0 does.
  await bank.sql(`update standing_orders set amount = 500, version = version + 1 where id = $1`, [
    changed,
  ])
  const last = async (id: string) =>
    (
      await bank.sql(
        `select version, terms->>'amount' as amount, terms->>'status' as status,
           caller_id is null as unknown
         from standing_order_changes where order_id = $1 order by version desc limit 1`,
        [id],
      )
    ).rows[0]
  const one = { version: 1, amount: '500', status: 'active', unknown: true }
  assert.deepEqual(await last(changed), one)
  await bank.goTo('2026-12-30')
  const pause = { version: 1, amount: '100', status: 'paused', unknown: true }
  assert.deepEqual(await last(missed), pause)
  const db = openDatabase(made.address)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => Promise.all([db.close(), owner.close()]))
  assert.equal((await verifyLedger(db)).mismatch, undefined)

  const rest = { fromAccountId: bank.from, toAccountId: bank.to, currency: 'EUR' }
  const sent = await bank.ada().post('/api/v1/transfers', { ...rest, amount: await bank.balance() })
  assert.equal(sent.status, 201, sent.text)
  assert.equal((await bank.ada().delete(`/api/v1/accounts/${bank.from}`)).status, 204)
  assert.deepEqual(await last(changed), { ...one, version: 2, status: 'ended' })
  assert.deepEqual(await last(missed), { ...pause, version: 2, status: 'ended' })
  assert.equal((await verifyLedger(db)).mismatch, undefined)
})

test('terms that were replaced, and those of orders that were over, lose their texts with the transfers of their time', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const active = await bank.make({ reference: 'First' })
  made.clock.advance(1)
  const over = await bank.make({ reference: 'Over' })
  await bank.ada().patch(`/api/v1/orders/${active}`, { reference: 'Second' })
  await bank.ada().delete(`/api/v1/orders/${over}`)
  const early = made.clock.now()
  await bank.goTo('2026-01-05')
  await bank.ada().patch(`/api/v1/orders/${active}`, { reference: 'Third' })
  const db = openDatabase(made.address)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => Promise.all([db.close(), owner.close()]))
  const texts = async () =>
    (
      await bank.sql(
        `select concat_ws(' ', reference, payee_name, payee_iban) as texts
         from standing_order_changes order by order_id, version`,
      )
    ).rows.map((row) => row['texts'])
  const erase = async (before: number) => {
    const id = newId(made.clock.now())
    await bank.sql(
      `insert into audit_events (id, at, action, outcome, request_id, address)
       values ($1, now(), 'erase', 'success', $1, 'operator')`,
      [id],
    )
    await eraseBefore(owner, before, id)
    assert.equal((await verifyLedger(db)).mismatch, undefined)
  }
  const kept = (reference: string) => `${reference} Otto Example ${elsewhere}`
  const gone = ''
  await erase(early)
  assert.deepEqual(
    await texts(),
    [kept('First'), kept('Second'), kept('Third'), kept('Over'), kept('Over')],
    'nothing was replaced or over before the first moment',
  )
  await erase(early + 1)
  assert.deepEqual(await texts(), [gone, kept('Second'), kept('Third'), gone, gone])
  assert.equal((await bank.read(over)).reference, '')
  assert.equal((await bank.read(active)).reference, 'Third')
  await erase(made.clock.now() + 1)
  assert.deepEqual(await texts(), [gone, gone, kept('Third'), gone, gone])
})
