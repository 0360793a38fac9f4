import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { deposit, openAccount, sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { until } from '../../../test/support/mailbox.ts'
import { newProgram, toGrants } from '../../../test/support/service-accounts.ts'
import { type ApiClient, people, type World, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { endAll } from '../auth/revoke-all.ts'
import { eventTypes } from './sql.ts'

const path = '/api/v1/events'
const elsewhere = 'GB33BUKB20201555555555'
type EventInFeed = {
  number: string
  type: string
  resourceId: string | null
  accountIds: string[]
  holders?: string[]
}

async function read(client: Pick<ApiClient, 'get'>, query: Record<string, string | number> = {}) {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, `${value}`]),
  )
  const { status, text, body } = await client.get(`${path}?${search.toString()}`)
  assert.equal(status, 200, text)
  return { items: body.items as EventInFeed[], nextAfter: Number(body.nextAfter) }
}

/** Every event after that number, by small pages. */
async function readAll(client: Pick<ApiClient, 'get'>, after = 0): Promise<EventInFeed[]> {
  const all: EventInFeed[] = []
  for (;;) {
    const { items, nextAfter } = await read(client, { after, limit: 7 })
    all.push(...items)
    if (items.length < 7) return all
    after = nextAfter
  }
}

const numbersOf = (events: readonly EventInFeed[]) => events.map(({ number }) => Number(number))

const brief = (events: readonly EventInFeed[]): (string | null)[][] =>
  events.map(({ type, resourceId }) => [type, resourceId])

/** A transaction of its own, which the test ends. */
async function openTransaction(t: { after(end: () => Promise<void>): void }, { address }: World) {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // The database ends before it does.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  return client
}

test('each change is told once, in order, and what is refused or repeated is not', async (t) => {
  const bank = await world(t)
  const { ada, root, from, to } = await sceneIn(bank)
  const agnes = await bank.as('agnes')
  const { nextAfter } = await read(agnes)
  const post = async (client: ApiClient, at: string, body?: unknown): Promise<string> => {
    const reply = await client.post(at, body)
    assert.ok(reply.status < 300, `${at}: ${reply.text}`)
    return reply.body.id as string
  }
  const accounts = '/api/v1/accounts'
  const reason = { reason: 'Checked' }
  const payee = await post(ada, `${accounts}/${from}/beneficiaries`, {
    name: 'Far Away',
    iban: elsewhere,
  })
  const pay = { fromAccountId: from, beneficiaryId: payee, amount: '3.00', currency: 'EUR' }
  const paid = await post(ada, '/api/v1/transfers', transferBody(from, to))
  const [settled, returned] = [
    await post(ada, '/api/v1/transfers', { ...pay, reference: 'one' }),
    await post(ada, '/api/v1/transfers', { ...pay, reference: 'two' }),
  ]
  await post(root, `/api/v1/admin/transfers/${settled}/settle`)
  await post(root, `/api/v1/admin/transfers/${returned}/return`)
  const { rows } = await bank.sql('select id from transfers where reversal_of = $1', [returned])
  const back = rows[0]?.['id'] as string
  const reversal = await post(root, `/api/v1/admin/transfers/${paid}/reversal`, reason)
  const tooMuch = await ada.post('/api/v1/transfers', transferBody(from, to, '5000.00'))
  assert.equal(tooMuch.body.code, 'insufficient_funds')
  await post(ada, `/api/v1/beneficiaries/${payee}/deactivate`)
  await post(ada, `/api/v1/beneficiaries/${payee}/deactivate`)
  await post(ada, `/api/v1/beneficiaries/${payee}/reactivate`)
  const card = await post(ada, `${accounts}/${from}/cards`, {})
  await post(ada, `/api/v1/cards/${card}/freeze`)
  await post(root, `/api/v1/cards/${card}/freeze`)
  await post(root, `/api/v1/cards/${card}/unfreeze`)
  await post(root, `/api/v1/admin/accounts/${to}/freeze`, reason)
  await post(root, `/api/v1/admin/accounts/${to}/unfreeze`, reason)
  const spare = await openAccount(ada)
  const doomed = await post(ada, `${accounts}/${spare}/cards`, {})
  const lost = await post(ada, `${accounts}/${spare}/beneficiaries`, {
    name: 'Far Away',
    iban: elsewhere,
  })
  assert.equal((await ada.delete(`/api/v1/beneficiaries/${payee}`)).status, 204)
  assert.equal((await ada.delete(`${accounts}/${spare}`)).status, 204)

  const events = await readAll(agnes, nextAfter)
  assert.deepEqual(brief(events), [
    ['beneficiary.added', payee],
    ['transfer.completed', paid],
    ['transfer.pending', settled],
    ['transfer.pending', returned],
    ['transfer.settled', settled],
    ['transfer.completed', back],
    ['transfer.returned', returned],
    ['transfer.completed', reversal],
    ['transfer.reversed', paid],
    ['beneficiary.deactivated', payee],
    ['beneficiary.reactivated', payee],
    ['card.issued', card],
    ['card.frozen', card],
    ['card.unfrozen', card],
    ['account.frozen', to],
    ['account.unfrozen', to],
    ['account.opened', spare],
    ['card.issued', doomed],
    ['beneficiary.added', lost],
    ['beneficiary.deleted', payee],
    ['beneficiary.deleted', lost],
    ['card.cancelled', doomed],
    ['account.closed', spare],
  ])
  const numbers = numbersOf(events)
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => nextAfter + 1 + index),
  )
  const accountsOf = (id: string) => events.find(({ resourceId }) => resourceId === id)?.accountIds
  assert.deepEqual(
    [accountsOf(paid), accountsOf(card), accountsOf(lost), accountsOf(spare)],
    [[from, to], [from], [spare], [spare]],
  )
  const frozen = await read(agnes, { after: nextAfter, types: 'card.frozen,account.frozen' })
  assert.deepEqual(brief(frozen.items), [
    ['card.frozen', card],
    ['account.frozen', to],
  ])
  assert.equal(frozen.nextAfter, numbers.at(-1))
})

