// Payments that come from other banks: once each, with their payer, whatever its bank wrote.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveFactor } from '../../../test/support/confirmations.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import {
  assertSound,
  openAccount,
  patiently,
  readBalance,
  type Scene,
  scene,
  sceneIn,
} from '../../../test/support/fixture.ts'
import { clientWith, people, type Reply, world } from '../../../test/support/world.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const path = '/api/v1/admin/incoming-payments'

const ibanOf = async ({ ada }: Scene, account: string): Promise<string> =>
  (await ada.get(`/api/v1/accounts/${account}`)).body.iban

const payment = (iban: string, externalId: string, more: object = {}) => ({
  iban,
  amount: '25.00',
  currency: 'EUR',
  externalId,
  debtor: { name: 'Grace Hopper', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  reference: 'Invoice 4711',
  endToEndId: 'INV-4711',
  ...more,
})

test('a rail credits an account with its payer, and a delivery a month later is the same transfer', async (t) => {
  const made = await scene(t)
  const rail = await newProgram(made, { operations: ['createIncomingPayment'] })
  const iban = await ibanOf(made, made.to)
  const first = await rail.post(path, payment(iban, 'A'))
  assert.equal(first.status, 201, first.text)
  const { id, kind, status, counterparty, endToEndId } = first.body
  assert.deepEqual([kind, status, endToEndId], ['incoming', 'completed', 'INV-4711'])
  assert.deepEqual(counterparty, { name: 'Grace Hopper', iban: 'DE89370400440532013000' })
  made.clock.advance(31 * 86_400_000)
  const again = await rail.post(path, payment(iban, 'A', { amount: '25' }))
  assert.deepEqual(
    [again.status, again.headers['idempotency-replayed'], again.text],
    [201, 'true', first.text],
  )
  const other = await rail.post(path, payment(iban, 'A', { reference: 'Other' }))
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  const ada = await made.login('ada')
  const [entry] = (await ada.get(`/api/v1/accounts/${made.to}/transactions`)).body.items
  assert.deepEqual([entry.id, entry.amount, entry.reference], [id, '25.00', 'Invoice 4711'])
  assert.deepEqual(entry.counterparty, counterparty)
  const { rows } = await made.sql(
    `select actor_id, target from audit_events where action = 'createIncomingPayment'`,
  )
  assert.deepEqual(rows, [{ actor_id: rail.id, target: made.to }], 'one event, of the account')
  await assertSound(made)
})

test('two rails number alike and do not meet', async (t) => {
  const made = await scene(t)
  const iban = await ibanOf(made, made.to)
  const operations = ['createIncomingPayment']
  for (const rail of [
    await newProgram(made, { operations }),
    await newProgram(made, { operations }),
  ]) {
    assert.equal((await rail.post(path, payment(iban, 'A'))).status, 201)
  }
  assert.equal(await readBalance(made.ada, made.to), '50.00')
})

test('what is wrong with a payment is a refusal that a rail can turn into a return', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const iban = await ibanOf(made, made.to)
  const closed = await openAccount(ada)
  const closedIban = await ibanOf(made, closed)
  assert.equal((await ada.delete(`/api/v1/accounts/${closed}`)).status, 204)
  const ownUnknown = `DE${iban.slice(2, 4)}${iban.slice(4, 12)}9999999999`
  const cases: [number, string, object][] = [
    [404, 'not_found', payment(ownUnknown, 'A')],
    [404, 'not_found', payment('GB33BUKB20201555555555', 'A')],
    [404, 'not_found', payment('GB33BUKB20201555555555', 'A', { onRefusal: 'suspense' })],
    [409, 'account_closed', payment(closedIban, 'A')],
    [409, 'currency_mismatch', payment(iban, 'A', { currency: 'USD' })],
    [400, 'invalid_request', payment(iban, '')],
    [400, 'invalid_request', payment(iban, 'x'.repeat(141))],
    [400, 'invalid_request', payment(iban, 'ü')],
    [400, 'invalid_request', payment(iban, 'A', { amount: '0.00' })],
    [400, 'invalid_request', payment(iban, 'A', { amount: '1.234' })],
    [400, 'invalid_request', payment(iban, 'A', { amount: '-1' })],
    [400, 'invalid_request', payment(iban, 'A', { debtor: { iban } })],
    [400, 'invalid_request', payment(iban, 'A', { onRefusal: 'cash' })],
    [400, 'invalid_request', payment(iban, 'A', { more: 1 })],
  ]
  for (const [status, code, body] of cases) {
    const reply = await root.post(path, body)
    assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body))
  }
  const longest = await root.post(path, payment(iban, 'x'.repeat(140)))
  assert.equal(longest.status, 201, 'no refusal took an identifier')
  assert.equal((await root.post(path, payment(iban, 'A'))).status, 201)
  const ben = await made.as('ben')
  for (const voice of [ada, ben, await made.as('agnes')]) {
    assert.equal((await voice.post(path, payment(iban, 'B'))).status, 403)
  }
})

