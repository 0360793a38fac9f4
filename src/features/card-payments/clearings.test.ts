// What a processor clears is booked whatever the account says, once, and no more than was cleared;
// what the account lacks then is covered before anything else leaves it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  approved,
  asked,
  cardScene,
  outcomeOf,
  shop,
  toTill,
} from '../../../test/support/card-payments.ts'
import {
  assertSound,
  deposit,
  many,
  scene,
  tally,
  transferBody,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const dayMs = 86_400_000
const setUp = async (t: Parameters<typeof scene>[0]) => cardScene(await scene(t))

/** What the account says: its balance, what is available, and since when it is overdrawn. */
async function standOf({ root, from }: Pick<Awaited<ReturnType<typeof setUp>>, 'root' | 'from'>) {
  const { body } = await root.get(`/api/v1/admin/accounts/${from}`)
  return [body.balance, body.available, body.overdrawnSince]
}

const overdrawnMails = async (made: Parameters<typeof readMails>[0]) =>
  (await readMails(made)).filter(({ subject }) => subject === 'Your account is overdrawn')

test('what is cleared is taken out of its hold, then out of what is available, then as an unarranged overdraft: at the cent', async (t) => {
  const made = await setUp(t)
  const { till, root, from, to, ada, payment, clock } = made
  const since = '2026-01-02T09:00:00.000Z'
  const held = await approved(till.ask('30.00'))
  const exact = await till.clear('100.00', { authorizationId: held })
  assert.equal(exact.status, 201, exact.text)
  assert.equal(exact.body.kind, 'clearing')
  assert.equal(exact.body.cardPaymentId, held)
  assert.deepEqual(exact.body.counterparty, { name: shop.name, iban: null })
  assert.deepEqual(await standOf(made), ['0.00', '0.00', null])
  const { status, captured, held: left, authorized } = await payment(held)
  assert.deepEqual([status, captured, left, authorized], ['captured', '100.00', '0.00', true])
  const cent = await till.clear('0.01')
  assert.equal(cent.status, 201, cent.text)
  assert.deepEqual(await standOf(made), ['-0.01', '-0.01', since])
  // Nothing leaves: transfers, holds, authorizations, cash.
  const money = { amount: '0.01', currency: 'EUR' }
  const out = [
    ada.post('/api/v1/transfers', transferBody(from, to, '0.01')),
    root.post(`/api/v1/accounts/${from}/holds`, { ...money, kind: 'seizure', reference: 'Court' }),
    root.post(`/api/v1/admin/accounts/${from}/withdrawals`, { ...money, reason: 'Desk' }),
    till.ask('0.01'),
  ]
  assert.deepEqual((await Promise.all(out)).map(outcomeOf), [
    ...Array(3).fill('409 insufficient_funds'),
    'insufficient_funds',
  ])
  // Money that comes in covers it first: one cent is lacking to a cent.
  await deposit(root, from, '0.01')
  assert.deepEqual(await standOf(made), ['0.00', '0.00', null])
  assert.equal(outcomeOf(await till.ask('0.01')), 'insufficient_funds')
  clock.advance(11_000)
  await deposit(root, from, '0.01')
  assert.equal(outcomeOf(await till.ask('0.01')), 'approved')
  await assertSound(made)
})

test('an overdraft that is arranged is used first, and one that is raised covers what was not', async (t) => {
  const made = await setUp(t)
  const { till, root, from, clock } = made
  const set = (overdraftLimit: string) =>
    root.patch(`/api/v1/accounts/${from}/settings`, { overdraftLimit })
  await set('50.00')
  await till.clear('150.00')
  assert.deepEqual(await standOf(made), ['-50.00', '0.00', null])
  clock.advance(1000)
  await till.clear('20.00')
  const since = '2026-01-02T09:00:01.000Z'
  assert.deepEqual(await standOf(made), ['-70.00', '-20.00', since])
  clock.advance(1000)
  await till.clear('5.00')
  assert.deepEqual(await standOf(made), ['-75.00', '-25.00', since], 'since the first')
  assert.equal(outcomeOf(await set('49.99')), '409 limit_exceeded')
  assert.equal((await set('60.00')).status, 200)
  assert.deepEqual(await standOf(made), ['-75.00', '-15.00', since])
  await assertSound(made)
  assert.equal((await set('75.00')).status, 200)
  assert.deepEqual(await standOf(made), ['-75.00', '0.00', null])
  await assertSound(made)
})

test('a payment is cleared after it has expired or was released, above what was asked, and without being asked for; all of it can be refunded', async (t) => {
  const made = await setUp(t)
  const { till, clock } = made
  const [expired, released] = [await approved(till.ask('10.00')), await approved(till.ask('5.00'))]
  await till.release(released)
  const inTime = await approved(till.ask('7.00', { expiresAt: '2026-02-20T00:00:00Z' }))
  await till.capture(inTime, '7.00')
  clock.advance(7 * dayMs)
  assert.equal(outcomeOf(await till.capture(expired, '10.00')), '409 illegal_transition')
  const cleared = [
    await till.clear('10.00', { authorizationId: expired }),
    await till.clear('6.00', { authorizationId: released }),
    await till.clear('3.00', { authorizationId: inTime }),
    await till.clear('4.00'),
  ]
  assert.deepEqual(cleared.map(outcomeOf), Array(4).fill('completed'))
  const alone = cleared[3]?.body.cardPaymentId as string
  const root = await made.login('root')
  const read = async (id: string) => {
    const { status, amount, captured, authorized } = (await root.get(`/api/v1/card-payments/${id}`))
      .body
    return [status, amount, captured, authorized]
  }
  assert.deepEqual(await Promise.all([expired, released, inTime, alone].map(read)), [
    ['captured', '10.00', '10.00', true],
    ['captured', '5.00', '6.00', true],
    ['captured', '7.00', '10.00', true],
    ['captured', '4.00', '4.00', false],
  ])
  for (const [id, most] of [
    [expired, '10.00'],
    [released, '6.00'],
    [inTime, '10.00'],
    [alone, '4.00'],
  ] as const) {
    assert.equal((await till.refund(id, most)).status, 201)
    assert.equal(outcomeOf(await till.refund(id, '0.01')), '409 limit_exceeded')
  }
  // One that was made by a clearing may be cleared again.
  assert.equal((await till.clear('1.00', { authorizationId: alone })).status, 201)
  assert.deepEqual(await read(alone), ['captured', '4.00', '5.00', false])
  await assertSound(made)
})

test('a capture in time and a hold that a clearing leaves: the rest stays reserved', async (t) => {
  const made = await setUp(t)
  const { till, stand, clock, sql } = made
  const id = await approved(till.ask('40.00'))
  await till.clear('15.00', { authorizationId: id })
  assert.equal(await stand(), '85.00 held 25.00')
  await till.capture(id, '5.00')
  assert.equal(await stand(), '80.00 held 20.00')
  // One millisecond before its end it is taken from what is held, and at it no more.
  clock.advance(7 * dayMs - 1)
  assert.equal((await till.clear('1.00', { authorizationId: id })).status, 201)
  clock.advance(1)
  assert.equal((await till.clear('1.00', { authorizationId: id })).status, 201)
  const { rows } = await sql('select unheld::int from hold_captures order by transfer_id')
  assert.deepEqual(
    rows.map(({ unheld }) => unheld),
    [0, 0, 0, 100],
  )
  await assertSound(made)
})

test('a frozen, cancelled or expired card, a frozen or blocked account: it is booked; a closed account leaves it to suspense', async (t) => {
  const made = await setUp(t)
  const { ada, root, from, till, card, clock } = made
  const id = await approved(till.ask('5.00'))
  await ada.post(`/api/v1/cards/${card}/freeze`)
  const ok = async () => assert.equal((await till.clear('1.00')).status, 201)
  await ok()
  await ada.put(`/api/v1/cards/${card}`, { status: 'cancelled' })
  await ok()
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Lost' })
  await ok()
  assert.equal(outcomeOf(await till.capture(id, '1.00')), '409 account_frozen')
  assert.equal((await till.clear('1.00', { authorizationId: id })).status, 201)
  await root.post(`/api/v1/admin/accounts/${from}/unfreeze`, { reason: 'Found' })
  const block = { debits: true, credits: false, cause: 'court_order', note: 'Case 7' }
  const blocked = await root.post(`/api/v1/admin/accounts/${from}/blocks`, block)
  assert.equal(blocked.status, 201, blocked.text)
  await ok()
  await root.delete(`/api/v1/admin/accounts/${from}/blocks/${blocked.body.id}`)
  await till.release(id)
  const { body } = await ada.get(`/api/v1/accounts/${from}`)
  assert.equal(body.available, '95.00')
  const empty = { amount: body.balance, currency: 'EUR', reason: 'Desk' }
  await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, empty)
  assert.equal((await ada.delete(`/api/v1/accounts/${from}`)).status, 204)
  clock.advance(1000)
  const suspense = bankAccount('suspense', 'EUR')
  const late = await till.clear('2.00', { authorizationId: id })
  const alone = await till.clear('3.00')
  for (const reply of [late, alone]) {
    assert.equal(reply.status, 201, reply.text)
    const { fromAccountId, creditorAccountId } = reply.body
    assert.deepEqual([fromAccountId, creditorAccountId], [suspense, from])
  }
  assert.equal(late.body.cardPaymentId, id)
  const told = (await root.get('/api/v1/events?types=card.payment.suspended')).body.items
  assert.deepEqual(
    told.map(({ resourceId }: { resourceId: string }) => resourceId),
    [id, alone.body.cardPaymentId],
  )
  const back = await till.refund(id, '2.00')
  assert.deepEqual([back.status, back.body.toAccountId], [201, suspense])
  assert.deepEqual(await overdrawnMails(made), [], 'it has no overdraft')
  await assertSound(made)
})

