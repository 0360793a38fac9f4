import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStaffChange } from '../../http/route.ts'
import { routes } from '../routes.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { createLog } from '../../telemetry/log.ts'
import {
  type Event,
  readEvent,
  readEvents,
  here,
  trailPath,
} from '../../../test/support/audit-events.ts'
import { orderFrom } from '../../../test/support/orders.ts'
import { listFrom } from '../../../test/support/payment-lists.ts'
import {
  commonWorld,
  password,
  people,
  type Reply,
  world,
  type World,
} from '../../../test/support/world.ts'
import { changesOfBlocks } from '../../../test/support/blocks.ts'
import { changesOfCard } from '../../../test/support/card-payments.ts'
import { deposit, many, transferBody } from '../../../test/support/fixture.ts'
import { until } from '../../../test/support/mailbox.ts'
import { addEvents, type AuditEvent } from '../../audit/sql.ts'
import { openTrail } from '../../audit/writer.ts'

async function firstAccount(bank: World, name: 'ada' | 'ben' = 'ada'): Promise<string> {
  const reply = await (await bank.as(name)).post('/api/v1/accounts', { currency: 'EUR' })
  return reply.body.id as string
}

test('each login is recorded once, with its outcome and without a name or a password', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const log = (username: string, secret: string) =>
    bank.send('POST', '/api/v1/auth/login', {
      body: { username, password: secret },
      from: '127.0.0.5',
    })
  await bank.as('root')
  const action = 'login'
  const address = '127.0.0.5'
  const good = await log('ada', password)
  assert.deepEqual(await readEvent(bank, good), {
    actorId: people.ada.id,
    action,
    target: good.body.sessionId,
    outcome: 'success',
    address,
    detail: null,
  })
  const wrong = { actorId: null, action, outcome: 'failure', address, detail: null }
  const failed = await log('ada', 'canary-secret')
  assert.deepEqual(await readEvent(bank, failed), { ...wrong, target: people.ada.id })
  const unknown = await log('canary-name', 'canary-secret')
  assert.deepEqual(await readEvent(bank, unknown), { ...wrong, target: null })
  for (let turn = 0; turn < 3; turn++) await log('ben', 'canary-secret')
  const limited = await log('ben', password)
  assert.equal(limited.status, 429)
  assert.deepEqual(await readEvent(bank, limited), { ...wrong, target: null, outcome: 'limited' })
  for (let turn = 0; turn < 20; turn++) assert.equal((await log('ben', password)).status, 429)
  bank.clock.advance(60_000)
  await readEvent(bank, await log('ada', password))
  const { rows } = await bank.sql('select audit_events::text as line from audit_events')
  const limitedRows = rows.filter(({ line }) => String(line).includes('limited'))
  assert.equal(limitedRows.length, 1, 'once per minute, not once per attempt')
  assert.doesNotMatch(JSON.stringify(rows), /canary|example\.com|"ada"/)
})

test('each refusal by role or ownership is recorded with its actor, action and target', async () => {
  const bank = await commonWorld()
  const account = await firstAccount(bank)
  const ben = await bank.as('ben')
  const shown = { outcome: 'forbidden', address: here, detail: null }
  const about = { ...shown, actorId: people.ben.id, target: account }
  const byOwner = await ben.get(`/api/v1/accounts/${account}/details`)
  assert.deepEqual(await readEvent(bank, byOwner), { ...about, action: 'getAccountDetails' })
  const byRole = await ben.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'Mine now' })
  assert.equal(byRole.status, 403)
  assert.deepEqual(await readEvent(bank, byRole), { ...about, action: 'freezeAccount' })
  const unnamed = await ben.post('/api/v1/admin/accounts/not-an-id/freeze', { reason: 'Mine' })
  const withoutTarget = { ...about, action: 'freezeAccount', target: null }
  assert.deepEqual(await readEvent(bank, unnamed), withoutTarget)
  const own = await firstAccount(bank, 'ben')
  const inBody = await ben.post('/api/v1/transfers', transferBody(own, account, '1.00'))
  assert.equal(inBody.status, 403)
  assert.equal((await readEvent(bank, inBody)).target, account, 'the account of another customer')
  const nowhere = await ben.get('/api/v1/accounts/not-an-id/details')
  assert.equal(nowhere.status, 400)
  assert.deepEqual(await readEvents(bank, nowhere), [])
})