test('a frozen account is credited: frozen means that no money leaves', async (t) => {
  const made = await scene(t)
  const iban = await ibanOf(made, made.to)
  const reason = { reason: 'Stolen phone' }
  await made.root.post(`/api/v1/admin/accounts/${made.to}/freeze`, reason)
  assert.equal((await made.root.post(path, payment(iban, 'A'))).status, 201)
  assert.equal(await readBalance(made.ada, made.to), '25.00')
})

test('a payment that cannot be credited lies in suspense where the rail asks for that, once', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const closed = await openAccount(ada)
  const closedIban = await ibanOf(made, closed)
  await ada.delete(`/api/v1/accounts/${closed}`)
  const iban = await ibanOf(made, made.to)
  const ownUnknown = `DE${iban.slice(2, 4)}${iban.slice(4, 12)}9999999999`
  const suspense = bankAccount('suspense', 'EUR')
  for (const [index, target] of [closedIban, ownUnknown].entries()) {
    const body = payment(target, `A${index}`, { onRefusal: 'suspense' })
    const first = await root.post(path, body)
    assert.deepEqual([first.status, first.body.toAccountId], [201, suspense], first.text)
    const again = await root.post(path, body)
    assert.equal(again.text, first.text)
    // Staff read whom it is to be moved on to.
    const read = await (await made.as('agnes')).get(`/api/v1/transfers/${first.body.id}`)
    assert.deepEqual([first.body.creditorIban, read.body.creditorIban], [target, target])
  }
  // The suspense account of the payment, when the account has another currency.
  const foreign = payment(iban, 'A2', { onRefusal: 'suspense', currency: 'USD' })
  const inDollars = await root.post(path, foreign)
  assert.equal(inDollars.body.toAccountId, bankAccount('suspense', 'USD'))
  assert.equal(inDollars.body.creditorIban, iban)
  const fine = await root.post(path, payment(iban, 'A3', { onRefusal: 'suspense' }))
  assert.deepEqual([fine.body.toAccountId, fine.body.creditorIban], [made.to, undefined])
  await assertSound(made)
})

test('whom the money was for is kept of what lies in suspense alone', async (t) => {
  const made = await scene(t)
  const [iban, closed] = [await ibanOf(made, made.to), await openAccount(made.ada)]
  const closedIban = await ibanOf(made, closed)
  await made.ada.delete(`/api/v1/accounts/${closed}`)
  const send = (target: string, id: string) =>
    made.root.post(path, payment(target, id, { onRefusal: 'suspense' }))
  const [fine, diverted] = [await send(iban, 'A'), await send(closedIban, 'B')]
  assert.deepEqual(
    [diverted.body.creditorIban, diverted.body.creditorAccountId],
    [closedIban, closed],
  )
  const originalOf = async ({ body }: Reply) => {
    const of = 'select original from transfer_details where transfer_id = $1'
    return (await made.sql(of, [body.id])).rows[0]?.['original']
  }
  assert.equal(await originalOf(fine), null)
  assert.equal(await originalOf(diverted), JSON.stringify({ creditorIban: closedIban }))
})

const transfers = '/api/v1/admin/transfers'

