// Changes of a user's own access and beneficiaries are recorded in the transaction of the change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenMailedTo } from '../../../test/support/mailbox.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import { readEvent, readEvents, here } from '../../../test/support/audit-events.ts'
import {
  password,
  people,
  type Reply,
  type ApiClient,
  world,
  type World,
} from '../../../test/support/world.ts'

const newPassword = 'a staple and a correct horse'
const refreshPath = '/api/v1/auth/refresh'
const actorId = people.ada.id

type Step = {
  action: string
  change: () => Promise<Reply>
  target: (reply: Reply) => string
  status?: number
  outcome?: string
  detail?: RegExp
}

async function reusedToken(bank: World, client: ApiClient): Promise<() => Promise<Reply>> {
  const body = { refreshToken: client.refreshToken }
  const used = await bank.send('POST', refreshPath, { body })
  assert.equal(used.status, 200)
  assert.deepEqual(await readEvents(bank, used), [], 'an ordinary refresh is not recorded')
  const next = { refreshToken: used.body.refreshToken as string }
  assert.equal((await bank.send('POST', refreshPath, { body: next })).status, 200)
  return () => bank.send('POST', refreshPath, { body })
}

async function readLink(bank: World, name: 'ada' | 'ben'): Promise<() => Promise<Reply>> {
  const email = `${name}@example.com`
  await bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
  const token = await tokenMailedTo(bank, email)
  const confirm = '/api/v1/auth/password-reset/confirm'
  return () => bank.send('POST', confirm, { body: { token, newPassword } })
}

/** Each own change that is recorded, in an order in which each succeeds. */
async function toSteps(bank: World): Promise<Step[]> {
  const [ada, leaving, spare, shared] = [
    await bank.login('ada'),
    await bank.login('ada'),
    await bank.login('ada'),
    await bank.login('ada'),
  ]
  const account = await openAccount(ada)
  const [reuse, useLink] = [await reusedToken(bank, shared), await readLink(bank, 'ada')]
  const createdId = (reply: Reply) => reply.body.id as string
  const grace = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  return [
    {
      action: 'login',
      change: () =>
        bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } }),
      target: (reply) => reply.body.sessionId as string,
    },
    {
      action: 'createBeneficiary',
      change: () => ada.post(`/api/v1/accounts/${account}/beneficiaries`, grace),
      target: createdId,
    },
    {
      action: 'logout',
      change: () => leaving.post('/api/v1/auth/logout'),
      target: () => leaving.sessionId,
    },
    {
      action: 'revokeSession',
      change: () => ada.delete(`/api/v1/auth/sessions/${spare.sessionId}`),
      target: () => spare.sessionId,
    },
    {
      action: 'refresh',
      change: reuse,
      target: () => shared.sessionId,
      status: 401,
      outcome: 'failure',
      detail: /used again/,
    },
    {
      action: 'resetPassword',
      change: useLink,
      target: () => actorId,
    },
  ]
}

async function passwordChange(bank: World): Promise<Step> {
  const ada = await bank.login('ada')
  const body = { currentPassword: password, newPassword }
  const change = () => ada.post('/api/v1/auth/password', body)
  return { action: 'changePassword', change, target: () => actorId }
}

async function assertRecorded(bank: World, step: Step): Promise<void> {
  const reply = await step.change()
  assert.ok(
    step.status === undefined ? reply.status < 300 : reply.status === step.status,
    reply.text,
  )
  const { detail, ...event } = await readEvent(bank, reply)
  const { action, outcome = 'success' } = step
  const target = step.target(reply)
  assert.deepEqual(event, { actorId, action, target, outcome, address: here })
  if (step.detail) assert.match(detail ?? '', step.detail)
  else assert.equal(detail, null)
}

test('each own change of access, and each new beneficiary, is recorded once', async (t) => {
  const bank = await world(t)
  for (const step of await toSteps(bank)) await assertRecorded(bank, step)
  const other = await world(t)
  await assertRecorded(other, await passwordChange(other))
})

test('an own change whose event cannot be written does not happen, for each kind', async (t) => {
  const bank = await world(t)
  const steps = [...(await toSteps(bank)), await passwordChange(bank)]
  await bank.running.core.outbox.work()
  await bank.running.edge.flush()
  const state = async () => {
    const { rows } = await bank.sql(
      `select (select jsonb_agg(u order by id) from users u) as people,
              (select jsonb_agg(s.ended_because order by id) from sessions s) as sessions,
              (select count(*) from beneficiaries) as beneficiaries,
              (select count(*) from mails) as mails,
              (select count(*) from password_tokens) as links`,
    )
    return rows[0]
  }
  const before = await state()
  await bank.sql('alter table audit_events add check (id is null) not valid')
  for (const { action, change } of steps) assert.equal((await change()).status, 500, action)
  assert.deepEqual(await state(), before)
})

test('an own change that did not happen is not recorded', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  const account = await openAccount(ada)
  const path = `/api/v1/accounts/${account}/beneficiaries`
  const { body } = await ada.get(`/api/v1/accounts/${account}`)
  const replies = [
    await ada.post(path, { name: 'Self', iban: body.iban as string }),
    await ada.post('/api/v1/auth/password', { currentPassword: 'wrong', newPassword }),
    await bank.send('POST', '/api/v1/auth/password-reset/confirm', {
      body: { token: 'A'.repeat(43), newPassword },
    }),
    await bank.send('POST', refreshPath, { body: { refreshToken: 'A'.repeat(43) } }),
  ]
  for (const reply of replies) {
    assert.ok([400, 401].includes(reply.status), reply.text)
    assert.deepEqual(await readEvents(bank, reply), [])
  }
})

test('a session and the event of its login are written in one transaction', async (t) => {
  const bank = await world(t)
  const { sessionId } = await bank.login('ada')
  await bank.running.edge.flush()
  const { rows } = await bank.sql(
    `select s.xmin = e.xmin as is_one from sessions s join audit_events e on e.target = s.id
     where s.id = $1`,
    [sessionId],
  )
  assert.deepEqual(rows, [{ is_one: true }])
})

test('limited logins are recorded once per minute and network, for any number of its addresses', async (t) => {
  const bank = await world(t, {
    limits: 'default',
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
  })
  const attempt = (address: string) =>
    bank.send('POST', '/api/v1/auth/login', {
      body: { username: 'ada', password: 'wrong' },
      headers: { 'x-forwarded-for': address },
    })
  const limited = async () => {
    await bank.running.edge.flush()
    const { rows } = await bank.sql(
      `select address from audit_events where outcome = 'limited' order by id`,
    )
    return rows.map(({ address }) => address)
  }
  for (let turn = 1; turn <= 30; turn++) await attempt(`2001:db8:0:1::${turn}`)
  assert.deepEqual(await limited(), ['2001:db8:0:1::6'])
  await attempt('2001:db8:0:2::1')
  assert.equal((await limited()).length, 2, 'another network is recorded separately')
  bank.clock.advance(60_000)
  for (let turn = 1; turn <= 30; turn++) await attempt(`2001:db8:0:1::f${turn}`)
  assert.equal((await limited()).length, 3, 'and the first again in the next minute')
})
