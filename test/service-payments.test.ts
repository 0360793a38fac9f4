// Payments of service accounts: out of the accounts that were named, once, and within the limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import {
  assertSound,
  deposit,
  many,
  patiently,
  openAccount,
  readBalance,
  scene,
  sceneIn,
  tally,
  transferBody,
} from './support/fixture.ts'
import { backgroundStatement } from './support/background.ts'
import { hold } from './support/held.ts'
import { inTime, untilInTime, waitingForLock } from './support/locks.ts'
import { newProgram, serviceAccountsPath, toGrants } from './support/service-accounts.ts'
import { clientWith, commonWorld, people, type Reply } from './support/world.ts'

const pay = '/api/v1/transfers'
const second = 1000

async function payee(client: { post(at: string, body: object): Promise<Reply> }, from: string) {
  const body = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const made = await client.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  return made.body.id as string
}

test('a service account pays from the named accounts alone, to whom their owner may pay', async () => {
  const bank = await sceneIn(await commonWorld())
  const { ada, root, from, to } = bank
  const ben = await bank.as('ben')
  const [bens, other] = [await openAccount(ben), await openAccount(ada)]
  await deposit(root, bens, '50.00')
  await deposit(root, other, '50.00')
  const [mine, otherPayee] = [await payee(ada, from), await payee(ada, other)]
  const bensPayee = await payee(ben, bens)
  const program = await newProgram(bank, { payFrom: [from] })
  const money = { amount: '1.00', currency: 'EUR' }
  const order = (terms: object) => program.post(pay, { ...money, ...terms })
  assert.equal((await order({ fromAccountId: from, toAccountId: to })).status, 201)
  assert.equal((await order({ fromAccountId: from, beneficiaryId: mine })).status, 201)
  const before = await bank.sql('select count(*) from transfers')
  const unknown = '01940000-0000-7000-8000-0000000000ff'
  const refused = [
    { fromAccountId: other, toAccountId: from },
    { fromAccountId: bens, toAccountId: from },
    { fromAccountId: unknown, toAccountId: from },
    { fromAccountId: from, toAccountId: bens },
    { fromAccountId: from, toAccountId: unknown },
    { fromAccountId: from, toAccountId: '00000000-0000-8000-8000-000001455552' },
    { fromAccountId: '00000000-0000-8000-8000-000001455552', toAccountId: from },
    { fromAccountId: from, beneficiaryId: otherPayee },
    { fromAccountId: from, beneficiaryId: bensPayee },
  ]
  const bodies = new Set<string>()
  for (const terms of refused) {
    const reply = await order(terms)
    assert.equal(reply.status, 403, `${JSON.stringify(terms)}: ${reply.text}`)
    bodies.add(reply.text)
  }
  assert.equal(bodies.size, 1)
  assert.deepEqual((await bank.sql('select count(*) from transfers')).rows, before.rows)
  // Accounts of two customers, each with what is its owner's.
  await program.change({ grants: toGrants({ payFrom: [from, bens] }) })
  assert.equal((await order({ fromAccountId: bens, beneficiaryId: bensPayee })).status, 201)
  assert.equal((await order({ fromAccountId: bens, beneficiaryId: mine })).status, 403)
  assert.equal((await order({ fromAccountId: bens, toAccountId: from })).status, 403)
  await assertSound(bank)
})

test('the key of an order and the duplicate of one are those of the service account, not of its key', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const program = await newProgram(bank, { payFrom: [from] })
  const twin = await newProgram(bank, { payFrom: [from] })
  const headers = { 'idempotency-key': 'invoice-7' }
  const body = transferBody(from, to)
  const first = await program.post(pay, body, { headers })
  assert.equal(first.status, 201, first.text)
  const { body: next } = await root.post(`${serviceAccountsPath}/${program.id}/keys`)
  const rotated = clientWith(bank.send, next.key)
  await root.delete(`${serviceAccountsPath}/${program.id}/keys/${program.keyId}`)
  const again = await rotated.post(pay, body, { headers })
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const other = await rotated.post(pay, transferBody(from, to, '2.00'), { headers })
  assert.equal(other.body.code, 'idempotency_key_reused')
  const duplicate = await rotated.post(pay, body)
  assert.equal(duplicate.body.code, 'duplicate_transfer')
  assert.equal(duplicate.headers['location'], `${pay}/${first.body.id}`)
  // The owner and another service account are other callers.
  for (const caller of [ada, twin]) {
    const reply = await caller.post(pay, body, { headers })
    assert.equal(reply.status, 201, reply.text)
    assert.equal(reply.headers['idempotency-replayed'], undefined)
  }
  assert.equal(await readBalance(ada, to), '3.00')
  bank.clock.advance(10 * second)
  const replies = await many(30, () => patiently(() => rotated.post(pay, body)))
  const { 201: done = 0, '409 duplicate_transfer': refused } = tally(replies)
  assert.ok(done <= 1)
  assert.equal(refused, 30 - done)
  assert.equal(await readBalance(ada, to), '4.00')
  await assertSound(bank)
})

