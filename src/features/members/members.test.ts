// People who act for an account: how one is invited, what one may do, and when that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, openAccount, sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import type { Span } from '../../../test/support/database.ts'
import { newId } from '../../domain/ids.ts'
import { people, type Reply, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { alertsPerHour } from '../mail/sql.ts'
import { endDueMembers } from './sql.ts'
import { sweepMembers } from './sweep.ts'

const day = 24 * 3_600_000
const on = { settings: { MEMBERS: 'on' } }

async function membersScene(t: Span, options: Parameters<typeof world>[1] = on) {
  const bank = await sceneIn(await world(t, options), '500.00')
  const { ada, from } = bank
  const ben = await bank.as('ben')
  const path = `/api/v1/accounts/${from}/members`
  const invite = (body: object = {}) => ada.post(path, { username: 'ben', rights: 'pay', ...body })
  /** Invites Ben, who accepts. */
  const join = async (body: object = {}): Promise<string> => {
    const invited = await invite(body)
    assert.equal(invited.status, 201, invited.text)
    const accepted = await ben.post(`/api/v1/members/${invited.body.id}/accept`)
    assert.equal(accepted.status, 200, accepted.text)
    return invited.body.id as string
  }
  const payee = (iban: string, voice = ada) =>
    voice.post(`/api/v1/accounts/${from}/beneficiaries`, { name: 'Grace Hopper', iban })
  const beneficiaryId = (await payee('GB33BUKB20201555555555')).body.id as string
  let count = 0
  const pay = (amount: string, voice = ben) =>
    voice.post(
      '/api/v1/transfers',
      { fromAccountId: from, beneficiaryId, amount, currency: 'EUR' },
      { headers: { 'idempotency-key': `pay-${count++}` } },
    )
  /** Later: the sessions of before have ended. */
  const later = async (milliseconds: number) => {
    bank.clock.advance(milliseconds)
    return { ada: await bank.login('ada'), ben: await bank.login('ben') }
  }
  return { ...bank, ben, path, invite, join, pay, later, payee, beneficiaryId }
}

test('an invitation looks the same whether or not a customer has the name, and is answered in seven days', async (t) => {
  const { ada, ben, later, path, invite, sql, from } = await membersScene(t)
  const known = await invite()
  const replies = [known, await invite({ username: 'nobody' }), await invite({ username: 'root' })]
  const shape = (body: Record<string, unknown>) => ({ ...body, id: '', username: '' })
  for (const reply of replies) {
    assert.equal(reply.status, 201, reply.text)
    const same = { invitedAt: '', expiresAt: '' }
    assert.deepEqual({ ...shape(reply.body), ...same }, { ...shape(known.body), ...same })
    assert.equal(reply.body.status, 'invited')
  }
  assert.equal((await invite()).body.code, 'already_exists')
  assert.equal((await invite({ username: 'ADA' })).status, 400)
  assert.equal((await invite({ username: 'a b' })).status, 400)
  assert.equal((await invite({ username: 'late', until: '2020-01-01T00:00:00Z' })).status, 400)
  assert.equal((await invite({ username: 'late', perDay: '5.00' })).status, 400)
  const dollars = await invite({ username: 'late', perDay: '5.00', currency: 'USD' })
  assert.equal(dollars.body.code, 'currency_mismatch')
  const [mine] = (await ben.get('/api/v1/me/memberships')).body.items
  assert.deepEqual([mine.status, mine.accountId, mine.iban], ['invited', null, null])
  assert.equal(mine.ownerName, 'Ada Okafor')
  const at = `/api/v1/members/${known.body.id}`
  assert.equal((await ada.post(`${at}/accept`)).status, 403)
  const then = await later(7 * day - 1)
  const [waits] = (await then.ben.get('/api/v1/me/memberships')).body.items
  assert.equal(waits.status, 'invited')
  const { ada: owner, ben: person } = await later(1)
  assert.equal((await person.post(`${at}/accept`)).body.code, 'illegal_transition')
  const [last] = (await owner.get(`${path}?limit=1`)).body.items
  assert.deepEqual([last.status, last.endedBy], ['ended', 'time'])
  // The name is free again, and none of those of before counts.
  const inviteLater = (username: string) => owner.post(path, { username, rights: 'view' })
  for (let made = 0; made < 20; made++) {
    assert.equal((await inviteLater(made === 0 ? 'ben' : `person${made}`)).status, 201)
  }
  const full = await inviteLater('one-more')
  assert.deepEqual([full.body.code, full.body.limit.name], ['limit_exceeded', 'members'])
  const { rows } = await sql(
    'select count(*)::int as n from account_members where account_id = $1',
    [from],
  )
  assert.deepEqual(rows, [{ n: 23 }])
})

test('a member pays within its own limits beside those of the owner, and both see who did', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, later, join, pay, path, from, to } = bank
  const id = await join({ currency: 'EUR', perPayment: '50.00', perDay: '80.00' })
  const over = await pay('50.01')
  assert.deepEqual(
    [over.body.code, over.body.limit],
    ['limit_exceeded', { name: 'perPayment', amount: '50.00', used: '0.00', currency: 'EUR' }],
  )
  const paid = await pay('50.00')
  assert.equal(paid.body.madeBy, people.ben.id, paid.text)
  const late = await pay('30.01')
  assert.equal(late.body.limit.name, 'dailyTransfers')
  assert.deepEqual([late.body.limit.amount, late.body.limit.used], ['80.00', '50.00'])
  // What came back counts no more.
  assert.equal((await ben.post(`/api/v1/transfers/${paid.body.id}/cancel`)).status, 200)
  assert.deepEqual([(await pay('50.00')).status, (await pay('30.00')).status], [201, 201])
  assert.equal((await pay('0.01')).body.code, 'limit_exceeded')
  // The owner's own payments are none of the member's, nor the other way round.
  const own = await ada.post('/api/v1/transfers', transferBody(from, to, '100.00'))
  assert.equal('madeBy' in own.body, false, own.text)
  assert.equal((await ben.post(`/api/v1/transfers/${own.body.id}/cancel`)).status, 403)
  await ada.put(`/api/v1/accounts/${from}/limits`, {
    currency: 'EUR',
    perPayment: '20.00',
    perDay: null,
  })
  const next = await later(day)
  // The first payment of a day may take all of it.
  await next.ada.patch(`${path}/${id}`, { perDay: '20.00', currency: 'EUR' })
  assert.equal((await pay('20.01', next.ben)).body.limit.amount, '20.00')
  assert.equal((await pay('20.00', next.ben)).status, 201)
  const listed = (await next.ada.get(`/api/v1/transfers?accountId=${from}`)).body.items
  assert.deepEqual(
    new Set(listed.map((each: { madeBy?: string }) => each.madeBy)),
    new Set([people.ben.id, undefined]),
  )
  const [acted] = (await next.ben.get('/api/v1/accounts')).body.items
  assert.deepEqual([acted.id, acted.membership], [from, { ownerName: 'Ada Okafor', rights: 'pay' }])
  assert.equal('membership' in (await next.ada.get('/api/v1/accounts')).body.items[0], false)
  const [member] = (await next.ada.get(path)).body.items
  assert.deepEqual([member.status, member.name], ['active', 'Ben Lindqvist'])
  await assertSound(bank)
})

