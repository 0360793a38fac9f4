// A holder disputes a card payment once at a time; a chargeback takes the dispute up, or staff
// close it; the holder, staff and programs are told of each step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, cardScene, outcomeOf, shop } from '../../../test/support/card-payments.ts'
import { assertSound, many, scene, tally } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { disputeReasons } from './sql.ts'

const claim = { reason: 'not_received', text: 'Nothing came.\nThe shop is silent.' } as const

async function setUp(t: Parameters<typeof scene>[0]) {
  const made = await cardScene(await scene(t))
  const { till, ada } = made
  const paid = async (amount: string, more: object = {}): Promise<string> => {
    const id = await approved(till.ask(amount, more))
    assert.equal((await till.capture(id, amount)).status, 201)
    return id
  }
  const path = (id: string) => `/api/v1/card-payments/${id}/disputes`
  const dispute = (id: string, body: object = claim) => ada.post(path(id), body)
  /** How the newest dispute of a payment stands. */
  const state = async (id: string) => (await ada.get(path(id))).body.items[0]
  return { ...made, paid, dispute, state, path }
}

test('a dispute waits for staff, is taken up by a chargeback, and ends with it; the holder and the feed are told', async (t) => {
  const made = await setUp(t)
  const { till, root, from, paid, dispute, state, clock, sql } = made
  const expected: string[] = []
  const found = async (list: string, status: string): Promise<string[]> => {
    const { items } = (await root.get(`/api/v1/admin/${list}?status=${status}`)).body
    return items.map((item: { id: string }) => item.id)
  }
  for (const outcome of ['won', 'lost', 'withdrawn'] as const) {
    clock.advance(1000)
    const merchant = { ...shop, name: `Shop ${outcome}` }
    const id = await paid('10.00', { merchant })
    const opened = await dispute(id)
    assert.equal(opened.status, 201, opened.text)
    const { id: disputeId, userId: _, ...told } = opened.body
    const createdAt = new Date(clock.now()).toISOString()
    const paidFor = { merchant: merchant.name, captured: '10.00', currency: 'EUR' }
    const common = { paymentId: id, accountId: from, ...paidFor, ...claim, createdAt }
    const open = { status: 'open', chargebackId: null, closedReason: null, closedAt: null }
    assert.deepEqual(told, { ...common, ...open })
    const waiting = (await root.get('/api/v1/admin/disputes')).body.items
    assert.deepEqual(waiting, [opened.body])
    const { disputes } = (await root.get('/api/v1/admin/overview')).body
    assert.deepEqual(disputes, { waiting: 1, oldestSince: createdAt })
    const back = (await till.chargeBack(id, '6.00')).body.id as string
    const taken = await state(id)
    assert.deepEqual([taken.status, taken.chargebackId], ['charged_back', back])
    assert.deepEqual(await found('disputes', 'charged_back'), [disputeId])
    assert.deepEqual(await found('chargebacks', 'open'), [back])
    assert.deepEqual((await root.get('/api/v1/admin/disputes')).body.items, [])
    assert.equal(outcomeOf(await dispute(id)), '409 already_exists')
    const close = `/api/v1/admin/disputes/${disputeId}/close`
    assert.equal(outcomeOf(await root.post(close, { reason: 'No' })), '409 illegal_transition')
    await till.end(back, outcome)
    assert.equal((await state(id)).status, outcome)
    assert.deepEqual(await found('disputes', 'charged_back'), [])
    assert.deepEqual(await found('chargebacks', 'open'), [])
    assert.equal((await found('disputes', outcome))[0], disputeId)
    assert.equal((await found('chargebacks', outcome))[0], back)
    // Another one may follow, as long as some of the money has not come back.
    assert.equal((await dispute(id)).status, 201)
    const again = (await till.chargeBack(id, outcome === 'won' ? '4.00' : '10.00')).body.id
    await till.end(again, 'won')
    assert.equal(outcomeOf(await dispute(id)), '409 illegal_transition')
    const ended = ['opened', 'made', outcome, 'opened', 'made', 'won']
    expected.push(...ended)
  }
  assert.equal((await found('chargebacks', 'won')).length, 4)
  assert.equal((await root.get('/api/v1/admin/chargebacks')).body.items.length, 6)
  const types = ['dispute.opened', 'chargeback.made', 'chargeback.won', 'chargeback.lost']
  const events = await root.get(
    `/api/v1/events?types=${types.join()},chargeback.withdrawn&limit=50`,
  )
  const words = events.body.items.map(({ type }: { type: string }) => type.split('.')[1])
  assert.deepEqual(words, expected)
  for (const { accountIds } of events.body.items) assert.deepEqual(accountIds, [from])
  const { rows } = await sql(`select count(*)::int as count from mails where kind = 'card-dispute'`)
  const mails = (await readMails(made)).filter(({ subject }) => /disputed/.test(subject ?? ''))
  assert.ok(rows.length === 1 && mails.length > 0)
  const text = mails.map((mail) => mail.text?.replaceAll('\n', ' ')).join()
  // Each tells of its own payment; those of the third one are beyond the hour's alerts.
  for (const outcome of ['won', 'lost']) assert.match(text, new RegExp(`Shop ${outcome}`))
  assert.match(text, /the bank has received it/)
  assert.match(text, /6\.00 EUR are credited to your account for as long/)
  await assertSound(made)
})

