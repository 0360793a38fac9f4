// The external identifiers and the card payments of what is in an archive are proven without it:
// otherwise what a rail or a processor sends again would be booked a second time.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openAsOwner } from '../../../test/support/owner.ts'
import pg from 'pg'
import { toTill } from '../../../test/support/card-payments.ts'
import { deposit, openAccount, type Scene, sceneIn } from '../../../test/support/fixture.ts'
import { world } from '../../../test/support/world.ts'
import { execute } from '../../database/statements/query.ts'
import type { Db } from '../../database/statements/statement.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { archiveUntil } from './archive.ts'
import { checkArchive } from './check.ts'
import { restoreFolder } from './restore.ts'

const later = Date.UTC(2029, 0, 1)
const none = () => {}

/** A fee, a payment that was settled, and a card payment with a refund, each with its numbers. */
async function book({ ada, root, from }: Scene): Promise<void> {
  const done = async (answer: ReturnType<typeof root.post>) => {
    const { status, text, body } = await answer
    assert.ok(status === 200 || status === 201, text)
    return body
  }
  const money = { amount: '0.50', currency: 'EUR' }
  const fee = { fromAccountId: from, toCode: 'fees', kind: 'fee', reason: 'Fee', ...money }
  await done(root.post('/api/v1/admin/postings', { ...fee, externalId: 'fee' }))
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const { id: beneficiaryId } = await done(
    ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee),
  )
  const { id } = await done(
    ada.post('/api/v1/transfers', { fromAccountId: from, beneficiaryId, ...money }),
  )
  await done(root.post(`/api/v1/admin/transfers/${id}/send`, { externalId: 'send' }))
  await done(root.post(`/api/v1/admin/transfers/${id}/settle`, { externalId: 'settle' }))
  for (const account of [from, await openAccount(ada)]) {
    if (account !== from) await deposit(root, account, '0.50')
    const card = (await ada.post(`/api/v1/accounts/${account}/cards`, {})).body.id as string
    const till = toTill(root, card)
    const { cardPaymentId } = await done(till.clear('0.40'))
    await done(till.refund(cardPaymentId, '0.20'))
  }
}

/** Money for an account that is not there is sent back; its payment waits for the rail. */
async function sendBack({ ada, root, from }: Scene): Promise<string> {
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body as { iban: string }
  const came = await root.post('/api/v1/admin/incoming-payments', {
    iban: `${iban.slice(0, 12)}9999999999`,
    amount: '5.00',
    currency: 'EUR',
    externalId: 'came',
    debtor: { name: 'Grace Hopper', iban: 'DE89370400440532013000' },
    onRefusal: 'suspense',
  })
  assert.equal(came.status, 201, came.text)
  const reason = { reason: 'Unknown payee' }
  const back = await root.post(`/api/v1/admin/transfers/${came.body.id}/reversal`, reason)
  assert.equal(back.status, 201, back.text)
  return back.body.id as string
}

const of = (kind: string): string => `(select id from transfers where kind = '${kind}' limit 1)`
const changed = 'its numbers are not those that an archive left'

const changes: [what: string, change: string, named?: string][] = [
  ['the number of a fee removed', `delete from external_ids where transfer_id = ${of('fee')}`],
  [
    'the number of a fee changed',
    `update external_ids set external_id = 'x' where external_id = 'fee'`,
  ],
  [
    'the number of a sending changed',
    `update external_ids set external_id = 'x' where external_id = 'send'`,
  ],
  [
    'the body of a sending changed',
    `update external_ids set body_hash = sha256('x') where external_id = 'send'`,
  ],
  [
    'the number of a settlement changed',
    `update external_ids set external_id = 'x' where external_id = 'settle'`,
  ],
  ['the number of a settlement removed', `delete from external_ids where external_id = 'settle'`],
  [
    'the number of a clearing removed',
    `delete from external_ids where transfer_id = ${of('clearing')}`,
  ],
  [
    'the card payment of a refund changed',
    `update card_refunds r set payment_id = (
       select c.hold_id from hold_captures c where c.hold_id <> r.payment_id)
     where transfer_id = ${of('refund')}`,
    '',
  ],
]

test('a change of the numbers or the card payment of what is in an archive is named', async (t) => {
  const bank = await sceneIn(await world(t, { settings: { SECOND_FACTOR: 'off' } }))
  await book(bank)
  const waiting = await sendBack(bank)
  const owner = openAsOwner(bank.address)
  const client = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  // The database may end before it.
  client.on('error', none)
  await client.connect()
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'))
  t.after(async () => {
    await client.end()
    await owner.close()
    await rm(folder, { recursive: true, force: true })
  })
  const db: Db = { run: (statement, values) => execute(client, statement, values) }
  const books = path.join(folder, 'books')
  await archiveUntil(owner, none, books, { until: '2026-12-01', now: later })
  const { rows } = await client.query('select count(*)::int as n from entries')
  assert.deepEqual(rows, [{ n: 0 }])
  assert.equal((await verifyLedger(db, { now: later })).mismatch, undefined)
  for (const [what, change, named = changed] of changes) {
    await client.query('begin; set local session_replication_role = replica')
    const { rowCount } = await client.query(change)
    assert.ok((rowCount ?? 0) > 0, what)
    const { mismatch } = await verifyLedger(db, { now: later })
    await client.query('rollback')
    assert.ok(mismatch?.includes(named), `${what}: ${mismatch}`)
  }
  // What waited in the archive is sent and settled with numbers now: these are of its marks.
  bank.clock.advance(Date.UTC(2026, 11, 15) - bank.clock.now())
  const root = await bank.login('root')
  for (const step of ['send', 'settle']) {
    const done = await root.post(`/api/v1/admin/transfers/${waiting}/${step}`, {
      externalId: step + 2,
    })
    assert.equal(done.status, 200, done.text)
    assert.equal((await verifyLedger(db, { now: later })).mismatch, undefined, step)
  }
  assert.match(await checkArchive(owner, books), /is sound/)
  const second = path.join(folder, 'second')
  await archiveUntil(owner, none, second, { until: '2027-01-01', now: later })
  assert.equal((await verifyLedger(db, { now: later })).mismatch, undefined)
  for (const each of [books, second]) assert.match(await checkArchive(owner, each), /is sound/)
  const archives = async () => (await client.query('select id, state from archives')).rows
  assert.equal((await archives()).length, 2)
  await restoreFolder(owner, none, second, later)
  assert.deepEqual(await archives(), [{ id: 1, state: 'removed' }], 'the other one is as it was')
  await restoreFolder(owner, none, books, later)
  assert.equal((await verifyLedger(db, { now: later })).mismatch, undefined)
  const { rows: left } = await client.query('select transfer_id from archived_terms')
  assert.deepEqual(left, [])
})
