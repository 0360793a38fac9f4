// Payments looked up over the whole bank: by what staff know, and why one was refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, cardScene } from '../../../test/support/card-payments.ts'
import { openAccount, readPages, scene } from '../../../test/support/fixture.ts'
import { orderBank } from '../../../test/support/orders.ts'
import { indexAll, lookUp } from '../../../test/support/payment-search.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people } from '../../../test/support/people.ts'
import { eraseTextsBefore } from '../../cli/erase.ts'
import { erasePerson } from '../users/erase-sql.ts'
import { texts } from '../../../languages/en/portal/ledger.ts'
import { keptRefusals } from '../movements/refusals.ts'
import { purgeRefusedPayments, refusedPerDay } from './refused-sql.ts'
import { wordTerms } from './terms.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { newId } from '../../domain/ids.ts'

const path = '/api/v1/admin/payments'
const elsewhere = 'DE89370400440532013000'
const eur = (amount: string) => ({ amount, currency: 'EUR' })
const day = '2026-01-02'

test('a payment is found by its identifiers, by either IBAN, by amount and day, and by words', async (t) => {
  const bank = await scene(t, '500.00')
  const { ada, root, from, to } = bank
  const agnes = await bank.as('agnes')
  const ibanOf = async (id: string) => (await ada.get(`/api/v1/accounts/${id}`)).body.iban as string
  const pay = async (body: object) => {
    bank.clock.advance(1)
    const made = await ada.post('/api/v1/transfers', { fromAccountId: from, ...body })
    assert.equal(made.status, 201, made.text)
    return `transfer ${made.body.id}`
  }
  const inside = await pay({ ...eur('12.50'), toAccountId: to, reference: 'Rent for Ärzte-Haus' })
  const payee = { name: 'Otto', iban: elsewhere }
  const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const out = await pay({
    ...eur('7.00'),
    beneficiaryId: added.body.id,
    reference: 'Rent February',
  })
  const rail = await newProgram(bank, { operations: ['createIncomingPayment', 'findPayments'] })
  bank.clock.advance(1)
  const came = await rail.post('/api/v1/admin/incoming-payments', {
    ...eur('12.50'),
    iban: await ibanOf(from),
    reference: 'Invoice 4711',
    endToEndId: 'INV-4711',
    externalId: 'I-1',
    debtor: { name: 'Müller', iban: elsewhere },
  })
  assert.equal(came.status, 201, came.text)
  const incoming = `transfer ${came.body.id}`
  const idOf = (found: string) => found.split(' ')[1] as string
  await indexAll(bank)
  const { body: deposits } = await agnes.get(`${path}?iban=${await ibanOf(from)}`)
  const deposit = `transfer ${deposits.items.at(-1).id}`
  const found: [Record<string, string>, string[]][] = [
    [{ id: idOf(inside) }, [inside]],
    [{ id: people.ada.id }, []],
    [{ externalId: 'I-1' }, [incoming]],
    [{ externalId: 'I-2' }, []],
    [{ endToEndId: 'inv-4711' }, [incoming]],
    [{ endToEndId: idOf(out).replaceAll('-', '').toUpperCase() }, [out]],
    [{ iban: elsewhere }, [incoming, out]],
    [{ iban: await ibanOf(to) }, [inside]],
    [{ iban: await ibanOf(from) }, [incoming, out, inside, deposit]],
    [{ ...eur('12.5'), day }, [incoming, inside]],
    [{ ...eur('12.50'), day: '2026-01-01' }, []],
    [{ amount: '12.50', currency: 'USD', day }, []],
    [{ reference: 'rent' }, [out, inside]],
    [{ reference: 'RENT arzte' }, [inside]],
    [{ reference: 'rent invoice' }, []],
    [{ reference: 'Ren' }, []],
  ]
  for (const [query, expected] of found) {
    assert.deepEqual(await lookUp(agnes, query), expected, JSON.stringify(query))
  }
  assert.deepEqual(await lookUp(rail, { externalId: 'I-1' }), [incoming])
  const first = await agnes.get(`${path}?iban=${await ibanOf(from)}&limit=3`)
  assert.equal(first.body.items.length, 3)
  const next = `${path}?iban=${await ibanOf(from)}&limit=3&cursor=${first.body.nextCursor}`
  const rest = (await agnes.get(next)).body
  assert.deepEqual([`transfer ${rest.items[0].id}`, rest.nextCursor], [deposit, null])
  assert.equal((await ada.get(`${path}?externalId=I-1`)).status, 403)
  const wrong: [string, string][] = [
    ['', '/query/id'],
    [`id=${idOf(inside)}&externalId=1`, '/query/externalId'],
    ['amount=1.00&currency=EUR', '/query/day'],
    [`amount=1.00&day=${day}`, '/query/currency'],
    [`reference=a&day=${day}`, '/query/day'],
    ['reference=a', '/query/reference'],
    ['amount=1.001&currency=EUR&day=2026-01-01', '/query/amount'],
    ['amount=1.00&currency=EUR&day=2026-02-30', '/query/day'],
    ['iban=DE00370400440532013000', '/query/iban'],
  ]
  for (const [query, at] of wrong) {
    const reply = await root.get(`${path}?${query}`)
    assert.deepEqual([reply.status, reply.body.details?.[0]?.path], [400, at], query)
  }
})

