// Payments to other banks: the states that they go through, why they come back, and many at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from '../../../test/support/audit-events.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import {
  assertSound,
  deposit,
  openAccount,
  patiently,
  readBalance,
  readPages,
  type Scene,
  scene,
  sceneIn,
} from '../../../test/support/fixture.ts'
import { clientWith, people, world } from '../../../test/support/world.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const path = '/api/v1/admin/transfers'
const iban = 'GB33BUKB20201555555555'

type Voice = Pick<Scene['ada'], 'post' | 'get'>

/** Payments of one cent each to another bank. */
async function payElsewhere(ada: Voice, from: string, count = 1): Promise<string[]> {
  const beneficiary = { name: 'Grace Hopper', iban }
  const made = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, beneficiary)
  const known = (await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items[0]
  const beneficiaryId = made.status === 201 ? made.body.id : known.id
  const ids = []
  for (let index = 0; index < count; index++) {
    const body = { fromAccountId: from, beneficiaryId, amount: '0.01', currency: 'EUR' }
    const headers = { 'idempotency-key': newId(index) }
    const paid = await ada.post('/api/v1/transfers', body, { headers })
    assert.equal(paid.body.status, 'pending', paid.text)
    ids.push(paid.body.id as string)
  }
  return ids
}

const railOperations = [
  'findTransfers',
  'sendTransfer',
  'sendTransferBatch',
  'settleTransfer',
  'settleTransferBatch',
  'returnTransfer',
  'createIncomingPayment',
]

test('a program with the operations of a rail finds, sends, settles and returns payments, and nothing else', async (t) => {
  const made = await scene(t)
  const rail = await newProgram(made, { operations: railOperations })
  const [id = ''] = await payElsewhere(made.ada, made.from)
  const [waiting] = (await rail.get(`${path}?status=pending`)).body.items
  assert.equal(waiting.id, id)
  assert.deepEqual(waiting.counterparty, { name: 'Grace Hopper', iban })
  assert.equal(waiting.payer.name, 'Ada Okafor')
  assert.equal(waiting.endToEndId, id.replaceAll('-', ''))
  const sent = await rail.post(`${path}/${id}/send`, { externalId: 'A' })
  assert.deepEqual([sent.status, sent.body.status], [200, 'sent'], sent.text)
  assert.deepEqual((await rail.get(`${path}?status=pending`)).body.items, [])
  const again = await rail.post(`${path}/${id}/send`, { externalId: 'A' })
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(again.text, sent.text)
  const other = await rail.post(`${path}/${id}/send`, { externalId: 'B' })
  assert.deepEqual([other.status, other.body.code], [409, 'illegal_transition'])
  const settle = () => rail.post(`${path}/${id}/settle`, { externalId: 'S' })
  const settled = await settle()
  assert.equal(settled.body.status, 'completed', settled.text)
  const replayed = await rail.post(`${path}/${id}/send`, { externalId: 'A' })
  assert.equal(replayed.text, sent.text, 'as it was answered first')
  const body = { reasonCode: 'AC04', externalId: 'R' }
  const returned = await rail.post(`${path}/${id}/return`, body)
  assert.deepEqual([returned.body.status, returned.body.reasonCode], ['returned', 'AC04'])
  const returnedAgain = await rail.post(`${path}/${id}/return`, body)
  assert.deepEqual(
    [returnedAgain.text, returnedAgain.headers['idempotency-replayed']],
    [returned.text, 'true'],
  )
  const settledAgain = await settle()
  assert.deepEqual(
    [settledAgain.text, settledAgain.headers['idempotency-replayed']],
    [settled.text, 'true'],
  )
  assert.equal(await readBalance(made.ada, made.from), '100.00')
  const shown = await made.ada.get(`/api/v1/transfers/${id}`)
  assert.deepEqual([shown.body.status, shown.body.reasonCode], ['returned', 'AC04'])
  for (const reply of [
    await rail.get(`/api/v1/accounts/${made.from}`),
    await rail.post(`/api/v1/admin/accounts/${made.from}/deposits`, {
      amount: '1.00',
      currency: 'EUR',
      reason: 'x',
    }),
    await rail.post(`${path}/${id}/reversal`, { reason: 'x' }),
    await rail.post(`/api/v1/transfers/${id}/cancel`),
  ]) {
    assert.equal(reply.status, 403, reply.text)
  }
  const [event] = await readEvents(made, sent)
  assert.deepEqual([event?.action, event?.target, event?.actorId], ['sendTransfer', id, rail.id])
  await assertSound(made)
})