test("each read by staff of another person's data is recorded once; a customer's own reads are not", async () => {
  const bank = await commonWorld()
  const account = await firstAccount(bank)
  await firstAccount(bank, 'ben')
  const [ada, agnes, root] = [await bank.as('ada'), await bank.as('agnes'), await bank.as('root')]
  const { id: paidIn } = await deposit(root, account, '1.00')
  const reads: [path: string, target: string | null, detail?: string][] = [
    [`/api/v1/accounts/${account}`, account],
    [`/api/v1/accounts/${account}/transactions/${paidIn}`, paidIn],
    [`/api/v1/accounts/${account}/details`, account],
    [`/api/v1/accounts/${account}/settings`, account],
    [`/api/v1/accounts/${account}/transactions`, account],
    [`/api/v1/accounts/${account}/statement`, account],
    [`/api/v1/transfers?accountId=${account}`, account, 'accountId'],
    [`/api/v1/admin/users/${people.ada.id}`, people.ada.id],
    [`/api/v1/admin/users/${people.ada.id}/sessions`, people.ada.id],
    ['/api/v1/admin/users', null],
    ['/api/v1/accounts', null],
    // A list that shows one person alone is a look at that person, whatever chose it.
    ['/api/v1/admin/users?username=ada', people.ada.id, 'username'],
    ['/api/v1/admin/users?search=ada%40&limit=5', people.ada.id, 'search, limit'],
    ['/api/v1/admin/users?role=customer', null, 'role'],
    ['/api/v1/admin/users?username=nobody', null, 'username'],
  ]
  for (const [path, target, detail = null] of reads) {
    const { action, ...rest } = await readEvent(bank, await agnes.get(path))
    assert.match(action, /^(get|list)[A-Z]/)
    const who = { actorId: people.agnes.id, outcome: 'success', address: here }
    assert.deepEqual(rest, { ...who, target, detail }, path)
  }
  assert.deepEqual(await readEvents(bank, await ada.get(`/api/v1/accounts/${account}/details`)), [])
  assert.deepEqual(await readEvents(bank, await ada.get('/api/v1/me')), [])
  assert.equal((await readEvent(bank, await root.get(trailPath))).action, 'listAuditEvents')
})

type Expected = string | ((reply: Reply) => string)
/** A change, and the target and detail of its event. */
type Step = [() => Promise<Reply>, Expected, Expected | null]

