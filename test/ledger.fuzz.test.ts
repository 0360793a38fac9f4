// Random operations through the HTTP interface, and the invariants after them:
//
//   1 conservation   the balances of a currency add up to zero
//   2 floor          no customer's balance is below minus its overdraft limit
//   3 double entry   entries sum to zero per transfer, and to the balance per account
//   4 sequence       each account's entries are numbered 1, 2, 3 … without gaps
//   5 refusal        a refused request leaves accounts, transfers and entries byte-identical
//   6 repetition     claims, transfers and answers agree
//   7 answer         a simple model computes the same balances from the answers alone
//
// A failure prints its seed; FUZZ_SEED=<seed> runs the same operations again.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { newId } from '../src/domain/ids.ts'
import { assertSound, patiently } from './support/fixture.ts'
import { type Random, createRandom, seed } from './support/random.ts'
import { type Reply, type ApiClient, world, type World } from './support/world.ts'

type Money = { id: string; from: string; to: string; cents: number }
type Account = { id: string; owner: ApiClient; currency: string; cents: number }

type Bank = World & {
  random: Random
  root: ApiClient
  accounts: Account[]
  /** Transfers that took effect, by the answers. */
  done: Map<string, Money>
  /** Operations with a key and the text of their first answer, by caller and key. */
  keys: Map<string, { operation: Operation; text: string }>
}

async function open(t: TestContext): Promise<Bank> {
  t.diagnostic(`seed ${seed}`)
  const bank = await world(t)
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const accounts: Account[] = []
  for (const [owner, currency] of [
    [ada, 'EUR'],
    [ada, 'EUR'],
    [ada, 'EUR'],
    [ada, 'USD'],
    [ben, 'EUR'],
    [ben, 'EUR'],
  ] as const) {
    const { body } = await owner.post('/api/v1/accounts', { currency })
    accounts.push({ id: body.id, owner, currency, cents: 0 })
  }
  const random = createRandom(seed)
  return { ...bank, random, root, accounts, done: new Map(), keys: new Map() }
}

const text = (cents: number): string => (cents / 100).toFixed(2)

/** A request, and its effect if the answer is 201. */
type Operation = {
  client: ApiClient
  path: string
  body: object
  key?: string
  effect?: Omit<Money, 'id'>
}

function transfer({ random, accounts }: Bank): Operation {
  const from = random.pick(accounts)
  // Mostly own accounts, sometimes another customer's, sometimes an unknown one.
  const ownAccounts = accounts.filter(({ owner }) => owner === from.owner)
  const to = random.below(10) > 0 ? random.pick(ownAccounts) : random.pick(accounts)
  const toAccountId = random.below(40) > 0 ? to.id : newId(1)
  const cents = random.below(20_000)
  const body = {
    fromAccountId: from.id,
    toAccountId,
    amount: random.below(20) > 0 ? text(cents) : random.pick(['-1', '1e3', '0', '1.001', 'x']),
    currency: random.below(20) > 0 ? from.currency : 'USD',
    reference: `${random.below(3)}`,
  }
  const effect = { from: from.id, to: to.id, cents }
  return { client: from.owner, path: '/api/v1/transfers', body, effect }
}

function cash({ random, accounts, root }: Bank): Operation {
  const { id, currency } = random.pick(accounts)
  const isIn = random.below(3) > 0
  const cents = 1 + random.below(30_000)
  const path = `/api/v1/admin/accounts/${id}/${isIn ? 'deposits' : 'withdrawals'}`
  const body = { amount: text(cents), currency, reason: `${random.below(1000)}` }
  return { client: root, path, body, effect: { from: isIn ? '' : id, to: isIn ? id : '', cents } }
}

function reversal({ random, done, root }: Bank): Operation {
  const id = random.pick([...done.keys(), newId(1)])
  const path = `/api/v1/admin/transfers/${id}/reversal`
  const before = done.get(id)
  const effect = before && { from: before.to, to: before.from, cents: before.cents }
  return { client: root, path, body: { reason: 'Fuzz' }, ...(effect && { effect }) }
}

function settings({ random, accounts, root }: Bank): Operation {
  const { id } = random.pick(accounts)
  const verb = random.pick(['freeze', 'unfreeze', 'unfreeze'])
  return { client: root, path: `/api/v1/admin/accounts/${id}/${verb}`, body: { reason: 'Fuzz' } }
}

async function limits({ random, accounts, root }: Bank): Promise<void> {
  const { id, currency } = random.pick(accounts)
  const body = {
    currency,
    overdraftLimit: text(random.below(5000)),
    dailyTransferLimit: random.below(2) ? null : text(random.below(200_000)),
  }
  const reply = await patiently(() => root.patch(`/api/v1/accounts/${id}/settings`, body))
  assert.ok([200, 409].includes(reply.status), reply.text)
}

function anyOperation(bank: Bank): Operation {
  const { random, keys } = bank
  const make = random.pick([transfer, transfer, transfer, transfer, cash, cash, reversal, settings])
  const operation = make(bank)
  if (make === settings || random.below(3) > 0) return operation
  const before = random.pick([...keys.values()])?.operation
  // A new key, the same request again, or another request with a used key.
  const choice = random.below(3)
  if (choice === 0 || !before) return { ...operation, key: newId(1) }
  return choice === 1 ? before : { ...operation, key: before.key as string }
}

const send = ({ client, path, body, key }: Operation): Promise<Reply> =>
  client.post(path, body, key === undefined ? {} : { headers: { 'idempotency-key': key } })

