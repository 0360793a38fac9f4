// Card payments of a processor: what is approved is reserved, what is declined is answered and
// told, and each message takes effect once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  approved,
  asked,
  cardScene,
  newProcessor,
  outcomeOf,
  shop,
  toTill,
} from '../../../test/support/card-payments.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  scene,
  tally,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people } from '../../../test/support/world.ts'

const dayMs = 86_400_000
const unknownId = '01940000-0000-7000-8000-0000000000ff'

const setUp = async (t: Parameters<typeof scene>[0]) => cardScene(await scene(t))

test('an approved payment is reserved, captured in parts and seen by its holder with the merchant', async (t) => {
  const made = await setUp(t)
  const { ada, from, till, card, payment, payments, stand } = made
  const first = await till.ask('40.00', { channel: 'contactless' })
  assert.equal(first.status, 201, first.text)
  const { id, createdAt } = first.body
  assert.deepEqual(first.body, {
    id,
    paymentId: id,
    accountId: from,
    cardId: card,
    status: 'approved',
    reason: null,
    amount: '40.00',
    currency: 'EUR',
    merchant: shop,
    channel: 'contactless',
    expiresAt: '2026-01-09T09:00:00.000Z',
    tolerance: 0,
    createdAt,
  })
  assert.equal(first.headers['location'], `/api/v1/card-payments/${id}`)
  assert.equal(await stand(), '100.00 held 40.00')
  const common = { accountId: from, cardId: card, reason: null, currency: 'EUR', merchant: shop }
  const shown = {
    ...common,
    id,
    channel: 'contactless',
    createdAt,
    amount: '40.00',
    tolerance: 0,
    authorized: true,
  }
  const back = { refunded: '0.00', chargedBack: '0.00' }
  const open = { expiresAt: '2026-01-09T09:00:00.000Z', ...back }
  const authorized = { ...shown, ...open, status: 'authorized', held: '40.00', captured: '0.00' }
  assert.deepEqual(await payment(id), authorized)
  const part = await till.capture(id, '15.00')
  assert.deepEqual(
    [part.status, part.body.kind, part.body.counterparty],
    [201, 'card', { name: shop.name, iban: null }],
  )
  assert.deepEqual(await payment(id), { ...authorized, held: '25.00', captured: '15.00' })
  assert.equal(await stand(), '85.00 held 25.00')
  assert.equal((await till.capture(id, '20.00', { final: true })).status, 201)
  assert.deepEqual(await payment(id), {
    ...authorized,
    status: 'captured',
    held: '0.00',
    captured: '35.00',
  })
  assert.equal(await stand(), '65.00 held 0.00')
  assert.deepEqual(await payments(), [await payment(id)])
  const { items } = (await ada.get(`/api/v1/accounts/${from}/transactions?limit=2`)).body
  const seen = items.map(({ amount, kind, counterparty }: Record<string, object>) => [
    amount,
    kind,
    counterparty,
  ])
  const merchant = { name: shop.name, iban: null }
  assert.deepEqual(seen, [
    ['-20.00', 'card', merchant],
    ['-15.00', 'card', merchant],
  ])
  await assertSound(made)
})