test('the daily limit of an account counts what its owner and service accounts pay together', async () => {
  const bank = await sceneIn(await commonWorld())
  const { ada, root, from, to } = bank
  const settings = { dailyTransferLimit: '10.00' }
  assert.equal((await root.patch(`/api/v1/accounts/${from}/settings`, settings)).status, 200)
  const program = await newProgram(bank, { payFrom: [from] })
  assert.equal((await ada.post(pay, transferBody(from, to, '4.00'))).status, 201)
  const replies = await many(8, (index) => {
    const body = { ...transferBody(from, to, '2.00'), reference: `${index}` }
    const headers = { 'idempotency-key': `payment-${index}` }
    return patiently(() => program.post(pay, body, { headers }))
  })
  assert.deepEqual(tally(replies), { '201': 3, '409 limit_exceeded': 5 })
  const refused = replies.filter(({ status }) => status === 409)
  for (const { body } of refused) assert.equal(body.limit, undefined, 'told to the owner alone')
  const { code, limit } = (await ada.post(pay, transferBody(from, to, '0.01'))).body
  const { resetsAt, ...figures } = limit
  assert.equal(code, 'limit_exceeded')
  assert.deepEqual(figures, {
    name: 'dailyTransfers',
    amount: '10.00',
    used: '10.00',
    currency: 'EUR',
  })
  assert.match(resetsAt, /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)
})

test('a payment whose key, grant or customer ends while its body is on its way is refused', async (t) => {
  const bank = await scene(t)
  const { root, from, to } = bank
  const program = await newProgram(bank, { payFrom: [from] })
  const user = `/api/v1/admin/users/${people.ada.id}`
  const keyAt = `${serviceAccountsPath}/${program.id}/keys/${program.keyId}`
  const changes: [why: string, end: () => Promise<unknown>, status: number][] = [
    ['another account', () => program.change({ grants: toGrants({ payFrom: [to] }) }), 403],
    ['no grant', () => program.change({ grants: toGrants({}) }), 403],
    ['another address', () => program.change({ addresses: ['192.0.2.1'] }), 401],
    ['disabled', () => program.change({ status: 'disabled' }), 401],
    ['customer disabled', () => root.patch(user, { status: 'disabled' }), 403],
    ['customer no more', () => root.patch(user, { roles: ['support-agent'] }), 403],
    ['key revoked', () => root.delete(keyAt), 401],
  ]
  for (const [why, end, status] of changes) {
    await program.change({ grants: toGrants({ payFrom: [from] }), addresses: [], status: 'active' })
    await root.patch(user, { status: 'active', roles: ['customer'] })
    const held = await hold(bank, 'POST', pay, program.token, transferBody(from, to))
    // Once an answer has come, the head that was sent before it has been read.
    await bank.send('GET', '/healthz')
    await end()
    bank.logged.length = 0
    const { status: answered, text } = await held.finish()
    assert.equal(answered, status, `${why}: ${text}`)
    if (why.startsWith('customer')) {
      assert.match(
        bank.logged.join(''),
        /account is not the caller's/,
        'refused by the gate already',
      )
    }
  }
  assert.equal(await readBalance(await bank.login('ada'), from), '100.00')
})

test('a payment that was admitted is judged again inside the transaction that makes it', async (t) => {
  const bank = await scene(t)
  const { root, from, to } = bank
  const program = await newProgram(bank, {
    payFrom: [from],
    operations: ['createDeposit'],
  })
  const user = `/api/v1/admin/users/${people.ada.id}`
  const blocker = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  await blocker.connect()
  // The database of the world is dropped before this connection is closed.
  blocker.on('error', () => {})
  const cash = { amount: '1.00', currency: 'EUR', reason: 'Desk' }
  const payment = () => program.post(pay, transferBody(from, to))
  const deposit = () => program.post(`/api/v1/admin/accounts/${from}/deposits`, cash)
  type End = () => Promise<unknown>
  const ends: [end: End, code: string, asks: (() => Promise<Reply>)[]][] = [
    [() => program.change({ grants: toGrants({}) }), 'forbidden', [payment, deposit]],
    [() => program.change({ status: 'disabled' }), 'unauthenticated', [payment, deposit]],
    [() => root.patch(user, { status: 'disabled' }), 'forbidden', [payment]],
    [() => root.patch(user, { roles: ['support-agent'] }), 'forbidden', [payment]],
  ]
  for (const [end, code, asks] of ends) {
    for (const ask of asks) {
      await untilInTime(async () => {
        const grants = toGrants({ payFrom: [from], operations: ['createDeposit'] })
        await program.change({ grants, status: 'active' })
        await root.patch(user, { status: 'active', roles: ['customer'] })
        await blocker.query('begin')
        await blocker.query('select from accounts where id = $1 for update', [from])
        const asked = ask()
        await waitingForLock(bank)
        await end()
        await blocker.query('commit')
        const reply = await asked
        inTime(reply)
        assert.equal(reply.body.code, code, reply.text)
      })
    }
  }
  await blocker.end()
  await root.patch(user, { status: 'active', roles: ['customer'] })
  assert.equal(await readBalance(await bank.login('ada'), from), '100.00')
})

