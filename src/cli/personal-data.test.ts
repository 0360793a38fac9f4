// The personal data of a customer: exported completely, erased when its retention time is over.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { openAsOwner } from '../../test/support/owner.ts'
import { approvalAt, approve, pairOf } from '../../test/support/approvals.ts'
import { blocksOf, newBlock } from '../../test/support/blocks.ts'
import { browse } from '../../test/support/browser-session.ts'
import type { Reply } from '../../test/support/client.ts'
import { answer, challengeOf, enrolTotp } from '../../test/support/factors.ts'
import { newProgram } from '../../test/support/service-accounts.ts'
import { clientWith, people, type ApiClient, type World, world } from '../../test/support/world.ts'
import { assertSound, deposit, openAccount, transferBody } from '../../test/support/fixture.ts'
import { newId } from '../domain/ids.ts'
import type { Database } from '../database/connections/connect.ts'
import { erasePersonWholly, eraseTextsBefore } from './erase.ts'
import { personAsJson } from './export-person.ts'
import { rowsPerPage } from './export-sql.ts'

const elsewhere = 'GB33BUKB20201555555555'
const day = 24 * 60 * 60 * 1000

async function exportOf(db: Database, now: number): Promise<string> {
  let text = ''
  for await (const part of await personAsJson(db, 'ada', now)) text += part
  return text
}

/** The database with one row a page. */
const rowByRow = (db: Database): Database => ({
  ...db,
  run: (statement, values) =>
    db.run(
      statement,
      values.map((value) =>
        value === rowsPerPage ? 1 : value === BigInt(rowsPerPage) ? 1n : value,
      ) as typeof values,
    ),
})

type Fixture = World & {
  owner: Database
  ada: ApiClient
  ben: ApiClient
  root: ApiClient
  from: string
  to: string
}

/** Ada has made one transfer to Ben and one to another bank. */
async function fixture(t: TestContext): Promise<Fixture> {
  const bank = await world(t)
  const owner = openAsOwner(bank.address)
  t.after(() => owner.close())
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const [from, to] = [await openAccount(ada), await openAccount(ben)]
  await deposit(root, from, '100.00')
  const { iban } = (await ben.get(`/api/v1/accounts/${to}`)).body
  for (const [name, number] of [
    ['Benny', iban],
    ['Far Away', elsewhere],
  ] as const) {
    const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, { name, iban: number })
    assert.equal(payee.status, 201, payee.text)
    const { status, text } = await ada.post('/api/v1/transfers', {
      fromAccountId: from,
      beneficiaryId: payee.body.id,
      amount: '10.00',
      currency: 'EUR',
      reference: `To ${name}`,
    })
    assert.equal(status, 201, text)
  }
  return { ...bank, owner, ada, ben, root, from, to }
}

const settleAll = async ({ sql, root }: Fixture): Promise<void> => {
  const { rows } = await sql(`select id from transfers where status = 'pending'`)
  for (const { id } of rows) {
    const { status } = await root.post(`/api/v1/admin/transfers/${id as string}/settle`)
    assert.equal(status, 200)
  }
}

test('every route that shows a transfer works after its texts are erased', async (t) => {
  const made = await fixture(t)
  const { ada, ben, root, owner, clock, from, to } = made
  await settleAll(made)
  const { items: sent } = (await ada.get(`/api/v1/transfers?accountId=${from}`)).body
  const now = clock.now()
  const tomorrow = Math.ceil(now / day) * day
  await assert.rejects(
    eraseTextsBefore(owner, tomorrow, { now, limit: tomorrow - day }),
    /^Error: Records from 2026-01-02 on are within their legal time\.$/,
  )
  assert.equal(
    await eraseTextsBefore(owner, tomorrow, { now, limit: tomorrow }),
    'The texts of 3 transfers were erased.\n',
  )
  for (const { id } of sent) {
    for (const voice of [ada, root]) {
      const { status, body } = await voice.get(`/api/v1/transfers/${id}`)
      assert.deepEqual([status, body.reference, body.status], [200, '', 'completed'])
    }
    const one = await ada.get(`/api/v1/accounts/${from}/transactions/${id}`)
    assert.deepEqual([one.status, one.body.reference, one.body.counterparty], [200, '', null])
    const back = await root.post(`/api/v1/admin/transfers/${id}/reversal`, { reason: 'Late' })
    assert.deepEqual([back.status, back.body.code], [409, 'illegal_transition'])
  }
  const history = await ada.get(`/api/v1/accounts/${from}/transactions`)
  const statement = await ada.get(`/api/v1/accounts/${from}/statement`)
  assert.equal(history.body.items.length, 3)
  assert.deepEqual(statement.body.entries, history.body.items.toReversed())
  assert.ok(!JSON.stringify([history.body, statement.body]).match(/Benny|Ben|Far|GB33/))
  assert.equal((await ben.get(`/api/v1/accounts/${to}/transactions`)).status, 200)
  assert.equal((await root.get('/api/v1/transfers')).body.items.length, 3)
  await assertSound(made)
  const { rows } = await made.sql(
    `select actor_id, target, outcome, address, detail from audit_events where action = 'erase'`,
  )
  const detail = 'texts of transfers before 2026-01-03'
  const record = { actor_id: null, target: null, outcome: 'success', address: 'operator', detail }
  assert.deepEqual(rows, [record])
})