/** What is changed of a membership by which somebody has paid. */
const damages: [what: string, change: string][] = [
  ['that begins later', "accepted_at = accepted_at + interval '10 days'"],
  ['that has ended before', "ended_at = accepted_at - interval '10 days', ended_by = 'owner'"],
  ['whose time was over', "until = accepted_at - interval '10 days'"],
  ['that was not accepted', 'accepted_at = null'],
  ['without the right to pay', "may_have_paid = false, rights = 'prepare'"],
  ['of another account', 'account_id = $2'],
]

test('a payment by a member is one of the time of a membership with the right to pay', async (t) => {
  const bank = await membersScene(t)
  const { ada, join, later, pay, path, sql, to } = bank
  const id = await join()
  assert.equal((await pay('1.00')).status, 201)
  assert.equal((await ada.patch(`${path}/${id}`, { rights: 'view' })).status, 200)
  await assertSound(bank)
  const { ada: owner } = await later(day)
  assert.equal((await owner.delete(`${path}/${id}`)).status, 204)
  await assertSound(bank)
  await sql('create table kept as select * from account_members')
  for (const [what, change] of damages) {
    const values = change.includes('$2') ? [id, to] : [id]
    await sql('alter table account_members disable trigger user')
    await sql(`update account_members set ${change} where id = $1`, values)
    await assert.rejects(assertSound(bank), /its owner did not pay it/, what)
    await sql('delete from account_members')
    await sql('insert into account_members select * from kept')
    await sql('alter table account_members enable trigger user')
  }
  await assertSound(bank)
})

