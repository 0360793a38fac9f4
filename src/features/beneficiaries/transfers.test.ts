// Transfers to beneficiaries, at this bank and at others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fictitiousBank, newIban } from '../../domain/iban.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { assertSound, deposit, readPages } from '../../../test/support/fixture.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import {
  commonWorld,
  type Reply,
  type ApiClient,
  type World,
  world,
} from '../../../test/support/world.ts'

const elsewhere = 'GB33BUKB20201555555555'
const transfers = '/api/v1/transfers'
const clearing = bankAccount('clearing', 'EUR')

type Account = { id: string; iban: string }
type Fixture = World & {
  ada: ApiClient
  ben: ApiClient
  root: ApiClient
  from: string
  to: Account
  /** What clearing held before. */
  cleared: bigint
}

const open = async (client: ApiClient, currency = 'EUR'): Promise<Account> =>
  (await client.post('/api/v1/accounts', { currency })).body

/** Ada has an account with 100.00, Ben an empty one. */
async function setUp(own?: World): Promise<Fixture> {
  const bank = own ?? (await commonWorld())
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const from = (await open(ada)).id
  await deposit(root, from, '100.00')
  const { rows } = await bank.sql('select balance from accounts where id = $1', [clearing])
  const cleared = BigInt(rows[0]?.['balance'] as string)
  return { ...bank, ada, ben, root, from, to: await open(ben), cleared }
}

async function add(
  client: ApiClient,
  accountId: string,
  iban: string,
  name = 'Friend',
): Promise<string> {
  const { status, text, body } = await client.post(`/api/v1/accounts/${accountId}/beneficiaries`, {
    name,
    iban,
  })
  assert.equal(status, 201, text)
  return body.id
}

let keys = 0
const pay = (client: ApiClient, fromAccountId: string, more: object, key = `key-${keys++}`) =>
  client.post(
    transfers,
    { fromAccountId, amount: '10.00', currency: 'EUR', reference: 'Rent', ...more },
    { headers: { 'idempotency-key': key } },
  )

const outcome = ({ status, body }: Reply) => (status < 300 ? status : `${status} ${body.code}`)

/** Balances in minor units: Ada's, Ben's, and what clearing holds more than before. */
async function balances({ sql, from, to, cleared }: Fixture): Promise<bigint[]> {
  const { rows } = await sql('select id, balance from accounts where id = any($1)', [
    [from, to.id, clearing],
  ])
  const found = new Map(rows.map(({ id, balance }) => [id, BigInt(balance as string)]))
  found.set(clearing, (found.get(clearing) as bigint) - cleared)
  return [from, to.id, clearing].map((id) => found.get(id) as bigint)
}

test('a beneficiary at this bank is paid at once, and each side sees only what it may', async () => {
  const fixture = await setUp()
  const { ada, ben, root, from, to } = fixture
  const beneficiaryId = await add(ada, from, to.iban, 'Benny')
  const paid = await pay(ada, from, { beneficiaryId })
  assert.equal(paid.status, 201, paid.text)
  assert.deepEqual(paid.body, {
    id: paid.body.id,
    kind: 'transfer',
    fromAccountId: from,
    beneficiaryId,
    amount: '10.00',
    currency: 'EUR',
    reference: 'Rent',
    status: 'completed',
    createdAt: paid.body.createdAt,
    counterparty: { name: 'Benny', iban: null },
  })
  assert.deepEqual(await balances(fixture), [9000n, 1000n, 0n])
  assert.deepEqual((await ada.get(`${transfers}/${paid.body.id}`)).body, paid.body)
  assert.equal((await ben.get(`${transfers}/${paid.body.id}`)).status, 403)
  assert.equal((await root.get(`${transfers}/${paid.body.id}`)).body.toAccountId, to.id)

  const seen = async (client: ApiClient, accountId: string) =>
    (await client.get(`/api/v1/accounts/${accountId}/transactions/${paid.body.id}`)).body
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  // The payer sees the name of the beneficiary, the payee that of the payer's account holder.
  assert.deepEqual((await seen(ada, from)).counterparty, { name: 'Benny', iban: to.iban })
  assert.deepEqual((await seen(ben, to.id)).counterparty, { name: 'Ada Okafor', iban })
  assert.doesNotMatch(JSON.stringify(await seen(ada, from)), new RegExp(`Lindqvist|${to.id}`))
  assert.doesNotMatch(JSON.stringify(await seen(ben, to.id)), new RegExp(`Benny|${from}`))
  const settled = await root.post(`/api/v1/admin/transfers/${paid.body.id}/settle`)
  assert.equal(outcome(settled), '409 illegal_transition')
  await assertSound(fixture)
})

