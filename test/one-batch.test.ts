// Two movements of one batch: the second is judged by what the first has left, at every door. The
// balance and what is held are then those of the first alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved } from './support/card-payments.ts'
import { confirmAnyway, giveFactor } from './support/confirmations.ts'
import { assertSound, deposit } from './support/fixture.ts'
import {
  type BatchScene,
  beginBatches,
  eur,
  openBatchScene,
  type Send,
  toOutcome,
} from './support/one-batch.ts'
import { world } from './support/world.ts'

/** Gives the two requests; `left` is the balance and what is held, as they are then. */
type Case = [
  what: string,
  make: (made: BatchScene) => Promise<readonly [Send, Send]>,
  outcomes: readonly [string, string],
  left: string,
]

const cases: Case[] = [
  [
    'payments beyond the balance',
    async ({ pay }) => [pay('6.00'), pay('6.00')],
    ['done', 'insufficient_funds'],
    '4.00 0.00',
  ],
  [
    'payments beyond the limit of the day',
    async ({ pay, limitDay }) => (await limitDay('7.00'), [pay('4.00'), pay('4.00')]),
    ['done', 'limit_exceeded'],
    '6.00 0.00',
  ],
  [
    'one payment twice without a key',
    async ({ ada, account, savings }) => {
      const send = () =>
        ada.post('/api/v1/transfers', {
          fromAccountId: account,
          toAccountId: savings,
          ...eur('1.00'),
        })
      return [send, send]
    },
    ['done', 'duplicate_transfer'],
    '9.00 0.00',
  ],
  [
    'one payment twice with one key',
    async ({ pay, next }) => {
      const send = pay('1.00', next())
      return [send, send]
    },
    ['done', 'request_in_progress'],
    '9.00 0.00',
  ],
  [
    'withdrawals',
    async ({ withdraw }) => [withdraw('6.00'), withdraw('6.00')],
    ['done', 'insufficient_funds'],
    '4.00 0.00',
  ],
  [
    'postings',
    async ({ posting }) => [posting('6.00'), posting('6.00')],
    ['done', 'insufficient_funds'],
    '4.00 0.00',
  ],
  [
    'a posting that is delivered twice',
    async ({ posting, next }) => {
      const send = posting('6.00', next())
      return [send, send]
    },
    ['done', 'done'],
    '4.00 0.00',
  ],
  [
    'two postings under one number',
    async ({ posting, next }) => {
      const number = next()
      return [posting('1.00', number), posting('2.00', number)]
    },
    ['done', 'idempotency_key_reused'],
    '9.00 0.00',
  ],
  [
    'holds',
    async ({ hold }) => [hold('6.00'), hold('6.00')],
    ['done', 'insufficient_funds'],
    '10.00 6.00',
  ],
  [
    'a hold and a payment',
    async ({ hold, pay }) => [hold('6.00'), pay('6.00')],
    ['done', 'insufficient_funds'],
    '10.00 6.00',
  ],
  [
    'a payment and a hold',
    async ({ hold, pay }) => [pay('6.00'), hold('6.00')],
    ['done', 'insufficient_funds'],
    '4.00 0.00',
  ],
  [
    'captures of one hold',
    async ({ hold, idOf, capture }) => {
      const id = await idOf(hold('10.00')())
      return [capture(id, '6.00'), capture(id, '6.00')]
    },
    ['done', 'limit_exceeded'],
    '4.00 4.00',
  ],
  [
    'a capture after the final one',
    async ({ hold, idOf, capture }) => {
      const id = await idOf(hold('10.00')())
      return [capture(id, '6.00', { final: true }), capture(id, '1.00')]
    },
    ['done', 'illegal_transition'],
    '4.00 0.00',
  ],
  [
    'a capture after the release',
    async ({ root, keyed, hold, idOf, capture }) => {
      const id = await idOf(hold('10.00')())
      return [
        () => root.post(`/api/v1/holds/${id}/release`, undefined, keyed()),
        capture(id, '1.00'),
      ]
    },
    ['done', 'illegal_transition'],
    '10.00 0.00',
  ],
  [
    'a hold that is raised beside a payment',
    async ({ root, keyed, hold, idOf, pay }) => {
      const id = await idOf(hold('5.00')())
      return [() => root.patch(`/api/v1/holds/${id}`, { amount: '7.00' }, keyed()), pay('4.00')]
    },
    ['done', 'insufficient_funds'],
    '10.00 7.00',
  ],
  [
    'authorisations beyond the balance',
    async ({ till }) => [() => till.ask('6.00'), () => till.ask('6.00')],
    ['approved', 'insufficient_funds'],
    '10.00 6.00',
  ],
  [
    'authorisations beyond the limit of the day',
    async ({ till, limitCard }) => (
      await limitCard({ perDay: '7.00' }),
      [() => till.ask('4.00'), () => till.ask('4.00')]
    ),
    ['approved', 'per_day_limit'],
    '10.00 4.00',
  ],
  [
    'increments',
    async ({ till }) => {
      const id = await approved(till.ask('2.00'))
      return [() => till.raise(id, '5.00'), () => till.raise(id, '5.00')]
    },
    ['approved', 'insufficient_funds'],
    '10.00 7.00',
  ],
  [
    'increments beyond the limit of a payment',
    async ({ till, limitCard }) => {
      await limitCard({ perPayment: '5.00' })
      const id = await approved(till.ask('1.00'))
      return [() => till.raise(id, '3.00'), () => till.raise(id, '3.00')]
    },
    ['approved', 'per_payment_limit'],
    '10.00 4.00',
  ],
  [
    'captures of one card payment',
    async ({ till }) => {
      const id = await approved(till.ask('10.00'))
      return [() => till.capture(id, '6.00'), () => till.capture(id, '6.00')]
    },
    ['done', 'limit_exceeded'],
    '4.00 4.00',
  ],
  [
    'a chargeback that is lost, and another one of all that was captured',
    async ({ till }) => {
      const id = await approved(till.ask('10.00'))
      await till.capture(id, '10.00')
      const back = (await till.chargeBack(id, '6.00')).body.id as string
      return [() => till.end(back, 'lost'), () => till.chargeBack(id, '10.00')]
    },
    ['done', 'done'],
    '10.00 0.00',
  ],
  [
    'refunds',
    async ({ till }) => {
      const id = await approved(till.ask('10.00'))
      await till.capture(id, '10.00')
      return [() => till.refund(id, '6.00'), () => till.refund(id, '6.00')]
    },
    ['done', 'limit_exceeded'],
    '6.00 0.00',
  ],
  [
    'a refund of what is captured beside it',
    async ({ till }) => {
      const id = await approved(till.ask('10.00'))
      return [() => till.capture(id, '3.00'), () => till.refund(id, '4.00')]
    },
    ['done', 'limit_exceeded'],
    '7.00 7.00',
  ],
  [
    'one payment sent by two',
    async ({ pay, idOf, step }) => {
      const id = await idOf(pay('1.00')())
      return [step(id, 'send'), step(id, 'send')]
    },
    ['done', 'illegal_transition'],
    '9.00 0.00',
  ],
  [
    'a payment sent and cancelled',
    async ({ ada, pay, idOf, step }) => {
      const id = await idOf(pay('1.00')())
      return [step(id, 'send'), () => ada.post(`/api/v1/transfers/${id}/cancel`)]
    },
    ['done', 'illegal_transition'],
    '9.00 0.00',
  ],
  [
    'a payment cancelled and sent',
    async ({ ada, pay, idOf, step }) => {
      const id = await idOf(pay('1.00')())
      return [() => ada.post(`/api/v1/transfers/${id}/cancel`), step(id, 'send')]
    },
    ['done', 'illegal_transition'],
    '10.00 0.00',
  ],
  [
    'two settlements',
    async ({ pay, idOf, step }) => {
      const id = await idOf(pay('1.00')())
      return [step(id, 'settle'), step(id, 'settle')]
    },
    ['done', 'illegal_transition'],
    '9.00 0.00',
  ],
  [
    'a settlement under the number of its sending',
    async ({ pay, idOf, step, next }) => {
      const [id, externalId] = [await idOf(pay('1.00')()), next()]
      return [step(id, 'send', { externalId }), step(id, 'settle', { externalId })]
    },
    ['done', 'idempotency_key_reused'],
    '9.00 0.00',
  ],
  [
    'two returns',
    async ({ pay, idOf, step }) => {
      const id = await idOf(pay('1.00')())
      return [step(id, 'return'), step(id, 'return')]
    },
    ['done', 'illegal_transition'],
    '10.00 0.00',
  ],
  [
    'two reversals',
    async ({ root, keyed, account }) => {
      const { id } = await deposit(root, account, '1.00')
      const send = () =>
        root.post(`/api/v1/admin/transfers/${id}/reversal`, { reason: 'Wrong' }, keyed())
      return [send, send]
    },
    ['done', 'already_reversed'],
    '10.00 0.00',
  ],
]

