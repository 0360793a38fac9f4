// A chargeback credits the holder provisionally and ends once, and takes back no more than it gave;
// what comes back of a payment in any way is at most what was captured.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, cardScene, outcomeOf, toTill } from '../../../test/support/card-payments.ts'
import { newProcessor, shop } from '../../../test/support/card-payments.ts'
import { assertSound, many, scene, tally } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

async function setUp(t: Parameters<typeof scene>[0]) {
  const made = await cardScene(await scene(t))
  const { till } = made
  /** A payment of which that was captured. */
  const paid = async (amount: string): Promise<string> => {
    const id = await approved(till.ask(amount))
    assert.equal((await till.capture(id, amount)).status, 201)
    return id
  }
  const charged = async (id: string, amount: string): Promise<string> => {
    const reply = await till.chargeBack(id, amount)
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  return { ...made, paid, charged }
}

/** Each while others have ended in another way. */
const outcomes = ['lost', 'won', 'withdrawn'] as const

test('a chargeback credits provisionally; won it stays, lost or withdrawn it is taken back; each end once, and never another', async (t) => {
  const made = await setUp(t)
  const { till, ada, root, from, paid, stand, payment, clock, processor } = made
  for (const outcome of outcomes) {
    clock.advance(1000)
    const before = await stand()
    const id = await paid('10.00')
    const first = await till.chargeBack(id, '6.00', { externalId: `B ${outcome}` })
    assert.equal(first.status, 201, first.text)
    const { id: back, ...told } = first.body
    assert.equal(first.headers['location'], `/api/v1/chargebacks/${back}`)
    const createdAt = new Date(clock.now()).toISOString()
    const money = { merchant: shop.name, amount: '6.00', currency: 'EUR' }
    const common = { paymentId: id, accountId: from, ...money }
    const open = { status: 'open', reason: '13.1', takenBackBy: null, createdAt, endedAt: null }
    assert.deepEqual(told, { ...common, ...open })
    assert.equal((await payment(id)).chargedBack, '6.00')
    assert.equal(outcomeOf(await till.chargeBack(id, '4.01')), '409 limit_exceeded')
    assert.equal(outcomeOf(await till.refund(id, '4.01')), '409 limit_exceeded')
    clock.advance(1000)
    const ended = await till.end(back, outcome)
    assert.deepEqual([ended.status, ended.body.status], [200, outcome], ended.text)
    assert.equal(ended.body.takenBackBy === null, outcome === 'won')
    assert.deepEqual((await till.end(back, outcome)).body, ended.body, 'again')
    for (const other of outcomes) {
      if (other === outcome) continue
      assert.equal(outcomeOf(await till.end(back, other)), '409 illegal_transition')
    }
    assert.deepEqual((await ada.get(`/api/v1/chargebacks/${back}`)).body, ended.body)
    // Repeated, its request is answered as it was first.
    const again = await processor.post(`/api/v1/card-payments/${id}/chargebacks`, {
      amount: '6',
      reason: '13.1',
      externalId: `B ${outcome}`,
    })
    assert.deepEqual([again.status, again.body], [201, first.body])
    // What was taken back may come back in another way.
    const rest = outcome === 'won' ? '4.00' : '10.00'
    assert.equal((await payment(id)).chargedBack, outcome === 'won' ? '6.00' : '0.00')
    assert.equal((await till.refund(id, rest)).status, 201)
    assert.equal(outcomeOf(await till.refund(id, '0.01')), '409 limit_exceeded')
    assert.equal(outcomeOf(await till.chargeBack(id, '0.01')), '409 limit_exceeded')
    assert.equal(await stand(), before)
  }
  const entries = (await ada.get(`/api/v1/accounts/${from}/transactions?limit=50`)).body.items
  const some = (kind: string) =>
    entries
      .filter((entry: { kind: string }) => entry.kind === kind)
      .map(({ amount, counterparty }: { amount: string; counterparty: { name: string } }) => [
        amount,
        counterparty.name,
      ])
  assert.deepEqual(
    some('chargeback'),
    Array.from({ length: 3 }, () => ['6.00', shop.name]),
  )
  assert.deepEqual(
    some('takeback'),
    Array.from({ length: 2 }, () => ['-6.00', shop.name]),
  )
  // Each entry leads to the payment, for its holder where the account has paid.
  for (const { id, kind } of entries) {
    const reader = ['card', 'takeback'].includes(kind) ? ada : root
    const transfer = (await reader.get(`/api/v1/transfers/${id}`)).body
    assert.equal(typeof transfer.cardPaymentId === 'string', kind !== 'deposit', kind)
  }
  const statement = await ada.get(
    `/api/v1/accounts/${from}/statement?from=2026-01-01&to=2026-01-31&format=camt053`,
  )
  for (const code of ['CAJT', 'DAJT', 'CHARGEBACK-REVERSAL']) {
    assert.ok(statement.bytes.includes(`>${code}<`), code)
  }
  await assertSound(made)
  const mailed = await made.sql(
    `select dispute_step as step, count(*)::int as n from mails
     where kind = 'card-dispute' and user_id = (select owner_id from accounts where id = $1)
     group by 1 order by 1`,
    [from],
  )
  assert.deepEqual(
    mailed.rows.map(({ step, n }) => [step, n].join(' ')),
    ['lost 1', 'made 3', 'withdrawn 1', 'won 1'],
  )
  // A repeated end is a request of its own in the trail.
  const { rows } = await made.sql(
    `select action, outcome, count(*)::int as n from audit_events
     where action ~ '^(win|lose|withdraw)Chargeback' group by 1, 2 order by 1, 2`,
  )
  assert.deepEqual(
    rows.map(({ action, outcome, n }) => [action, outcome, n].join(' ')),
    ['loseChargeback success 2', 'winChargeback success 2', 'withdrawChargeback success 2'],
  )
  // Neither is reversed.
  for (const kind of ['chargeback', 'takeback']) {
    const { id } = entries.find((entry: { kind: string }) => entry.kind === kind)
    const path = `/api/v1/admin/transfers/${id}/reversal`
    const reversed = await root.post(path, { reason: 'Wrong' })
    assert.match(outcomeOf(reversed), /^409 (illegal_transition|already_reversed)$/, kind)
  }
})

test('a lost one is booked whatever the account says: an unarranged overdraft; frozen, cancelled; of a closed account suspense pays', async (t) => {
  const made = await setUp(t)
  const { till, ada, root, from, card, charged, paid, stand, clock } = made
  const id = await paid('100.00')
  const backs = [await charged(id, '60.00'), await charged(id, '10.00'), await charged(id, '5.00')]
  const [lost, other, late] = backs as [string, string, string]
  const money = { currency: 'EUR', reason: 'Desk' }
  const empty = (amount: string) =>
    root.post(`/api/v1/admin/accounts/${from}/withdrawals`, { ...money, amount })
  assert.equal((await empty('74.99')).status, 201)
  await ada.put(`/api/v1/cards/${card}`, { status: 'cancelled' })
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Lost' })
  assert.equal((await till.end(lost, 'lost')).status, 200)
  assert.equal(await stand(), '-59.99 held 0.00')
  const { body } = await root.get(`/api/v1/admin/accounts/${from}`)
  assert.deepEqual([body.available, body.overdrawnSince], ['-59.99', '2026-01-02T09:00:00.000Z'])
  assert.equal((await till.end(other, 'withdrawn')).status, 200)
  const mails = await readMails(made)
  const subjects = mails.map(({ subject }) => subject)
  const overdrawn = mails.find(({ subject }) => subject === 'Your account is overdrawn')
  assert.match(overdrawn?.text?.replaceAll('\n', ' ') ?? '', /or the end of a dispute of one, was/)
  assert.equal(subjects.filter((subject) => /disputed card payment/.test(subject ?? '')).length, 5)
  await assertSound(made)
  await root.post(`/api/v1/admin/accounts/${from}/unfreeze`, { reason: 'Found' })
  await root.post(`/api/v1/admin/accounts/${from}/deposits`, { ...money, amount: '69.99' })
  assert.equal((await ada.delete(`/api/v1/accounts/${from}`)).status, 204)
  clock.advance(1000)
  const suspense = bankAccount('suspense', 'EUR')
  const ended = await till.end(late, 'lost')
  assert.equal(ended.status, 200, ended.text)
  const back = await root.get(`/api/v1/transfers/${ended.body.takenBackBy}`)
  assert.deepEqual(
    [back.body.fromAccountId, back.body.cardPaymentId, back.body.creditorAccountId],
    [suspense, id, from],
  )
  const told = (await root.get('/api/v1/events?types=card.payment.suspended')).body.items
  assert.deepEqual(
    told.map((item: { resourceId: string }) => item.resourceId),
    [id],
  )
  // One of the closed account lies in suspense, and is taken back from there.
  const after = await charged(id, '7.00')
  assert.equal((await till.end(after, 'lost')).status, 200)
  const { rows } = await made.sql('select balance::int from accounts where id = $1', [suspense])
  assert.deepEqual(rows, [{ balance: -500 }])
  const kept = await charged(id, '1.00')
  assert.equal((await till.end(kept, 'won')).status, 200, 'suspense has no holder to tell')
  await assertSound(made)
})

test('a number stands for one chargeback for ever; another in any field, another payment, program, currency or sum is refused', async (t) => {
  const made = await setUp(t)
  const { till, paid, processor, charged, clock, card } = made
  const stranger = toTill(await newProcessor(made), card)
  const [id, other] = [await paid('10.00'), await paid('10.00')]
  const path = `/api/v1/card-payments/${id}/chargebacks`
  const first = { amount: '5.00', reason: '13.1', externalId: 'B' }
  const twenty = await many(20, () => processor.post(path, first))
  assert.deepEqual(tally(twenty), { '201': 20 })
  assert.equal(new Set(twenty.map(({ body }) => body.id)).size, 1)
  clock.advance(3 * 86_400_000)
  const differing = [
    processor.post(path, { ...first, amount: '5.01' }),
    processor.post(path, { ...first, currency: 'USD' }),
    processor.post(path, { ...first, reason: '13.2' }),
    processor.post(`/api/v1/card-payments/${other}/chargebacks`, first),
    processor.post(`/api/v1/card-payments/${id}/refunds`, {
      amount: '5.00',
      currency: 'EUR',
      externalId: 'B',
    }),
  ]
  assert.deepEqual(
    (await Promise.all(differing)).map(outcomeOf),
    Array(5).fill('422 idempotency_key_reused'),
  )
  const open = twenty[0]?.body.id as string
  const declined = await till.ask('500.00')
  const asked = await approved(till.ask('1.00'))
  const refused = [
    stranger.chargeBack(id, '1.00'),
    ...outcomes.map((outcome) => stranger.end(open, outcome)),
    till.chargeBack(id, '1.00', { currency: 'USD' }),
    till.chargeBack(id, '0'),
    till.chargeBack(id, '1.00', { reason: 'lower' }),
    till.chargeBack(declined.body.id, '1.00'),
    till.chargeBack(asked, '0.01'),
    till.end('01940000-0000-7000-8000-0000000000ff', 'won'),
  ]
  assert.deepEqual((await Promise.all(refused)).map(outcomeOf), [
    ...Array(4).fill('403 forbidden'),
    '409 currency_mismatch',
    ...Array(2).fill('400 invalid_request'),
    '404 not_found',
    '409 limit_exceeded',
    '404 not_found',
  ])
  const voice = await made.login('ada')
  assert.equal(outcomeOf(await voice.post(path, first)), '403 forbidden')
  assert.equal((await till.end(await charged(id, '5.00'), 'won')).status, 200)
  await assertSound(made)
})

test('twenty refunds and chargebacks at once give back what was captured at most, and twenty ends at once are one', async (t) => {
  const made = await setUp(t)
  const { till, paid, charged, payment, stand, sql } = made
  const id = await paid('10.00')
  const mixed = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? till.refund(id, '0.70') : till.chargeBack(id, '0.70'),
    ),
  )
  assert.deepEqual(tally(mixed), { '201': 14, '409 limit_exceeded': 6 })
  const { refunded, chargedBack } = await payment(id)
  assert.equal(Number(refunded) + Number(chargedBack), 9.8)
  const back = await charged(await paid('5.00'), '5.00')
  const before = await stand()
  const ends = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const outcome = outcomes[index % 3] as (typeof outcomes)[number]
      return { outcome, reply: await till.end(back, outcome) }
    }),
  )
  const done = new Set(ends.flatMap(({ outcome, reply }) => (reply.status === 200 ? outcome : [])))
  assert.equal(done.size, 1, [...done].join())
  const failed = ends.filter(({ outcome }) => !done.has(outcome))
  assert.ok(failed.every(({ reply }) => outcomeOf(reply) === '409 illegal_transition'))
  const taken = done.has('won') ? 0 : 5
  const balance = (text: string) => Number(text.split(' ')[0])
  assert.equal(balance(before) - balance(await stand()), taken)
  const { rows } = await sql('select count(*)::int as count from chargeback_ends')
  assert.deepEqual(rows, [{ count: 1 }])
  await assertSound(made)
})