test('a person is erased when disabled, without open accounts, and past the legal time', async (t) => {
  const made = await fixture(t)
  const { ada, ben, root, owner, clock, sql, from, to } = made
  const erase = (limit: number) =>
    erasePersonWholly(owner, people.ada.id, { now: clock.now(), limit })
  const later = clock.now() + 2 * day
  await assert.rejects(erase(later), /^Error: The user is not disabled\.$/)
  await settleAll(made)
  await ada.post('/api/v1/transfers', {
    ...transferBody(from, await openAccount(ada), '80.00'),
  })
  const { body } = await ada.get('/api/v1/accounts')
  const other = body.items.find(({ id }: { id: string }) => id !== from).id
  const paidOut = { amount: '80.00', currency: 'EUR', reason: 'To Ada Lovelace' }
  assert.equal(
    (await root.post(`/api/v1/admin/accounts/${other}/withdrawals`, paidOut)).status,
    201,
  )
  const disabling = await root.patch(`/api/v1/admin/users/${people.ada.id}`, { status: 'disabled' })
  assert.equal(disabling.status, 200, disabling.text)
  await assert.rejects(erase(later), /^Error: The user has 2 open accounts: close them first\.$/)
  await sql(`update accounts set status = 'closed', name = null where id = any($1)`, [
    [from, other],
  ])
  await assert.rejects(
    erase(clock.now() - 1),
    /^Error: The last record of the user, of 2026-01-02, is within its legal time\.$/,
  )
  const unknown = erasePersonWholly(owner, from, { now: clock.now(), limit: later })
  await assert.rejects(unknown, /^Error: There is no such user\.$/)
  assert.equal((await sql(`select 1 from audit_events where action = 'erase'`)).rowCount, 0)

  const erased = await erase(clock.now())
  assert.equal(erased, 'The user was erased, with the texts of 5 transfers.\n')
  const { rows } = await sql('select * from users where id = $1', [people.ada.id])
  const left = JSON.stringify(rows)
  assert.ok(!left.match(/Lovelace|Ada|ada@/), left)
  const trail = await sql(`select 1 from audit_events where detail like '%Lovelace%'`)
  assert.equal(trail.rowCount, 0)
  for (const change of [{ status: 'active' }, { givenName: 'Mallory' }]) {
    const refused = await root.patch(`/api/v1/admin/users/${people.ada.id}`, change)
    assert.deepEqual([refused.status, refused.body.code], [409, 'illegal_transition'])
  }
  assert.equal((await root.get(`/api/v1/admin/users/${people.ada.id}`)).status, 200)
  const { items } = (await ben.get(`/api/v1/accounts/${to}/transactions`)).body
  assert.deepEqual([items[0].reference, items[0].counterparty], ['', null])
  await assertSound(made)
  // Repeating it changes nothing.
  assert.equal(await erase(later), 'The user was erased, with the texts of 0 transfers.\n')
})