test('a number stands for one clearing for ever: the same again, and another one in any field is refused', async (t) => {
  const made = await setUp(t)
  const { till, from, processor, clock, card, sql } = made
  const [id, other] = [await approved(till.ask('10.00')), await approved(till.ask('10.00'))]
  const alone = asked('10.00', { externalId: 'L' })
  const first = { ...alone, authorizationId: id }
  const path = `/api/v1/cards/${card}/clearings`
  const twenty = await many(20, () => processor.post(path, first))
  assert.deepEqual(tally(twenty), { '201': 20 })
  assert.equal(new Set(twenty.map(({ body }) => body.id)).size, 1)
  clock.advance(3 * dayMs)
  const again = await processor.post(path, { ...first, amount: '10' })
  assert.deepEqual([again.status, again.body.id], [201, twenty[0]?.body.id])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const voice = await made.login('ada')
  const card2 = (await voice.post(`/api/v1/accounts/${from}/cards`, {})).body.id as string
  const differing = [
    processor.post(path, { ...first, amount: '10.01' }),
    processor.post(path, { ...first, currency: 'USD' }),
    processor.post(path, { ...first, channel: 'online' }),
    processor.post(path, { ...first, authorizationId: other }),
    processor.post(path, alone),
    processor.post(path, { ...first, merchant: { ...shop, name: 'Another' } }),
    processor.post(path, { ...first, merchant: { ...shop, category: '5812' } }),
    processor.post(path, { ...first, merchant: { ...shop, country: 'FR' } }),
    processor.post(`/api/v1/cards/${card2}/clearings`, alone),
  ]
  const outcomes = (await Promise.all(differing)).map(outcomeOf)
  assert.deepEqual(outcomes, Array(9).fill('422 idempotency_key_reused'))
  // A payment of another card, none, a decline; another currency; nothing.
  const declined = await till.ask('500.00')
  const elsewhere = toTill(processor, card2)
  const refused = [
    elsewhere.clear('1.00', { authorizationId: id }),
    till.clear('1.00', { authorizationId: '01940000-0000-7000-8000-0000000000ff' }),
    till.clear('1.00', { authorizationId: declined.body.id }),
    till.clear('1.00', { currency: 'USD' }),
    till.clear('0'),
  ]
  assert.deepEqual((await Promise.all(refused)).map(outcomeOf), [
    ...Array(3).fill('404 not_found'),
    '409 currency_mismatch',
    '400 invalid_request',
  ])
  const { rows } = await sql(`select count(*)::int as made from transfers where kind = 'clearing'`)
  assert.deepEqual(rows, [{ made: 1 }])
  await assertSound(made)
})