test('an owner cancels what is pending, and nothing that was sent; nobody else cancels it', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const [one = '', two = ''] = await payElsewhere(ada, made.from, 2)
  const ben = await made.as('ben')
  for (const voice of [ben, root]) {
    assert.equal((await voice.post(`/api/v1/transfers/${one}/cancel`)).status, 403)
  }
  const cancelled = await ada.post(`/api/v1/transfers/${one}/cancel`)
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'], cancelled.text)
  assert.equal(await readBalance(ada, made.from), '99.99')
  const twice = await ada.post(`/api/v1/transfers/${one}/cancel`)
  assert.equal(twice.body.code, 'illegal_transition')
  assert.equal((await root.post(`${path}/${one}/send`, { externalId: 'A' })).status, 409)
  assert.equal((await root.post(`${path}/${two}/send`, { externalId: 'A' })).status, 200)
  const late = await ada.post(`/api/v1/transfers/${two}/cancel`)
  assert.deepEqual([late.status, late.body.code], [409, 'illegal_transition'])
  // With a key a repetition is the first answer.
  const [three = ''] = await payElsewhere(ada, made.from)
  const headers = { 'idempotency-key': 'cancel' }
  const first = await ada.post(`/api/v1/transfers/${three}/cancel`, undefined, { headers })
  const again = await ada.post(`/api/v1/transfers/${three}/cancel`, undefined, { headers })
  assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
  await assertSound(made)
})

test('a payment that comes back late reaches a frozen account, and lies in suspense if it is closed', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const { iban } = (await ada.get(`/api/v1/accounts/${made.from}`)).body
  const [one = '', two = ''] = await payElsewhere(ada, made.from, 2)
  for (const id of [one, two]) await root.post(`${path}/${id}/settle`)
  await root.post(`/api/v1/admin/accounts/${made.from}/freeze`, { reason: 'Stolen' })
  const back = await root.post(`${path}/${one}/return`, { reasonCode: 'AC01' })
  assert.equal(back.status, 200, back.text)
  assert.equal(await readBalance(ada, made.from), '99.99')
  await root.post(`/api/v1/admin/accounts/${made.from}/unfreeze`, { reason: 'Found' })
  await ada.post('/api/v1/transfers', {
    fromAccountId: made.from,
    toAccountId: made.to,
    amount: '99.99',
    currency: 'EUR',
  })
  assert.equal((await ada.delete(`/api/v1/accounts/${made.from}`)).status, 204)
  const late = await root.post(`${path}/${two}/return`, { reasonCode: 'MD07' })
  assert.equal(late.status, 200, late.text)
  const { body } = await root.get(`/api/v1/transfers/${late.body.reversedBy}`)
  assert.equal(body.toAccountId, bankAccount('suspense', 'EUR'))
  assert.deepEqual([body.creditorIban, body.creditorAccountId], [iban, made.from])
  await assertSound(made)
})

