// From which amount on two people sign: nothing from that amount on leaves an account with one
// signature, and less protection waits 12 hours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import { draftScene, signaturesPath } from '../../../test/support/drafts.ts'
import {
  assertSound,
  many,
  readBalance,
  tally,
  transferBody,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people } from '../../../test/support/world.ts'
import { raiseWaitMs } from '../../ledger/rules/own-limits.ts'
import {
  changeSignatures,
  signaturesFromAt,
  signaturesNeeded,
} from '../../ledger/rules/signatures.ts'

test('no way of paying lets an amount from there on leave with one signature', async (t) => {
  const bank = await draftScene(t, { settings: { ALERT_ABOVE: 'EUR=1' } })
  const { ada, from, to, payeeId } = bank
  const program = await newProgram(bank, { payFrom: [from] })
  const at = '1000.00'
  const code = async (sent: ReturnType<typeof ada.post>) => {
    const { status, body, text } = await sent
    return status < 300 ? 'made' : (body.code ?? text)
  }
  const payee = (amount: string) => ({
    fromAccountId: from,
    beneficiaryId: payeeId,
    amount,
    currency: 'EUR',
  })
  const order = (amount: string, more: object = {}) =>
    ada.post(`/api/v1/accounts/${from}/orders`, {
      beneficiaryId: payeeId,
      amount,
      currency: 'EUR',
      rhythm: 'once',
      firstOn: '2026-01-02',
      ...more,
    })
  const list = (amount: string) =>
    ada.post(`/api/v1/accounts/${from}/payment-lists`, {
      currency: 'EUR',
      items: [{ beneficiaryId: payeeId, amount }],
    })
  const ways: [what: string, send: () => Promise<string>, expected: string][] = [
    ['a payment', () => code(ada.post('/api/v1/transfers', payee(at))), 'signature_required'],
    [
      'a transfer to an own account',
      () => code(ada.post('/api/v1/transfers', transferBody(from, to, at))),
      'signature_required',
    ],
    [
      'more than that',
      () => code(ada.post('/api/v1/transfers', payee('4000.00'))),
      'signature_required',
    ],
    ['a program', () => code(program.post('/api/v1/transfers', payee(at))), 'signature_required'],
    ['a standing order', () => code(order(at)), 'signature_required'],
    [
      'an account without the rule',
      () => code(ada.post('/api/v1/transfers', transferBody(to, from, '0.01'))),
      'insufficient_funds',
    ],
    ['a payment below', () => code(ada.post('/api/v1/transfers', payee('999.99'))), 'made'],
  ]
  for (const [what, send, expected] of ways) assert.equal(await send(), expected, what)
  const { lines } = (await list(at)).body
  assert.deepEqual([lines[0].status, lines[0].refusal], ['refused', 'signature_required'])
  const small = await order('1.00', { firstOn: '2026-02-01' })
  assert.equal(
    await code(ada.patch(`/api/v1/orders/${small.body.id}`, { amount: at })),
    'signature_required',
  )
  // What was ordered before the rule is judged by it on its day.
  bank.clock.advance(1)
  await bank.sql('update accounts set signatures_from = null where id = $1', [from])
  const [early, checked] = [await order(at), await list(at)]
  assert.equal(checked.body.lines[0].status, 'ready')
  assert.equal((await ada.post(`/api/v1/payment-lists/${checked.body.id}/execute`)).status, 200)
  assert.equal((await bank.rule(at)).status, 200)
  await bank.running.core.orders.work()
  await bank.running.core.paymentLists.work()
  const runs = (await ada.get(`/api/v1/orders/${early.body.id}/runs`)).body.items
  assert.deepEqual([runs[0].outcome, runs[0].refusal], ['refused', 'signature_required'])
  const paid = (await ada.get(`/api/v1/payment-lists/${checked.body.id}/lines`)).body.items
  assert.deepEqual([paid[0].status, paid[0].refusal], ['refused', 'signature_required'])
  assert.equal(await readBalance(ada, from), '4000.01')
  await assertSound(bank)
})

test('while the rule is set, twenty payments at once leave before it or not at all', async (t) => {
  const bank = await draftScene(t)
  await bank.sql('update accounts set signatures_from = null where id = $1', [bank.from])
  const [replies, set] = await Promise.all([
    many(20, (index) =>
      bank.ada.post('/api/v1/transfers', transferBody(bank.from, bank.to, '100.00'), {
        headers: { 'idempotency-key': `key-of-payment-${index}` },
      }),
    ),
    bank.rule('100.00'),
  ])
  assert.equal(set.status, 200)
  const { 201: made = 0, '409 signature_required': refused = 0 } = tally(replies)
  assert.equal(made + refused, 20)
  assert.equal((await bank.pay('100.01')).body.code, 'signature_required')
  assert.equal((await bank.pay('99.99')).status, 201)
  await assertSound(bank)
})