test('a payment from another bank is found by an end-to-end id that has the form of an identifier', async (t) => {
  const bank = await scene(t)
  const iban = (await bank.ada.get(`/api/v1/accounts/${bank.from}`)).body.iban
  const endToEndId = '018F3C2E7D3C7A11B2C3D4E5F6071829'
  const ids: string[] = []
  for (const externalId of ['I-1', 'I-2', 'I-3']) {
    bank.clock.advance(1)
    const came = await bank.root.post('/api/v1/admin/incoming-payments', {
      ...eur('12.50'),
      iban,
      endToEndId,
      externalId,
      debtor: { name: 'Müller', iban: elsewhere },
    })
    assert.equal(came.status, 201, came.text)
    ids.unshift(came.body.id)
  }
  await indexAll(bank)
  const agnes = await bank.as('agnes')
  const found = ids.map((id) => `transfer ${id}`)
  assert.deepEqual(await lookUp(agnes, { endToEndId: endToEndId.toLowerCase() }), found)
  const first = await agnes.get(`${path}?endToEndId=${endToEndId}&limit=2`)
  const next = `${path}?endToEndId=${endToEndId}&limit=2&cursor=${first.body.nextCursor}`
  const items = [...first.body.items, ...(await agnes.get(next)).body.items]
  assert.deepEqual(
    items.map(({ id }) => id),
    ids,
  )
})

test('each look is in the trail with what was asked: of an IBAN the ends, and no word', async (t) => {
  const bank = await scene(t)
  const agnes = await bank.as('agnes')
  const looks = [
    { externalId: 'I-1' },
    { endToEndId: 'INV-4711' },
    { iban: elsewhere },
    { ...eur('12.50'), day },
    { reference: 'Clara Haskil' },
    { id: people.ada.id },
  ]
  for (const query of looks) {
    bank.clock.advance(1)
    await lookUp(agnes, query)
  }
  const { body } = await bank.root.get('/api/v1/admin/audit-events?action=findPayments')
  assert.deepEqual(body.items.map(({ detail }: { detail: string }) => detail).toReversed(), [
    'externalId I-1',
    'endToEndId INV-4711',
    'iban DE89…3000',
    'amount 12.50 EUR 2026-01-02',
    'reference',
    'id',
  ])
  assert.equal(body.items[0].target, people.ada.id)
})

test('what is lost of the words of a payment is written anew beside those that are there', async (t) => {
  const bank = await scene(t, '500.00')
  const agnes = await bank.as('agnes')
  const about = { ...eur('12.50'), fromAccountId: bank.from, toAccountId: bank.to }
  const words = { reference: 'Twice twice this' }
  assert.equal((await bank.ada.post('/api/v1/transfers', { ...about, ...words })).status, 201)
  await indexAll(bank)
  const first = await bank.sql('select term, id from payment_terms order by term, id')
  await bank.sql('delete from payment_terms where term & 1 = 1')
  assert.deepEqual(await lookUp(agnes, words), [])
  await bank.sql(`update payment_terms_place set below = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`)
  await indexAll(bank)
  assert.equal((await lookUp(agnes, words)).length, 1)
  const again = await bank.sql('select term, id from payment_terms order by term, id')
  assert.deepEqual(again.rows, first.rows)
})