test('each reason to decline is an answer that reserves nothing, is stored and is told', async (t) => {
  const made = await setUp(t)
  const { ada, root, from, card, till, stand, payments, clock } = made
  const path = `/api/v1/cards/${card}`
  const controls = (body: object) => ada.patch(`${path}/controls`, body)
  const turn = (verb: string) =>
    root.post(`/api/v1/admin/accounts/${from}/${verb}`, { reason: 'Test' })
  const declines: [string, object, string][] = []
  const ask = async (reason: string, amount: string, more: object = {}) => {
    const reply = await till.ask(amount, more)
    clock.advance(1)
    assert.equal(outcomeOf(reply), reason, reply.text)
    assert.deepEqual([reply.body.status, reply.body.paymentId], ['declined', null])
    assert.equal(await stand(), '100.00 held 0.00')
    declines.unshift([reply.body.id, reply.body.merchant, reason])
  }
  await ask('insufficient_funds', '100.01')
  await ask('currency_mismatch', '5.00', { currency: 'USD' })
  await controls({ limits: { perPayment: '30', perDay: '50' } })
  await ask('per_payment_limit', '30.01')
  await controls({ limits: { perPayment: null } })
  await ask('per_day_limit', '50.01')
  await controls({
    limits: { perDay: null },
    channels: { online: false, abroad: false, contactless: false, cash: false },
  })
  for (const channel of ['online', 'contactless', 'cash'])
    await ask('channel_off', '5.00', { channel })
  await ask('channel_off', '5.00', { merchant: { ...shop, country: 'FR' } })
  await ada.post(`${path}/freeze`)
  await ask('card_frozen', '5.00')
  await ada.post(`${path}/unfreeze`)
  await turn('freeze')
  await ask('account_frozen', '5.00')
  await turn('unfreeze')
  const other = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body.id
  await ada.put(`/api/v1/cards/${other}`, { status: 'cancelled' })
  const cancelled = await made.processor.post(
    `/api/v1/cards/${other}/authorizations`,
    asked('5.00'),
  )
  assert.equal(outcomeOf(cancelled), 'card_cancelled')
  declines.unshift([cancelled.body.id, shop, 'card_cancelled'])
  const seen = (await payments()).map(({ id, merchant, reason, status }) => {
    assert.equal(status, 'declined')
    return [id, merchant, reason]
  })
  assert.deepEqual(seen, declines)
  const { rows } = await made.sql('select count(*)::int as holds from holds')
  assert.deepEqual(rows, [{ holds: 0 }])
  clock.advance(3 * 366 * dayMs + 31 * dayMs)
  assert.equal(outcomeOf(await till.ask('1.00')), 'card_expired')
  await assertSound(made)
})

test('a card is valid on the last day of its month and not on the next', async (t) => {
  const made = await setUp(t)
  const { card, till } = made
  await made.sql('update cards set expiry_month = 1, expiry_year = 2026 where id = $1', [card])
  made.clock.advance(Date.parse('2026-01-31T23:59:59.999Z') - made.clock.now())
  assert.equal(outcomeOf(await till.ask('1.00')), 'approved')
  made.clock.advance(1)
  assert.equal(outcomeOf(await till.ask('1.00')), 'card_expired')
})

test('a message that is sent again is answered as the first time, for ever; another one under its number is refused', async (t) => {
  const made = await setUp(t)
  const { till, root, from, card, stand, processor } = made
  const first = await till.ask('30.00', { externalId: 'A' })
  const declined = await till.ask('90.00', { externalId: 'B' })
  assert.equal(outcomeOf(declined), 'insufficient_funds')
  await deposit(root, from, '500.00')
  const id = first.body.paymentId as string
  const raised = await till.raise(id, '5.00', { externalId: 'C' })
  const taken = await till.capture(id, '10.00', { externalId: 'D' })
  const back = await till.refund(id, '4.00', { externalId: 'E' })
  for (const { status, text } of [raised, taken, back]) assert.equal(status, 201, text)
  const after = await stand()
  made.clock.advance(40 * dayMs)
  // As it was answered: `1.5` and `1.50` are one amount.
  const again = [
    await till.ask('30', { externalId: 'A' }),
    await till.ask('90.0', { externalId: 'B' }),
    await till.raise(id, '5.00', { externalId: 'C' }),
    await till.capture(id, '10.00', { externalId: 'D' }),
    await till.refund(id, '4.00', { externalId: 'E' }),
  ]
  for (const [index, reply] of [first, declined, raised, taken, back].entries()) {
    assert.deepEqual([again[index]?.status, again[index]?.text], [201, reply.text])
    assert.equal(again[index]?.headers['idempotency-replayed'], 'true')
  }
  const others = [
    await till.ask('31.00', { externalId: 'A' }),
    await till.ask('30.00', { externalId: 'A', channel: 'online' }),
    await till.raise(id, '30.00', { externalId: 'A' }),
    await till.capture(id, '10.00', { externalId: 'D', final: true }),
    await till.refund(id, '10.00', { externalId: 'D' }),
  ]
  assert.deepEqual(tally(others), { '422 idempotency_key_reused': 5 })
  const second = toTill(await newProcessor({ ...made, as: made.login }), card)
  const own = await second.ask('1.00', { externalId: 'A' })
  assert.equal(outcomeOf(own), 'approved', 'two processors number alike')
  assert.equal(after, '594.00 held 25.00')
  assert.ok(processor.id !== own.body.id)
  await assertSound(made)
})

