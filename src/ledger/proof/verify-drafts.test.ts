// What the verification finds of payment drafts that somebody has changed in the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftScene } from '../../../test/support/drafts.ts'
import { assertSound } from '../../../test/support/fixture.ts'

const payment = 'the transfer that it names is missing, or is not its payment'
const signatures = 'it has more signatures than its status, or fewer'
const whole = 'it has what no draft of its status has, or lacks it'

const damages: [what: string, sql: string, told: string][] = [
  ['another amount', 'update payment_drafts set amount = amount + 1 where id = $1', payment],
  ['another reference', "update payment_drafts set reference = 'X' where id = $1", payment],
  [
    'another payee',
    'update payment_drafts set beneficiary_id = null, to_account_id = account_id where id = $1',
    payment,
  ],
  [
    'another transfer',
    'update payment_drafts set transfer_id = gen_random_uuid() where id = $1',
    payment,
  ],
  [
    'one signature',
    'delete from draft_signatures where draft_id = $1 and person_id = $2',
    signatures,
  ],
  [
    'a text of one that is cancelled',
    "update payment_drafts set reference = 'X' where id <> $1",
    whole,
  ],
]

test('a paid draft that is not its transfer, or lacks a signature, is found', async (t) => {
  const bank = await draftScene(t)
  const id = await bank.make('ada', '1000.00', { reference: 'Invoice' })
  assert.equal((await bank.sign('ben', id)).body.status, 'paid')
  await bank.cancel('ada', await bank.make('ada', '1.00'))
  await assertSound(bank)
  const { rows } = await bank.sql(
    'select max(person_id::text) as ben from draft_signatures where draft_id = $1',
    [id],
  )
  await bank.sql('alter table payment_drafts disable trigger user')
  await bank.sql('create table kept_drafts as select * from payment_drafts')
  await bank.sql('create table kept_signatures as select * from draft_signatures')
  for (const [what, damage, told] of damages) {
    const values = damage.includes('$2') ? [id, rows[0]?.['ben']] : [id]
    await bank.sql(damage, values)
    await assert.rejects(assertSound(bank), new RegExp(told), what)
    await bank.sql('delete from draft_signatures')
    await bank.sql('delete from payment_drafts')
    await bank.sql('insert into payment_drafts select * from kept_drafts')
    await bank.sql('insert into draft_signatures select * from kept_signatures')
  }
  await assertSound(bank)
})