test('a membership ends for the next request: by the owner, the member, staff, its time, or either person', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, root, clock, join, path, pay, sql, from } = bank
  const reads = async () => {
    const { status } = await ben.get(`/api/v1/accounts/${from}`)
    const { items } = (await ben.get('/api/v1/accounts')).body
    assert.equal(items.length, status === 200 ? 1 : 0, 'the list says the same')
    return status
  }
  const until = () => new Date(clock.now() + 1000).toISOString()
  const ends: Record<string, (id: string) => Promise<Reply>> = {
    owner: (id) => ada.delete(`${path}/${id}`),
    member: (id) => ben.delete(`/api/v1/members/${id}`),
    staff: (id) => root.delete(`${path}/${id}`),
  }
  for (const [endedBy, end] of Object.entries(ends)) {
    clock.advance(1)
    const id = await join()
    assert.deepEqual([await reads(), (await pay('1.00')).status], [200, 201])
    assert.equal((await end(id)).status, 204)
    assert.deepEqual([await reads(), (await pay('1.00')).status], [403, 403], endedBy)
    assert.equal((await ada.get(path)).body.items[0].endedBy, endedBy)
    assert.equal((await ben.post(`/api/v1/members/${id}/accept`)).status, 404)
  }
  clock.advance(1)
  const timed = await join({ until: until() })
  clock.advance(999)
  assert.deepEqual([await reads(), (await pay('1.00')).status], [200, 201])
  clock.advance(1)
  assert.deepEqual([await reads(), (await pay('1.00')).status], [403, 403])
  assert.equal((await ada.get(path)).body.items[0].status, 'ended')
  assert.equal((await ada.patch(`${path}/${timed}`, { rights: 'view' })).status, 404)
  clock.advance(1)
  const id = await join()
  const terms = { beneficiaryId: bank.beneficiaryId, amount: '1.00', currency: 'EUR' }
  const order = { ...terms, rhythm: 'weekly', firstOn: '2026-03-02' }
  const made = (await ben.post(`/api/v1/accounts/${from}/orders`, order)).body.id
  const paused = async () => (await ada.get(`/api/v1/orders/${made}`)).body.pausedBecause
  const change = (body: object) => ada.patch(`${path}/${id}`, body)
  // Its time is over from the millisecond on that it names.
  const over = await change({ until: new Date(clock.now()).toISOString() })
  assert.deepEqual([over.status, over.body.details[0]?.path], [400, '/body/until'])
  assert.equal((await change({ until: new Date(clock.now() + 1).toISOString() })).status, 200)
  assert.equal((await change({ until: null, perPayment: '9.00', currency: 'EUR' })).status, 200)
  assert.equal(await paused(), null)
  await change({ rights: 'view', perPayment: null })
  assert.deepEqual([await reads(), (await pay('1.00')).status], [200, 403])
  assert.equal(await paused(), 'member')
  await change({ rights: 'pay' })
  const { rows: changes } = await sql(
    `select detail from audit_events where action = 'updateMember' and outcome = 'success'
       and detail like $1 || '%'`,
    [id],
  )
  assert.deepEqual(
    changes
      .map(({ detail }) =>
        String(detail)
          .slice(38)
          .replace(/\d{4}-.*/, ''),
      )
      .toSorted(),
    ['rights: pay', 'rights: pay; perPayment: 9.00', 'rights: pay; until: ', 'rights: view'],
  )
  const shown = async () => (await root.get(path)).body.items[0].status
  for (const person of ['ada', 'ben'] as const) {
    await sql(`update users set roles = '{support-agent}' where id = $1`, [people[person].id])
    assert.deepEqual([(await pay('1.00')).status, await shown()], [403, 'inactive'], person)
    await sql(`update users set roles = '{customer}' where id = $1`, [people[person].id])
    assert.equal(await shown(), 'active')
  }
  // Staff name the account beside the member, as the owner does.
  const elsewhere = path.replace(from, bank.to)
  assert.equal((await root.delete(`${elsewhere}/${id}`)).status, 404)
  assert.equal(await shown(), 'active')
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  assert.deepEqual([await reads(), (await pay('1.00')).status], [403, 403])
  await sql(`update users set status = 'active' where id = $1`, [people.ada.id])
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Court' })
  assert.deepEqual([await reads(), (await pay('1.00')).body.code], [200, 'account_frozen'])
})