test('a person who reverses confirms the IBAN that money goes back to, of what lies in suspense alone', async (t) => {
  const made = await scene(t)
  const iban = await ibanOf(made, made.to)
  const unknown = `${iban.slice(0, 12)}9999999999`
  const send = async (target: string, id: string): Promise<string> =>
    (await made.root.post(path, payment(target, id, { onRefusal: 'suspense' }))).body.id
  const [fine, diverted] = [await send(iban, 'A'), await send(unknown, 'B')]
  await giveFactor(made, 'root')
  const termsOf = async (id: string) => {
    const refused = await made.root.post(`${transfers}/${id}/reversal`, { reason: 'Unknown' })
    assert.equal(refused.body.code, 'confirmation_required', refused.text)
    const { terms } = refused.body.challenge
    return [terms.amount, terms.iban, 'iban' in terms]
  }
  assert.deepEqual(await termsOf(diverted), ['25.00', 'DE89370400440532013000', true])
  assert.deepEqual(await termsOf(fine), ['25.00', undefined, false])
})

test('money that is sent back from suspense is a pending payment that a rail finds, and is sent back once', async (t) => {
  const made = await scene(t)
  const { root } = made
  const grants = ['findTransfers', 'sendTransfer', 'settleTransfer', 'returnTransfer']
  const rail = await newProgram(made, { operations: [...grants, 'createIncomingPayment'] })
  const unknown = `${(await ibanOf(made, made.to)).slice(0, 12)}9999999999`
  const into = async (more: object, id: string) => {
    const came = await rail.post(path, payment(unknown, id, { onRefusal: 'suspense', ...more }))
    assert.equal(came.status, 201, came.text)
    return came.body
  }
  const suspended = await into({}, 'A')
  const asReturned = await rail.post(`${transfers}/${suspended.id}/return`)
  assert.equal(asReturned.body.code, 'illegal_transition', 'it is no payment to another bank')
  const reverse = (id: string, key: string) =>
    root.post(
      `${transfers}/${id}/reversal`,
      { reason: 'Unknown payee' },
      { headers: { 'idempotency-key': key } },
    )
  const sentBack = await reverse(suspended.id, 'k')
  assert.equal(sentBack.status, 201, sentBack.text)
  const { kind, status, counterparty, endToEndId, reversalOf } = sentBack.body
  assert.deepEqual([kind, status, reversalOf], ['return', 'pending', suspended.id])
  assert.deepEqual(counterparty, suspended.counterparty, 'to its payer')
  assert.equal(endToEndId, 'INV-4711')
  assert.equal((await reverse(suspended.id, 'k')).text, sentBack.text)
  const twice = await reverse(suspended.id, 'l')
  assert.equal(twice.body.code, 'already_reversed')

  const found = async (state: string) =>
    (await rail.get(`${transfers}?status=${state}`)).body.items.map(
      (each: { id: string }) => each.id,
    )
  const { id } = sentBack.body
  assert.deepEqual(await found('pending'), [id])
  const send = await rail.post(`${transfers}/${id}/send`, { externalId: 'S' })
  assert.deepEqual([send.status, send.body.status], [200, 'sent'], send.text)
  assert.deepEqual(await found('sent'), [id])
  const settled = await rail.post(`${transfers}/${id}/settle`)
  assert.deepEqual([settled.status, settled.body.status], [200, 'completed'], settled.text)
  await assertSound(made)

  // Its payer's bank does not take it: it lies in suspense again, and is still for the same.
  const late = await rail.post(`${transfers}/${id}/return`, { reasonCode: 'AC04' })
  assert.deepEqual([late.status, late.body.status], [200, 'returned'], late.text)
  const bounced = (await root.get(`/api/v1/transfers/${late.body.reversedBy}`)).body
  assert.equal(bounced.toAccountId, bankAccount('suspense', 'EUR'))
  assert.deepEqual([bounced.creditorIban, bounced.reasonCode], [unknown, 'AC04'])
  assert.equal((await reverse(id, 'm')).body.code, 'illegal_transition')
  await assertSound(made)

  // Without the IBAN of its payer the rail knows it by the payment that it brought.
  const { id: nameless } = await into({ debtor: { name: 'Grace Hopper' } }, 'B')
  const back = await reverse(nameless, 'n')
  assert.deepEqual([back.body.status, await found('pending')], ['pending', [back.body.id]])
  const directly = await rail.post(`${transfers}/${back.body.id}/return`)
  assert.equal(directly.body.status, 'returned', 'nobody has sent it')
  const events = await made.sql(
    `select type from events where ids @> array[$1::uuid] or ids @> array[$2::uuid]
     order by written`,
    [suspended.id, id],
  )
  assert.deepEqual(
    events.rows.map(({ type }) => type),
    [
      'transfer.completed',
      'transfer.pending',
      'transfer.reversed',
      'transfer.sent',
      'transfer.settled',
      'transfer.returned',
    ],
  )
  await assertSound(made)
})