/** Every change an administrator can make, in an order in which each succeeds. */
async function changesBy(bank: World): Promise<Step[]> {
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const [account, empty] = [await firstAccount(bank), await firstAccount(bank)]
  const admin = `/api/v1/admin/accounts/${account}`
  const paid = { amount: '50.00', currency: 'EUR', reason: 'Counter' }
  await root.post(`${admin}/deposits`, paid)
  const moved = (await root.post(`${admin}/deposits`, { ...paid, amount: '9.00' })).body.id
  const beneficiary = await ada.post(`/api/v1/accounts/${account}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const pending = async (amount: string): Promise<string> => {
    const terms = { fromAccountId: account, beneficiaryId: beneficiary.body.id, currency: 'EUR' }
    return (await ada.post('/api/v1/transfers', { ...terms, amount })).body.id as string
  }
  const [settled, returned] = [await pending('1.00'), await pending('2.00')]
  const order = await orderFrom(ada, account, beneficiary.body.id)
  const list = await listFrom(ada, account, beneficiary.body.id)
  const invitation = { username: 'ben', rights: 'view' }
  const invited = await ada.post(`/api/v1/accounts/${account}/members`, invitation)
  const member = invited.body.id as string
  const spare = (await bank.login('ben')).sessionId
  const card = (await ada.post(`/api/v1/accounts/${account}/cards`, {})).body.id as string
  const createdId = (reply: Reply) => reply.body.id as string
  const returnOf = (reply: Reply) => `transfer ${reply.body.reversedBy}`
  const transferOf = (reply: Reply) => `transfer ${createdId(reply)}`
  const holdOf = (reply: Reply) => `hold ${createdId(reply)}`
  const clara = {
    username: 'clara',
    email: 'clara@example.com',
    givenName: 'Clara',
    familyName: 'Haskil',
    roles: ['customer'],
  }
  const programs = '/api/v1/admin/service-accounts'
  const grants = { readAccounts: 'all', payFrom: [], operations: [] }
  const program = (await root.post(programs, { name: 'Clearing', grants })).body
  const keyId = program.keys[0].id as string
  const [hooks, types] = ['/api/v1/admin/webhooks', ['card.issued']]
  const hook = createdId(await root.post(hooks, { url: 'https://127.0.0.1/hook', types }))
  const delivery = createdId(await root.post(`${hooks}/${hook}/test`))
  // Not yet asked for at a login: other tests log this person in.
  await bank.sql(
    `insert into factors (id, user_id, kind, name, secret_sealed, created_at, activated_at)
     values (gen_random_uuid(), $1, 'totp', 'Phone', 'x', now(), now())`,
    [people.both.id],
  )
  const [ben, transfers] = [`/api/v1/admin/users/${people.ben.id}`, '/api/v1/admin/transfers']
  const compared = `no_match account ${account}`
  const { iban } = (await root.get(admin)).body
  const [money, debtor] = [{ amount: '1.00', currency: 'EUR' }, { name: 'Grace Hopper' }]
  const arrival = { ...money, iban, debtor, externalId: account }
  const fee = { ...money, fromAccountId: account, toCode: 'fees', kind: 'fee', reason: 'Fee' }
  const scheme = { code: 'audit-scheme', currency: 'EUR', name: 'Card scheme' }
  const computedId = '00000000-0000-8000-8000-000010455552'
  const held = { ...money, kind: 'dispute', reference: 'Disputed' }
  const holds = `/api/v1/accounts/${account}/holds`
  const hold = createdId(await root.post(holds, held))
  const forBen = { currency: 'EUR', ownerId: people.ben.id }
  const reason = (text: string) => ({ reason: text })
  return [
    [() => root.post(`${admin}/deposits`, { ...paid, amount: '8.00' }), account, transferOf],
    [() => root.post(`${admin}/withdrawals`, paid), account, transferOf],
    [() => root.post(`${transfers}/${moved}/reversal`, reason('Twice')), moved, transferOf],
    [() => root.post(`${transfers}/${settled}/send`, { externalId: settled }), settled, null],
    [() => root.post(`${transfers}/${settled}/settle`), settled, null],
    [() => root.post('/api/v1/admin/incoming-payments', arrival), account, transferOf],
    [() => root.post('/api/v1/admin/postings', fee), account, transferOf],
    [() => root.post(holds, held), account, (reply) => `${holdOf(reply)}: dispute of 1.00 EUR`],
    [() => root.patch(`/api/v1/holds/${hold}`, { amount: '2.00' }), hold, 'dispute of 2.00 EUR'],
    [() => root.post(`/api/v1/holds/${hold}/capture`, money), hold, transferOf],
    [() => root.post(`/api/v1/holds/${hold}/release`), hold, null],
    ...(await changesOfCard({ root, ada }, account, card)),
    [() => root.post('/api/v1/admin/bank-accounts', scheme), computedId, null],
    [() => root.post(`${transfers}/${returned}/return`), returned, returnOf],
    [() => root.delete(`/api/v1/orders/${order}`), order, null],
    [() => root.delete(`/api/v1/payment-lists/${list}`), list, null],
    [() => root.delete(`/api/v1/accounts/${account}/members/${member}`), account, member],
    [() => root.post(`/api/v1/accounts/${account}/cards`, {}), account, null],
    [() => root.post(`/api/v1/cards/${card}/freeze`), card, null],
    [() => root.post(`/api/v1/cards/${card}/unfreeze`), card, null],
    [() => root.put(`/api/v1/cards/${card}`, { nickname: 'Blue' }), card, 'nickname'],
    [() => root.post(`${admin}/freeze`, reason('Stolen')), account, 'Stolen'],
    [() => root.post(`${admin}/unfreeze`, reason('Found')), account, 'Found'],
    [() => root.post(`${admin}/notes`, { text: 'Called' }), account, null],
    ...(await changesOfBlocks(root)),
    [() => root.post(`${ben}/notes`, { text: 'Called' }), people.ben.id, null],
    [() => root.post('/api/v1/admin/payee-checks', { ...debtor, iban }), createdId, compared],
    [
      () => root.patch(`/api/v1/accounts/${account}/settings`, { alertsEnabled: false }),
      ...([account, 'alertsEnabled'] as const),
    ],
    [() => root.post('/api/v1/accounts', forBen), createdId, null],
    [() => root.delete(`/api/v1/accounts/${empty}`), empty, null],
    [() => root.post('/api/v1/admin/users', clara), createdId, null],
    [() => root.patch(ben, { phone: '+442079460000' }), people.ben.id, 'phone'],
    [() => root.post(programs, { name: 'Payroll', grants }), createdId, null],
    [() => root.patch(`${programs}/${program.id}`, { status: 'disabled' }), program.id, 'status'],
    [() => root.post(`${programs}/${program.id}/keys`), program.id, null],
    [() => root.delete(`${programs}/${program.id}/keys/${keyId}`), keyId, null],
    [() => root.post(hooks, { url: 'https://127.0.0.1/', types }), createdId, null],
    [() => root.patch(`${hooks}/${hook}`, { types }), hook, 'types'],
    [() => root.post(`${hooks}/${hook}/secret`), hook, null],
    [() => root.post(`${hooks}/${hook}/test`), hook, null],
    [() => root.post(`${hooks}/${hook}/deliveries/${delivery}/resend`), delivery, null],
    [() => root.delete(`${hooks}/${hook}`), hook, null],
    [() => root.delete(`/api/v1/admin/sessions/${spare}`), spare, null],
    [() => root.post(`${ben}/password-link`), people.ben.id, null],
    [() => root.delete(`${ben}/sessions`), people.ben.id, null],
    [() => root.post(`/api/v1/admin/users/${people.both.id}/factor-reset`), people.both.id, null],
  ]
}

/**
 * The operations by which staff change data of others. Those that decide about the request of
 * another person are in approvals.test.ts.
 */
const changing = routes
  // Many at once are in rail/outgoing.test.ts and postings/postings.test.ts, links in issuer/.
  .filter((route) => isStaffChange(route) && !route.decides && !route.each)
  .map(({ operation }) => operation)
  .filter((operation) => !operation.endsWith('Issuer'))

test('every change by staff is recorded once, on every route', async () => {
  const bank = await commonWorld({ settings: { MEMBERS: 'on' } })
  const seen = new Set<string>()
  for (const [change, target, detail] of await changesBy(bank)) {
    const reply = await change()
    assert.ok(reply.status < 300, reply.text)
    const { action, order: _, ...rest } = await readEvent(bank, reply)
    seen.add(action)
    const tell = (told: Expected) => (typeof told === 'string' ? told : told(reply))
    const who = { actorId: people.root.id, target: tell(target), outcome: 'success', address: here }
    assert.deepEqual(rest, { ...who, detail: detail && tell(detail) }, action)
  }
  assert.deepEqual([...seen].toSorted(), changing.toSorted(), 'a new route wants a line above')
})

test('a failed change by staff is not recorded as a success', async () => {
  const bank = await commonWorld()
  const root = await bank.as('root')
  const missingId = newId(bank.clock.now())
  for (const nothing of [
    await root.post(`/api/v1/admin/accounts/${missingId}/freeze`, { reason: 'None' }),
    await root.patch(`/api/v1/admin/users/${missingId}`, { phone: null }),
    await root.delete(`/api/v1/admin/users/${missingId}/sessions`),
    await root.delete(`/api/v1/admin/sessions/${missingId}`),
    await root.post(`/api/v1/cards/${missingId}/freeze`),
    await root.post('/api/v1/accounts', { currency: 'EUR', ownerId: people.agnes.id }),
    await root.post(`/api/v1/admin/transfers/${missingId}/reversal`, { reason: 'Again' }),
    await root.post(`/api/v1/admin/accounts/${await firstAccount(bank)}/withdrawals`, {
      amount: '1.00',
      currency: 'EUR',
      reason: 'Nothing in it',
    }),
  ]) {
    assert.ok([404, 409].includes(nothing.status), nothing.text)
    assert.deepEqual(await readEvents(bank, nothing), [])
  }
})

test('a repeated deposit moves no money again and is recorded once', async () => {
  const bank = await commonWorld()
  const root = await bank.as('root')
  const account = await firstAccount(bank)
  const pay = () =>
    root.post(
      `/api/v1/admin/accounts/${account}/deposits`,
      { amount: '5.00', currency: 'EUR', reason: 'Once' },
      { headers: { 'idempotency-key': 'k' } },
    )
  assert.equal((await readEvent(bank, await pay())).target, account)
  const again = await pay()
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.deepEqual(await readEvents(bank, again), [])
})

test('a change whose event cannot be written does not happen, on every route', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const steps = await changesBy(bank)
  await bank.running.edge.flush()
  await bank.running.edge.flush()
  const state = async () => {
    const { rows } = await bank.sql(
      `select (select count(*) from entries) as moved, (select jsonb_agg(u) from users u) as people,
              (select jsonb_agg(s.ended_at order by id) from sessions s) as sessions,
              (select jsonb_agg(a order by id) from accounts a) as accounts,
              (select jsonb_agg(c order by id) from cards c) as cards,
              (select jsonb_agg(x.status order by id) from transfers x) as transfers`,
    )
    return rows[0]
  }
  const before = await state()
  await bank.sql(`alter table audit_events add check (outcome <> 'success') not valid`)
  for (const [change] of steps) assert.equal((await change()).status, 500)
  assert.deepEqual(await state(), before)
})

test('a posting by staff that cannot be recorded fails alone in its batch', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const [ada, from, to] = [await bank.as('ada'), await firstAccount(bank), await firstAccount(bank)]
  const payIn = () =>
    root.post(`/api/v1/admin/accounts/${from}/deposits`, {
      amount: '9.00',
      currency: 'EUR',
      reason: 'Counter',
    })
  await payIn()
  await bank.sql(`alter table audit_events add check (action !~ 'Deposit') not valid`)
  bank.clock.advance(20_000)
  const body = { fromAccountId: from, toAccountId: to, amount: '1.00', currency: 'EUR' }
  const [refused, paid] = await Promise.all([payIn(), ada.post('/api/v1/transfers', body)])
  assert.deepEqual([refused.status, paid.status], [500, 201])
  const account = await ada.get(`/api/v1/accounts/${from}`)
  assert.equal(account.body.balance, '8.00')
})

test('events can be added and read, and neither the service nor the owner changes or removes one', async (t) => {
  const bank = await world(t)
  await bank.as('ada')
  await bank.running.edge.flush()
  const changes = [
    `update audit_events set actor_id = null`,
    'delete from audit_events',
    'truncate audit_events',
  ]
  for (const change of changes) {
    await assert.rejects(bank.sql(change), /append-only/)
    const asService = bank.sql(`set role strongroom_service; ${change}`)
    await assert.rejects(asService, /permission denied/)
    await bank.sql('reset role')
  }
  const { rows } = await bank.sql('select 1 from audit_events')
  assert.equal(rows.length, 1)
})

test('the trail is filtered by each field, alone and together, and paged without a gap', async (t) => {
  const bank = await world(t)
  const [ben, agnes, root] = [await bank.as('ben'), await bank.as('agnes'), await bank.as('root')]
  const account = await firstAccount(bank)
  for (let turn = 0; turn < 5; turn++) {
    bank.clock.advance(1000)
    await ben.get(`/api/v1/accounts/${account}`)
    await agnes.get(`/api/v1/accounts/${account}`)
    await agnes.get(`/api/v1/accounts/${account}/details`)
  }
  const ask = async (query: string) => {
    const reply = await root.get(`${trailPath}?limit=100&${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.items as Event[]
  }
  const counts: Record<string, number> = {
    [`actorId=${people.ben.id}&action=getAccount`]: 5,
    [`actorId=${people.agnes.id}&target=${account}`]: 10,
    'action=getAccountDetails': 5,
    [`target=${account}`]: 16,
    [`target=${account}&outcome=success`]: 11,
    'outcome=forbidden': 5,
    'outcome=forbidden&action=getAccountDetails': 0,
    [`target=${account}&from=2026-01-02T09:00:02.000Z&to=2026-01-02T09:00:03Z`]: 6,
    [`target=${account}&from=2026-01-02&to=2026-01-02`]: 16,
    [`target=${account}&to=2026-01-01`]: 0,
  }
  for (const [query, count] of Object.entries(counts)) {
    assert.equal((await ask(query)).length, count, query)
  }
  const whole = (await ask(`target=${account}`)).map(({ id }) => id)
  assert.deepEqual(whole, whole.toSorted().toReversed())
  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await root.get(`${trailPath}?target=${account}&limit=4${more}`)
    paged.push(...body.items.map(({ id }: Event) => id))
    cursor = body.nextCursor
    await ben.get(`/api/v1/accounts/${account}`)
  }
  assert.deepEqual(paged, whole)
})

