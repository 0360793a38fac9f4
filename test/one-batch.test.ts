// Two movements of one batch: the second is judged by what the first has left, at every door. The
// balance and what is held are then those of the first alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, newProcessor, outcomeOf, toTill } from './support/card-payments.ts'
import type { Reply } from './support/client.ts'
import { assertSound, deposit, openAccount } from './support/fixture.ts'
import { type Span, world } from './support/world.ts'

type Send = () => Promise<Reply>
type Made = Awaited<ReturnType<typeof open>>
/** Gives the two requests; `left` is the balance and what is held, as they are then. */
type Case = [
  what: string,
  make: (made: Made) => Promise<readonly [Send, Send]>,
  outcomes: readonly [string, string],
  left: string,
]

const eur = (amount: string) => ({ amount, currency: 'EUR' })

/** An account of Ada's with 10.00, her card and a payee elsewhere. */
async function open(bank: Awaited<ReturnType<typeof begin>>) {
  const { ada, root, processor, next } = bank
  const account = await openAccount(ada)
  await deposit(root, account, '10.00')
  const own = `/api/v1/accounts/${account}`
  const post = async (path: string, body: object) => {
    const { status, body: made, text } = await ada.post(path, body)
    assert.equal(status, 201, text)
    return made.id as string
  }
  const payee = await post(`${own}/beneficiaries`, { name: 'Otto', iban: 'DE89370400440532013000' })
  const card = await post(`${own}/cards`, {})
  const keyed = (key = next()) => ({ headers: { 'idempotency-key': key } })
  const till = toTill(processor, card)
  const pay =
    (amount: string, key?: string, more: object = { beneficiaryId: payee }): Send =>
    () =>
      ada.post('/api/v1/transfers', { fromAccountId: account, ...eur(amount), ...more }, keyed(key))
  const idOf = async (sent: Promise<Reply>): Promise<string> => {
    const { status, body, text } = await sent
    assert.ok(status < 300, text)
    return body.id as string
  }
  const hold =
    (amount: string): Send =>
    () =>
      root.post(`${own}/holds`, {
        ...eur(amount),
        kind: 'dispute',
        reference: 'Hotel',
        externalId: next(),
      })
  const step =
    (id: string, verb: string, body: object = {}): Send =>
    () =>
      root.post(`/api/v1/admin/transfers/${id}/${verb}`, { externalId: next(), ...body })
  const capture =
    (id: string, amount: string, more: object = {}): Send =>
    () =>
      root.post(`/api/v1/holds/${id}/capture`, { ...eur(amount), externalId: next(), ...more })
  const posting =
    (amount: string, externalId = next()): Send =>
    () =>
      root.post('/api/v1/admin/postings', {
        ...eur(amount),
        fromAccountId: account,
        toCode: 'fees',
        kind: 'fee',
        reason: 'Fee',
        externalId,
      })
  const withdraw =
    (amount: string): Send =>
    () =>
      root.post(
        `/api/v1/admin/accounts/${account}/withdrawals`,
        { ...eur(amount), reason: 'Out' },
        keyed(),
      )
  const limitDay = (dailyTransferLimit: string) =>
    root.patch(`${own}/settings`, { dailyTransferLimit })
  const limitCard = (limits: object) => ada.patch(`/api/v1/cards/${card}/controls`, { limits })
  return {
    ...bank,
    account,
    own,
    keyed,
    till,
    pay,
    idOf,
    hold,
    step,
    capture,
    posting,
    withdraw,
    limitDay,
    limitCard,
  }
}

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

async function begin(t: Span) {
  const bank = await world(t, { settings: { SESSION_IDLE: '12h' } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { ledger } = bank.running.core
  const { submit } = ledger
  /** What was submitted, and waits until the batch is whole. */
  let waiting: (() => void)[] | undefined
  ledger.submit = ((movement: never) => {
    if (!waiting) return submit(movement)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.push(() => void submit(movement).then(resolve, reject))
    return promise
  }) as typeof submit
  /** Sends one after the other, and has both submitted in one turn of the event loop. */
  async function together(sends: readonly [Send, Send]): Promise<Reply[]> {
    const held: (() => void)[] = []
    waiting = held
    const replies: Promise<Reply>[] = []
    for (const [index, send] of sends.entries()) {
      replies.push(send())
      while (held.length <= index) await new Promise((resolve) => setImmediate(resolve))
    }
    waiting = undefined
    for (const go of held) go()
    return Promise.all(replies)
  }
  let count = 0
  const next = () => `n-${++count}`
  const savings = await openAccount(ada)
  return { ...bank, ada, root, savings, processor: await newProcessor(bank), together, next }
}

const toOutcome = (reply: Reply): string => {
  const { status, body } = reply
  return status >= 400
    ? (body.code as string)
    : 'reason' in body && 'paymentId' in body
      ? outcomeOf(reply)
      : 'done'
}

test('of two movements in one batch the second is judged by what the first has left', async (t) => {
  const bank = await begin(t)
  for (const [what, make, outcomes, left] of cases) {
    // None is the same as one of the case before.
    bank.clock.advance(10_000)
    const made = await open(bank)
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

test('two at once add an account of the bank once, and two of different codes both', async (t) => {
  const { as } = await world(t)
  const root = await as('root')
  const add = (code: string) =>
    root.post('/api/v1/admin/bank-accounts', { code, currency: 'EUR', name: 'Further' })
  const same = await Promise.all([add('scheme'), add('scheme')])
  assert.deepEqual(
    same.map(({ status, body }) => body.code === 'already_exists' || status).toSorted(),
    [201, true],
  )
  const both = await Promise.all([add('one'), add('two'), add('three')])
  assert.deepEqual(
    both.map(({ status }) => status),
    [201, 201, 201],
  )
  const { body } = await root.get('/api/v1/admin/bank-accounts?currency=EUR&limit=100')
  const added = body.items.map(({ code }: { code: string }) => code).slice(-4)
  assert.deepEqual(added.toSorted(), ['one', 'scheme', 'three', 'two'])
})