test('money that a customer has is not sent back to another bank: its reversal is a booking', async (t) => {
  const made = await scene(t)
  const came = await made.root.post(path, payment(await ibanOf(made, made.to), 'A'))
  const body = { reason: 'Entered twice' }
  const reversed = await made.root.post(`${transfers}/${came.body.id}/reversal`, body)
  assert.deepEqual([reversed.body.kind, reversed.body.status], ['reversal', 'completed'])
  await assertSound(made)
})

test('what lies in suspense is answered as it was, also when its number is none of the bank any more', async (t) => {
  const bank = await world(t)
  const merged = await bank.another({ settings: { BANK_ALSO: 'DE/10010010' } })
  const { root } = await sceneIn(bank)
  const body = payment('DE63100100100000000000', 'A', { onRefusal: 'suspense' })
  assert.equal((await root.post(path, body)).status, 404)
  const first = await clientWith(merged.send, root.token).post(path, body)
  assert.equal(first.status, 201, first.text)
  const again = await root.post(path, body)
  assert.deepEqual([again.status, again.text], [201, first.text])
  const other = await root.post(path, { ...body, amount: '26.00' })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  await assertSound(bank)
})

test('no text of another bank is refused: it is shown mapped, and kept as it came', async (t) => {
  const made = await scene(t)
  const iban = await ibanOf(made, made.to)
  const body = payment(iban, 'A', {
    debtor: { name: '"Müller & Söhne" <GmbH>', iban: '0532013000', bic: 'no bic' },
    reference: `🙂${'x'.repeat(300)}`,
    endToEndId: 'INV_4711; of a length that no scheme has, and more of it',
  })
  const reply = await made.root.post(path, body)
  assert.equal(reply.status, 201, reply.text)
  assert.deepEqual(reply.body.counterparty, { name: "'Müller & Söhne' (GmbH)", iban: null })
  assert.equal(reply.body.reference, `.${'x'.repeat(136)}...`)
  assert.equal(reply.body.endToEndId, 'INV-4711, of a length that no sc...')
  const { rows } = await made.sql('select original from transfer_details')
  const { debtor, reference, endToEndId } = body
  const original = JSON.parse(String(rows[0]?.['original']))
  assert.deepEqual(original, { ...debtor, reference, endToEndId })
  const nameless = await made.root.post(path, payment(iban, 'B', { debtor: { name: ' \u200b' } }))
  assert.equal(nameless.body.counterparty.name, 'NOTPROVIDED')
  await assertSound(made)
})

test('of a card number that another bank sends, four digits are stored, and no more', async (t) => {
  const made = await scene(t)
  const iban = await ibanOf(made, made.to)
  const body = payment(iban, 'A', {
    debtor: { name: '"Grace" 5555 5555 5555 4444', iban: '4111111111111111' },
    reference: 'Card 4111_1111_1111_1111 <12/27>',
    endToEndId: '378282246310005',
  })
  const reply = await made.root.post(path, body)
  assert.equal(reply.status, 201, reply.text)
  assert.equal(reply.body.reference, 'Card ····-····-····-1111 (12/27)')
  assert.equal(reply.body.counterparty.name, "'Grace' ···· ···· ···· 4444")
  assert.equal(reply.body.endToEndId, '···········0005')
  const stored = await made.sql(
    `select (select jsonb_agg(to_jsonb(t)) from transfers t)::text as transfers,
       (select jsonb_agg(to_jsonb(d)) from transfer_details d)::text as details`,
  )
  const digits = JSON.stringify(stored.rows).replace(/[ _-]/g, '')
  assert.match(digits, /1111/)
  assert.doesNotMatch(digits, /4111111111111111|5555555555554444|378282246310005/)
  await assertSound(made)
})