test('one event is read by its identifier, as the list has it', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const refused = await (await bank.as('ada')).get('/api/v1/admin/users')
  const [event] = await readEvents(bank, refused)
  const reply = await root.get(`${trailPath}/${event?.id}`)
  assert.deepEqual([reply.status, reply.body], [200, event])
  assert.equal((await readEvent(bank, reply)).target, event?.id)
  assert.equal((await root.get(`${trailPath}/${newId(1)}`)).status, 404)
  assert.equal((await (await bank.as('agnes')).get(`${trailPath}/${event?.id}`)).status, 403)
})

test('only administrators read the trail, and an invalid filter is refused', async (t) => {
  const bank = await world(t)
  for (const name of ['ada', 'agnes', 'both'] as const) {
    assert.equal((await (await bank.as(name)).get(trailPath)).status, 403, name)
  }
  const root = await bank.as('root')
  const wrong = ['outcome=fine', 'action=a-b', 'target=1', 'from=2026-02-30', 'user=1', 'cursor=AA']
  for (const query of [...wrong, 'from=2026-01-03&to=2026-01-02', 'requestId=']) {
    assert.equal((await root.get(`${trailPath}?${query}`)).status, 400, query)
  }
})

test('2000 refusals are written in a few statements, all before the service closes', async (t) => {
  const bank = await world(t)
  const ben = await bank.as('ben')
  const account = await firstAccount(bank)
  const startedAt = performance.now()
  await many(50, async () => {
    for (let turn = 0; turn < 40; turn++) await ben.get(`/api/v1/accounts/${account}`)
  })
  await bank.running.close()
  const { rows } = await bank.sql(
    `select count(*)::int as events, count(distinct request_id)::int as requests,
            count(distinct xmin::text)::int as writes
     from audit_events where outcome = 'forbidden'`,
  )
  const { events, requests, writes = 0 } = rows[0] as Record<string, number>
  assert.deepEqual([events, requests], [2000, 2000])
  // One in 50 ms, about: a busy machine, for which all takes longer, has more of them.
  assert.ok(writes < Math.max(200, (performance.now() - startedAt) / 25), `${writes}`)
})