test('of two movements in one batch the second is judged by what the first has left', async (t) => {
  const bank = await beginBatches(t)
  for (const [what, make, outcomes, left] of cases) {
    // None is the same as one of the case before.
    bank.clock.advance(10_000)
    const made = await openBatchScene(bank)
    const replies = await bank.together(await make(made))
    const { body } = await bank.ada.get(made.own)
    assert.deepEqual(
      [...replies.map(toOutcome), `${body.balance} ${body.held}`],
      [...outcomes, left],
      what,
    )
  }
  await assertSound(bank)
})

test('one confirmation confirms one of two movements in one batch, where neither key nor duplicate tells them apart', async (t) => {
  const bank = await beginBatches(t)
  const { root, own, ada } = await openBatchScene(bank)
  await giveFactor(bank, 'root')
  const hold = (headers = {}) =>
    root.post(`${own}/holds`, { ...eur('1.00'), kind: 'dispute', reference: 'Hotel' }, { headers })
  const headers = await confirmAnyway(bank, await hold())
  const replies = await bank.together([() => hold(headers), () => hold(headers)])
  assert.deepEqual(replies.map(toOutcome), ['done', 'confirmation_required'])
  assert.equal((await ada.get(own)).body.held, '1.00')
})

test('two at once add an account of the bank once, and two of different codes both', async (t) => {
  const { as } = await world(t)
  const root = await as('root')
  const add = (code: string) =>
    root.post('/api/v1/admin/bank-accounts', { code, currency: 'EUR', name: 'Further' })
  const same = await Promise.all([add('scheme'), add('scheme')])
  assert.deepEqual(same.map(({ status, body }) => (body.code as string) + status).toSorted(), [
    'already_exists409',
    'scheme201',
  ])
  const both = await Promise.all([add('one'), add('two'), add('three')])
  assert.deepEqual(
    both.map(({ status }) => status),
    [201, 201, 201],
  )
  const { body } = await root.get('/api/v1/admin/bank-accounts?currency=EUR&limit=100')
  const added = body.items.map(({ code }: { code: string }) => code).slice(-4)
  assert.deepEqual(added.toSorted(), ['one', 'scheme', 'three', 'two'])
})