test('a beneficiary at another bank is paid through clearing: pending, then settled at most once and returned once', async () => {
  const fixture = await setUp()
  const { ada, root, from } = fixture
  const beneficiaryId = await add(ada, from, elsewhere)
  const [one, two] = [
    await pay(ada, from, { beneficiaryId }),
    await pay(ada, from, { beneficiaryId }),
  ]
  assert.deepEqual([one.body.status, two.body.status], ['pending', 'pending'])
  assert.equal(one.body.toAccountId, undefined)
  assert.deepEqual(await balances(fixture), [8000n, 0n, 2000n])
  const shown = await ada.get(`/api/v1/accounts/${from}/transactions/${one.body.id}`)
  assert.deepEqual(shown.body.counterparty, { name: 'Friend', iban: elsewhere })
  const end = (id: string, action: string, client = root) =>
    client.post(`/api/v1/admin/transfers/${id}/${action}`)
  assert.equal((await end(one.body.id, 'settle', ada)).status, 403)

  // A pending payment is settled or returned also after its beneficiary was deleted.
  assert.equal((await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)).status, 204)
  const ends = await Promise.all(
    ['settle', 'return', 'settle', 'return'].map((action) => end(one.body.id, action)),
  )
  // What has arrived may still come back, but what came back does not arrive.
  const succeeded = (first: number) =>
    [ends[first], ends[first + 2]].filter((reply) => reply?.status === 200).length
  assert.ok(succeeded(0) <= 1)
  assert.equal(succeeded(1), 1)
  assert.equal((await end(two.body.id, 'return')).body.status, 'returned')
  assert.equal(outcome(await end(two.body.id, 'settle')), '409 illegal_transition')
  const [first, , waiting] = await balances(fixture)
  assert.deepEqual([first, waiting], [10_000n, 0n])
  await assertSound(fixture)
})

test('pending payments are listed, for staff those of the whole bank, until they end', async (t) => {
  // The figures are of the whole bank: no other test may pay here.
  const fixture = await setUp(await world(t))
  const { ada, ben, root, from, to } = fixture
  await deposit(root, to.id, '50.00')
  const list = async (client: ApiClient, query = '') =>
    (await readPages(client, `${transfers}?status=pending&limit=1${query}`)).map(({ id }) => id)
  const beneficiaryId = await add(ada, from, elsewhere)
  const ids: string[] = []
  for (const [client, source, payee] of [
    [ada, from, beneficiaryId],
    [ben, to.id, await add(ben, to.id, elsewhere)],
    [ada, from, beneficiaryId],
    [ada, from, beneficiaryId],
    [ada, from, await add(ada, from, to.iban)],
  ] as const) {
    fixture.clock.advance(1)
    ids.push((await pay(client, source, { beneficiaryId: payee })).body.id)
  }
  const [first, ofBen, second, third] = ids
  assert.deepEqual(await list(root), [third, second, ofBen, first])
  assert.deepEqual(await list(root, `&accountId=${from}`), [third, second, first])
  assert.deepEqual(await list(ada), [third, second, first])
  assert.deepEqual(await list(ben), [ofBen])
  await root.post(`/api/v1/admin/transfers/${second}/settle`)
  await root.post(`/api/v1/admin/transfers/${third}/return`)
  assert.deepEqual(await list(await fixture.as('agnes')), [ofBen, first])
  assert.equal((await root.get(`${transfers}?status=completed`)).status, 400)
})