const some = (count: number): AuditEvent[] =>
  Array.from({ length: count }, () => ({
    id: newId(1),
    at: 1,
    actorId: people.ben.id,
    action: 'getAccount',
    target: null,
    outcome: 'forbidden',
    requestId: newId(2),
    address: here,
    detail: null,
  }))

test('when the trail is full, staff, refusals and logins get 503, other requests are served', async (t) => {
  const bank = await world(t)
  const [ada, agnes] = [await bank.as('ada'), await bank.as('agnes')]
  const account = await firstAccount(bank)
  await bank.sql('revoke insert on audit_events from strongroom_service')
  const { audit } = bank.running.edge.service
  for (const event of some(10_000)) audit.note(event)
  const staff = await agnes.get(`/api/v1/accounts/${account}`)
  assert.equal(staff.status, 503)
  assert.equal(staff.headers['retry-after'], '1')
  assert.equal((await (await bank.as('ada')).get('/api/v1/admin/users')).status, 503)
  const body = { username: 'ben', password }
  assert.equal((await bank.send('POST', '/api/v1/auth/login', { body })).status, 503)
  assert.equal((await ada.get(`/api/v1/accounts/${account}`)).status, 200)
  await bank.sql('grant insert on audit_events to strongroom_service')
  await audit.flush()
  assert.equal((await agnes.get(`/api/v1/accounts/${account}`)).status, 200)
  const { rows } = await bank.sql(
    `select count(*)::int as count from audit_events where at < '2000-01-01'`,
  )
  assert.equal(rows[0]?.['count'], 10_000)
})