test('what a member has ordered is paused with the membership, and is paid by the right of the one that resumes it', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, later, join, path, from, beneficiaryId, running } = bank
  const order = (voice: typeof ben, firstOn: string) =>
    voice.post(`/api/v1/accounts/${from}/orders`, {
      beneficiaryId,
      amount: '1.00',
      currency: 'EUR',
      rhythm: 'weekly',
      firstOn,
    })
  const owned = (await order(ada, '2026-01-05')).body.id as string
  const id = await join()
  const made = (await order(ben, '2026-01-05')).body.id as string
  assert.equal((await ben.post(`/api/v1/orders/${owned}/pause`)).status, 403)
  // The trail names the owner too: of what the member does, not of what the owner does.
  await ben.patch(`/api/v1/orders/${made}`, { amount: '1.00' })
  await ada.patch(`/api/v1/orders/${owned}`, { amount: '1.00' })
  const { rows: told } = await bank.sql(
    `select actor_id, action, detail from audit_events
     where action in ('createOrder', 'updateOrder') order by actor_id, action`,
  )
  assert.deepEqual(
    told.map(({ actor_id: actor, action, detail }) => [actor, action, detail]),
    [
      [people.ada.id, 'createOrder', null],
      [people.ada.id, 'updateOrder', 'amount'],
      [people.ben.id, 'createOrder', `for ${people.ada.id}`],
      [people.ben.id, 'updateOrder', `amount; for ${people.ada.id}`],
    ],
  )
  const list = await ben.post(`/api/v1/accounts/${from}/payment-lists`, {
    currency: 'EUR',
    items: [{ beneficiaryId, amount: '2.00' }],
    executeOn: '2026-01-06',
  })
  assert.equal(list.status, 201, list.text)
  const executed = await ben.post(`/api/v1/payment-lists/${list.body.id}/execute`)
  assert.ok(executed.status < 300, executed.text)
  const { ada: owner } = await later(3 * day)
  const read = async (what: string, voice = owner) => (await voice.get(`/api/v1/${what}`)).body
  const runOf = async (order: string, voice = owner) =>
    (await read(`orders/${order}/runs`, voice)).items[0]
  await running.core.orders.work()
  assert.equal((await runOf(made)).outcome, 'made')
  await owner.delete(`${path}/${id}`)
  const { status, pausedBecause } = await read(`orders/${made}`)
  assert.deepEqual([status, pausedBecause], ['paused', 'member'])
  assert.equal((await read(`orders/${owned}`)).status, 'active')
  const { ada: holder, ben: person } = await later(day)
  await running.core.paymentLists.work()
  const [line] = (await read(`payment-lists/${list.body.id}/lines`, holder)).items
  assert.deepEqual([line.status, line.refusal], ['refused', 'forbidden'], JSON.stringify(line))
  assert.equal((await holder.post(`/api/v1/orders/${made}/resume`)).status, 200)
  assert.equal((await read(`orders/${made}`, holder)).orderedBy, people.ada.id)
  // No request ends what is over by its time: the next run pauses the order.
  const until = new Date(bank.clock.now() + day).toISOString()
  const again = await holder.post(path, { username: 'ben', rights: 'pay', until })
  assert.equal((await person.post(`/api/v1/members/${again.body.id}/accept`)).status, 200)
  // What the owner has resumed is the owner's, also to the one that has made it.
  assert.equal((await person.post(`/api/v1/orders/${made}/pause`)).status, 403)
  const timed = (await order(person, '2026-01-08')).body.id as string
  const { ada: last } = await later(2 * day)
  await running.core.orders.work()
  assert.deepEqual((await runOf(timed, last)).outcome, 'refused')
  assert.equal((await read(`orders/${timed}`, last)).pausedBecause, 'member')
  await assertSound(bank)
})