test('no member of staff and no program of theirs credits an account of their own', async (t) => {
  const made = await scene(t)
  const { sql, root } = made
  const both = await made.as('both')
  const account = await openAccount(both)
  const { iban } = (await both.get(`/api/v1/accounts/${account}`)).body
  await sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const refused = await both.post(path, payment(iban, 'A'))
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  const inSuspense = await both.post(path, payment(iban, 'A', { onRefusal: 'suspense' }))
  assert.equal(inSuspense.body.toAccountId, bankAccount('suspense', 'EUR'), inSuspense.text)
  const rail = await newProgram(made, { operations: ['createIncomingPayment'] })
  await both.patch(`/api/v1/admin/service-accounts/${rail.id}`, { name: 'Mine too' })
  assert.equal((await rail.post(path, payment(iban, 'A'))).status, 403)
  assert.equal((await root.post(path, payment(iban, 'A'))).status, 201, 'another may')
})

test('an incoming payment under four eyes takes a second person, and no account of that person', async (t) => {
  const made = await sceneIn(await world(t, { settings: { FOUR_EYES: 'createIncomingPayment' } }))
  const { sql, root } = made
  const both = await made.as('both')
  const account = await openAccount(both)
  const { iban } = (await both.get(`/api/v1/accounts/${account}`)).body
  await sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const held = await root.post(path, payment(iban, 'A'))
  assert.equal(held.status, 202, held.text)
  const again = await root.post(path, payment(iban, 'A'))
  assert.deepEqual(
    [again.status, again.body.approvalId, again.headers['idempotency-replayed']],
    [202, held.body.approvalId, 'true'],
    'delivered again it is the same approval',
  )
  const keyed = { headers: { 'idempotency-key': 'another' } }
  const third = await root.post(path, payment(iban, 'A'), keyed)
  assert.equal(third.body.approvalId, held.body.approvalId, 'whatever key it has')
  const other = await root.post(path, payment(iban, 'A', { amount: '26.00' }))
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  const approve = `/api/v1/admin/approvals/${held.body.approvalId}/approve`
  assert.equal((await both.post(approve)).status, 403)
  await sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  const agnes = await made.as('agnes')
  const done = await agnes.post(approve)
  assert.equal(done.status, 200, done.text)
  assert.equal((await both.get(`/api/v1/accounts/${account}`)).body.balance, '25.00')
  const later = await root.post(path, payment(iban, 'A'))
  assert.deepEqual([later.status, later.body.approvalId], [202, held.body.approvalId])
})

test('an incoming payment whose approval is forgotten, or that needed none, is answered by its transfer', async (t) => {
  const bank = await world(t)
  const { sql, clock } = bank
  const held = await bank.another({ settings: { FOUR_EYES: 'createIncomingPayment' } })
  const made = await sceneIn(bank)
  const iban = await ibanOf(made, made.to)
  await sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  const [rail, agnes] = [
    await newProgram(bank, { operations: ['createIncomingPayment'] }),
    await bank.as('agnes'),
  ]
  const send = (externalId: string, more: object = {}) =>
    rail.on(held.send).post(path, payment(iban, externalId, more))
  const first = await rail.post(path, payment(iban, 'A'))
  const waiting = await send('B')
  assert.equal(waiting.status, 202, waiting.text)
  const approve = `/api/v1/admin/approvals/${waiting.body.approvalId}/approve`
  assert.equal((await clientWith(held.send, agnes.token).post(approve)).status, 200)
  assert.equal((await send('B')).body.approvalId, waiting.body.approvalId, 'while it is stored')
  clock.advance(31 * 86_400_000)
  // As the purge does.
  await sql('delete from approvals')
  const again = await send('A')
  assert.deepEqual([again.status, again.text], [201, first.text])
  const forgotten = await send('B')
  assert.deepEqual(
    [forgotten.status, forgotten.headers['idempotency-replayed']],
    [201, 'true'],
    forgotten.text,
  )
  const other = await send('B', { amount: '26.00' })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  assert.equal((await send('C')).status, 202)
  assert.equal(await readBalance(await bank.login('ada'), made.to), '50.00')
  await assertSound(made)
})