test('what came back after the account was closed is exported, and erased with the person', async (t) => {
  const made = await fixture(t)
  const { root, owner, clock, sql, from } = made
  await settleAll(made)
  const { items } = (await root.get(`/api/v1/transfers?accountId=${from}`)).body
  const { id } = items.find(({ reference }: { reference: string }) => reference === 'To Far Away')
  const out = { amount: '80.00', currency: 'EUR', reason: 'Out' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, out)).status, 201)
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  await sql(`update accounts set status = 'closed' where owner_id = $1`, [people.ada.id])
  const late = await root.post(`/api/v1/admin/transfers/${id}/return`, { reasonCode: 'MD07' })
  assert.equal(late.body.status, 'returned', late.text)
  let text = ''
  for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
  const exported = JSON.parse(text).transfers.find((each: { id: string }) => each.id === id)
  assert.deepEqual([exported.reasonCode, exported.reversedBy], ['MD07', late.body.reversedBy])
  await erasePersonWholly(owner, people.ada.id, { now: clock.now(), limit: clock.now() + day })
  const left = await sql(
    `select reference from transfers where counterparty_name = 'Far Away' or reference like 'To %'
     union all select reference from entries where reference like 'To %'
     union all select reason_code from transfer_details`,
  )
  assert.deepEqual(left.rows, [])
  await assertSound(made)
})

test('no person is erased with a payment on its way, whose account an older release has closed', async (t) => {
  const made = await fixture(t)
  const { root, owner, clock, sql, from } = made
  const out = { amount: '80.00', currency: 'EUR', reason: 'Out' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, out)).status, 201)
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  await sql(`update accounts set status = 'closed' where owner_id = $1`, [people.ada.id])
  const erase = () =>
    erasePersonWholly(owner, people.ada.id, { now: clock.now(), limit: clock.now() })
  await assert.rejects(erase(), /^Error: 1 payments of the user are not settled or returned\.$/)
  const { items } = (await root.get('/api/v1/admin/transfers?status=pending')).body
  const back = await root.post(`/api/v1/admin/transfers/${items[0].id}/return`)
  assert.equal(back.status, 200, back.text)
  assert.match(await erase(), /^The user was erased/)
  const left = await sql(
    `select reference from transfers where counterparty_name = 'Far Away' or reference like 'To %'
     union all select reference from entries where reference like 'To %'`,
  )
  assert.deepEqual(left.rows, [])
  await assertSound(made)
})