test('a request to return that is wrong is refused, and one without a body is as before', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const [id = '', other = ''] = await payElsewhere(ada, made.from, 2)
  for (const body of [
    { reasonCode: 'XX99' },
    { reasonCode: 'ac04' },
    { reasonCode: '' },
    { externalId: '' },
    { externalId: 'x'.repeat(141) },
    { more: 1 },
  ]) {
    const reply = await root.post(`${path}/${id}/return`, body)
    assert.deepEqual([reply.status, reply.body.code], [400, 'invalid_request'], reply.text)
  }
  assert.equal((await root.post(`${path}/${id}/send`, {})).status, 400)
  assert.equal((await root.post(`${path}/${id}/send`)).status, 400)
  assert.equal((await root.post(`${path}/${newId(1)}/send`, { externalId: 'A' })).status, 404)
  const plain = await root.post(`${path}/${id}/return`)
  assert.deepEqual([plain.status, plain.body.status], [200, 'returned'], plain.text)
  assert.equal((await root.post(`${path}/${other}/return`, {})).body.status, 'returned')
  const within = await ada.post('/api/v1/transfers', {
    fromAccountId: made.from,
    toAccountId: made.to,
    amount: '1.00',
    currency: 'EUR',
  })
  const refused = await root.post(`${path}/${within.body.id}/return`, { reasonCode: 'AC04' })
  assert.equal(refused.body.code, 'illegal_transition', 'a payment within the bank')
  // One identifier numbers one thing.
  const [third = ''] = await payElsewhere(ada, made.from)
  await root.post(`${path}/${third}/send`, { externalId: 'A' })
  const reused = await root.post(`${path}/${third}/return`, { externalId: 'A' })
  assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'])
})

test('transfers are found by status, time and age, on all pages', async (t) => {
  const made = await scene(t)
  const { ada, root, clock } = made
  const day = 86_400_000
  const ids: string[] = []
  for (let index = 0; index < 4; index++) {
    ids.push(...(await payElsewhere(await made.login('ada'), made.from)))
    clock.advance(day)
  }
  const voice = await made.login('root')
  const [one = '', two = '', three = ''] = ids
  await voice.post(`${path}/${one}/settle`)
  await voice.post(`${path}/${two}/send`, { externalId: 'A' })
  await voice.post(`${path}/${three}/return`)
  const find = async (query: string) =>
    (await readPages(voice, `${path}?limit=1&${query}`)).map(({ id }) => ids.indexOf(id as string))
  assert.deepEqual(await find('status=pending'), [3])
  assert.deepEqual(await find('status=sent'), [1])
  assert.deepEqual(await find('status=returned'), [2])
  assert.deepEqual(await find('status=cancelled'), [])
  assert.deepEqual(
    (await find('status=completed')).filter((at) => at >= 0),
    [0],
  )
  const at = (index: number) => new Date(clock.now() - (4 - index) * day).toISOString().slice(0, 10)
  assert.deepEqual(await find(`status=sent&from=${at(1)}&to=${at(1)}`), [1])
  assert.deepEqual(await find(`status=sent&from=${at(2)}`), [])
  assert.deepEqual(await find(`from=${at(1)}&to=${at(2)}`), [2, 1])
  assert.deepEqual(await find(`status=sent&minAgeSeconds=${3 * 86_400}`), [1])
  assert.deepEqual(await find(`status=sent&minAgeSeconds=${3 * 86_400 + 1}`), [])
  for (const query of ['status=x', 'minAgeSeconds=-1', 'minAgeSeconds=1e3', 'from=2026-02-30']) {
    assert.equal((await voice.get(`${path}?${query}`)).status, 400, query)
  }
  assert.equal((await ada.get(path)).status, 401, 'an old token')
  assert.equal((await (await made.login('ada')).get(path)).status, 403)
  assert.equal((await (await made.login('agnes')).get(path)).status, 200)
  assert.ok(root)
})