test('the end of a membership by its time is kept once, and pauses what the member has ordered, from that millisecond on', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, clock, join, path, from, beneficiaryId, sql, address } = bank
  const until = new Date(clock.now() + 60_000).toISOString()
  const id = await join({ until })
  const terms = { beneficiaryId, amount: '1.00', currency: 'EUR', rhythm: 'weekly' }
  const order = { ...terms, firstOn: '2026-03-02' }
  const made = await ben.post(`/api/v1/accounts/${from}/orders`, order)
  const db = openDatabase(address)
  const sweep = () => transaction(db, (tx) => sweepMembers(tx, clock.now()))
  /** The ends in the trail, the events of the feed, and the state of the order. */
  const kept = async () => {
    const { rows: ends } = await sql(
      `select actor_id, target, address, detail from audit_events where action = 'endMember'`,
    )
    const { rows: told } = await sql(
      `select count(*)::int as n from events where $1 = any(ids) and type = 'order.paused'`,
      [made.body.id],
    )
    const { status, pausedBecause } = (await ada.get(`/api/v1/orders/${made.body.id}`)).body
    return { ends, told: told[0]?.['n'], status, pausedBecause }
  }
  const before = { ends: [], told: 0, status: 'active', pausedBecause: null }
  const detail = `${id}; until: ${until}`
  const end = { actor_id: null, target: from, address: 'service', detail }
  const after = { ends: [end], told: 1, status: 'paused', pausedBecause: 'member' }
  clock.advance(59_999)
  assert.equal(await sweep(), false, 'nothing is left to end')
  assert.deepEqual(await kept(), before)
  const [standing] = (await ada.get(path)).body.items
  assert.deepEqual([standing.status, standing.until, standing.endedAt], ['active', until, null])
  // Its time was moved between the search and the locks.
  assert.deepEqual(await transaction(db, (tx) => endDueMembers(tx, [id], clock.now())), [])
  for (const ms of [1, 0, 1]) {
    clock.advance(ms)
    await Promise.all([sweep(), sweep()])
    assert.deepEqual(await kept(), after, `${ms}`)
  }
  assert.equal(await sweep(), false, 'an end is looked for once')
  await db.close()
  const [member] = (await ada.get(path)).body.items
  assert.deepEqual([member.endedAt, member.endedBy], [until, 'time'])
  await assertSound(bank)
})

test('a member learns by no IBAN whether an account is another one of the owner', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, join, from, to, payee } = bank
  await join()
  const ibanOf = async (voice: typeof ben) =>
    (await voice.get('/api/v1/accounts')).body.items.find(
      (each: { id: string }) => each.id !== from,
    ).iban as string
  await openAccount(ben)
  const ibans = [await ibanOf(ada), await ibanOf(ben)]
  const list = (iban: string, voice = ben) =>
    voice.post(`/api/v1/accounts/${from}/payment-lists`, {
      currency: 'EUR',
      items: [{ iban, name: 'Grace Hopper', amount: '1.00' }],
    })
  const asks: Record<string, (iban: string) => Promise<Reply>> = {
    'a payment list': list,
    'a payee check': (iban) =>
      ben.post(`/api/v1/accounts/${from}/payee-checks`, { name: 'Grace Hopper', iban }),
    'a payee': (iban) => payee(iban, ben),
  }
  /** Without what differs between any two. */
  const toPlain = ({ status, text }: Reply, iban: string) =>
    `${status} ${text.replaceAll(iban, 'IBAN').replaceAll(/[\da-f]{8}-[\da-f-]{27}|[\da-f]{64}|\d{4}-\d\d-[^"]+Z/g, '')}`
  for (const [what, ask] of Object.entries(asks)) {
    const told = []
    for (const iban of ibans) told.push(toPlain(await ask(iban), iban))
    assert.equal(told[0], told[1], what)
  }
  const [own = ''] = ibans
  const lines = async (voice: typeof ben) =>
    (await list(own, voice)).body.lines.map((line: { status: string }) => line.status)
  assert.deepEqual(await lines(ada), ['ready'])
  const draft = (toAccountId: string) =>
    ben.post(`/api/v1/accounts/${from}/drafts`, { toAccountId, amount: '1.00', currency: 'EUR' })
  const [theirs, nothing] = [await draft(to), await draft(newId(0))]
  assert.deepEqual([theirs.status, theirs.text], [403, nothing.text])
})

