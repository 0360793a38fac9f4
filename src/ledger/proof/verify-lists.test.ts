// What the verification finds of payment lists whose rows were changed behind the service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scene } from '../../../test/support/fixture.ts'
import { listScene } from '../../../test/support/payment-lists.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { verifyLedger } from './verify.ts'

test('a line that is added, left out, changed, or paid by the payment of another one is found', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order(['1.00', '2.00', '2.00'].map((amount) => bank.known(amount)))
  await bank.work()
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const ofList = `where list_id = '${id}'`
  const transfer = (place: number) =>
    `(select transfer_id from payment_list_lines ${ofList} and place = ${place})`
  /** The change, and what is said of it; undone by restoring all rows. */
  const damages: [change: string, told: RegExp][] = [
    [`delete from payment_list_lines ${ofList} and place = 1`, /does not count the lines/],
    [
      `insert into payment_list_lines (list_id, place, reference, amount, is_refused_early)
       values ('${id}', 3, '', 100, false)`,
      /does not count the lines/,
    ],
    [
      `update payment_list_lines set amount = 300 - amount ${ofList} and place in (0, 1)`,
      /not those that were confirmed|is not its payment/,
    ],
    [
      `update payment_list_lines set payee_iban = 'GB33BUKB20201555555555' ${ofList} and place = 0`,
      /it has what none of its kind has|not those that were confirmed/,
    ],
    [`update payment_list_lines set payee_name = 'Eve' ${ofList} and place = 0`, /were confirmed/],
    [`update payment_list_lines set reference = 'Eve' ${ofList} and place = 0`, /were confirmed/],
    [
      `update payment_list_lines set transfer_id = ${transfer(0)} ${ofList} and place = 1`,
      /its payment/,
    ],
    [`update payment_lists set made_total = made_total + 1 where id = '${id}'`, /does not count/],
  ]
  await bank.sql('alter table payment_list_lines disable trigger all')
  await bank.sql('drop index payment_list_lines_transfer_key')
  for (const table of ['payment_lists', 'payment_list_lines']) {
    await bank.sql(`create table kept_${table} as select * from ${table}`)
  }
  assert.equal((await verifyLedger(db)).mismatch, undefined)
  for (const [change, told] of damages) {
    await bank.sql(change)
    assert.match((await verifyLedger(db)).mismatch ?? '', told, change)
    await bank.sql('delete from payment_list_lines')
    await bank.sql(
      `update payment_lists p set made_total = k.made_total
       from kept_payment_lists k where k.id = p.id`,
    )
    await bank.sql('insert into payment_list_lines select * from kept_payment_list_lines')
  }
  assert.equal((await verifyLedger(db)).mismatch, undefined)
  // The same payment under two lines is refused by the schema as well.
  await assert.rejects(
    bank.sql(
      `create unique index again on payment_list_lines (transfer_id);
       update payment_list_lines set transfer_id = ${transfer(0)}`,
    ),
  )
})

test('a line has one outcome for ever, and an ended list stays ended', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order([bank.known('1.00')])
  await bank.work()
  for (const change of [
    `update payment_list_lines set outcome = null, transfer_id = null, at = null where list_id = '${id}'`,
    `update payment_list_lines set transfer_id = gen_random_uuid() where list_id = '${id}'`,
    `update payment_lists set status = 'ordered', ended_at = null where id = '${id}'`,
    `update payment_lists set made_count = 2 where id = '${id}'`,
  ]) {
    await assert.rejects(bank.sql(change), change)
  }
})