test('an export has all that is stored about a person, and no secret', async (t) => {
  const made = await fixture(t)
  const { ada, ben, root, owner, clock, sql, from } = made
  const order = await ada.post(`/api/v1/accounts/${from}/orders`, {
    beneficiaryId: (await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items[0].id,
    amount: '1.00',
    currency: 'EUR',
    rhythm: 'weekly',
    firstOn: '2026-02-02',
  })
  assert.equal((await ada.post(`/api/v1/orders/${order.body.id}/skip-next`)).status, 200)
  const card = (await ada.post(`/api/v1/accounts/${from}/cards`, { nickname: 'Travel' })).body
  await enrolTotp(made, ada)
  // The oldest: accounts of others have an entry of that number.
  const entry = (await ada.get(`/api/v1/accounts/${from}/transactions`)).body.items.at(-1)
  const noted = `/api/v1/accounts/${from}/transactions/${entry.id}/note`
  assert.equal((await ada.put(noted, { text: 'My own note' })).status, 204)
  await root.get(`/api/v1/accounts/${from}`)
  assert.equal((await root.post(`/api/v1/cards/${card.id}/freeze`)).status, 200)
  await ben.get(`/api/v1/accounts/${from}`)
  // Ada and Ben act for each other, and have been invited a second time.
  for (const [accountId, personId, username] of [
    [from, people.ben.id, 'ben'],
    [made.to, people.ada.id, 'ada'],
  ]) {
    await sql(
      `insert into account_members (id, account_id, person_id, username, rights, invited_at,
         expires_at, accepted_at, ended_at, ended_by)
       select gen_random_uuid(), $1, $2, $3, 'view', now(), now(), now(), ended.at,
         case when ended.at is not null then 'owner' end
       from (values (now()), (null)) as ended (at)`,
      [accountId, personId, username],
    )
  }
  const text = await exportOf(owner, clock.now())
  const exported = JSON.parse(text)
  // Each list goes on behind its first page.
  const byRows = JSON.parse(await exportOf(rowByRow(owner), clock.now()))
  // It has an event of its own.
  const told = new Set(exported.auditEvents.map(({ id }: { id: string }) => id))
  byRows.auditEvents = byRows.auditEvents.filter(({ id }: { id: string }) => told.has(id))
  assert.deepEqual(byRows, exported)
  assert.deepEqual(
    exported.members.map(({ username }: { username: string }) => username),
    ['ben', 'ben'],
  )
  assert.equal(exported.memberships.length, 2)
  assert.equal(exported.person.username, 'ada')
  assert.equal(exported.accounts.length, 1)
  assert.equal(exported.accounts[0].settings.alertsEnabled, true)
  assert.deepEqual(exported.beneficiaries.map(({ name }: { name: string }) => name).toSorted(), [
    'Benny',
    'Far Away',
  ])
  assert.deepEqual(
    exported.orderRuns.map(({ orderId, dueOn, outcome }: Record<string, string>) => [
      orderId === exported.orders[0].id,
      dueOn,
      outcome,
    ]),
    [[true, '2026-02-02', 'skipped']],
  )
  assert.equal(exported.cards[0].maskedNumber, card.maskedNumber)
  assert.equal(exported.entryNotes.length, 1)
  assert.equal(exported.entryNotes[0].text, 'My own note')
  for (const [name, items] of Object.entries(exported)) {
    if (!Array.isArray(items)) continue
    assert.equal(new Set(items.map((item) => JSON.stringify(item))).size, items.length, name)
  }
  assert.equal(exported.transfers.length, 2)
  assert.deepEqual(
    exported.transactions.map(({ reference }: { reference: string }) => reference),
    ['Paid in', 'To Benny', 'To Far Away'],
  )
  assert.ok(exported.sessions.some(({ id }: { id: string }) => id === ada.sessionId))
  assert.ok(exported.devices.length > 0)
  assert.deepEqual(
    exported.factors.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
    [['totp', 'Phone']],
  )
  const frozen = exported.auditEvents.filter(({ target }: { target: string }) => target === card.id)
  assert.deepEqual(
    frozen.map(({ action, by: who }: { action: string; by: string }) => [action, who]),
    [
      ['issueCard', 'person'],
      ['freezeCard', 'staff'],
    ],
  )
  const { rows } = await sql(
    `select password_hash as secret from users where id = $1
     union all select encode(number_hmac, 'hex') from cards
     union all select encode(token_hash, 'hex') from devices
     union all select encode(token_hash, 'hex') from refresh_tokens
     union all select encode(secret_sealed, 'hex') from factors
     union all select encode(hash, 'hex') from recovery_codes
     union all select encode(hash, 'hex') from entries
     union all select encode(salt, 'hex') from transfers
     union all select id::text from users where username = 'root'`,
    [people.ada.id],
  )
  assert.ok(rows.length > 5)
  for (const { secret } of rows) assert.ok(!text.includes(secret as string), secret as string)
  await assert.rejects(personAsJson(owner, 'nobody', 0), /^Error: There is no such user\.$/)
})

test('an export tells the kind of each actor: the person, staff, another customer, a program, the operator', async (t) => {
  const made = await fixture(t)
  const { ada, ben, root, owner, clock, send, sql, from } = made
  const program = await newProgram(made, { readAccounts: 'all' })
  await program.get(`/api/v1/accounts/${from}`)
  await root.get(`/api/v1/accounts/${from}`)
  await ben.get(`/api/v1/accounts/${from}`)
  await ada.get(`/api/v1/accounts/${made.to}`)
  const wrong = { username: 'ada', password: 'not the password' }
  await send('POST', '/api/v1/auth/login', { body: wrong })
  // An agent who is a customer only now.
  const agent = await made.as('agnes')
  await agent.get(`/api/v1/accounts/${from}`)
  await sql(`update users set roles = '{customer}' where username = 'agnes'`)
  await made.running.edge.flush()
  const none = newId(clock.now())
  await sql(
    `insert into audit_events select $1, now(), null, 'disableWebhook', $2, 'success', $1, 'service'`,
    [none, people.ada.id],
  )
  let text = ''
  for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
  const { auditEvents } = JSON.parse(text) as { auditEvents: Record<string, string>[] }
  const seen = (by: string) =>
    auditEvents
      .filter((event) => event['by'] === by && event['target'] !== null)
      .map(({ action, outcome, address }) => [action, outcome, address])
  assert.deepEqual(seen('another customer'), [['getAccount', 'forbidden', undefined]])
  assert.deepEqual(seen('service account'), [['getAccount', 'success', undefined]])
  const byStaff = ['getAccount', 'success', undefined]
  const reads = seen('staff').filter(([action]) => action === 'getAccount')
  assert.deepEqual(reads, [byStaff, byStaff])
  assert.deepEqual(seen('operator'), [['exportPerson', 'success', 'operator']])
  assert.deepEqual(seen('bank'), [['disableWebhook', 'success', 'service']])
  assert.deepEqual(seen('unknown'), [['login', 'failure', '127.0.0.1']])
  assert.ok(seen('person').some(([action]) => action === 'getAccount'))
  for (const [, , address] of seen('person')) assert.equal(address, '127.0.0.1')
})

test('an export tells no reason of a freeze: it is for staff alone', async (t) => {
  const { root, owner, clock, sql, from } = await fixture(t)
  const reason = 'Asked by a court'
  for (const verb of ['freeze', 'unfreeze']) {
    const done = await root.post(`/api/v1/admin/accounts/${from}/${verb}`, { reason })
    assert.equal(done.status, 200, done.text)
  }
  const request = JSON.stringify({ body: { reason }, params: { accountId: from }, query: null })
  await sql(
    `insert into approvals (id, operation, request, maker_id, maker_session_id, created_at,
       expires_at, status, decided_at, reason, checker_id, checker_session_id)
     values ($1, 'freezeAccount', $2, $3, $3, now(), now(), 'rejected', now(), $4, $5, $5)`,
    [newId(1), request, people.root.id, reason, people.agnes.id],
  )
  let text = ''
  for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
  const { approvals, auditEvents } = JSON.parse(text) as Record<string, object[]>
  assert.equal(approvals?.length, 1)
  const frozen = auditEvents?.filter((event) => /freezeAccount/i.test(JSON.stringify(event)))
  assert.equal(frozen?.length, 2)
  assert.ok(!text.includes('court'))
})

test('an export tells what a block stops, and never why nor by whom, also one that two set or one rejected', async (t) => {
  const made = await fixture(t)
  const { root, owner, clock, from } = made
  const held = await made.another({ settings: { FOUR_EYES: 'blockAccount,unblockAccount' } })
  const { maker, checker } = await pairOf(made, held.send)
  const secret = { cause: 'money_laundering', note: 'Canary' }
  const first = approvalAt(await maker.post(blocksOf(from), newBlock('debits', secret)))
  const rejected = await checker.post(`${first}/reject`, { reason: 'Canary' })
  assert.equal(rejected.status, 200, rejected.text)
  const asked = await maker.post(blocksOf(from), newBlock('debits', secret))
  assert.equal((await approve(checker, approvalAt(asked))).status, 200)
  const [{ id, setAt }] = (await root.get(blocksOf(from))).body.items
  const lifted = await maker.delete(`${blocksOf(from)}/${id}`)
  assert.equal((await approve(checker, approvalAt(lifted))).status, 200)
  let text = ''
  for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
  const { approvals, auditEvents, blocks } = JSON.parse(text) as Record<string, object[]>
  const sides = { debits: true, credits: false, status: 'lifted', until: null }
  assert.deepEqual(blocks, [{ id, accountId: from, ...sides, setAt, liftedAt: setAt }])
  assert.equal(approvals?.length, 3)
  assert.ok(auditEvents?.some((event) => 'action' in event && event.action === 'rejectRequest'))
  const told = auditEvents?.filter((event) => /"action":"(un)?block/.test(JSON.stringify(event)))
  assert.equal(told?.length, 2)
  assert.doesNotMatch(text, /launder|canary|authority/i)
})

test('requests under four eyes that are about a person are exported, and erased with the person', async (t) => {
  const made = await fixture(t)
  const { ada, ben, root, owner, clock, sql, from, to } = made
  const card = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body.id as string
  const [paid] = (await ada.get(`/api/v1/transfers?accountId=${from}`)).body.items
  const terms = { amount: '1.00', currency: 'EUR', kind: 'dispute', reference: 'Hotel' }
  const hold = (await root.post(`/api/v1/accounts/${from}/holds`, terms)).body.id as string
  const things = [card, paid.id as string, hold].map((id) => ({ id }))
  const mine = [{ accountId: from }, { userId: people.ada.id }, ...things]
  const both = { id: (await ben.get(`/api/v1/accounts/${to}/transactions`)).body.items[0].id }
  const bens = [{ accountId: to }, { userId: people.ben.id }]
  const program = await newProgram(made)
  const add = async (params: object, more: unknown = null, maker = people.root.id) => {
    const request = JSON.stringify({ body: { reason: 'Canary' }, params, query: null })
    const id = newId(clock.now())
    await sql(
      `insert into approvals (id, operation, request, maker_id, maker_session_id, created_at,
         expires_at, resource_id) values ($1, 'x', $2, $3, $3, now(), now(), $4)`,
      [id, request, maker, more],
    )
    return id
  }
  const about = [
    ...(await Promise.all([...mine, both].map((params) => add(params)))),
    await add({}, people.ada.id, program.id),
  ]
  const others = await Promise.all(bens.map((params) => add(params)))
  let text = ''
  for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
  const { approvals } = JSON.parse(text) as { approvals: Record<string, string>[] }
  assert.deepEqual(new Set(approvals.map(({ id }) => id)), new Set(about))
  assert.equal(approvals.length, about.length)
  assert.deepEqual(new Set(approvals.map(({ by }) => by)), new Set(['staff', 'service account']))

  await settleAll(made)
  assert.equal((await root.post(`/api/v1/holds/${hold}/release`)).status, 200)
  const out = { amount: '80.00', currency: 'EUR', reason: 'Out' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${from}/withdrawals`, out)).status, 201)
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  await sql(`update accounts set status = 'closed' where owner_id = $1`, [people.ada.id])
  await erasePersonWholly(owner, people.ada.id, { now: clock.now(), limit: clock.now() + day })
  const { rows } = await sql('select id from approvals')
  assert.deepEqual(rows.map(({ id }) => String(id)).toSorted(), others.toSorted())
})

test('an erasure leaves no former name of a person who is already called as an erased one', async (t) => {
  const { owner, sql, clock } = await fixture(t)
  await sql(
    `update users set given_name = 'Erased', family_name = 'person', status = 'disabled'
     where id = $1`,
    [people.agnes.id],
  )
  assert.notDeepEqual((await sql('select from holder_names')).rows, [])
  await erasePersonWholly(owner, people.agnes.id, { now: clock.now(), limit: clock.now() + day })
  assert.deepEqual((await sql('select from holder_names')).rows, [])
})

test('an export shows a session as ended that was revoked with all others of its user', async (t) => {
  const { ada, root, owner, clock } = await fixture(t)
  const reasons = async () => {
    let text = ''
    for await (const part of await personAsJson(owner, 'ada', clock.now())) text += part
    const { sessions } = JSON.parse(text) as { sessions: { id: string; endedBecause: unknown }[] }
    return sessions.filter(({ id }) => id === ada.sessionId).map((each) => each.endedBecause)
  }
  assert.deepEqual(await reasons(), [null])
  assert.equal((await root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`)).status, 204)
  assert.deepEqual(await reasons(), ['revoked'])
})