test('what is more than a batch of events, a batch of older payments or a reading of words is gone through to its end', async (t) => {
  const bank = await scene(t, '500.00')
  const { ada, from, to, sql } = bank
  const agnes = await bank.as('agnes')
  const words = `${path}?reference=needle+thread`
  const found = async () => (await readPages(agnes, words)).map(({ id }) => id)
  const fresh = `overlay(gen_random_uuid()::text placing 'ffff' from 1 for 4)::uuid`
  await sql(
    `insert into events (type, at, ids) select 'transfer.completed', now(),
       array_agg(gen_random_uuid()) from generate_series(1, 1000)`,
  )
  const about = { fromAccountId: from, toAccountId: to, ...eur('1.00') }
  const made = await ada.post('/api/v1/transfers', { ...about, reference: 'Needle, thread' })
  await indexAll(bank)
  assert.deepEqual(await found(), [made.body.id])
  // As on a bank that had payments before it had the search: those behind it are newer.
  await sql('set session_replication_role = replica')
  await sql(
    `insert into holds (id, account_id, kind, currency, reference, caller_id, created_at, amount,
       remaining, status, ended_at)
     select ${fresh}, $1, 'seizure', 'EUR', '', $1, now(), 100, 0, 'released', now()
     from generate_series(1, 1000)`,
    [from],
  )
  await sql('reset session_replication_role')
  await sql('delete from payment_terms')
  await sql(`update payment_terms_place set below = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`)
  await indexAll(bank)
  assert.deepEqual(await found(), [made.body.id])
  for (const term of wordTerms('needle thread')) {
    await sql(
      `insert into payment_terms (term, id) select $1, ${fresh} from generate_series(1, 2001)`,
      [term],
    )
  }
  const first = (await agnes.get(words)).body
  assert.deepEqual([first.items, typeof first.nextCursor], [[], 'string'])
  assert.deepEqual(await found(), [made.body.id])
})

test('a refused payment tells staff when, how much, to whom and why, for 90 days', async (t) => {
  const bank = await scene(t, '10.00')
  const { ada, from, root } = bank
  const agnes = await bank.as('agnes')
  const payee = { name: 'Otto', iban: elsewhere }
  const { id: beneficiaryId } = (await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee))
    .body
  const asked = { fromAccountId: from, beneficiaryId, ...eur('99.00') }
  const refused = await ada.post('/api/v1/transfers', asked)
  assert.equal(refused.body.code, 'insufficient_funds')
  assert.equal((await ada.post('/api/v1/transfers', { ...asked, amount: '0.00' })).status, 400)
  const cash = { ...eur('88.00'), reason: 'At the counter' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, cash)).status, 409)
  await indexAll(bank)
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const { items } = (await agnes.get(`${path}?iban=${iban}`)).body
  const [one, other] = items.filter((item: { refused?: object }) => item.refused)
  const createdAt = '2026-01-02T09:00:00.000Z'
  const rest = { id: '', accountId: from, reason: 'insufficient_funds', currency: 'EUR', createdAt }
  const shown = [one, other].map(({ refused }) => ({ ...refused, id: '' }))
  assert.deepEqual(
    shown.toSorted((left, right) => (left.amount < right.amount ? 1 : -1)),
    [
      { ...rest, amount: '99.00', target: 'DE89…3000', direction: 'out' },
      { ...rest, amount: '88.00', target: null, direction: 'out' },
    ],
  )
  assert.equal((await lookUp(agnes, { ...eur('99.00'), day })).length, 1)
  assert.equal((await lookUp(agnes, { ...eur('99.00'), day: '2026-01-03' })).length, 0)

  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const count = async () =>
    Number((await bank.sql('select count(*) from refused_payments')).rows[0]?.['count'])
  const purge = (at: number) => transaction(db, (tx) => purgeRefusedPayments(tx, at))
  const end = Date.parse(createdAt) + 90 * 24 * 3_600_000
  for (const [at, left] of [
    [end - 1, 2],
    [end, 2],
    [end + 1, 0],
  ] as const) {
    await purge(at)
    assert.equal(await count(), left, `${at - end}`)
  }
})