test('an authorisation that is sent again after its end is answered as it was', async (t) => {
  const { clock, till } = await setUp(t)
  const more = { expiresAt: new Date(clock.now() + 60_000).toISOString(), externalId: 'short' }
  const first = await till.ask('1.00', more)
  clock.advance(120_000)
  const again = await till.ask('1.00', more)
  assert.deepEqual([again.status, again.body], [201, first.body], again.text)
  const other = await till.ask('1.00', { ...more, externalId: 'other' })
  assert.equal(other.status, 400)
})

test('of fifty equal messages at once one takes effect, and all get its answer', async (t) => {
  const made = await setUp(t)
  const { till, stand } = made
  const replies = await many(50, () => till.ask('30.00', { externalId: 'A' }))
  assert.deepEqual(tally(replies), { '201': 50 })
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
  assert.equal(await stand(), '100.00 held 30.00')
  const id = replies[0]?.body.paymentId as string
  const captures = await many(20, () => till.capture(id, '10.00', { externalId: 'B' }))
  assert.deepEqual(tally(captures), { '201': 20 })
  const refunds = await many(20, () => till.refund(id, '3.00', { externalId: 'C' }))
  assert.deepEqual(tally(refunds), { '201': 20 })
  assert.equal(await stand(), '93.00 held 20.00')
  await assertSound(made)
})

test('two authorisations for the last cent: one is approved', async (t) => {
  const made = await setUp(t)
  const second = await made.another()
  const tills = [made.till, toTill(made.processor.on(second.send), made.card)]
  const replies = await many(12, (index) => tills[index % 2]!.ask('30.00'))
  const outcomes = replies.map(outcomeOf).toSorted()
  assert.deepEqual(outcomes, [
    ...Array<string>(3).fill('approved'),
    ...Array<string>(9).fill('insufficient_funds'),
  ])
  assert.equal(await made.stand(), '100.00 held 90.00')
  await assertSound(made)
})

test('the limit of the day counts what is held or was taken of it, and not what was given back', async (t) => {
  const made = await setUp(t)
  const { ada, card, till } = made
  await ada.patch(`/api/v1/cards/${card}/controls`, { limits: { perDay: '50.00' } })
  const shows = async (spentToday: string, when?: string) => {
    assert.equal((await ada.get(`/api/v1/cards/${card}`)).body.spentToday, spentToday, when)
    const { items } = (await ada.get(`/api/v1/accounts/${made.from}/cards`)).body
    assert.equal(items[0].spentToday, spentToday, when)
  }
  await shows('0.00')
  const first = await approved(till.ask('30.00'))
  await shows('30.00')
  assert.equal(outcomeOf(await till.ask('20.01')), 'per_day_limit')
  await shows('30.00', 'declined')
  const second = await approved(till.ask('20.00'))
  assert.equal(outcomeOf(await till.raise(second, '0.01')), 'per_day_limit')
  await shows('50.00')
  await till.release(second)
  await shows('30.00', 'released')
  const third = await approved(till.ask('15.00'))
  assert.equal(outcomeOf(await till.ask('5.01')), 'per_day_limit')
  await till.capture(first, '10.00', { final: true })
  await shows('25.00', 'captured in part, for good')
  const fourth = await approved(till.ask('25.00'))
  assert.equal(outcomeOf(await till.ask('0.01')), 'per_day_limit')
  await till.capture(fourth, '25.00')
  await till.refund(fourth, '25.00')
  assert.equal(outcomeOf(await till.ask('0.01')), 'per_day_limit', 'a refund is another day’s')
  await shows('50.00', 'refunded')
  const short = new Date(made.clock.now() + 60_000).toISOString()
  await ada.patch(`/api/v1/cards/${card}/controls`, { limits: { perDay: '60.00' } })
  await approved(till.ask('10.00', { expiresAt: short }))
  await shows('60.00')
  made.clock.advance(60_000)
  await shows('50.00', 'expired')
  await ada.patch(`/api/v1/cards/${card}/controls`, { limits: { perDay: '50.00' } })
  assert.equal(outcomeOf(await till.ask('0.01')), 'per_day_limit')
  made.clock.advance(dayMs)
  const late = toTill(made.processor, card)
  assert.equal(outcomeOf(await late.raise(third, '50.01')), 'per_day_limit')
  assert.equal(outcomeOf(await late.raise(third, '10.00')), 'approved')
  assert.equal(
    outcomeOf(await late.ask('40.01')),
    'per_day_limit',
    'what raised yesterday’s counts',
  )
  assert.equal(outcomeOf(await late.ask('40.00')), 'approved')
  await assertSound(made)
})