test('a service account cancels the payments that it has ordered, while it may pay from their account', async (t) => {
  const bank = await scene(t)
  const { ada, from, to } = bank
  const program = await newProgram(bank, { payFrom: [from], readAccounts: people.ada.id })
  const twin = await newProgram(bank, { payFrom: [from] })
  const beneficiaryId = await payee(ada, from)
  const money = { fromAccountId: from, beneficiaryId, currency: 'EUR' }
  const order = async (client: Pick<typeof ada, 'post'>, amount: string) =>
    (await client.post(pay, { ...money, amount })).body.id as string
  const cancel = (client: Pick<typeof ada, 'post'>, id: string) =>
    client.post(`${pay}/${id}/cancel`)
  const [own, kept, adas] = [
    await order(program, '1.00'),
    await order(program, '2.00'),
    await order(ada, '3.00'),
  ]
  for (const [client, id] of [
    [twin, own],
    [program, adas],
    [await newProgram(bank, { operations: ['sendTransfer'] }), own],
  ] as const) {
    assert.equal((await cancel(client, id)).status, 403)
  }
  const done = await cancel(program, own)
  assert.deepEqual([done.status, done.body.status], [200, 'cancelled'], done.text)
  assert.equal((await cancel(program, own)).body.code, 'illegal_transition')
  await program.change({ grants: toGrants({ payFrom: [to] }) })
  assert.equal((await cancel(program, kept)).status, 403)
  assert.equal((await cancel(ada, kept)).status, 200, 'the owner may')
  assert.equal(await readBalance(ada, from), '97.00')
  await assertSound(bank)
})

test('of a closed account nothing is paid or read, and a repeated order keeps its first answer', async () => {
  const bank = await sceneIn(await commonWorld(), '5.00')
  const { ada, from, to } = bank
  const program = await newProgram(bank, { payFrom: [from], readAccounts: people.ada.id })
  const headers = { 'idempotency-key': 'last' }
  const body = transferBody(from, to, '5.00')
  const first = await program.post(pay, body, { headers })
  assert.equal(first.status, 201, first.text)
  assert.equal((await ada.delete(`/api/v1/accounts/${from}`)).status, 204)
  const again = await program.post(pay, body, { headers })
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal((await program.post(pay, body)).status, 404)
  assert.equal((await program.get(`/api/v1/accounts/${from}`)).status, 404)
  const frozen = await openAccount(ada)
  await program.change({ grants: toGrants({ payFrom: [frozen] }) })
  const root = await bank.as('root')
  await root.post(`/api/v1/admin/accounts/${frozen}/freeze`, { reason: 'Lost' })
  const refused = await program.post(pay, transferBody(frozen, to))
  assert.equal(refused.body.code, 'account_frozen')
})

test('a request of a service account runs as many statements as that of a person', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const program = await newProgram(bank, {
    payFrom: [from],
    readAccounts: people.ada.id,
    operations: ['createDeposit'],
  })
  const counted: string[] = []
  const run = Reflect.get(pg.Client.prototype, 'query') as (...asked: unknown[]) => unknown
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...asked: unknown[]) {
    const [{ name }] = asked as [{ name?: string }]
    if (name !== undefined) counted.push(name)
    return Reflect.apply(run, this, asked)
  })
  const ofOthers = /activity|overview_read|key_use|mail|standby/
  const statementsOf = async (ask: () => Promise<Reply>) => {
    counted.length = 0
    const reply = await ask()
    assert.ok(reply.status < 300, reply.text)
    return counted
      .filter((name) => !ofOthers.test(name) && !backgroundStatement.test(name))
      .map((name) => name.replace(/^gate_read_(sessions|keys_by_hash|keys)$/, 'caller'))
      .map((name) => name.replace('of_payer_account', 'of_account'))
      .toSorted()
  }
  const cash = { amount: '1.00', currency: 'EUR', reason: 'Desk' }
  const asks: [typeof ada, (client: Pick<typeof ada, 'get' | 'post'>) => Promise<Reply>][] = [
    [ada, (client) => client.get(`/api/v1/accounts/${from}`)],
    [ada, (client) => client.get('/api/v1/accounts')],
    [ada, (client) => client.post(pay, transferBody(from, to))],
    [root, (client) => client.post(`/api/v1/admin/accounts/${from}/deposits`, cash)],
  ]
  for (const [person, ask] of asks) {
    await ask(program)
    bank.clock.advance(10 * second)
    await ask(person)
    bank.clock.advance(10 * second)
    const ofPerson = await statementsOf(() => ask(person))
    bank.clock.advance(10 * second)
    const ofProgram = await statementsOf(() => ask(program))
    bank.clock.advance(10 * second)
    assert.ok(ofPerson.includes('caller'), ofPerson.join())
    assert.deepEqual(ofProgram, ofPerson)
  }
})