test('a thousand payments are sent in one request and settled in another, each with its own outcome and event', async (t) => {
  const made = await scene(t)
  const { ada, sql } = made
  const rail = await newProgram(made, { operations: railOperations })
  const ids = await payElsewhere(ada, made.from, 40)
  const items = ids.map((id, index) => ({ id, externalId: `${'x'.repeat(130)}${index}` }))
  const unknown = Array.from({ length: 960 }, (_, index) => ({
    id: newId(index),
    externalId: `${'y'.repeat(130)}${index}`,
  }))
  await ada.post(`/api/v1/transfers/${ids[7]}/cancel`)
  const sent = await rail.post(`${path}/send`, { items: [...items, ...unknown] })
  assert.equal(sent.status, 200, sent.text)
  const codes = (results: { error?: { code: string } }[]) =>
    results.map((r) => r.error?.code ?? 'done')
  const expected = ids.map((_, index) => (index === 7 ? 'illegal_transition' : 'done'))
  const missing = unknown.map(() => 'not_found')
  assert.deepEqual(codes(sent.body.results), [...expected, ...missing])
  assert.equal(sent.body.results[0].transfer.status, 'sent')
  const again = await rail.post(`${path}/send`, { items })
  assert.deepEqual(again.body.results, sent.body.results.slice(0, 40), 'replayed')
  const ends = ids.map((id, index) => ({ id, externalId: `end ${index}` }))
  const settled = await rail.post(`${path}/settle`, { items: ends })
  assert.deepEqual(codes(settled.body.results), expected)
  await rail.post(`${path}/${ids[0]}/return`)
  const settledAgain = await rail.post(`${path}/settle`, { items: ends })
  assert.deepEqual(settledAgain.body.results, settled.body.results, 'replayed')
  const unnumbered = await rail.post(`${path}/settle`, { items: [{ id: ids[1] }] })
  assert.deepEqual(codes(unnumbered.body.results), ['illegal_transition'])
  const { rows } = await sql(
    `select count(distinct target)::int as targets, count(*)::int as events from audit_events
     where action = 'sendTransferBatch' and target is not null`,
  )
  assert.deepEqual(rows, [{ targets: 39, events: 39 }])
  for (const bad of [{ items: [] }, { items: [...items, ...unknown, items[0]] }, { items: [{}] }]) {
    assert.equal((await rail.post(`${path}/send`, bad)).status, 400)
  }
  await assertSound(made)
})

test('of many payments those of the people behind the caller are refused', async (t) => {
  const made = await scene(t)
  const both = await made.as('both')
  const own = await openAccount(both)
  await deposit(made.root, own, '1.00')
  const [theirs = ''] = await payElsewhere(both, own)
  const [adas = ''] = await payElsewhere(made.ada, made.from)
  await made.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const items = [theirs, adas].map((id) => ({ id, externalId: id }))
  const { body } = await both.post(`${path}/send`, { items })
  assert.equal(body.results[0].error.code, 'forbidden')
  assert.equal(body.results[1].transfer.status, 'sent')
})

test('many payments take one confirmation, and none where each takes a second person', async (t) => {
  const made = await scene(t)
  const ids = await payElsewhere(made.ada, made.from, 3)
  await giveFactor(made, 'root')
  const items = ids.map((id) => ({ id, externalId: id }))
  const refused = await made.root.post(`${path}/send`, { items })
  assert.equal(refused.body.code, 'confirmation_required')
  assert.equal(refused.body.challenge.terms.count, '3')
  const headers = await confirmAnyway(made, refused)
  const done = await made.root.post(`${path}/send`, { items }, { headers })
  assert.deepEqual(
    done.body.results.map(({ transfer }: { transfer: { status: string } }) => transfer.status),
    ['sent', 'sent', 'sent'],
  )
  const again = await made.root.post(`${path}/send`, { items }, { headers })
  assert.equal(again.body.code, 'confirmation_required', 'a confirmation is used once')
  const held = await sceneIn(await world(t, { settings: { FOUR_EYES: 'sendTransfer' } }))
  const [id = ''] = await payElsewhere(held.ada, held.from)
  const many = await held.root.post(`${path}/send`, { items: [{ id, externalId: 'A' }] })
  assert.equal(many.status, 403, many.text)
  const single = await held.root.post(`${path}/${id}/send`, { externalId: 'A' })
  assert.equal(single.status, 202)
})