test('within one batch, the limit of a day counts the authorisations before', async (t) => {
  const made = await setUp(t)
  await made.ada.patch(`/api/v1/cards/${made.card}/controls`, { limits: { perDay: '50.00' } })
  const replies = await many(10, () => made.till.ask('20.00'))
  const outcomes = replies.map(outcomeOf).toSorted()
  assert.deepEqual(outcomes, ['approved', 'approved', ...Array<string>(8).fill('per_day_limit')])
})

test('a payment is raised if there is money for it, and stays as it is if not', async (t) => {
  const made = await setUp(t)
  const { ada, card, till, payment, payments, stand } = made
  const id = await approved(till.ask('30.00'))
  const raise = (amount: string) => {
    made.clock.advance(1)
    return till.raise(id, amount)
  }
  const more = await raise('20.00')
  assert.deepEqual(
    [more.body.status, more.body.paymentId, more.body.amount],
    ['approved', id, '20.00'],
  )
  assert.notEqual(more.body.id, id)
  assert.equal((await payment(id)).amount, '50.00')
  const declined = await raise('50.01')
  assert.deepEqual([outcomeOf(declined), declined.body.paymentId], ['insufficient_funds', id])
  await ada.patch(`/api/v1/cards/${card}/controls`, { limits: { perPayment: '60.00' } })
  assert.equal(outcomeOf(await raise('10.01')), 'per_payment_limit')
  await ada.post(`/api/v1/cards/${card}/freeze`)
  assert.equal(outcomeOf(await raise('1.00')), 'card_frozen')
  assert.equal(await stand(), '100.00 held 50.00')
  const seen = (await payments()).map(({ status, amount }) => `${status} ${amount}`)
  assert.deepEqual(seen, ['declined 1.00', 'declined 10.01', 'declined 50.01', 'authorized 50.00'])
  await till.capture(id, '50.00')
  assert.equal(outcomeOf(await till.raise(id, '1.00')), '409 illegal_transition')
})

test('no more is captured than is held, nothing after the end, and nothing leaves a frozen account', async (t) => {
  const made = await setUp(t)
  const { root, from, till } = made
  const turn = (verb: string) =>
    root.post(`/api/v1/admin/accounts/${from}/${verb}`, { reason: 'Test' })
  const id = await approved(till.ask('30.00'))
  assert.equal(outcomeOf(await till.capture(id, '30.01')), '409 limit_exceeded')
  const usd = await till.capture(id, '3.00', { currency: 'USD' })
  assert.equal(outcomeOf(usd), '409 currency_mismatch')
  await turn('freeze')
  assert.equal(outcomeOf(await till.capture(id, '3.00')), '409 account_frozen')
  const released = await till.release(id)
  assert.deepEqual([released.status, released.body.status], [200, 'released'])
  await turn('unfreeze')
  assert.deepEqual((await till.release(id)).text, released.text, 'a repetition is answered alike')
  assert.equal(outcomeOf(await till.capture(id, '3.00')), '409 illegal_transition')
  const partly = await approved(till.ask('30.00'))
  await till.capture(partly, '10.00')
  assert.equal((await till.release(partly)).body.status, 'captured')
  assert.equal((await till.release(partly)).status, 200)
  const { rowCount } = await made.sql(
    `select from audit_events where action = 'releaseCardPayment' and outcome = 'success'`,
  )
  assert.equal(rowCount, 4, 'also of one that had ended')
  const taken = await approved(till.ask('5.00'))
  await till.capture(taken, '5.00')
  assert.equal(outcomeOf(await till.release(taken)), '409 illegal_transition')
  const end = new Date(made.clock.now() + dayMs).toISOString()
  const brief = await approved(till.ask('8.00', { expiresAt: end }))
  made.clock.advance(dayMs)
  assert.equal(outcomeOf(await till.capture(brief, '1.00')), '409 illegal_transition')
  assert.equal(outcomeOf(await till.raise(brief, '1.00')), '409 illegal_transition')
  const again = await made.login('ada')
  const expired = (await again.get(`/api/v1/card-payments/${brief}`)).body
  assert.ok(['authorized', 'expired'].includes(expired.status))
  await assertSound(made)
})