test('people that ask for names get the holders of the accounts, without the bank; programs get none', async (t) => {
  const bank = await world(t)
  const { ada, root, from } = await sceneIn(bank)
  const [agnes, ben] = [await bank.as('agnes'), await bank.as('ben')]
  const { nextAfter } = await read(agnes)
  const ofBen = await openAccount(ben)
  await deposit(root, from, '5.00')
  const { iban } = (await ben.get(`/api/v1/accounts/${ofBen}/details`)).body
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, { name: 'Ben', iban })
  const paid = {
    fromAccountId: from,
    beneficiaryId: payee.body.id,
    amount: '3.00',
    currency: 'EUR',
  }
  assert.equal((await ada.post('/api/v1/transfers', paid)).status, 201)
  await (await bank.login('ada')).post('/api/v1/auth/logout')
  const names = { after: nextAfter, names: 'true' }
  const { items } = await read(agnes, names)
  assert.deepEqual(
    items.map(({ type, holders }) => [type, holders]),
    [
      ['account.opened', ['Ben Lindqvist']],
      ['transfer.completed', ['Ada Okafor']],
      ['beneficiary.added', ['Ada Okafor']],
      ['transfer.completed', ['Ada Okafor', 'Ben Lindqvist']],
      ['session.revoked', []],
    ],
  )
  const program = await newProgram(bank, { readAccounts: 'all' })
  for (const plain of [await read(agnes, { after: nextAfter }), await read(program, names)]) {
    assert.equal(plain.items.slice(0, 5).length, 5)
    assert.ok(plain.items.every((event) => !('holders' in event)))
  }
})