for (const status of ['rejected', 'withdrawn'] as const) {
  test(`an incoming payment whose approval was ${status} is refused for good, however often it is delivered`, async (t) => {
    const made = await sceneIn(await world(t, { settings: { FOUR_EYES: 'createIncomingPayment' } }))
    const { sql, root, ada, from } = made
    const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
    await sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
    const agnes = await made.as('agnes')
    const operations = ['createIncomingPayment', 'withdrawRequest']
    const rail = await newProgram(made, { operations })
    for (const [caller, id] of [
      [root, 'A'],
      [rail, 'B'],
    ] as const) {
      const deliver = (amount = '25.00') => caller.post(path, payment(iban, id, { amount }))
      const approval = `/api/v1/admin/approvals/${(await deliver()).body.approvalId}`
      const decided =
        status === 'rejected'
          ? await agnes.post(`${approval}/reject`, { reason: 'Unknown' })
          : await caller.delete(approval)
      assert.ok(decided.status < 300, decided.text)
      for (const reply of [await deliver(), await deliver()]) {
        const { code } = reply.body
        assert.deepEqual([reply.status, code], [409, 'illegal_transition'], reply.text)
      }
      assert.equal((await deliver('26.00')).status, 422)
      assert.equal((await root.get(approval)).body.status, status)
    }
    assert.equal((await root.get('/api/v1/admin/approvals?status=pending')).body.items.length, 0)
  })
}

test('an incoming payment whose approval expired is delivered again as a new one', async (t) => {
  const made = await sceneIn(await world(t, { settings: { FOUR_EYES: 'createIncomingPayment' } }))
  const { sql, clock } = made
  const ada = await made.as('ada')
  const account = await openAccount(ada)
  const { iban } = (await ada.get(`/api/v1/accounts/${account}`)).body
  await sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  const deliver = async () => (await made.login('root')).post(path, payment(iban, 'A'))
  const held = await deliver()
  assert.equal(held.status, 202, held.text)
  clock.advance(24 * 3_600_000)
  const again = await deliver()
  assert.deepEqual([again.status, again.body.status], [202, 'pending'], again.text)
  assert.notEqual(again.body.approvalId, held.body.approvalId)
  assert.equal((await deliver()).body.approvalId, again.body.approvalId)
  const agnes = await made.login('agnes')
  const done = await agnes.post(`/api/v1/admin/approvals/${again.body.approvalId}/approve`)
  assert.equal(done.status, 200, done.text)
  assert.equal(
    (await (await made.login('ada')).get(`/api/v1/accounts/${account}`)).body.balance,
    '25.00',
  )
})

test('payments for one account, its close and its freeze at once, on two instances: nothing is lost or made', async (t) => {
  const made = await scene(t)
  const { ada, root } = made
  const second = clientWith((await made.another()).send, root.token)
  for (let round = 0; round < 3; round++) {
    const account = await openAccount(ada)
    const iban = await ibanOf(made, account)
    const close = () => ada.delete(`/api/v1/accounts/${account}`)
    const freeze = () => root.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'Asked' })
    const ask = (index: number) => {
      if (index % 10 === 3) return close()
      if (index % 10 === 7) return freeze()
      const voice = index % 2 ? root : second
      const onRefusal = index % 4 ? undefined : 'suspense'
      return voice.post(path, payment(iban, `${round} ${index}`, { onRefusal }))
    }
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => patiently(() => ask(index))),
    )
    const credited = replies.filter(({ body }) => body?.toAccountId === account).length
    const { rows } = await made.sql('select balance::text, status from accounts where id = $1', [
      account,
    ])
    assert.equal(rows[0]?.['balance'], String(credited * 2500))
    if (rows[0]?.['status'] === 'closed') assert.equal(credited, 0)
    for (const { status, text } of replies) assert.ok(status < 500, text)
  }
  await assertSound(made)
})