test('a member who is staff acts on the account by no staff grant', async (t) => {
  const bank = await membersScene(t)
  const { root, invite, sql, from } = bank
  await sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const both = await bank.as('both')
  const cash = { amount: '1.00', currency: 'EUR', reason: 'Counter' }
  const staff = {
    deposit: () => both.post(`/api/v1/admin/accounts/${from}/deposits`, cash),
    freeze: () => both.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'No' }),
    settings: () => both.patch(`/api/v1/accounts/${from}/settings`, { overdraftLimit: '9.00' }),
  }
  const { id } = (await invite({ username: 'both', rights: 'view' })).body
  assert.equal((await staff.deposit()).status, 201, 'who is only invited is no member')
  assert.equal((await both.post(`/api/v1/members/${id}/accept`)).status, 200)
  for (const [what, ask] of Object.entries(staff)) assert.equal((await ask()).status, 403, what)
  const { iban } = (await root.get(`/api/v1/admin/accounts/${from}`)).body
  const arrival = { iban, amount: '1.00', currency: 'EUR', externalId: 'A', debtor: { name: 'A' } }
  const arrived = await both.post('/api/v1/admin/incoming-payments', arrival)
  assert.equal(arrived.body.code, 'forbidden', arrived.text)
})

test('an invitation and a change of it are confirmed; with the setting off nothing was ever given', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, from, invite, join, path } = bank
  const id = await join()
  const off = await bank.another({ settings: { MEMBERS: 'off' } })
  const ask = (method: string, at: string, token: string, body?: object) =>
    off.send(method, at, { token, ...(body && { body }) })
  assert.equal((await ask('GET', `/api/v1/accounts/${from}`, ben.token)).status, 403)
  assert.equal((await ask('GET', path, ada.token)).status, 404)
  assert.equal((await ask('DELETE', `${path}/${id}`, ada.token)).status, 404)
  assert.equal((await ask('GET', '/api/v1/me/memberships', ben.token)).status, 404)
  assert.deepEqual((await ask('GET', '/api/v1/accounts', ben.token)).body.items, [])
  await giveFactor(bank, 'ada')
  const asked = { username: 'both', rights: 'pay', perPayment: '9.00', currency: 'EUR' }
  const refused = await invite(asked)
  assert.equal(refused.body.code, 'confirmation_required')
  const { member, rights, perPayment, perDay } = refused.body.challenge.terms
  assert.deepEqual([member, rights, perPayment, perDay], ['both', 'pay', '9.00', 'none'])
  const headers = await confirmAnyway(bank, refused)
  const done = await ada.post(path, asked, { headers })
  assert.equal(done.status, 201, done.text)
  const change = await ada.patch(`${path}/${id}`, { rights: 'pay' })
  assert.equal(change.body.code, 'confirmation_required')
})

