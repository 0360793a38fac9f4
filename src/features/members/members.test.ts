// People who act for an account: how one is invited, what one may do, and when that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import type { Span } from '../../../test/support/database.ts'
import { people, world } from '../../../test/support/world.ts'

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
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const beneficiaryId = payee.body.id as string
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
  return { ...bank, ben, path, invite, join, pay, later, beneficiaryId }
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
  await join({ currency: 'EUR', perPayment: '50.00', perDay: '80.00' })
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

test('a membership ends for the next request: by the owner, the member, staff, its time, or either person', async (t) => {
  const bank = await membersScene(t)
  const { ada, ben, root, clock, join, path, pay, sql, from } = bank
  const reads = async () => (await ben.get(`/api/v1/accounts/${from}`)).status
  const until = () => new Date(clock.now() + 1000).toISOString()
  const ends: Record<string, (id: string) => Promise<unknown>> = {
    owner: (id) => ada.delete(`${path}/${id}`),
    member: (id) => ben.delete(`/api/v1/members/${id}`),
    staff: (id) => root.delete(`${path}/${id}`),
  }
  for (const [endedBy, end] of Object.entries(ends)) {
    clock.advance(1)
    const id = await join()
    assert.deepEqual([await reads(), (await pay('1.00')).status], [200, 201])
    await end(id)
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
  await ada.patch(`${path}/${id}`, { rights: 'view' })
  assert.deepEqual([await reads(), (await pay('1.00')).status], [200, 403])
  await ada.patch(`${path}/${id}`, { rights: 'pay' })
  for (const person of ['ada', 'ben'] as const) {
    await sql(`update users set roles = '{support-agent}' where id = $1`, [people[person].id])
    assert.equal((await pay('1.00')).status, 403, person)
    await sql(`update users set roles = '{customer}' where id = $1`, [people[person].id])
  }
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
  const timed = (await order(person, '2026-01-08')).body.id as string
  const { ada: last } = await later(2 * day)
  await running.core.orders.work()
  assert.deepEqual((await runOf(timed, last)).outcome, 'refused')
  assert.equal((await read(`orders/${timed}`, last)).pausedBecause, 'member')
  await assertSound(bank)
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
