// What the trail tells of each movement of money or of a hold by staff: its target and its detail,
// also of one that was declined or refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from './support/audit-events.ts'
import { toTill, approved } from './support/card-payments.ts'
import type { Reply } from './support/client.ts'
import { scene } from './support/fixture.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' })

test('each movement by staff has one event, with the account or payment that it is about', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  let count = 0
  const keyed = () => ({ headers: { 'idempotency-key': `k-${++count}` } })
  const idOf = async (sent: Promise<Reply>): Promise<string> => {
    const { status, body, text } = await sent
    assert.ok(status < 300, text)
    return body.id as string
  }
  const own = `/api/v1/accounts/${from}`
  const admin = `/api/v1/admin/accounts/${from}`
  const transfers = '/api/v1/admin/transfers'
  const { iban } = (await ada.get(own)).body
  const card = await idOf(ada.post(`${own}/cards`, {}))
  const payee = await idOf(
    ada.post(`${own}/beneficiaries`, { name: 'Otto', iban: 'DE89370400440532013000' }),
  )
  const pay = () =>
    idOf(
      ada.post(
        '/api/v1/transfers',
        { fromAccountId: from, beneficiaryId: payee, ...eur('1.00') },
        keyed(),
      ),
    )
  const till = toTill(root, card)
  const hold = (amount = '1.00') =>
    root.post(`${own}/holds`, { ...eur(amount), kind: 'dispute', reference: 'Hotel' }, keyed())
  const fee = { ...eur('1.00'), kind: 'fee', reason: 'Card' }
  const interest = { ...eur('1.00'), kind: 'interest', reason: 'January' }
  const [sent, settled, returned, held, released, taken] = [
    await pay(),
    await pay(),
    await pay(),
    await idOf(hold()),
    await idOf(hold()),
    await idOf(hold()),
  ]
  const [paid, raised] = [await approved(till.ask('2.00')), await approved(till.ask('2.00'))]
  await till.capture(paid, '2.00')
  const made = await idOf(root.post(`${admin}/deposits`, { ...eur('3.00'), reason: 'In' }))
  /** `target: detail` of its event; undefined: none. */
  const rows: [what: string, told: string | undefined, send: () => Promise<Reply>][] = [
    [
      'deposit',
      'from: transfer new',
      () => root.post(`${admin}/deposits`, { ...eur('1.00'), reason: 'In' }),
    ],
    [
      'withdrawal',
      'from: transfer new',
      () => root.post(`${admin}/withdrawals`, { ...eur('1.00'), reason: 'Out' }),
    ],
    [
      'withdrawal refused',
      undefined,
      () => root.post(`${admin}/withdrawals`, { ...eur('900.00'), reason: 'Out' }),
    ],
    [
      'reversal',
      'made: transfer new',
      () => root.post(`${transfers}/${made}/reversal`, { reason: 'Wrong' }),
    ],
    [
      'fee',
      'from: transfer new',
      () => root.post('/api/v1/admin/postings', { ...fee, fromAccountId: from, toCode: 'fees' }),
    ],
    [
      'interest',
      'from: transfer new',
      () =>
        root.post('/api/v1/admin/postings', {
          ...interest,
          fromCode: 'interest',
          toAccountId: from,
        }),
    ],
    [
      'between',
      'fees: transfer new',
      () =>
        root.post('/api/v1/admin/postings', {
          ...eur('1.00'),
          kind: 'correction',
          reason: 'Own',
          fromCode: 'interest',
          toCode: 'fees',
        }),
    ],
    [
      'incoming',
      'from: transfer new',
      () =>
        root.post('/api/v1/admin/incoming-payments', {
          iban,
          ...eur('1.00'),
          externalId: 'i',
          debtor: { name: 'X' },
        }),
    ],
    ['send', 'sent: null', () => root.post(`${transfers}/${sent}/send`, { externalId: 's' })],
    ['settle', 'settled: null', () => root.post(`${transfers}/${settled}/settle`)],
    ['return', 'returned: transfer OTHER', () => root.post(`${transfers}/${returned}/return`)],
    ['hold', 'from: hold new: dispute of 1.00 EUR', () => hold()],
    ['hold refused', undefined, () => hold('900.00')],
    [
      'updateHold',
      'held: dispute of 2.00 EUR',
      () => root.patch(`/api/v1/holds/${held}`, { amount: '2.00' }),
    ],
    [
      'captureHold',
      'taken: transfer new',
      () => root.post(`/api/v1/holds/${taken}/capture`, eur('1.00')),
    ],
    ['releaseHold', 'released: null', () => root.post(`/api/v1/holds/${released}/release`)],
    ['authorize', 'card: hold new', () => till.ask('1.00')],
    ['authorize declined', 'card: declined: insufficient_funds', () => till.ask('900.00')],
    [
      'increment',
      'raised: authorization of 3.00 EUR until 2026-01-09T09:00:00.000Z',
      () => till.raise(raised, '1.00'),
    ],
    [
      'increment declined',
      'raised: declined: insufficient_funds',
      () => till.raise(raised, '900.00'),
    ],
    ['capture', 'raised: transfer new', () => till.capture(raised, '1.00')],
    ['clear', 'card: transfer new', () => till.clear('1.00', { authorizationId: paid })],
    ['refund', 'paid: transfer new', () => till.refund(paid, '1.00')],
    ['release', 'raised: null', () => till.release(raised)],
  ]
  const named = { from, card, sent, settled, returned, held, released, taken, paid, raised, made }
  const known = new Map(Object.entries(named).map(([name, id]) => [id, name]))
  known.set(bankAccount('fees', 'EUR'), 'fees')
  for (const [what, told, send] of rows) {
    const reply = await send()
    const name = (id: string) => known.get(id) ?? (id === reply.body.id ? 'new' : 'OTHER')
    const events = (await readEvents(bank, reply)).map(({ target, detail, outcome }) => {
      assert.equal(outcome, 'success')
      return `${target}: ${detail}`.replace(/[0-9a-f-]{36}/g, name)
    })
    assert.deepEqual(events, told === undefined ? [] : [told], what)
  }
})