test('cancel and send of one payment, fifty of each at once on two instances: one effect over HTTP too', async (t) => {
  const made = await scene(t)
  const second = clientWith((await made.another()).send, made.root.token)
  for (let round = 0; round < 3; round++) {
    const [id = ''] = await payElsewhere(made.ada, made.from)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === round % 2
          ? patiently(() =>
              made.ada.post(`/api/v1/transfers/${id}/cancel`, undefined, {
                headers: { 'idempotency-key': `${id}-${index}` },
              }),
            )
          : patiently(() => second.post(`${path}/${id}/send`, { externalId: `${id} ${index}` })),
      ),
    )
    assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    for (const { status, text } of replies) assert.ok(status === 200 || status === 409, text)
  }
  await assertSound(made)
})

test('a rail settles and returns what it has sent and what nobody has, never what another has sent; staff settle and return all', async (t) => {
  const made = await scene(t)
  const { root } = made
  const one = await newProgram(made, { operations: railOperations })
  const other = await newProgram(made, { operations: railOperations })
  const ids = await payElsewhere(made.ada, made.from, 5)
  const [taken = '', free = '', back = '', staffs = '', late = ''] = ids
  const on = (voice: Voice, id: string, step: string, body?: object) =>
    voice.post(`${path}/${id}/${step}`, body)
  for (const id of [taken, back, late]) {
    assert.equal((await on(one, id, 'send', { externalId: id })).status, 200)
  }
  assert.equal((await on(root, staffs, 'send', { externalId: staffs })).status, 200)
  assert.equal((await on(one, late, 'settle')).status, 200)
  const isRefused = async (id: string) => {
    const many = await other.post(`${path}/settle`, { items: [{ id }] })
    assert.equal(many.body.results[0].error.code, 'forbidden')
    for (const step of ['settle', 'return']) {
      for (const body of [undefined, { externalId: `${step} ${id}` }]) {
        const refused = await on(other, id, step, body)
        assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], refused.text)
      }
    }
    const again = await on(other, id, 'send', { externalId: 'again' })
    assert.equal(again.body.code, 'illegal_transition')
  }
  const before = await readBalance(made.ada, made.from)
  for (const id of [taken, back, staffs, late]) await isRefused(id)
  assert.equal(await readBalance(made.ada, made.from), before)
  assert.equal((await on(one, taken, 'settle')).body.status, 'completed')
  assert.equal((await on(one, back, 'return')).body.status, 'returned')
  assert.equal((await on(root, staffs, 'settle')).body.status, 'completed')
  assert.equal((await on(root, late, 'return')).body.status, 'returned')
  // No number was taken by what was refused, and no rail has taken this one.
  const body = { externalId: `return ${taken}` }
  assert.equal((await on(other, free, 'settle')).body.status, 'completed')
  assert.equal((await on(one, free, 'return', body)).body.status, 'returned')
  assert.equal((await on(other, free, 'return', body)).body.code, 'illegal_transition')
  await assertSound(made)
})

test('a request of a rail under four eyes is judged by what that rail has sent', async (t) => {
  const made = await sceneIn(await world(t, { settings: { FOUR_EYES: 'returnTransfer' } }))
  const one = await newProgram(made, { operations: railOperations })
  const other = await newProgram(made, { operations: railOperations })
  const [id = ''] = await payElsewhere(made.ada, made.from)
  assert.equal((await one.post(`${path}/${id}/send`, { externalId: 'A' })).status, 200)
  await made.sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  const agnes = await made.as('agnes')
  for (const [rail, status] of [
    [other, 403],
    [one, 200],
  ] as const) {
    const asked = await rail.post(`${path}/${id}/return`, { reasonCode: 'AC04' })
    assert.equal(asked.status, 202, asked.text)
    const done = await agnes.post(`/api/v1/admin/approvals/${asked.body.approvalId}/approve`)
    assert.equal(done.status, status, done.text)
  }
  await assertSound(made)
})