test('a capture goes above its authorisation by its tolerance, to the cent, if the account has that', async (t) => {
  const made = await setUp(t)
  const { till, from, root, payment, stand } = made
  for (const tolerance of [0, 31, 1.5]) {
    assert.equal(outcomeOf(await till.ask('1.00', { tolerance })), '400 invalid_request')
  }
  const meal = await till.ask('33.33', { tolerance: 20 })
  assert.equal(meal.body.tolerance, 20)
  const id = await approved(Promise.resolve(meal))
  // 33.33 and a fifth, rounded down: 6.66.
  assert.equal(outcomeOf(await till.capture(id, '40.00')), '409 limit_exceeded')
  assert.equal((await till.capture(id, '39.99')).status, 201)
  const { status, captured, tolerance } = await payment(id)
  assert.deepEqual([status, captured, tolerance], ['captured', '39.99', 20])
  assert.equal(await stand(), '60.01 held 0.00')
  const parts = await approved(till.ask('10.00', { tolerance: 10 }))
  await till.capture(parts, '4.00')
  assert.equal(outcomeOf(await till.capture(parts, '7.01')), '409 limit_exceeded')
  assert.equal((await till.capture(parts, '7.00')).status, 201)
  // What is above was not reserved.
  const last = await approved(till.ask('49.01', { tolerance: 30 }))
  assert.equal(outcomeOf(await till.capture(last, '49.02')), '409 insufficient_funds')
  await deposit(root, from, '0.01')
  assert.equal((await till.capture(last, '49.02')).status, 201)
  assert.equal(await stand(), '0.00 held 0.00')
  const plain = await till.ask('1.00')
  assert.equal(plain.body.tolerance, 0)
  await assertSound(made)
})