test('both people are told by mail what begins, changes and ends, and the owner who made an order or a list', async (t) => {
  const bank = await membersScene(t, { settings: { MEMBERS: 'on', ALERT_ABOVE: 'EUR=9' } })
  const { ada, ben, root, clock, invite, path, from, sql, beneficiaryId, address, pay } = bank
  const ending = (await ada.get(`/api/v1/accounts/${from}`)).body.iban.slice(-4)
  const seen = new Set<string>()
  /** What was mailed since: to whom, and all of it. */
  const news = async () => {
    const mails = (await readMails(bank)).filter(({ messageId = '' }) => !seen.has(messageId))
    for (const { messageId = '' } of mails) seen.add(messageId)
    return mails.map(({ to, subject, text = '' }) => ({
      to: to?.[0]?.address?.split('@')[0] ?? '',
      text: `${subject}: ${text.replaceAll(/\s+/g, ' ')}`,
    }))
  }
  /** Exactly these people are told, and each is told all of the words. */
  const tells = async (what: string, to: string[], words: string[], not: string[] = []) => {
    const told = await news()
    assert.deepEqual(told.map((mail) => mail.to).toSorted(), to.toSorted(), what)
    for (const { text } of told) {
      for (const each of words) assert.ok(text.includes(each), `${what}: no ${each} in ${text}`)
      for (const each of not) assert.ok(!text.includes(each), `${what}: ${each} in ${text}`)
    }
  }
  await news()
  const both = ['ada', 'ben']
  const until = () => new Date(clock.now() + day).toISOString()
  const inviteBen = async () => (await invite({ until: until() })).body.id as string
  const accept = (id: string) => ben.post(`/api/v1/members/${id}/accept`)
  /** An order and a list that a person makes. */
  const order = async (voice: typeof ben) => {
    const terms = { beneficiaryId, amount: '1.00', currency: 'EUR' }
    const path = `/api/v1/accounts/${from}`
    const made = await voice.post(`${path}/orders`, { ...terms, rhythm: 'weekly', firstOn })
    await voice.patch(`/api/v1/orders/${made.body.id}`, { amount: '2.00' })
    const list = { currency: 'EUR', items: [{ beneficiaryId, amount: '2.00' }] }
    const { body } = await voice.post(`${path}/payment-lists`, list)
    assert.ok((await voice.post(`/api/v1/payment-lists/${body.id}/execute`)).status < 300)
  }
  const firstOn = '2026-03-02'

  const id = await inviteBen()
  // A stranger may have the name: not which account.
  await tells('invited', ['ben'], ['Ada Okafor', 'see it and pay, until'], [ending])
  await invite({ username: 'nobody' })
  await tells('a name that no customer has', [], [])
  const taken = (await invite({ username: 'both' })).body.id
  await ada.delete(`${path}/${taken}`)
  await tells('taken back before it was sent', [], [])
  await accept(id)
  await accept(id)
  const joins = ['Ben Lindqvist accepted your invitation', ending, 'see it and pay, until']
  await tells('joined', ['ada'], joins)
  await ada.patch(`${path}/${id}`, { perDay: '80.00', currency: 'EUR' })
  const limits = 'see it and pay, up to 80.00 EUR a day, until'
  await tells('limits', both, [`what Ben Lindqvist may do for the account of Ada Okafor`, limits])
  await ada.patch(`${path}/${id}`, { perDay: '80.00', currency: 'EUR' })
  await tells('nothing changed', [], [])
  const byBen = ['by Ben Lindqvist, who may pay from this account', 'end what the person may do']
  await order(ben)
  await tells('by a member', ['ada', 'ada', 'ada'], byBen, ['with your login', 'new password'])
  await order(ada)
  await tells('by the owner', ['ada', 'ada', 'ada'], ['with your login'], ['Ben Lindqvist'])
  await pay('10.00')
  await tells('a payment by a member', ['ada'], ['10.00 EUR left', 'Ben Lindqvist made it'])
  await pay('10.00', ada)
  await tells('a payment by the owner', ['ada'], ['10.00 EUR left'], ['Ben Lindqvist'])

  const sweep = async () => {
    const db = openDatabase(address)
    await transaction(db, (tx) => sweepMembers(tx, clock.now()))
    await db.close()
  }
  await ada.delete(`${path}/${id}`)
  const ends: Record<string, (id: string, until: number) => Promise<unknown>> = {
    'the member has ended it': (id) => ben.delete(`/api/v1/members/${id}`),
    'the bank has ended it': (id) => root.delete(`${path}/${id}`),
    'its last day is over': async (_, end) => {
      clock.advance(end - 1 - clock.now())
      await sweep()
      await tells('one millisecond before its end', [], [])
      clock.advance(1)
      await sweep()
      await sweep()
    },
  }
  await tells('owner', both, [
    'Ben Lindqvist',
    'Ada Okafor',
    ending,
    'the owner of the account has',
  ])
  for (const [why, end] of Object.entries(ends)) {
    clock.advance(1)
    const next = await inviteBen()
    const endsAt = clock.now() + day
    await accept(next)
    await news()
    await end(next, endsAt)
    await tells(why, both, ['Ben Lindqvist', 'Ada Okafor', ending, why])
  }
  // The owner is told of each that joins, however many: an invitation has its own limit.
  const owner = await bank.login('ada')
  const person = await bank.login('ben')
  for (let count = 0; count <= alertsPerHour; count++) {
    clock.advance(60_000 / 4)
    const one = await owner.post(path, { username: 'ben', rights: 'view' })
    assert.equal((await person.post(`/api/v1/members/${one.body.id}/accept`)).status, 200, one.text)
    assert.equal((await owner.delete(`${path}/${one.body.id}`)).status, 204)
  }
  const joined = (await news()).filter(({ text }) => text.startsWith('A person may act for your'))
  assert.equal(joined.length, alertsPerHour + 1)
  // Those that a new invitation has ended before the sweep are told too.
  const timed = { username: 'ben', rights: 'view', until: new Date(clock.now() + 1).toISOString() }
  const last = await owner.post(path, timed)
  await person.post(`/api/v1/members/${last.body.id}/accept`)
  clock.advance(60_000)
  await sql('delete from alert_windows')
  await news()
  assert.equal((await owner.post(path, { username: 'nobody2', rights: 'view' })).status, 201)
  await tells('ended by the next invitation', both, ['its last day is over'])
  const { rows: kept } = await sql(
    `select address from audit_events where action = 'endMember' and detail like $1 || ';%'`,
    [last.body.id],
  )
  assert.deepEqual(kept, [{ address: 'service' }])
})
