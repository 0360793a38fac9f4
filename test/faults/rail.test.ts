// A COMMIT that is lost, or whose answer is, at the steps of payments to and from other banks: at
// each of them at night, at a sample of them else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, patiently, readBalance, sceneIn } from '../support/fixture.ts'
import { samplesOf } from '../support/sample.ts'
import { newProgram } from '../support/service-accounts.ts'
import { proxiedWorld } from './proxied-world.ts'

const operations = ['createIncomingPayment', 'returnTransfer', 'sendTransfer', 'settleTransfer']

/** Each takes seconds, until the outcome of its COMMIT is known. */
const eachRun = 2

for (const fault of ['swallowCommit', 'loseCommit'] as const) {
  test(`${fault} at steps of a payment: it is answered truly, and a repetition has no second effect`, async (t) => {
    const made = await sceneIn(await proxiedWorld(t))
    const { ada, from, to, proxy } = made
    const rail = await newProgram(made, { operations })
    const { iban } = (await ada.get(`/api/v1/accounts/${to}`)).body
    const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
      name: 'Grace Hopper',
      iban: 'GB33BUKB20201555555555',
    })
    const pay = async (amount: string): Promise<string> => {
      const money = { amount, currency: 'EUR', beneficiaryId: payee.body.id }
      return (await ada.post('/api/v1/transfers', { fromAccountId: from, ...money })).body.id
    }
    const [sent, cancelled] = [await pay('7.00'), await pay('9.00')]
    const at = `/api/v1/admin/transfers/${sent}`
    const money = { amount: '5.00', currency: 'EUR', debtor: { name: 'Payer' } }
    const back = { reasonCode: 'AC04', externalId: 'R' }
    const headers = { 'idempotency-key': 'cancel' }
    const cancel = `/api/v1/transfers/${cancelled}/cancel`
    const steps = [
      () => rail.post(`${at}/send`, { externalId: 'S' }),
      () => rail.post(`${at}/settle`),
      () => rail.post(`${at}/return`, back),
      () => rail.post('/api/v1/admin/incoming-payments', { iban, externalId: 'I', ...money }),
      () => ada.post(cancel, undefined, { headers }),
    ]
    const faulty = samplesOf(t)(steps, eachRun)
    for (const [index, step] of steps.entries()) {
      if (faulty.includes(step)) proxy[fault]()
      const first = await patiently(step)
      assert.ok(first.status < 300, `step ${index}: ${first.text}`)
      const again = await patiently(step)
      if (index === 1) assert.equal(again.body.code, 'illegal_transition')
      else assert.deepEqual([again.status, again.text], [first.status, first.text], `step ${index}`)
    }
    assert.equal(await readBalance(ada, from), '100.00')
    assert.equal(await readBalance(ada, to), '5.00')
    await assertSound(made)
  })
}