test('a refund credits at most what was captured, also a frozen account and a cancelled card', async (t) => {
  const made = await setUp(t)
  const { ada, root, from, card, till, payment, stand } = made
  const id = await approved(till.ask('50.00'))
  assert.equal(outcomeOf(await till.refund(id, '1.00')), '409 limit_exceeded')
  await till.capture(id, '40.00', { final: true })
  await ada.put(`/api/v1/cards/${card}`, { status: 'cancelled' })
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Test' })
  const first = await till.refund(id, '15.00')
  assert.deepEqual([first.status, first.body.kind], [201, 'refund'])
  assert.equal(await stand(), '75.00 held 0.00')
  const rest = await many(6, () => till.refund(id, '10.00'))
  assert.deepEqual(tally(rest), { '201': 2, '409 limit_exceeded': 4 })
  assert.deepEqual([(await payment(id)).refunded, await stand()], ['35.00', '95.00 held 0.00'])
  const [entry] = (await ada.get(`/api/v1/accounts/${from}/transactions?limit=1`)).body.items
  assert.deepEqual(
    [entry.kind, entry.amount, entry.counterparty],
    ['refund', '10.00', { name: shop.name, iban: null }],
  )
  const reversal = (transfer: string) =>
    root.post(`/api/v1/admin/transfers/${transfer}/reversal`, { reason: 'Wrong' })
  assert.equal(outcomeOf(await reversal(first.body.id)), '409 illegal_transition')
  await assertSound(made)
})

test('a customer, a program without the grant, another processor and the holder as staff have no part in it', async (t) => {
  const made = await setUp(t)
  const { till, card, from, ada, root, stand } = made
  const id = await approved(till.ask('30.00'))
  await till.capture(id, '10.00')
  const before = await stand()
  const both = await made.as('both')
  const bothAccount = await openAccount(both)
  const ownCard = (await both.post(`/api/v1/accounts/${bothAccount}/cards`, {})).body.id
  await made.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const notProcessors = {
    ada,
    ben: await made.as('ben'),
    agnes: await made.as('agnes'),
    reader: await newProgram(made, { readAccounts: 'all', payFrom: [from] }),
    other: await newProgram(made, { operations: ['createIncomingPayment'] }),
  }
  for (const [who, client] of Object.entries(notProcessors)) {
    const wrong = toTill(client, card)
    const replies = [
      await wrong.ask('1.00'),
      await wrong.raise(id, '1.00'),
      await wrong.capture(id, '1.00'),
      await wrong.refund(id, '1.00'),
      await wrong.release(id),
      await toTill(client, unknownId).ask('1.00'),
    ]
    assert.deepEqual(tally(replies), { '403 forbidden': 6 }, who)
  }
  const second = toTill(await newProcessor(made), card)
  const meddling = [
    await second.raise(id, '1.00'),
    await second.capture(id, '1.00'),
    await second.refund(id, '1.00'),
    await second.release(id),
  ]
  assert.deepEqual(tally(meddling), { '403 forbidden': 4 })
  assert.equal(outcomeOf(await toTill(both, ownCard).ask('1.00')), '403 forbidden')
  const unknown = [
    await toTill(root, unknownId).ask('1.00'),
    await till.raise(unknownId, '1.00'),
    await till.capture(unknownId, '1.00'),
    await till.refund(unknownId, '1.00'),
    await till.release(unknownId),
  ]
  assert.deepEqual(tally(unknown), { '404 not_found': 5 })
  assert.equal(await stand(), before)
  const ben = await made.as('ben')
  const reads = [`/api/v1/card-payments/${id}`, `/api/v1/accounts/${from}/card-payments`]
  for (const path of reads) {
    assert.equal((await ben.get(path)).status, 403)
    assert.equal((await notProcessors.agnes.get(path)).status, 200)
    assert.equal((await notProcessors.reader.get(path)).status, 200)
    assert.equal((await notProcessors.other.get(path)).status, 403)
  }
  assert.equal(
    (await ben.get(reads[0] as string)).text,
    (await ben.get(`/api/v1/card-payments/${unknownId}`)).text,
  )
})