test('the holder is told by mail and the feed when a clearing leaves the account lacking, and the feed when it is covered', async (t) => {
  const made = await setUp(t)
  const { till, root, from, clock } = made
  await root.patch(`/api/v1/accounts/${from}/settings`, { alertsEnabled: false })
  await till.clear('100.00')
  assert.deepEqual(await overdrawnMails(made), [])
  clock.advance(1)
  await till.clear('12.34')
  const [mail, none] = await overdrawnMails(made)
  assert.equal(none, undefined)
  assert.match(mail?.text?.replaceAll('\n', ' ') ?? '', /12\.34 EUR are lacking now/)
  const told = (await root.get('/api/v1/events?types=account.overdrawn')).body.items
  assert.deepEqual(
    told.map((item: Record<string, unknown>) => [item['resourceId'], item['accountIds']]),
    [[from, [from]]],
  )
  // It lacks already: no other mail, also at the bounds of what would cover it.
  await till.clear('1.00')
  await deposit(root, from, '13.33')
  assert.equal((await overdrawnMails(made)).length, 1)
  const covered = async () =>
    (await root.get('/api/v1/events?types=account.covered')).body.items.map(
      (item: Record<string, unknown>) => [item['resourceId'], item['accountIds']],
    )
  assert.deepEqual(await covered(), [], 'a cent is lacking')
  await deposit(root, from, '0.01')
  assert.deepEqual(await covered(), [[from, [from]]])
  await deposit(root, from, '1.00')
  assert.equal((await covered()).length, 1, 'once')
  // Covered before the mail is written: nothing to tell.
  await till.clear('2.00')
  await deposit(root, from, '1.01')
  assert.equal((await overdrawnMails(made)).length, 1)
  assert.equal((await covered()).length, 2)
  clock.advance(1)
  await till.clear('0.50')
  assert.equal((await overdrawnMails(made)).length, 2, 'it begins to lack again')
})
