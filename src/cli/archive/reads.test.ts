// What clients are told of a period that is in an archive.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openAsOwner } from '../../../test/support/owner.ts'
import { deposit, sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from '../../../test/support/locks.ts'
import { indexAll } from '../../../test/support/payment-search.ts'
import { type ApiClient, type Reply, world } from '../../../test/support/world.ts'
import { newId } from '../../domain/ids.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const until = '2027-01-01'
const archive = { name: 'books', until: '2027-01-01T00:00:00.000Z' }

/** The name of the folder is for staff alone. */
function assertArchived(reply: Reply, isOfStaff = false): void {
  assert.equal(reply.status, 404, reply.text)
  assert.equal(reply.body.code, 'archived', reply.text)
  assert.deepEqual(reply.body.archive, isOfStaff ? archive : { until: archive.until })
}

test('a period in an archive is refused by its name; from its end on all reads are the same, and after its restore everything is', async (t) => {
  const bank = await sceneIn(await world(t, { settings: { SECOND_FACTOR: 'off' } }))
  const { from, to, clock, address } = bank
  const owner = openAsOwner(address)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'))
  t.after(async () => {
    await owner.close()
    await rm(folder, { recursive: true, force: true })
  })
  const pay = async (client: ApiClient, amount: string) => {
    const reply = await client.post('/api/v1/transfers', transferBody(from, to, amount))
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  const iban = (await bank.ada.get(`/api/v1/accounts/${from}`)).body.iban
  const incoming = { iban, amount: '5.00', currency: 'EUR', externalId: 'rail 1' }
  const sent = { ...incoming, debtor: { name: 'Grace Hopper' } }
  const early = new Date(clock.now()).toISOString()
  clock.advance(60_000)
  const old = await pay(bank.ada, '1.00')
  const came = await bank.root.post('/api/v1/admin/incoming-payments', sent)
  assert.equal(came.status, 201, came.text)
  const abroad = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const payee = await bank.ada.post(`/api/v1/accounts/${from}/beneficiaries`, abroad)
  const outgoing = { fromAccountId: from, beneficiaryId: payee.body.id, amount: '1.00' }
  const headers = { 'idempotency-key': newId(clock.now()) }
  const paid = await bank.ada.post(
    '/api/v1/transfers',
    { ...outgoing, currency: 'EUR' },
    { headers },
  )
  assert.equal(paid.body.status, 'pending', paid.text)
  const pending = paid.body.id as string
  clock.advance(3 * 365 * 86_400_000)
  const [ada, root, ben] = [
    await bank.login('ada'),
    await bank.login('root'),
    await bank.login('ben'),
  ]
  await deposit(root, from, '50.00')
  const young = await pay(ada, '2.00')
  const own = `/api/v1/accounts/${from}`
  const kept = [
    `${own}/statement?from=${until}&to=2027-12-31`,
    `${own}/statement?from=2028-06-01`,
    `${own}/statement?from=2028-06-01&format=csv`,
    `${own}/balance?at=2026-12-31`,
    `${own}/balances?from=2028-06-01`,
    `${own}/insight?month=2029-01`,
    `${own}/transactions?from=${until}`,
    `${own}/transactions?from=${until}&direction=in`,
    `/api/v1/transfers/${young}`,
    `${own}/transactions/${young}`,
    own,
  ]
  const staffs = ['/api/v1/admin/trial-balance?at=2026-12-31', '/api/v1/admin/trial-balance']
  const lost = [
    `${own}/statement?from=2026-01-01&to=2026-12-31`,
    `${own}/statement?from=2026-01-01&to=2026-12-31&format=csv`,
    `${own}/balance?at=${early}`,
    `${own}/balances?from=2026-01-01&to=2026-12-31`,
    `${own}/insight?month=2026-01`,
    `${own}/transactions?from=2026-01-01&to=2026-12-31`,
    `${own}/transactions?to=${early}&kind=transfer`,
    `/api/v1/transfers/${old}`,
    `/api/v1/transfers/${old}/receipt?format=pdf`,
    `${own}/transactions/${old}`,
  ]
  const readAll = async (client: ApiClient, paths: readonly string[]) => {
    const replies = []
    for (const each of paths) replies.push(await client.get(each))
    for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    return replies.map(({ text }) => text)
  }
  const [before, ofStaff, whole] = [
    await readAll(ada, kept),
    await readAll(root, staffs.slice(0, 1)),
    await readAll(ada, lost),
  ]
  const list = `${own}/transactions?limit=2`
  const newest = await ada.get(list)

  const books = path.join(folder, archive.name)
  await archiveUntil(owner, none, books, { until, now: clock.now() })
  assert.equal((await verifyLedger(owner, { now: clock.now() })).mismatch, undefined)
  assert.deepEqual(await readAll(ada, kept), before)
  assert.deepEqual(await readAll(root, staffs.slice(0, 1)), ofStaff)
  for (const each of lost) assertArchived(await ada.get(each))
  assertArchived(await root.get('/api/v1/admin/trial-balance?at=2026-06-01'), true)
  assertArchived(await root.get(`/api/v1/transfers/${old}`), true)
  const ofCash = '/api/v1/admin/bank-accounts/cash/EUR/transactions'
  assertArchived(await root.get(`${ofCash}?from=2026-01-01`), true)
  assert.equal((await root.get(`${ofCash}?from=${until}`)).body.items.length, 1)
  assertArchived(await ada.get(`${own}/transactions?from=2026-01-01`))
  // Behind the last entry of its time.
  assertArchived(await ada.get(`${own}/transactions?to=2026-12-31`))
  assertArchived(await ada.get(`${own}/transactions?to=2026-12-31&direction=in`))
  assert.equal((await ada.get(`${own}/transactions?to=2029-12-31`)).body.items.length, 2)
  const quiet = `${own}/transactions?from=2027-02-01&to=2027-03-01`
  assert.deepEqual((await ada.get(quiet)).body.items, [])
  // The history ends where the archive begins, also when it is filtered.
  const left = await ada.get(`${own}/transactions`)
  assert.deepEqual(left.body.items, newest.body.items)
  assert.equal(left.body.nextCursor, null)
  const filtered = await ada.get(`${own}/transactions?kind=transfer`)
  assert.equal(filtered.body.items.length, 1)
  assert.equal(filtered.body.nextCursor, null)

  // The answer is the same for a transfer of another customer and for one that never was.
  const never = newId(Date.UTC(2026, 0, 2))
  // Its clock was ahead of that of the database.
  const ahead = newId(Date.parse(archive.until) + 1000)
  const behind = newId(Date.parse(archive.until) + 60_000)
  assert.equal((await root.get(`/api/v1/transfers/${behind}`)).body.code, 'not_found')
  for (const client of [ada, ben]) {
    for (const id of [old, never, ahead])
      assertArchived(await client.get(`/api/v1/transfers/${id}`))
  }
  assert.equal((await ben.get(`/api/v1/transfers/${young}`)).status, 403)
  assert.equal((await ben.get(`${own}/transactions/${old}`)).status, 403)
  // One that is still to be sent has stayed, and to ask for another's is an event as before.
  assertArchived(await ben.get(`/api/v1/transfers/${pending}`))
  assertArchived(await ben.post(`/api/v1/transfers/${pending}/cancel`))
  const events = await root.get('/api/v1/admin/audit-events?outcome=forbidden')
  assert.deepEqual(
    events.body.items.map(({ action, target }: Reply['body']) => `${action} ${target}`).toSorted(),
    [
      `cancelTransfer ${pending}`,
      `getTransaction ${from}`,
      `getTransfer ${pending}`,
      `getTransfer ${young}`,
    ].toSorted(),
  )
  assert.equal((await root.get(`/api/v1/transfers/${newId(clock.now())}`)).body.code, 'not_found')
  const reversal = await root.post(`/api/v1/admin/transfers/${old}/reversal`, { reason: 'Late' })
  assertArchived(reversal, true)
  // An item of many has the error that it has alone.
  const items = [old, behind].map((id) => ({ id }))
  const settled = await root.post('/api/v1/admin/transfers/settle', { items })
  assert.deepEqual(
    settled.body.results.map(({ error }: Reply['body']) => [error.code, error.archive]),
    [
      ['archived', archive],
      ['not_found', undefined],
    ],
  )
  // So do lists over the whole bank, but of what is on its way, which stays.
  const all = '/api/v1/admin/transfers'
  const search = '/api/v1/admin/payments'
  const amount = 'amount=1.00&currency=EUR&day='
  for (const each of [
    `${all}?from=2026-12-31`,
    `${all}?to=2026-12-31`,
    `${all}?status=completed&to=2026-12-31`,
    `${all}?minAgeSeconds=${3 * 365 * 86_400}`,
    `${search}?${amount}${early.slice(0, 10)}`,
    `${search}?${amount}2026-12-31`,
  ]) {
    assertArchived(await root.get(each), true)
  }
  const idsOf = async (each: string) => {
    const reply = await root.get(each)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.items.map(({ id }: Reply['body']) => id)
  }
  for (const status of ['pending', 'sent']) {
    const found = await idsOf(`${all}?status=${status}&from=2026-01-01&to=2026-12-31`)
    assert.deepEqual(found, status === 'pending' ? [pending] : [])
  }
  assert.ok((await idsOf(all)).includes(young))
  assert.ok((await idsOf(`${all}?from=${until}`)).includes(young))
  assert.ok((await idsOf(`${all}?to=2029-12-31`)).includes(young))
  assert.deepEqual(await idsOf(`${search}?id=${pending}`), [pending])
  // What stays of the day is found.
  await indexAll(bank)
  const day = came.body.createdAt.slice(0, 10)
  const stayed = `${search}?amount=${came.body.amount}&currency=EUR&day=${day}`
  assert.deepEqual(await idsOf(stayed), [came.body.id])
  // It may be of anything.
  assert.deepEqual(await idsOf(`${search}?id=${old}`), [])
  assert.deepEqual(await idsOf(`${search}?${amount}${until}`), [])
  const note = await ada.put(`${own}/transactions/${old}/note`, { text: 'Lunch' })
  assertArchived(note)

  // A rail that delivers again gets its first answer: no money is sent back.
  const again = await root.post('/api/v1/admin/incoming-payments', sent)
  assert.equal(again.body.id, came.body.id, again.text)
  const other = await root.post('/api/v1/admin/incoming-payments', { ...sent, amount: '6.00' })
  assert.equal(other.body.code, 'idempotency_key_reused')

  // Money moves on beside it.
  await pay(ada, '3.00')
  await restoreFolder(owner, none, books, clock.now())
  assert.equal((await verifyLedger(owner, { now: clock.now() })).mismatch, undefined)
  assert.deepEqual(await readAll(ada, lost), whole)
})

test('a period up to a day is refused when an archive takes the whole of it while it is read, and shown while a millisecond stays', async (t) => {
  const bank = await sceneIn(await world(t, { settings: { SECOND_FACTOR: 'off' } }))
  const { from, to, ada, clock } = bank
  const paid = await ada.post('/api/v1/transfers', transferBody(from, to, '1.00'))
  assert.equal(paid.status, 201, paid.text)
  const last = clock.now() + 60_000
  const read = `/api/v1/accounts/${from}/transactions?text=Rent&to=${new Date(last).toISOString()}`
  const holder = await openHolder(t, bank)
  const attempt = async (at: number, isArchived: boolean): Promise<void> => {
    await holder.query('begin')
    await holder.query(`set local strongroom.archive = 'on'`)
    await holder.query('delete from archives')
    await holder.query('delete from archived_heads')
    await holder.query('commit')
    await holder.query('begin')
    await holder.query('lock table entry_notes in access exclusive mode')
    const reading = ada.get(read)
    await waitingForLock({ sql: (text: string) => holder.query(text) })
    await holder.query(`set local strongroom.archive = 'on'`)
    await holder.query(
      `insert into archives (id, until, name, digest, entries, transfers, kept, brought_back,
         state, made_at)
       values (1, $1, 'books', decode(repeat('00', 32), 'hex'), 1, 1, 0, 0, 'removed', now())`,
      [new Date(at + 1)],
    )
    await holder.query(
      `insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
       values ($1, 1, decode(repeat('00', 32), 'hex'), 0, 0, $2)`,
      [from, new Date(at)],
    )
    await holder.query('commit')
    const reply = await reading
    inTime(reply)
    assert.equal(reply.status, isArchived ? 404 : 200, reply.text)
    if (isArchived) assert.equal(reply.body.code, 'archived')
  }
  await untilInTime(() => attempt(last - 1, false))
  await untilInTime(() => attempt(last, true))
})