test('a payment from another bank that is refused is found by the account that it was for', async (t) => {
  const bank = await scene(t, '10.00')
  const { ada, from, root } = bank
  const agnes = await bank.as('agnes')
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const rail = await newProgram(bank, { operations: ['createIncomingPayment'] })
  const come = async (externalId: string, more: object) => {
    const debtor = { name: 'Otto', iban: elsewhere }
    const body = { ...eur('77.00'), iban, externalId, debtor, ...more }
    bank.clock.advance(1)
    return (await rail.post('/api/v1/admin/incoming-payments', body)).body
  }
  const other = { currency: 'USD' }
  assert.equal((await come('I-1', other)).code, 'currency_mismatch')
  const block = { debits: false, credits: true, cause: 'court_order', note: 'Order 12 C 345' }
  const blocked = await root.post(`/api/v1/admin/accounts/${from}/blocks`, block)
  assert.equal(blocked.status, 201, blocked.text)
  const nameless = { debtor: { name: 'Otto', iban: '4711' } }
  assert.equal((await come('I-2', nameless)).code, 'credits_blocked')
  // There is no account that it could be found by, and no refusal.
  assert.equal((await come('I-3', { iban: 'DE91007700770000009999' })).code, 'not_found')
  assert.equal((await come('I-4', { onRefusal: 'suspense' })).status, 'completed')
  await indexAll(bank)
  const { items } = (await agnes.get(`${path}?iban=${iban}`)).body
  const found = items.flatMap(({ refused }: { refused?: Record<string, unknown> }) =>
    refused
      ? [[refused['accountId'], refused['reason'], refused['direction'], refused['target']]]
      : [],
  )
  assert.deepEqual(found, [
    [from, 'credits_blocked', 'in', null],
    [from, 'currency_mismatch', 'in', 'DE89…3000'],
  ])
  assert.equal((await lookUp(agnes, { ...eur('77.00'), day })).length, 2)
  assert.equal((await bank.sql('select from refused_payments')).rowCount, 2)
})

test('every refusal that is kept has words for staff', () => {
  const known = Object.keys(texts.found.reasons)
  const untold = Object.entries(keptRefusals).filter(
    ([code, isKept]) => isKept && !known.includes(code),
  )
  assert.deepEqual(untold, [])
})

test('of an account a hundred refusals a day are kept, and a refusal is answered whether or not one is written', async (t) => {
  const bank = await scene(t, '1.00')
  const { ada, from, to } = bank
  const { refusedPayments } = bank.running.core
  const attempt = {
    accountId: from,
    reason: 'insufficient_funds',
    amount: 100n,
    currency: 'EUR',
    beneficiaryId: null,
    toAccountId: to,
  } as const
  const count = async () =>
    Number((await bank.sql('select count(*) from refused_payments')).rows[0]?.['count'])
  const note = (more: { accountId?: string } = {}) =>
    refusedPayments.note({ ...attempt, at: bank.clock.now(), ...more })
  // Of one account twenty wait to be written, and a thousand of all.
  const kept = []
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 30; n++) note()
    await refusedPayments.flush()
    kept.push(await count())
    bank.clock.advance(1)
  }
  assert.deepEqual(kept.slice(0, 6), [20, 40, 60, 80, 100, 100])
  assert.equal(await count(), refusedPerDay)
  for (const others of [1000, 999]) {
    for (let n = 0; n < others; n++) note({ accountId: newId(n) })
    note({ accountId: to })
    await refusedPayments.flush()
    assert.equal(await count(), refusedPerDay + (others === 999 ? 1 : 0), `${others} wait`)
  }
  await bank.sql('delete from refused_payments where account_id = $1', [to])
  await bank.sql('revoke insert on refused_payments from strongroom_service')
  const asked = { fromAccountId: from, toAccountId: to, ...eur('99.00') }
  assert.equal((await ada.post('/api/v1/transfers', asked)).body.code, 'insufficient_funds')
  await refusedPayments.flush()
  assert.equal(await count(), refusedPerDay)
  // A customer does not write into what staff see of another.
  await bank.sql('grant insert on refused_payments to strongroom_service')
  const ben = await bank.as('ben')
  const bens = await openAccount(ben)
  const foreign = { fromAccountId: from, toAccountId: bens, ...eur('99.00') }
  bank.clock.advance(2 * 24 * 3_600_000)
  assert.equal((await (await bank.login('ben')).post('/api/v1/transfers', foreign)).status, 403)
  await refusedPayments.flush()
  assert.equal(await count(), refusedPerDay)
  note()
  await refusedPayments.flush()
  assert.equal(await count(), refusedPerDay + 1, 'on another day')
})

