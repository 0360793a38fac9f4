// New beneficiaries after a recovery, where the clocks of two instances differ.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { confirming } from '../../../test/support/confirmations.ts'
import { answer, challengeOf, enrolTotp } from '../../../test/support/factors.ts'
import { deposit, openAccount, sceneIn } from '../../../test/support/fixture.ts'
import { clientWith, people, type World, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { noteRecovery } from './sql.ts'

/** Ada, with money on an account, recovers there and has a factor again. */
async function recoverOn(instance: Pick<World, 'send'>, bank: World, pass = () => {}) {
  const before = confirming(bank, await bank.login('ada'))
  const { recoveryCodes } = await enrolTotp(bank, before)
  const account = await openAccount(before)
  await deposit(await bank.as('root'), account, '100.00')
  pass()
  const [recoveryCode] = recoveryCodes
  const { body } = await answer(instance, await challengeOf(instance, 'ada'), { recoveryCode })
  const token = body.token as string
  await enrolTotp(bank, clientWith(instance.send, token))
  return { account, token }
}

for (const [recoveredAheadMs, addedAheadMs] of [
  [300, 0],
  [0, -300],
  [4900, -4900],
] as const) {
  const clocks = `${recoveredAheadMs} ms and ${addedAheadMs} ms`
  test(`a beneficiary cools down whose instance is behind that of the recovery: ${clocks}`, async (t) => {
    const bank = await world(t)
    const at = bank.clock.now()
    const ahead = await bank.another({ clock: fakeClock(at + recoveredAheadMs, bank.clock) })
    const behind = await bank.another({ clock: fakeClock(at + addedAheadMs, bank.clock) })
    const { account, token } = await recoverOn(ahead, bank)
    const ada = confirming(bank, clientWith(behind.send, token))
    const path = `/api/v1/accounts/${account}/beneficiaries`
    const added = await ada.post(path, { name: 'Friend', iban: 'DE89370400440532013000' })
    assert.equal(added.status, 201, added.text)
    const pay = async (reference: string) => {
      const terms = { fromAccountId: account, beneficiaryId: added.body.id, amount: '1.00' }
      const reply = await ada.post('/api/v1/transfers', { ...terms, currency: 'EUR', reference })
      return reply.body.code ?? reply.status
    }
    assert.equal(await pay('at once'), 'beneficiary_cooling')
    const { rows } = await bank.sql(
      `select b.created_at >= u.recovered_at as "isSince", u.recovered_at as at
       from users u join accounts a on a.owner_id = u.id
       join beneficiaries b on b.account_id = a.id where a.id = $1`,
      [account],
    )
    assert.deepEqual(rows, [{ isSince: true, at: new Date(at) }], 'by the clock of the database')
  })
}

test('what a list adds after a recovery cools down, although the instance of the recovery is ahead', async (t) => {
  const bank = await world(t)
  const ahead = await bank.another({ clock: fakeClock(bank.clock.now() + 300, bank.clock) })
  const { account, token } = await recoverOn(ahead, bank)
  const ada = confirming(bank, clientWith(bank.send, token))
  const item = { name: 'Friend', iban: 'DE89370400440532013000', amount: '1.00' }
  const lists = `/api/v1/accounts/${account}/payment-lists`
  const list = await ada.post(lists, { currency: 'EUR', items: [item] })
  assert.equal(list.status, 201, list.text)
  const ordered = await ada.post(`/api/v1/payment-lists/${list.body.id}/execute`)
  assert.equal(ordered.status, 200, ordered.text)
  await bank.running.core.paymentLists.work()
  const { rows } = await bank.sql('select outcome, refusal from payment_list_lines')
  assert.deepEqual(rows, [{ outcome: 'refused', refusal: 'beneficiary_cooling' }])
})

for (const backMs of [1, 10_000]) {
  test(`a beneficiary cools down whom a failover that sets the clock back by ${backMs} ms dates before the recovery`, async (t) => {
    const bank = await world(t, { settings: { MEMBERS: 'on' } })
    // No entry is later than the clock that is set back.
    const pass = () => bank.clock.advance(backMs)
    const { account, token } = await recoverOn(bank, bank, pass)
    const ada = confirming(bank, clientWith(bank.send, token))
    const members = `/api/v1/accounts/${account}/members`
    const invited = await ada.post(members, { username: 'ben', rights: 'pay' })
    assert.equal(invited.status, 201, invited.text)
    const ben = await bank.login('ben')
    assert.equal((await ben.post(`/api/v1/members/${invited.body.id}/accept`)).status, 200)
    bank.clock.jump(-backMs)
    const payees = `/api/v1/accounts/${account}/beneficiaries`
    const ofOwner = await ada.post(payees, { name: 'Friend', iban: 'DE89370400440532013000' })
    const ofMember = await ben.post(payees, { name: 'Friend', iban: 'GB33BUKB20201555555555' })
    assert.deepEqual([ofOwner.status, ofMember.status], [201, 201])
    const item = { name: 'Friend', iban: 'FR1420041010050500013M02606', amount: '1.00' }
    const lists = `/api/v1/accounts/${account}/payment-lists`
    const list = await ada.post(lists, { currency: 'EUR', items: [item] })
    const ordered = await ada.post(`/api/v1/payment-lists/${list.body.id}/execute`)
    assert.equal(ordered.status, 200, ordered.text)
    await bank.running.core.paymentLists.work()
    const { rows } = await bank.sql('select outcome, refusal from payment_list_lines')
    assert.deepEqual(rows, [{ outcome: 'refused', refusal: 'beneficiary_cooling' }])
    for (const beneficiaryId of [ofOwner.body.id, ofMember.body.id]) {
      const terms = { fromAccountId: account, beneficiaryId, amount: '1.00', currency: 'EUR' }
      const paid = await ada.post('/api/v1/transfers', terms)
      assert.equal(paid.body.code, 'beneficiary_cooling', paid.text)
    }
  })
}

test('a second recovery, which a failover that set the clock back dates before the first, opens no beneficiary', async (t) => {
  const bank = await sceneIn(await world(t), '500.00')
  const { ada, from, clock } = bank
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const recover = () => transaction(db, (tx) => noteRecovery(tx, people.ada.id, clock.now()))
  // No entry is later than the clock that is set back.
  clock.advance(5000)
  await recover()
  clock.jump(-5000)
  await recover()
  clock.advance(1000)
  const payee = { name: 'Friend', iban: 'DE89370400440532013000' }
  const { body } = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const terms = { fromAccountId: from, beneficiaryId: body.id, amount: '1.00', currency: 'EUR' }
  const paid = await ada.post('/api/v1/transfers', terms)
  assert.equal(paid.body.code, 'beneficiary_cooling', paid.text)
})