test('an event that is written again, because an answer was lost, is in the trail once', async (t) => {
  const bank = await commonWorld()
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const [event] = some(1) as [AuditEvent]
  for (let turn = 0; turn < 2; turn++) await transaction(db, (tx) => addEvents(tx, [event]))
  const { rows } = await bank.sql('select from audit_events where id = $1', [event.id])
  assert.equal(rows.length, 1)
})

test('an event that the database rejects goes to the log, and its neighbours are written', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const lines: string[] = []
  const trail = openTrail(
    db,
    createLog('info', (line) => void lines.push(line)),
    { retryAfterMs: 1 },
  )
  const [good, bad, other] = some(3) as [AuditEvent, AuditEvent, AuditEvent]
  const unwritable = { ...bad, action: 'x'.repeat(81) as 'verify' }
  for (const event of [good, unwritable, other]) trail.note(event)
  await trail.flush()
  assert.deepEqual(trail.counts(), { waiting: 0, lost: 1 })
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', new RegExp(bad.requestId))
  assert.equal(JSON.parse(lines[0] ?? '').userId, people.ben.id)
  await bank.sql('revoke insert on audit_events from strongroom_service')
  for (const event of some(2)) trail.note({ ...event, actorId: null })
  await trail.close()
  assert.ok(!('userId' in JSON.parse(lines[2] ?? '')), 'no one is named')
  assert.equal(lines.length, 3, 'what could not be written before the end is in the log')
  const { rows } = await bank.sql(`select id from audit_events where at < '2000-01-01' order by id`)
  assert.deepEqual(
    rows.map(({ id }) => id),
    [good.id, other.id].toSorted(),
  )
})