test('an account with a pending payment cannot be closed until the payment is settled', async () => {
  const fixture = await setUp()
  const { ada, root, from } = fixture
  const beneficiaryId = await add(ada, from, elsewhere)
  const paid = await pay(ada, from, { beneficiaryId, amount: '100.00' })
  assert.equal(paid.body.status, 'pending')
  const account = `/api/v1/accounts/${from}`
  assert.equal(outcome(await ada.delete(account)), '409 account_not_empty')
  await root.post(`/api/v1/admin/transfers/${paid.body.id}/settle`)
  assert.equal((await ada.delete(account)).status, 204)
})

test('a transfer names either an account or a beneficiary of the source account', async () => {
  const fixture = await setUp()
  const { ada, ben, from, to } = fixture
  const second = (await open(ada)).id
  const beneficiaryId = await add(ada, from, to.iban)
  const foreign = await add(ben, to.id, elsewhere)
  const other = await add(ada, second, elsewhere)
  const unknownId = '01940000-0000-7000-8000-0000000000ff'
  const cases: [object, string][] = [
    [{}, '400 invalid_request'],
    [{ toAccountId: second, beneficiaryId }, '400 invalid_request'],
    [{ toAccountId: from }, '400 invalid_request'],
    [{ beneficiaryId: null }, '400 invalid_request'],
    [{ beneficiaryId: foreign }, '403 forbidden'],
    [{ beneficiaryId: other }, '403 forbidden'],
    [{ beneficiaryId: unknownId }, '403 forbidden'],
    [{ toAccountId: to.id, beneficiaryId }, '403 forbidden'],
    [{ toAccountId: second, beneficiaryId: foreign }, '403 forbidden'],
    [{ fromAccountId: to.id, beneficiaryId: foreign }, '403 forbidden'],
    [{ fromAccountId: second, beneficiaryId }, '403 forbidden'],
    [{ iban: elsewhere }, '400 invalid_request'],
  ]
  for (const [more, expected] of cases) {
    assert.equal(outcome(await pay(ada, from, more)), expected, JSON.stringify(more))
  }
  assert.deepEqual(await balances(fixture), [10_000n, 0n, 0n])
  assert.equal((await pay(ada, from, { beneficiaryId })).status, 201)
})

test('a deactivated beneficiary is not paid, a reactivated one is, a deleted one is 404', async () => {
  const fixture = await setUp()
  const { ada, from, to } = fixture
  const beneficiaryId = await add(ada, from, to.iban)
  const turn = (action: string) => ada.post(`/api/v1/beneficiaries/${beneficiaryId}/${action}`)
  const first = await pay(ada, from, { beneficiaryId }, 'first')
  await turn('deactivate')
  assert.equal(outcome(await pay(ada, from, { beneficiaryId }, 'no')), '409 beneficiary_inactive')
  assert.deepEqual(await balances(fixture), [9000n, 1000n, 0n])
  // A repetition under the same key gets the first answer, success or refusal.
  const again = await pay(ada, from, { beneficiaryId }, 'first')
  assert.deepEqual([again.status, again.body], [201, first.body])
  await turn('reactivate')
  assert.equal(outcome(await pay(ada, from, { beneficiaryId }, 'no')), '409 beneficiary_inactive')
  assert.equal(outcome(await pay(ada, from, { beneficiaryId })), 201)
  await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)
  assert.equal(outcome(await pay(ada, from, { beneficiaryId })), '404 not_found')
  assert.deepEqual(await balances(fixture), [8000n, 2000n, 0n])
})