test('a session is told to be revoked however it ends, but for its time', async (t) => {
  const bank = await world(t)
  const agnes = await bank.as('agnes')
  const root = await bank.as('root')
  const { nextAfter } = await read(agnes)
  const login = async () => bank.login('ada')
  const [out, one, two, three] = [await login(), await login(), await login(), await login()]
  await out.post('/api/v1/auth/logout')
  await root.delete(`/api/v1/admin/sessions/${one.sessionId}`)
  await root.delete(`/api/v1/admin/sessions/${one.sessionId}`)
  const past = await login()
  await bank.sql(`update sessions set ends_at = $2 where id = $1`, [
    past.sessionId,
    new Date(bank.clock.now() - 1),
  ])
  await root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`)
  const late = await login()
  await bank.sql(`update sessions set last_used_at = $2 where id = $1`, [
    late.sessionId,
    new Date(bank.clock.now() - 24 * 60 * 60_000),
  ])
  await bank.running.edge.flush()
  assert.equal((await late.get('/api/v1/me')).body.code, 'session_expired')
  const told = await readAll(agnes, nextAfter)
  const many = [two.sessionId, three.sessionId].toSorted()
  assert.deepEqual(brief(told).slice(0, 2), [
    ['session.revoked', out.sessionId],
    ['session.revoked', one.sessionId],
  ])
  assert.deepEqual(
    told.slice(2).map(({ type, resourceId }) => `${type} ${resourceId}`),
    many.map((id) => `session.revoked ${id}`),
  )
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  await transaction(db, (tx) => endAll(tx, bank.clock.now()))
  const again = await bank.login('agnes')
  assert.deepEqual(brief(await readAll(again, nextAfter)).slice(4), [['session.revoked', null]])
})

test('an event of a transaction under way is not skipped by those that commit before it', async (t) => {
  const bank = await world(t)
  const { root, from, to } = await sceneIn(bank)
  const agnes = await bank.as('agnes')
  const { nextAfter: start } = await read(agnes)
  const held = await openTransaction(t, bank)
  await held.query(`update accounts set status = 'frozen' where id = $1`, [to])
  await deposit(root, from, '1.00')
  const before = await read(agnes, { after: start })
  assert.deepEqual(
    before.items.map(({ number, type }) => [Number(number), type]),
    [[start + 1, 'transfer.completed']],
  )
  await deposit(root, from, '2.00')
  await held.query('commit')
  const { items } = await read(agnes, { after: before.nextAfter })
  assert.deepEqual(numbersOf(items), [start + 2, start + 3])
  assert.deepEqual(items.map(({ type }) => type).toSorted(), [
    'account.frozen',
    'transfer.completed',
  ])
  const lost = await openTransaction(t, bank)
  await lost.query(`update accounts set status = 'active' where id = $1`, [to])
  await lost.query('rollback')
  await deposit(root, from, '3.00')
  const last = await read(agnes, { after: start + 3 })
  assert.deepEqual(
    last.items.map(({ number, type }) => [Number(number), type]),
    [[start + 4, 'transfer.completed']],
    'what was rolled back has no event and leaves no gap',
  )
  assert.deepEqual(await read(agnes, { after: 'last' }), { items: [], nextAfter: start + 4 })
})

test('while two instances pay and read, every event is read once, without a gap and in the order of each account', async (t) => {
  const bank = await world(t)
  const { ada, from, to } = await sceneIn(bank, '900.00')
  const agnes = await bank.as('agnes')
  const second = await bank.another()
  const { nextAfter: start } = await read(agnes)
  const payments = 240
  let paid = 0
  const pay = async (index: number): Promise<void> => {
    const [source, target] = index % 3 === 0 ? [to, from] : [from, to]
    const { send } = index % 2 === 0 ? bank : second
    const { status } = await send('POST', '/api/v1/transfers', {
      token: ada.token,
      body: { ...transferBody(source, target, '0.01'), reference: `Payment ${index}` },
    })
    if (status === 201) paid++
  }
  const over = new AbortController()
  const follow = async ({ send }: Pick<World, 'send'>): Promise<EventInFeed[]> => {
    const seen: EventInFeed[] = []
    for (let after = start; ;) {
      const isLast = over.signal.aborted
      const { body } = await send('GET', `${path}?after=${after}&limit=5`, { token: agnes.token })
      seen.push(...(body.items as EventInFeed[]))
      if (isLast && body.items.length === 0) return seen
      after = Number(body.nextAfter)
    }
  }
  const followers = [follow(bank), follow(second), follow(second)]
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let index = worker; index < payments; index += 8) await pay(index)
    }),
  )
  over.abort()
  const [first, ...others] = await Promise.all(followers)
  assert.ok(paid > payments / 2)
  assert.deepEqual(
    numbersOf(first ?? []),
    Array.from({ length: paid }, (_, index) => start + 1 + index),
  )
  for (const other of others) assert.deepEqual(other, first)
  for (const account of [from, to]) {
    const { rows } = await bank.sql(
      'select transfer_id from entries where account_id = $1 order by seq',
      [account],
    )
    const inBooks = rows.map((row) => row['transfer_id'] as string)
    const inFeed: unknown[] | undefined = first?.map(({ resourceId }) => resourceId)
    assert.deepEqual(inFeed, inBooks.slice(-paid))
  }
})

test('after a restore no number is given out again, and a program that follows the feed misses nothing', async (t) => {
  const bank = await world(t)
  const { from } = await sceneIn(bank)
  const { nextAfter: kept } = await read(await bank.as('agnes'))
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  let after = kept
  for (let restores = 0; restores < 2; restores++) {
    await deposit(await bank.login('root'), from, `${restores + 1}.00`)
    const lost = await read(await bank.login('agnes'), { after })
    assert.deepEqual(
      lost.items.map(({ type }) => type),
      ['transfer.completed'],
    )
    after = lost.nextAfter
    // The same backup each time.
    await bank.sql('delete from events where last_number > $1', [kept])
    await bank.sql('update last_event set number = $1', [kept])
    await transaction(db, (tx) => endAll(tx, bank.clock.now()))
    const next = await read(await bank.login('agnes'), { after })
    assert.deepEqual(brief(next.items), [['session.revoked', null]])
    assert.ok(next.nextAfter > after)
    after = next.nextAfter
  }
  const all = await readAll(await bank.login('agnes'), kept - 1)
  assert.equal(numbersOf(all)[0], kept)
  assert.deepEqual(numbersOf(all).slice(1), [after])
})

/** Starts a long poll. */
const poll = (bank: World, { token }: ApiClient, query: string, signal?: AbortSignal) =>
  bank.send('GET', `${path}?${query}`, { token, ...(signal && { signal }) })

test('a request that waits is answered by the first event of its types, or when its time is over', async (t) => {
  const bank = await world(t)
  const { ada, root, from } = await sceneIn(bank)
  const agnes = await bank.as('agnes')
  const { nextAfter } = await read(agnes)
  const { feed } = bank.running.core
  const waiting = poll(bank, agnes, `after=${nextAfter}&wait=25&types=account.frozen`)
  await until('it waits', () => feed.waiting() === 1)
  await deposit(root, from, '1.00')
  await feed.last()
  assert.equal(feed.waiting(), 1, 'an event of another type')
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Checked' })
  const { body } = await waiting
  assert.deepEqual(brief(body.items), [['account.frozen', from]])
  assert.equal(feed.waiting(), 0)
  const empty = poll(bank, agnes, `after=${nextAfter + 2}&wait=25`)
  await until('it waits', () => feed.waiting() === 1)
  bank.clock.advance(24_999)
  await feed.last()
  assert.equal(feed.waiting(), 1)
  bank.clock.advance(1)
  assert.deepEqual((await empty).body, { items: [], nextAfter: `${nextAfter + 2}` })
  assert.equal((await ada.get(path)).status, 403)
})

test('a caller who is no longer admitted when the wait ends gets nothing', async (t) => {
  const bank = await world(t)
  const { root, from } = await sceneIn(bank)
  const agnes = await bank.as('agnes')
  const { nextAfter } = await read(agnes)
  const { feed } = bank.running.core
  const revoked = poll(bank, agnes, `after=${nextAfter}&wait=25&types=transfer.completed`)
  await until('it waits', () => feed.waiting() === 1)
  await root.delete(`/api/v1/admin/sessions/${agnes.sessionId}`)
  await deposit(root, from, '1.00')
  const answer = await revoked
  assert.deepEqual([answer.status, answer.body.code], [401, 'session_revoked'])
  const both = await bank.as('both')
  const demoted = poll(bank, both, `after=${nextAfter + 2}&wait=25&types=transfer.completed`)
  await until('it waits', () => feed.waiting() === 1)
  await root.patch(`/api/v1/admin/users/${people.both.id}`, { roles: ['customer'] })
  await deposit(root, from, '2.00')
  const { status, body } = await demoted
  assert.deepEqual([status, body.code], [403, 'forbidden'])
})

test('few may wait for one caller, a client that hangs up frees its place, and the end of the service answers all', async (t) => {
  const bank = await world(t)
  const [agnes, root] = [await bank.as('agnes'), await bank.as('root')]
  const { nextAfter } = await read(agnes)
  const { feed } = bank.running.core
  const query = `after=${nextAfter}&wait=25&types=card.issued`
  const leaving = new AbortController()
  const gone = assert.rejects(poll(bank, agnes, query, leaving.signal))
  await until('it waits', () => feed.waiting() === 1)
  const others = [poll(bank, agnes, query), poll(bank, agnes, query), poll(bank, agnes, query)]
  await until('they wait', () => feed.waiting() === 4)
  const refused = await agnes.get(`${path}?${query}`)
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  const another = poll(bank, root, query)
  await until('another caller waits', () => feed.waiting() === 5)
  leaving.abort()
  await gone
  await until('its place is free', () => feed.waiting() === 4)
  const closing = bank.running.close()
  for (const { status, body } of await Promise.all([...others, another])) {
    assert.deepEqual([status, body], [200, { items: [], nextAfter: `${nextAfter}` }])
  }
  await closing
})

test('256 requests may wait at once: the next one is refused until one of them ends', async (t) => {
  const bank = await world(t)
  const agnes = await bank.as('agnes')
  const { nextAfter } = await read(agnes)
  const { feed } = bank.running.core
  const leaving = new AbortController()
  const waits = Array.from({ length: 255 }, (_, index) => {
    const { signal } = index === 0 ? leaving : new AbortController()
    const types = ['card.issued']
    const asked = { types, after: BigInt(nextAfter), waitMs: 25_000, signal }
    return feed.waitForNewer(`${index}`, asked)
  })
  assert.equal(feed.waiting(), 255)
  const query = `after=${nextAfter}&wait=25&types=card.issued`
  const last = poll(bank, agnes, query)
  await until('256 wait', () => feed.waiting() === 256)
  const refused = await agnes.get(`${path}?${query}`)
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await agnes.get(`${path}?after=${nextAfter}`)).status, 200, 'it does not wait')
  leaving.abort()
  await waits[0]
  const another = poll(bank, agnes, query)
  await until('256 wait again', () => feed.waiting() === 256)
  feed.endWaits()
  await Promise.all(waits)
  assert.deepEqual([(await last).status, (await another).status], [200, 200])
})

test('a wrong parameter is refused', async (t) => {
  const bank = await world(t)
  const agnes = await bank.as('agnes')
  const { nextAfter } = await read(agnes)
  const wrong = {
    after: ['-1', '1.5', '', `${nextAfter + 1}`, '9'.repeat(18), '9'.repeat(19), 'latest'],
    types: ['', 'card', 'card.*', 'card.issued,', 'card.Issued', 'card.lost'],
    wait: ['26', '99', '1s', '-1', '100', '', '01'],
    limit: ['0', '-1', 'all'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { status, body } = await agnes.get(`${path}?${name}=${encodeURIComponent(value)}`)
      assert.equal(status, 400, `${name}=${value}`)
      assert.equal(body.details[0].path, `/query/${name}`, `${name}=${value}`)
    }
  }
  const all = await read(agnes, { types: eventTypes.join(','), limit: 999_999, wait: 0 })
  assert.deepEqual(all.items, (await read(agnes, { limit: 100 })).items)
})

test('a service account gets the events that it may read, and none after its revocation', async (t) => {
  const bank = await world(t)
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const theirs = await openAccount(ben)
  await deposit(await bank.as('root'), from, '10.00')
  await deposit(await bank.as('root'), theirs, '10.00')
  const body = { currency: 'EUR', amount: '1.00', fromAccountId: theirs }
  const beneficiary = await ben.post(`/api/v1/accounts/${theirs}/beneficiaries`, {
    name: 'Ada',
    iban: (await ada.get(`/api/v1/accounts/${from}`)).body.iban,
  })
  assert.equal(beneficiary.status, 201, beneficiary.text)
  const paid = await ben.post('/api/v1/transfers', {
    ...body,
    beneficiaryId: beneficiary.body.id,
  })
  assert.equal(paid.status, 201, paid.text)

  const everything = await readAll(await bank.as('root'))
  assert.deepEqual(await readAll(await newProgram(bank, { readAccounts: 'all' })), everything)

  const program = await newProgram(bank, { readAccounts: people.ada.id })
  const own = ((await ada.get('/api/v1/accounts')).body.items as { id: string }[]).map((a) => a.id)
  const expected = everything
    .map((event) => ({ ...event, accountIds: event.accountIds.filter((id) => own.includes(id)) }))
    .filter(({ accountIds }) => accountIds.length > 0)
  assert.ok(expected.some(({ resourceId }) => resourceId === paid.body.id))
  assert.ok(!expected.some(({ resourceId }) => resourceId === theirs))
  const found: EventInFeed[] = []
  let after = 0
  while (after < Number(everything.at(-1)?.number)) {
    const page = await read(program, { after, limit: 2 })
    found.push(...page.items)
    after = page.nextAfter
  }
  assert.deepEqual(found, expected)

  assert.equal((await (await newProgram(bank, { payFrom: [from] })).get(path)).status, 403)

  const moved = program.get(`${path}?after=${after}&wait=25&types=transfer.completed`)
  await until('the request waits', () => bank.running.core.feed.waiting() === 1)
  await program.change({ grants: toGrants({ readAccounts: people.ben.id }) })
  await deposit(await bank.as('root'), from, '5.00')
  await deposit(await bank.as('root'), theirs, '6.00')
  const { items, nextAfter } = (await moved).body
  assert.deepEqual(
    items.flatMap(({ accountIds }: EventInFeed) => accountIds),
    [theirs],
  )

  const waiting = program.get(`${path}?after=${nextAfter}&wait=25`)
  await until('the request waits', () => bank.running.core.feed.waiting() === 1)
  await program.change({ status: 'disabled' })
  await deposit(await bank.as('root'), from, '11.00')
  assert.equal((await waiting).status, 401)
})