test('card payments, declined ones and holds are found by amount, account and shop', async (t) => {
  const bank = await cardScene(await scene(t, '100.00'))
  const agnes = await bank.as('agnes')
  const payment = await approved(bank.till.ask('20.00'))
  bank.clock.advance(1)
  const raised = await bank.till.raise(payment, '5.00', { externalId: 'raise-1' })
  assert.equal(raised.status, 201, raised.text)
  bank.clock.advance(1)
  const declined = await bank.till.ask('900.00')
  bank.clock.advance(1)
  const placed = await bank.root.post(`/api/v1/accounts/${bank.from}/holds`, {
    ...eur('3.00'),
    kind: 'seizure',
    reference: 'Court of Lindau',
  })
  assert.equal(placed.status, 201, placed.text)
  await indexAll(bank)
  const ofCard = `cardPayment ${payment}`
  const [ofDecline, hold] = [`cardPayment ${declined.body.id}`, `hold ${placed.body.id}`]
  assert.deepEqual(await lookUp(agnes, { ...eur('20.00'), day }), [ofCard])
  assert.deepEqual(await lookUp(agnes, { ...eur('900.00'), day }), [ofDecline])
  assert.deepEqual(await lookUp(agnes, { ...eur('3.00'), day }), [hold])
  assert.deepEqual(await lookUp(agnes, { reference: 'lebensmittel' }), [ofDecline, ofCard])
  assert.deepEqual(await lookUp(agnes, { reference: 'lindau court' }), [hold])
  assert.deepEqual(await lookUp(agnes, { id: payment }), [ofCard])
  assert.deepEqual(await lookUp(agnes, { externalId: 'raise-1' }), [ofCard])
  const { iban } = (await bank.ada.get(`/api/v1/accounts/${bank.from}`)).body
  const all = await lookUp(agnes, { iban })
  assert.deepEqual(
    all.filter((each) => !each.startsWith('transfer')),
    [hold, ofDecline, ofCard],
  )
})

test('a refused run of a standing order is found with its reason; an erasure leaves no word of a person', async (t) => {
  const bank = await orderBank(t, '50.00')
  const order = await bank.make({ firstOn: '2026-01-03' })
  await bank.goTo('2026-01-03')
  await bank.work()
  await indexAll(bank)
  await indexAll(bank)
  const agnes = await bank.login('agnes')
  const { items } = (await agnes.get(`${path}?amount=100.00&currency=EUR&day=2026-01-03`)).body
  const [{ refused }] = items
  assert.equal(items.length, 1)
  assert.deepEqual(
    [refused.reason, refused.orderId, refused.dueOn, refused.target],
    ['insufficient_funds', order, '2026-01-03', 'DE89…3000'],
  )
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  await bank.sql(erasePerson.text, [people.ada.id, new Date(bank.clock.now())])
  const left = await bank.sql('select from refused_payments')
  assert.deepEqual(left.rows, [])
  // Of the deposit, whose word is gone, and whose day and amount stay.
  assert.equal((await lookUp(agnes, { reference: 'paid' })).length, 1)
  bank.clock.advance(60_000)
  const db = openDatabase(bank.address, { role: null })
  t.after(() => db.close())
  const now = bank.clock.now()
  await eraseTextsBefore(db, now, { now, limit: now })
  assert.deepEqual(await lookUp(agnes, { reference: 'paid' }), [])
  assert.equal((await lookUp(agnes, { ...eur('50.00'), day })).length, 1)
  // And a bank whose texts were erased before writes none of them anew.
  await bank.sql('delete from payment_terms')
  await bank.sql(`update payment_terms_place set below = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`)
  await indexAll(bank)
  assert.deepEqual(await lookUp(agnes, { reference: 'paid' }), [])
  assert.equal((await lookUp(agnes, { ...eur('50.00'), day })).length, 1)
})
