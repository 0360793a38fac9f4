// Payment lists: what is checked, what is confirmed, and what becomes of each line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import { assertSound, many, scene, tally } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { elsewhere } from '../../../test/support/orders.ts'
import { listScene, otherIban } from '../../../test/support/payment-lists.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { fictitiousBank, toIban } from '../../domain/iban.ts'
import { errorSchema } from '../../openapi/error-schema.ts'
import { purgeLists } from './purge.ts'

/** Of this bank, without an account. */
const unusedIban = toIban(fictitiousBank, '9999999999') as string

test('a list is checked whole, each line is ready or refused with its reason, and nothing is paid until it is ordered', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { ada, check, known, from, to } = bank
  const me = ada()
  const ben = await bank.as('ben')
  const bens = (await ben.post('/api/v1/accounts', { currency: 'EUR' })).body.id
  const payeeOfBen = await ben.post(`/api/v1/accounts/${bens}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: otherIban,
  })
  const own = (await me.get(`/api/v1/accounts/${to}`)).body.iban
  const payer = (await me.get(`/api/v1/accounts/${from}`)).body.iban
  const dollars = (await me.post('/api/v1/accounts', { currency: 'USD' })).body.iban
  const fresh = { name: 'Grace Hopper', iban: otherIban, amount: '2.00' }
  const reply = await check(
    [
      known('1.00', { reference: 'Rent', endToEndId: 'E1' }),
      fresh,
      { name: 'Me', iban: own, amount: '3.00' },
      { name: 'Otto', iban: 'DE89370400440532013000', amount: '4.00' },
      { beneficiaryId: payeeOfBen.body.id, amount: '5.00' },
      { name: 'X', iban: 'DE89370400440532013001', amount: '6.00' },
      { name: 'X', iban: unusedIban, amount: '7.00' },
      { name: 'Me', iban: payer, amount: '8.00' },
      { name: 'Me', iban: dollars, amount: '9.00' },
    ],
    { messageId: 'M1' },
  )
  assert.equal(reply.status, 201, reply.text)
  const { lines, all, ready, made, refusedCount, status, hash, id } = reply.body
  assert.deepEqual(
    lines.map((line: { index: number; status: string; refusal?: string; reason?: string }) =>
      [line.index, line.status, line.refusal, line.reason].join(' ').trim(),
    ),
    [
      '0 ready',
      '1 ready',
      '2 ready',
      '3 ready',
      '4 refused forbidden AG01',
      '5 refused invalid_request AC01',
      '6 refused payee_check_required BE01',
      '7 refused invalid_request AC01',
      '8 refused currency_mismatch AM03',
    ],
  )
  assert.deepEqual(
    [all, ready, made, refusedCount, status],
    [
      { count: 9, total: '45.00' },
      { count: 4, total: '10.00' },
      { count: 0, total: '0.00' },
      5,
      'checked',
    ],
  )
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.equal(reply.headers['location'], `/api/v1/payment-lists/${id}`)
  await bank.work()
  assert.equal(await bank.balance(), '1000.00')
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  assert.equal((await me.get(payees)).body.items.length, 1)
  const ordered = await bank.execute(id)
  assert.deepEqual([ordered.status, ordered.body.status], [200, 'ordered'], ordered.text)
  assert.equal((await bank.execute(id)).body.code, 'illegal_transition')
  await bank.work()
  assert.deepEqual((await bank.lines(id)).slice(0, 5), [
    '0 made',
    '1 made',
    '2 made',
    '3 made',
    '4 refused forbidden',
  ])
  assert.equal(await bank.balance(), '990.00')
  const after = await bank.read(id)
  assert.deepEqual([after.status, after.made], ['executed', { count: 4, total: '10.00' }])
  const both = (await me.get(payees)).body.items as { id: string }[]
  const added = both.filter((each) => each.id !== bank.payeeId)
  assert.deepEqual([both.length, added.length], [2, 1], 'the new payee was added')
  const { rows } = await bank.sql(
    `select target::text, detail from audit_events
     where action = 'createBeneficiary' and detail like 'list %'`,
  )
  assert.deepEqual(rows, [{ target: added[0]?.id, detail: `list ${id}` }])
  const { items } = (await me.get(`/api/v1/payment-lists/${id}/lines?status=made&limit=2`)).body
  const paid = (await me.get(`/api/v1/transfers/${items[0].transferId}`)).body
  assert.deepEqual(
    [paid.amount, paid.reference, paid.endToEndId, paid.status],
    ['1.00', 'Rent', 'E1', 'pending'],
  )
  assert.deepEqual(items[1].payee, { name: 'Grace Hopper', iban: otherIban })
  const none = await check([{ name: 'X', iban: 'DE89370400440532013001', amount: '6.00' }])
  assert.deepEqual(none.body.ready, { count: 0, total: '0.00' })
  assert.equal((await bank.execute(none.body.id)).body.code, 'illegal_transition')
  await assertSound(bank)
  const subjects = (await readMails(bank)).map(({ subject }) => subject)
  assert.ok(subjects.includes('A list of payments was ordered'))
  assert.ok(!subjects.includes('Payments of a list were refused'), 'those were known before')
})

test('a list that is wrong in form is refused whole, each fault by its place', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { check, known, path } = bank
  const faults = await check([
    known('1.001'),
    known('0.00'),
    { amount: '1.00' },
    { amount: '1.00', iban: otherIban },
    { amount: '1.00', iban: otherIban, name: 'Grace', beneficiaryId: bank.payeeId },
    { amount: '1.00', iban: otherIban, beneficiaryId: bank.payeeId },
    { amount: '1.00', name: 'Grace', beneficiaryId: bank.payeeId },
    known('1.00'),
  ])
  assert.deepEqual(
    [faults.status, faults.body.details],
    [
      400,
      [
        { path: '/body/items/0/amount', message: 'has more minor digits than its currency' },
        { path: '/body/items/1/amount', message: 'is zero' },
        { path: '/body/items/2/iban', message: 'is missing, or beneficiaryId is' },
        { path: '/body/items/3/name', message: 'is missing' },
        ...[4, 5, 6].map((item) => ({
          path: `/body/items/${item}/beneficiaryId`,
          message: 'cannot be beside name and iban',
        })),
      ],
    ],
  )
  const all = await check(Array.from({ length: 101 }, () => known('0.00')))
  assert.equal(all.body.details.length, errorSchema.properties.details.maxItems, 'as documented')
  const one = [known('1.00')]
  for (const [items, more, code] of [
    [[], {}, 'invalid_request'],
    [Array.from({ length: 1001 }, () => known('1.00')), {}, 'invalid_request'],
    [one, { executeOn: '2026-01-01' }, 'invalid_request'],
    [one, { executeOn: '2026-02-30' }, 'invalid_request'],
    [one, { debtorIban: otherIban }, 'invalid_request'],
    [one, { currency: 'USD' }, 'currency_mismatch'],
    [[known('1000000000000000.00')], {}, 'invalid_request'],
    [one, { messageId: 'x'.repeat(36) }, 'invalid_request'],
    [[known('1.00', { endToEndId: 'x'.repeat(36) })], {}, 'invalid_request'],
  ] as const) {
    const reply = await check(items, more)
    assert.equal(reply.body.code, code, reply.text)
  }
  const most = Array.from({ length: 90 }, () => known('999999999999999.99'))
  const tooMuch = await check([...most, known('0.91')])
  assert.deepEqual(tooMuch.body.details, [
    { path: '/body/items', message: 'are too much together' },
  ])
  assert.equal((await check([...most, known('0.90')])).status, 201, 'what a balance may be')
  assert.equal((await check(one, { messageId: 'M' })).status, 201)
  assert.equal((await check([known('2.00')], { messageId: 'M' })).body.code, 'already_exists')
  const other = {
    currency: 'EUR',
    messageId: 'M',
    items: [{ name: 'A', iban: otherIban, amount: '1' }],
  }
  const there = path.replace(bank.from, bank.to)
  assert.equal((await bank.ada().post(there, other)).status, 201, 'once in each account')
})

test('fifty lists of an account may be open; one that is cancelled makes room, and keeps its number and no text', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { check, known, make } = bank
  const id = await make([known('1.00', { reference: 'Secret' })], { messageId: 'M' })
  await many(49, () => make([known('1.00')]))
  const full = await check([known('1.00')])
  assert.deepEqual(
    [full.body.code, full.body.limit],
    ['limit_exceeded', { name: 'paymentLists', amount: '50', used: '50' }],
  )
  const ada = bank.ada()
  assert.equal((await ada.delete(`/api/v1/payment-lists/${id}`)).status, 204)
  assert.equal((await ada.delete(`/api/v1/payment-lists/${id}`)).body.code, 'illegal_transition')
  assert.equal((await bank.execute(id)).body.code, 'illegal_transition')
  assert.equal(await bank.status(id), 'cancelled')
  const { rows } = await bank.sql(
    'select payee_name, payee_iban, reference from payment_list_lines where list_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ payee_name: null, payee_iban: null, reference: '' }])
  assert.equal((await check([known('1.00')], { messageId: 'M' })).body.code, 'already_exists')
  const last = (await check([known('1.00')])).body
  await assertSound(bank)
  // One that is not ordered is cancelled after thirty days, and not a millisecond before.
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const made = Date.parse(last.createdAt)
  const purge = async (now: number) => {
    while (await transaction(db, (tx) => purgeLists(tx, now))) continue
  }
  await purge(made + 30 * 86_400_000 - 1)
  assert.equal(await bank.status(last.id), 'checked')
  await purge(made + 30 * 86_400_000)
  assert.equal(await bank.status(last.id), 'cancelled')
})

test('a list is ordered for thirty days, to the millisecond, also where no purge has run', async (t) => {
  const bank = await listScene(await scene(t, '100.00'))
  const [inTime, late] = [
    await bank.make([bank.known('1.00')]),
    await bank.make([bank.known('2.00')]),
  ]
  const [first, second] = [await bank.read(inTime), await bank.read(late)]
  const goTo = async (at: number) => {
    bank.clock.advance(at - bank.clock.now())
    return bank.login('ada')
  }
  const before = await goTo(Date.parse(first.createdAt) + 30 * 86_400_000 - 1)
  assert.equal((await bank.execute(inTime, {}, before)).status, 200)
  const after = await goTo(Date.parse(second.createdAt) + 30 * 86_400_000)
  assert.equal((await bank.execute(late, {}, after)).body.code, 'illegal_transition')
})

test('a line that is refused stops no other, limits count line by line, and the owner is told by mail', async (t) => {
  const bank = await listScene(await scene(t, '100.00'))
  const { order, known } = bank
  const limits = `/api/v1/accounts/${bank.from}/limits`
  await bank.ada().put(limits, { currency: 'EUR', perPayment: '40.00', perDay: '60.00' })
  const id = await order(
    ['30.00', '40.01', '31.00', '20.00', '101.00', '10.00'].map((a) => known(a)),
  )
  await bank.work()
  assert.deepEqual(await bank.lines(id), [
    '0 made',
    '1 refused limit_exceeded',
    '2 refused limit_exceeded',
    '3 made',
    '4 refused insufficient_funds',
    '5 made',
  ])
  const { made, refusedCount, status } = await bank.read(id)
  assert.deepEqual([made, refusedCount, status], [{ count: 3, total: '60.00' }, 3, 'executed'])
  assert.equal(await bank.balance(), '40.00')
  const told = (await readMails(bank)).filter(
    ({ subject }) => subject === 'Payments of a list were refused',
  )
  assert.match(told.at(0)?.text?.replace(/\s+/g, ' ') ?? '', /3 were not made/)
  await assertSound(bank)
})

test('a list with a day waits for it, to the millisecond, and is cancelled until its first line', async (t) => {
  const bank = await listScene(await scene(t, '100.00'))
  const { order, known } = bank
  const on = { executeOn: '2026-01-05' }
  const [id, other] = [await order([known('1.00')], on), await order([known('2.00')], on)]
  const late = await bank.make([known('4.00')], on)
  const start = Date.parse('2026-01-05T00:00:00Z')
  bank.clock.advance(start - 1 - bank.clock.now())
  await bank.work()
  const before = await bank.login('ada')
  assert.equal((await before.get(`/api/v1/payment-lists/${id}`)).body.status, 'ordered')
  assert.equal((await before.delete(`/api/v1/payment-lists/${other}`)).status, 204)
  bank.clock.advance(1)
  await bank.work()
  await bank.goTo('2026-01-05')
  assert.deepEqual([await bank.status(id), await bank.status(other)], ['executed', 'cancelled'])
  const ada = bank.ada()
  assert.equal((await ada.delete(`/api/v1/payment-lists/${id}`)).body.code, 'illegal_transition')
  await bank.goTo('2026-01-06')
  assert.equal((await bank.execute(late)).body.code, 'illegal_transition', 'its day is over')
  assert.equal(await bank.balance(), '99.00')
})

test('ordered twenty times at once and cancelled at once, a list is paid once or not at all, also by two instances', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const second = await bank.another()
  const workers = [bank.running.core.paymentLists, second.running.core.paymentLists]
  for (let round = 0; round < 4; round++) {
    const before = Number(await bank.balance())
    const id = await bank.make(Array.from({ length: 40 }, () => bank.known('1.00')))
    const { token } = bank.ada()
    const replies = await Promise.all([
      ...Array.from({ length: 10 }, () => bank.execute(id)),
      ...Array.from({ length: 10 }, () =>
        second.send('POST', `/api/v1/payment-lists/${id}/execute`, { token }),
      ),
      ...(round % 2 ? [bank.ada().delete(`/api/v1/payment-lists/${id}`)] : []),
    ])
    const counts = tally(replies.slice(0, 20))
    await Promise.all(workers.map((worker) => worker.work()))
    await Promise.all(workers.map((worker) => worker.work()))
    const status = await bank.status(id)
    const isPaid = status === 'executed'
    assert.ok(isPaid || status === 'cancelled', status)
    assert.ok((counts['200'] ?? 0) <= 1, JSON.stringify(counts))
    assert.equal(Number(await bank.balance()), before - (isPaid ? 40 : 0))
  }
  await assertSound(bank)
})

test('an account that is frozen in the middle, or a payee that is deactivated, refuses the lines that are left', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { order, known } = bank
  const fresh = { name: 'Grace Hopper', iban: otherIban, amount: '1.00' }
  const id = await order([known('1.00'), fresh, known('2.00')])
  assert.equal(
    (await bank.ada().post(`/api/v1/beneficiaries/${bank.payeeId}/deactivate`)).status,
    200,
  )
  await bank.work()
  assert.deepEqual(await bank.lines(id), [
    '0 refused beneficiary_inactive',
    '1 made',
    '2 refused beneficiary_inactive',
  ])
  const next = await order([fresh, fresh])
  const root = await bank.as('root')
  const freeze = `/api/v1/admin/accounts/${bank.from}`
  assert.equal((await root.post(`${freeze}/freeze`, { reason: 'x' })).status, 200)
  await bank.work()
  assert.deepEqual(await bank.lines(next), ['0 refused account_frozen', '1 refused account_frozen'])
  assert.equal((await bank.check([fresh])).body.code, 'account_frozen')
  assert.equal((await root.post(`${freeze}/unfreeze`, { reason: 'x' })).status, 200)
  const deleted = await order([fresh])
  const payees = (await bank.ada().get(`/api/v1/accounts/${bank.from}/beneficiaries`)).body.items
  const grace = payees.find(({ iban }: { iban: string }) => iban === otherIban)
  assert.equal((await bank.ada().delete(`/api/v1/beneficiaries/${grace.id}`)).status, 204)
  await bank.work()
  assert.deepEqual(await bank.lines(deleted), ['0 refused not_found'])
  await assertSound(bank)
})

test('a person with a second factor confirms number, sum, the largest three and the hash of the lines, once', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.make(
    [
      ...['1.00', '7.00', '3.00', '5.00'].map((amount) => bank.known(amount)),
      // Refused when it is checked: it is not paid.
      { name: 'Nobody', iban: 'DE89370400440532013001', amount: '9.00' },
    ],
    { executeOn: '2026-01-02' },
  )
  await giveFactor(bank, 'ada')
  const refused = await bank.execute(id)
  const { hash } = await bank.read(id)
  const { payments, amount, currency, largest, secondLargest, thirdLargest, linesHash, executeOn } =
    refused.body.challenge.terms
  const payee = 'Otto Example DE89370400440532013000'
  assert.deepEqual(
    [payments, amount, currency, executeOn, linesHash],
    ['4', '16.00', 'EUR', '2026-01-02', hash],
  )
  assert.deepEqual(
    [largest, secondLargest, thirdLargest],
    [`7.00 ${payee}`, `5.00 ${payee}`, `3.00 ${payee}`],
  )
  const headers = await confirmAnyway(bank, refused)
  const other = await bank.make([bank.known('900.00')])
  assert.equal((await bank.execute(other, { headers })).body.code, 'confirmation_required')
  assert.equal((await bank.execute(id, { headers })).status, 200)
  await bank.work()
  assert.equal(await bank.balance(), '984.00')
})

test('a program with payFrom sends lists of its own to payees of the account, and is stopped by the end of its right', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { from, known } = bank
  const program = await newProgram(bank, { payFrom: [from] })
  const other = await newProgram(bank, { payFrom: [from] })
  const sent = await bank.check(
    [known('1.00'), { name: 'Grace', iban: otherIban, amount: '2.00' }],
    {},
    program,
  )
  assert.deepEqual(
    sent.body.lines.map(({ refusal }: { refusal?: string }) => refusal),
    [undefined, 'forbidden'],
    sent.text,
  )
  assert.equal((await bank.execute(sent.body.id, {}, other)).status, 403)
  const adas = await bank.make([known('4.00')])
  assert.equal((await bank.execute(adas, {}, program)).status, 403, "not the owner's own list")
  assert.equal((await bank.execute(sent.body.id, {}, program)).status, 200)
  await bank.work()
  assert.deepEqual(await bank.lines(sent.body.id), ['0 made', '1 refused forbidden'])
  const later = await bank.check([known('8.00')], {}, program)
  assert.equal((await bank.execute(later.body.id, {}, program)).status, 200)
  await program.change({ grants: { readAccounts: null, payFrom: [], operations: [] } })
  await bank.work()
  assert.deepEqual(await bank.lines(later.body.id), ['0 refused forbidden'])
  const { payFrom } = { payFrom: [bank.to] }
  const elsewhereOnly = await newProgram(bank, { payFrom })
  assert.equal((await bank.check([known('1.00')], {}, elsewhereOnly)).status, 403)
  await assertSound(bank)
})

test('an owner who may not pay any more pays no line that is left', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order([bank.known('1.00')], { executeOn: '2026-01-03' })
  const root = await bank.as('root')
  const me = (await bank.ada().get('/api/v1/me')).body.id
  const disabled = await root.patch(`/api/v1/admin/users/${me}`, { status: 'disabled' })
  assert.equal(disabled.status, 200, disabled.text)
  bank.clock.advance(86_400_000)
  await bank.work()
  const { rows } = await bank.sql(
    'select outcome, refusal from payment_list_lines where list_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ outcome: 'refused', refusal: 'forbidden' }])
})

test('with an Idempotency-Key a repetition gets the first answer, of a check and of an order', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { path, known } = bank
  const ada = bank.ada()
  const body = { currency: 'EUR', messageId: 'M', items: [known('1.5'), known('900')] }
  const headers = { 'idempotency-key': 'a' }
  const first = await ada.post(path, body, { headers })
  const key = { headers: { 'idempotency-key': 'b' } }
  const ordered = await bank.execute(first.body.id, key)
  await bank.work()
  const same = { ...body, items: [known('1.50'), known('900.00')] }
  const again = await ada.post(path, same, { headers })
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const orderedAgain = await bank.execute(first.body.id, key)
  assert.deepEqual([orderedAgain.status, orderedAgain.body], [200, ordered.body])
  for (const more of [
    { messageId: 'N' },
    { executeOn: '2026-01-09' },
    { items: [known('1.51'), known('900')] },
    { items: [known('900'), known('1.5')] },
    { items: [known('1.5')] },
    { items: [known('1.5', { reference: 'x' }), known('900')] },
    { items: [known('1.5', { endToEndId: 'x' }), known('900')] },
    { debtorIban: otherIban },
    { form: 'pain.001.001.03' },
  ]) {
    const changed = await ada.post(path, { ...body, ...more }, { headers })
    assert.equal(changed.body.code, 'idempotency_key_reused', JSON.stringify(more))
  }
  assert.equal(await bank.balance(), '98.50')
})

test('while payees have to be checked, a list pays only those that were', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order([bank.known('1.00')])
  const { send, running } = await bank.another({ settings: { PAYEE_CHECK: 'required' } })
  const { token } = bank.ada()
  const post = (at: string, body: object) => send('POST', at, { token, body })
  const account = `/api/v1/accounts/${bank.from}`
  const asked = { name: 'Grace Hopper', iban: otherIban }
  const checked = await post(`${account}/payee-checks`, asked)
  const more = { payeeCheckId: checked.body.id, acceptPayee: true }
  const added = await post(`${account}/beneficiaries`, { ...asked, ...more })
  assert.equal(added.status, 201, added.text)
  const third = { name: 'Zed', iban: 'FR1420041010050500013M02606', amount: '1.00' }
  const items = [bank.known('1.00'), { ...asked, amount: '1.00' }, third]
  const list = await post(bank.path, { currency: 'EUR', items })
  assert.deepEqual(
    list.body.lines.map(({ refusal }: { refusal?: string }) => refusal),
    ['payee_check_required', undefined, 'payee_check_required'],
  )
  await running.core.paymentLists.work()
  assert.deepEqual(await bank.lines(id), ['0 refused payee_check_required'])
})

test('what is done with a list changes no other list of its account, and no line whose payee is known', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const me = bank.ada()
  const { iban } = (await me.get(`/api/v1/accounts/${bank.to}`)).body
  const dollars = (await me.post('/api/v1/accounts', { currency: 'USD' })).body.iban
  const items = [
    { name: 'Grace Hopper', iban: otherIban, amount: '2.00' },
    bank.known('1.00'),
    { name: 'Me', iban, amount: '3.00' },
    { name: 'Me', iban: dollars, amount: '4.00' },
  ]
  const ids = [await bank.make(items), await bank.make(items), await bank.make(items)]
  const [ordered, cancelled, forgotten] = ids as [string, string, string]
  // By now the account has a payee, or a new one, for each of the other lines.
  assert.equal((await me.delete(`/api/v1/beneficiaries/${bank.payeeId}`)).status, 204)
  for (const each of [iban, dollars, elsewhere]) {
    const payee = { name: 'Another', iban: each }
    const made = await me.post(`/api/v1/accounts/${bank.from}/beneficiaries`, payee)
    assert.equal(made.status, 201, made.text)
  }
  const state = async () => {
    const { rows } = await bank.sql(
      `select p.id, to_json(p)::text as list, (select json_agg(to_json(l) order by place)
         from payment_list_lines l where l.list_id = p.id) as lines from payment_lists p`,
    )
    return new Map(rows.map(({ id, ...row }) => [id as string, row]))
  }
  let before = await state()
  const unchanged = async (changed: string, what: string) => {
    const after = await state()
    for (const id of ids) {
      if (id === changed) assert.notDeepEqual(after.get(id), before.get(id), what)
      else assert.deepEqual(after.get(id), before.get(id), `${what}: another list`)
    }
    const lines = [before, after].map((each) => each.get(changed)?.['lines'] as object[])
    before = after
    return lines as [object[], object[]]
  }
  assert.equal((await bank.execute(ordered)).status, 200)
  const [were, are] = await unchanged(ordered, 'ordered')
  assert.deepEqual(are.slice(1), were.slice(1))
  const { rows } = await bank.sql('select id::text from beneficiaries where iban = $1', [otherIban])
  const [line, ...more] = rows
  assert.deepEqual([are[0], more], [{ ...were[0], beneficiary_id: line?.['id'] }, []])
  assert.equal((await me.delete(`/api/v1/payment-lists/${cancelled}`)).status, 204)
  await unchanged(cancelled, 'cancelled')
  await bank.work()
  await unchanged(ordered, 'paid')
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  bank.clock.advance(90 * 86_400_000)
  await transaction(db, (tx) => purgeLists(tx, bank.clock.now()))
  await unchanged(forgotten, 'forgotten')
})