const isKept = ({ status, body }: Reply): boolean =>
  status === 201 || (status === 409 && body.code !== 'request_in_progress')

/** Applies an answer to the model; remembers the first answer of a key. */
function applyAnswer(bank: Bank, operation: Operation, reply: Reply): void {
  const { key, effect, client } = operation
  // The service is busy, and nothing has happened.
  if (reply.body.code === 'unavailable') return
  assert.ok([200, 201, 400, 403, 404, 409, 422].includes(reply.status), reply.text)
  const isReplay = reply.headers['idempotency-replayed'] === 'true'
  const name = `${client.token} ${key}`
  if (isReplay)
    assert.equal(reply.text, bank.keys.get(name)?.text, 'a replay differs from the first answer')
  else if (key !== undefined && isKept(reply)) bank.keys.set(name, { operation, text: reply.text })
  if (reply.status !== 201 || isReplay) return
  assert.ok(effect, 'an operation without effect was answered 201')
  assert.ok(!bank.done.has(reply.body.id), 'one transfer was answered as two')
  bank.done.set(reply.body.id, { id: reply.body.id, ...effect })
  for (const account of bank.accounts) {
    if (account.id === effect.from) account.cents -= effect.cents
    if (account.id === effect.to) account.cents += effect.cents
  }
}

/** A digest of everything that a refused request must leave unchanged. */
async function digest({ sql }: Bank): Promise<unknown> {
  const { rows } = await sql(
    `select md5((select string_agg(a::text, '|' order by id) from accounts a)) as accounts,
            md5((select string_agg(t::text, '|' order by id) from transfers t)) as transfers,
            (select count(*) from entries) as entries`,
  )
  return rows[0]
}

const violations: readonly [invariant: string, query: string][] = [
  ['1 conservation', 'select currency from accounts group by currency having sum(balance) <> 0'],
  ['2 floor', `select id from accounts where kind = 'customer' and balance < -overdraft_limit`],
  [
    '3 double entry',
    `select transfer_id from entries group by 1
     having sum(amount) <> 0 or count(*) filter (where kind <> 'settlement') <> 2`,
  ],
  [
    '3 balance',
    `select id from accounts a
     where balance <> (select coalesce(sum(amount), 0) from entries e where e.account_id = a.id)`,
  ],
  [
    '4 sequence',
    `select id from accounts a
     where last_seq <> (select count(*) from entries e where e.account_id = a.id)
       or last_seq <> (select coalesce(max(seq), 0) from entries e where e.account_id = a.id)`,
  ],
  [
    '6 repetition',
    `select c.key from claims c left join transfers t on t.id = c.transfer_id
     where c.transfer_id is not null and (t.id is null or t.caller_id <> c.caller_id)`,
  ],
]

async function assertInvariants(bank: Bank): Promise<void> {
  for (const [invariant, query] of violations) {
    assert.deepEqual((await bank.sql(query)).rows, [], invariant)
  }
  const { rows: transfers } = await bank.sql('select id from transfers order by id')
  assert.deepEqual(
    transfers.map(({ id }) => id),
    [...bank.done.keys()].toSorted(),
    '6 answers',
  )
  for (const { id, cents } of bank.accounts) {
    const { rows } = await bank.sql('select balance::text from accounts where id = $1', [id])
    assert.equal(rows[0]?.['balance'], String(cents), '7 answer')
  }
  await assertSound(bank)
}

test('the invariants hold after each of many operations in sequence', async (t) => {
  const bank = await open(t)
  for (let step = 0; step < 400; step++) {
    if (bank.random.below(15) === 0) await limits(bank)
    if (bank.random.below(6) === 0) bank.clock.advance(bank.random.below(15_000))
    const operation = anyOperation(bank)
    const before = await digest(bank)
    const reply = await send(operation)
    applyAnswer(bank, operation, reply)
    const isChange = reply.status < 300 && reply.headers['idempotency-replayed'] === undefined
    if (!isChange) assert.deepEqual(await digest(bank), before, `5 refusal: ${reply.text}`)
    if (step % 40 === 0) await assertInvariants(bank)
  }
  await assertInvariants(bank)
  assert.ok(bank.done.size > 50, 'too few operations took effect')
})

test('the invariants hold after concurrent operations on two instances', async (t) => {
  const bank = await open(t)
  const second = await bank.another()
  for (let burst = 0; burst < 25; burst++) {
    bank.clock.advance(bank.random.below(15_000))
    if (bank.random.below(3) === 0) await limits(bank)
    const operations = Array.from({ length: 24 }, () => anyOperation(bank))
    const replies = await Promise.all(
      operations.map((operation, index) => {
        if (index % 2) return send(operation)
        const { client, path, body, key } = operation
        const headers = key === undefined ? {} : { 'idempotency-key': key }
        return second.send('POST', path, { token: client.token, body, headers })
      }),
    )
    // First answers before their repetitions, in any order of arrival.
    const order = operations.map((_, index) => index)
    const isReplay = (index: number) =>
      Number('idempotency-replayed' in (replies[index] as Reply).headers)
    for (const index of order.toSorted((one, other) => isReplay(one) - isReplay(other))) {
      applyAnswer(bank, operations[index] as Operation, replies[index] as Reply)
    }
  }
  await assertInvariants(bank)
  assert.ok(bank.done.size > 50, 'too few operations took effect')
})