test('a closed account is not found, and what is no request is refused and changes nothing', async (t) => {
  const made = await setUp(t)
  const { ada, to, till, processor, stand } = made
  const empty = (await ada.post(`/api/v1/accounts/${to}/cards`, {})).body.id
  const declined = await toTill(processor, empty).ask('1.00')
  assert.equal(outcomeOf(declined), 'insufficient_funds')
  await ada.delete(`/api/v1/accounts/${to}`)
  assert.equal(outcomeOf(await toTill(processor, empty).ask('1.00')), '404 not_found')
  assert.equal((await ada.get(`/api/v1/card-payments/${declined.body.id}`)).status, 404)
  const day = (days: number) => new Date(made.clock.now() + days * dayMs).toISOString()
  const wrong: object[] = [
    { amount: '0' },
    { amount: '0.00' },
    { amount: '1.001' },
    { amount: '-1' },
    { currency: 'XXX' },
    { channel: 'phone' },
    { channel: undefined },
    { externalId: '' },
    { externalId: undefined },
    { expiresAt: day(0) },
    { expiresAt: day(-1) },
    { expiresAt: day(400.1) },
    { merchant: undefined },
    { merchant: { ...shop, category: '541' } },
    { merchant: { ...shop, country: 'de' } },
    { merchant: { ...shop, name: 'Card 4111 1111 1111 1111' } },
    { merchant: { ...shop, pan: '1' } },
    { cardNumber: '4111111111111111' },
    { pin: '1234' },
  ]
  for (const body of wrong) {
    const reply = await till.ask('1.00', body)
    assert.equal(outcomeOf(reply), '400 invalid_request', JSON.stringify(body))
  }
  assert.equal(await stand(), '100.00 held 0.00')
  const named = await till.ask('1.00', { merchant: { ...shop, name: 'AMZN*Mktp <b>"x"</b>' } })
  assert.equal(named.body.merchant.name, "AMZN·Mktp (b)'x'(/b)")
})

test('the holder is told of a declined attempt and of a large payment, and programs of every step', async (t) => {
  const made = await setUp(t)
  const { from, till } = made
  const agnes = await made.as('agnes')
  const { nextAfter } = (await agnes.get('/api/v1/events?after=last')).body
  const declined = await till.ask('100.01')
  const id = await approved(till.ask('30.00'))
  await till.raise(id, '5.00')
  await till.capture(id, '5.00')
  await till.refund(id, '5.00')
  await till.release(id)
  const types =
    'card.payment.authorized,card.payment.declined,card.payment.captured,' +
    'card.payment.released,card.payment.refunded'
  const { items } = (await agnes.get(`/api/v1/events?after=${nextAfter}&types=${types}`)).body
  assert.deepEqual(
    items.map(({ type, resourceId }: Record<string, string>) => [type, resourceId]),
    [
      ['card.payment.declined', declined.body.id],
      ['card.payment.authorized', id],
      ['card.payment.authorized', id],
      ['card.payment.captured', id],
      ['card.payment.refunded', id],
      ['card.payment.released', id],
    ],
  )
  for (const { accountIds } of items) assert.deepEqual(accountIds, [from])
  const mails = await readMails(made)
  const [mail] = mails.filter(({ subject }) => subject === 'A card payment was declined')
  const text = mail?.text?.replaceAll('\n', ' ') ?? ''
  assert.match(text, /100\.01 EUR.*Lindner Lebensmittel.*there was not enough money/)
  assert.equal(mails.filter(({ subject }) => subject === 'A card payment').length, 0)
})