test('staff close a dispute with a reason that its holder reads; who may do what, of what', async (t) => {
  const made = await setUp(t)
  const { till, ada, root, processor, paid, dispute, state, path } = made
  const [agent, ben] = [await made.as('agnes'), await made.as('ben')]
  const id = await paid('10.00')
  const asked = await approved(till.ask('1.00'))
  const declined = (await till.ask('900.00')).body.id as string
  const refused = [
    dispute(asked),
    dispute(declined),
    ben.post(path(id), claim),
    root.post(path(id), claim),
    processor.post(path(id), claim),
    dispute(id, { ...claim, reason: 'angry' }),
    dispute(id, { ...claim, text: '' }),
    dispute(id, { ...claim, text: 'x'.repeat(1001) }),
    dispute(id, { ...claim, text: 'My card is 4111 1111 1111 1111' }),
    dispute(id, { reason: 'other' }),
  ]
  assert.deepEqual((await Promise.all(refused)).map(outcomeOf), [
    '409 illegal_transition',
    '404 not_found',
    ...Array(3).fill('403 forbidden'),
    ...Array(5).fill('400 invalid_request'),
  ])
  const twenty = await many(20, () => dispute(id, { ...claim, text: 'x'.repeat(1000) }))
  assert.deepEqual(tally(twenty), { '201': 1, '409 already_exists': 19 })
  const { id: disputeId } = await state(id)
  const close = `/api/v1/admin/disputes/${disputeId}/close`
  const reason = 'The shop has proved the delivery'
  assert.equal(outcomeOf(await ada.post(close, { reason })), '403 forbidden')
  assert.equal(outcomeOf(await agent.post(close, { reason })), '403 forbidden')
  assert.equal((await agent.get(path(id))).body.items.length, 1)
  for (const list of ['disputes', 'chargebacks']) {
    const tried = [ada, processor].map((voice) => voice.get(`/api/v1/admin/${list}`))
    assert.deepEqual((await Promise.all(tried)).map(outcomeOf), Array(2).fill('403 forbidden'))
    assert.equal((await agent.get(`/api/v1/admin/${list}?status=angry`)).status, 400)
  }
  const closed = await root.post(close, { reason })
  assert.deepEqual([closed.status, closed.body.status], [200, 'closed'], closed.text)
  assert.equal(outcomeOf(await root.post(close, { reason })), '409 illegal_transition')
  const seen = await state(id)
  assert.deepEqual([seen.closedReason, seen.chargebackId], [reason, null])
  assert.deepEqual((await agent.get('/api/v1/admin/disputes?status=closed')).body.items, [seen])
  const told = (await root.get('/api/v1/events?types=dispute.closed')).body.items
  assert.deepEqual(
    told.map((item: { resourceId: string }) => item.resourceId),
    [disputeId],
  )
  // A closed one is not taken up by a later chargeback.
  await till.chargeBack(id, '1.00')
  assert.equal((await state(id)).status, 'closed')
  for (const each of disputeReasons) {
    const other = await paid('1.00')
    assert.equal((await dispute(other, { ...claim, reason: each })).status, 201)
  }
  await assertSound(made)
})

test('a dispute and a chargeback at the same moment: the chargeback takes it up, or it follows', async (t) => {
  const made = await setUp(t)
  const { till, paid, dispute, state } = made
  for (let round = 0; round < 5; round++) {
    const id = await paid('2.00')
    const [opened, back] = await Promise.all([dispute(id), till.chargeBack(id, '1.00')])
    assert.deepEqual([opened.status, back.status], [201, 201], opened.text + back.text)
    const { status, chargebackId } = await state(id)
    assert.ok(
      status === 'open' ? chargebackId === null : chargebackId === back.body.id,
      `${status} ${chargebackId}`,
    )
  }
  await assertSound(made)
})