test('the owner alone sets it, confirmed; less protection holds 12 hours later, is told, and is undone', async (t) => {
  const bank = await draftScene(t)
  const { from, voices, clock } = bank
  const path = signaturesPath(from)
  const read = async () => {
    const { from: amount, next } = (await bank.voices.ada.get(path)).body
    return next ? `${amount} > ${next.from} ${next.at}` : String(amount)
  }
  const agnes = await bank.as('agnes')
  for (const by of [voices.ben, voices.both, agnes, bank.root]) {
    assert.equal((await bank.rule('2.00', {}, by)).status, 403)
  }
  for (const rights of ['view', 'prepare', 'pay'] as const) {
    await bank.member('ben', rights)
    assert.equal((await voices.ben.get(path)).status, rights === 'view' ? 403 : 200, rights)
  }
  assert.equal((await agnes.get(path)).status, 200)
  for (const wanted of ['0', '1.001', '-1']) assert.equal((await bank.rule(wanted)).status, 400)
  assert.equal((await bank.ada.put(path, { currency: 'EUR', from: '1', count: 3 })).status, 400)
  assert.equal(
    (await bank.ada.put(path, { currency: 'USD', from: '1', count: 2 })).body.code,
    'currency_mismatch',
  )
  await bank.rule('500.00')
  assert.equal(await read(), '500.00')
  const holdsAt = new Date(clock.now() + raiseWaitMs).toISOString()
  await bank.rule(null)
  assert.equal(await read(), `500.00 > null ${holdsAt}`)
  await bank.rule('500.00')
  assert.equal(await read(), '500.00', 'undone')
  await bank.rule('600.00')
  await bank.root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`)
  await bank.loginAgain()
  const again = bank.voices.ada
  assert.equal((await again.get(path)).body.next, undefined, 'undone by the end of all sessions')
  const raised = await again.put(path, { currency: 'EUR', from: '600.00', count: 2 })
  const end = Date.parse(raised.body.next.at)
  clock.advance(end - 1 - clock.now())
  await bank.loginAgain()
  const pay = () => bank.voices.ada.post('/api/v1/transfers', transferBody(from, bank.to, '599.99'))
  assert.equal((await pay()).body.code, 'signature_required')
  clock.advance(1)
  assert.equal((await pay()).status, 201)
  assert.equal(await read(), '600.00')
  const subjects = (await readMails(bank)).map(({ subject }) => subject)
  assert.equal(subjects.filter((each) => each === 'Fewer signatures were asked for').length, 3)
  await giveFactor(bank, 'ada')
  const send = (headers: Record<string, string>) =>
    bank.voices.ada.put(path, { currency: 'EUR', from: '1.00', count: 2 }, { headers })
  const refused = await send({})
  assert.equal(refused.body.challenge.terms.signaturesFrom, '1.00', refused.text)
  assert.equal((await sendConfirmed(bank, send)).body.from, '1.00')
  await assertSound(bank)
})

test('after any changes the amount of now is the lowest since, and a higher one waited its time', () => {
  const at = Date.parse('2026-01-02T09:00:00Z')
  const amounts = [null, 1n, 5n, 10n]
  for (const was of amounts) {
    for (const wanted of amounts) {
      const stored = { signaturesFrom: was, nextSignaturesFrom: null, nextSignaturesAt: null }
      const changed = changeSignatures(stored, wanted, at)
      const isHigher = was !== null && (wanted === null || wanted > was)
      const told = `${was} > ${wanted}`
      const now = isHigher ? was : wanted
      assert.equal(signaturesFromAt(changed, at), now, told)
      assert.equal(signaturesFromAt(changed, at + raiseWaitMs - 1), now, told)
      assert.equal(signaturesFromAt(changed, at + raiseWaitMs), wanted, told)
      if (now === null) continue
      assert.deepEqual(
        [now - 1n, now].map((amount) => signaturesNeeded(changed, amount, at)),
        [1, 2],
        told,
      )
      if (!isHigher) continue
      // The same again waits no longer; another one waits from then on.
      for (const next of amounts.filter((amount) => amount === null || amount > was)) {
        const { nextSignaturesAt } = changeSignatures(changed, next, at + 1)
        const since = next === wanted ? at : at + 1
        assert.equal(nextSignaturesAt?.getTime(), since + raiseWaitMs, `${told} > ${next}`)
      }
    }
  }
})