test('a frozen account receives; a closed one, or one in another currency, does not', async () => {
  const fixture = await setUp()
  const { ada, ben, root, from, to } = fixture
  const [dollars, empty] = [await open(ben, 'USD'), await open(ben)]
  const targets = [to.iban, dollars.iban, empty.iban, newIban(fictitiousBank) as string]
  const [frozen, other, closed, unknown] = await Promise.all(
    targets.map((iban) => add(ada, from, iban)),
  )
  await root.post(`/api/v1/admin/accounts/${to.id}/freeze`, { reason: 'Test' })
  await ben.delete(`/api/v1/accounts/${empty.id}`)
  assert.equal(outcome(await pay(ada, from, { beneficiaryId: frozen })), 201)
  assert.equal(outcome(await pay(ada, from, { beneficiaryId: other })), '409 currency_mismatch')
  const gone = await pay(ada, from, { beneficiaryId: closed })
  const never = await pay(ada, from, { beneficiaryId: unknown })
  assert.equal(outcome(gone), '409 account_closed')
  // An unassigned IBAN of this bank gets the answer of a closed account.
  assert.equal(never.text, gone.text)
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Test' })
  assert.equal(outcome(await pay(ada, from, { beneficiaryId: frozen })), '409 account_frozen')
  assert.deepEqual(await balances(fixture), [9000n, 1000n, 0n])
})

test('a transfer waits for a deactivation in progress, and is decided by the state after it', async () => {
  const fixture = await setUp()
  const { ada, from, to, sql } = fixture
  const beneficiaryId = await add(ada, from, to.iban)
  for (const [change, expected] of [
    [`status = 'deactivated'`, '409 beneficiary_inactive'],
    [`status = 'deleted', name = null, iban = null, created_at = null`, '404 not_found'],
  ] as const) {
    await sql('begin')
    await sql('select 1 from accounts where id = $1 for share', [from])
    await sql(`update beneficiaries set ${change} where id = $1`, [beneficiaryId])
    const paying = pay(ada, from, { beneficiaryId })
    await waitingForLock(fixture)
    await sql('commit')
    assert.equal(outcome(await paying), expected)
  }
  assert.deepEqual(await balances(fixture), [10_000n, 0n, 0n])
})

test('after the response to a deactivation no concurrent transfer takes effect', async () => {
  const fixture = await setUp()
  const { ada, from, to, sql } = fixture
  const other = await fixture.another()
  const beneficiaryId = await add(ada, from, to.iban)
  const paidSoFar = async () =>
    Number(
      (await sql('select count(*) from transfers where beneficiary_id = $1', [beneficiaryId]))
        .rows[0]?.['count'],
    )
  for (let round = 0; round < 4; round++) {
    await ada.post(`/api/v1/beneficiaries/${beneficiaryId}/reactivate`)
    const before = await paidSoFar()
    const replies: Reply[] = []
    const storm = Array.from({ length: 16 }, async (_, index) => {
      const client = { ...ada, post: index % 2 ? ada.post : throughOther }
      // Each goes on until it is refused.
      for (let turn = 0, status = 201; turn < 12 || status === 201; turn++) {
        const reply = await pay(client, from, { beneficiaryId, amount: '0.01' })
        status = reply.status
        replies.push(reply)
      }
    })
    while (replies.length < 20) await new Promise(setImmediate)
    await ada.post(`/api/v1/beneficiaries/${beneficiaryId}/deactivate`)
    const atAnswer = await paidSoFar()
    await Promise.all(storm)
    const after = await paidSoFar()
    assert.equal(after, atAnswer)
    const paid = replies.filter(({ status }) => status === 201).length
    assert.equal(after - before, paid)
    assert.ok(paid > 0 && paid < replies.length, `${paid} of ${replies.length}`)
    const refused = replies.map(outcome).filter((result) => result !== 201)
    assert.deepEqual([...new Set(refused)], ['409 beneficiary_inactive'])
  }
  await assertSound(fixture)

  function throughOther(path: string, body?: unknown, options?: object): Promise<Reply> {
    return other.send('POST', path, { token: ada.token, body, ...options })
  }
})