test('an event that is noted is written without being asked for', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const trail = openTrail(db, createLog('silent'))
  t.after(() => trail.close())
  for (const event of some(2)) {
    trail.note(event)
    await until('the event is in the trail', async () => {
      const { rows } = await bank.sql('select from audit_events where id = $1', [event.id])
      return rows.length === 1
    })
  }
})

test('events that follow a rejected one wait when the database goes away among them', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  let calls = 0
  const runTransaction: typeof db.runTransaction = (work) => {
    // All together, the first alone, the second alone.
    if (++calls === 3) throw new Refusal('unavailable', { outage: 'database' })
    return db.runTransaction(work)
  }
  const trail = openTrail({ ...db, runTransaction }, createLog('silent'), {
    retryAfterMs: 3_600_000,
  })
  const [good, bad, other] = some(3) as [AuditEvent, AuditEvent, AuditEvent]
  const unwritable = { ...bad, action: 'x'.repeat(81) as 'verify' }
  for (const event of [good, unwritable, other]) trail.note(event)
  await trail.flush()
  assert.deepEqual(trail.counts(), { waiting: 3, lost: 0 })
  await trail.flush()
  assert.deepEqual(trail.counts(), { waiting: 0, lost: 1 })
  const { rows } = await bank.sql(`select id from audit_events where at < '2000-01-01'`)
  assert.equal(rows.length, 2)
})

test('a rate-limited request is recorded if it is a login, and not otherwise', async (t) => {
  const limits = { read: { burst: '2/1m' }, login: { attempts: '2/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const [ada] = [await bank.as('ada'), await bank.as('root')]
  for (let turn = 0; turn < 2; turn++) await ada.get('/api/v1/accounts')
  const read = await ada.get('/api/v1/accounts')
  const body = { username: 'ada', password }
  const login = await bank.send('POST', '/api/v1/auth/login', { body })
  const invalid = await bank.send('POST', '/api/v1/auth/login', {
    from: '127.0.0.9',
    body: { username: 'ada' },
  })
  assert.deepEqual([read.status, login.status, invalid.status], [429, 429, 400])
  assert.deepEqual(await readEvents(bank, read), [])
  assert.equal((await readEvent(bank, login)).outcome, 'limited')
  const { audit } = bank.running.edge.service
  await audit.flush()
  assert.equal(audit.counts().lost, 0)
})