test('the queries of RECORDS.md find the login or the program behind a payment', async (t) => {
  const made = await fixture(t)
  const { ada, sql, from } = made
  const text = await readFile(new URL('../../docs/RECORDS.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('## Investigating a payment\n')
  const queries = [...section.matchAll(/^```sql\n([^]*?)^```/gm)].map(([, query = '']) =>
    query.replace(`:'transfer'`, '$1'),
  )
  assert.equal(queries.length, 3)
  const [paid] = (await ada.get(`/api/v1/transfers?accountId=${from}`)).body.items
  const [came, others, around] = await Promise.all(
    queries.map(async (query) => (await sql(query, [paid.id])).rows),
  )
  assert.equal(came?.length, 1)
  const { session_id, caller_id, address } = came?.[0] ?? {}
  assert.deepEqual([session_id, caller_id, address], [ada.sessionId, people.ada.id, '127.0.0.1'])
  assert.equal(others?.length, 2)
  assert.ok(around?.some(({ action }) => action === 'login'))

  const to = await openAccount(ada)
  let cents = 10
  const pay = async (post: (path: string, body: object) => Promise<Reply>) => {
    const {
      status,
      body,
      text: refused,
    } = await post('/api/v1/transfers', transferBody(from, to, `0.${++cents}`))
    assert.equal(status, 201, refused)
    return (await sql(queries[0] as string, [body.id])).rows
  }
  const program = await newProgram(made, { payFrom: [from] })
  const [ofProgram] = await pay(program.post)
  assert.deepEqual([ofProgram?.['login_at'], ofProgram?.['service_account_id']], [null, program.id])
  const page = await browse(made, 'ada')
  const ways = [await pay((path, body) => page.send('POST', path, { body }))]
  const { code } = await enrolTotp(made, ada)
  const proved = await answer(made, await challengeOf(made, 'ada'), { code: code(1) })
  ways.push(await pay(clientWith(made.send, proved.body.token).post))
  for (const rows of ways) {
    assert.deepEqual([rows.length, rows[0]?.['address']], [1, '127.0.0.1'])
    assert.ok(rows[0]?.['login_at'])
  }
})
