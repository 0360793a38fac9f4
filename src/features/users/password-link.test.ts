import assert from 'node:assert/strict'
import { test } from 'node:test'
import { here, readEvent } from '../../../test/support/audit-events.ts'
import { linkMailTo, readMails, tokenIn } from '../../../test/support/mailbox.ts'
import { people, type PersonName, world } from '../../../test/support/world.ts'

const linkPath = (id: string) => `/api/v1/admin/users/${id}/password-link`
const pathOf = (name: PersonName) => linkPath(people[name].id)
const hour = 60 * 60_000

const wanda = {
  username: 'wanda',
  email: 'wanda@example.com',
  givenName: 'Wanda',
  familyName: 'Landowska',
  roles: ['customer'],
}

test('a person who lost the invitation is invited again: the newer link works once, the older one no more', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const { id, invited } = (await root.post('/api/v1/admin/users', wanda)).body
  assert.equal(invited, true)
  const first = tokenIn(await linkMailTo(bank, wanda.email))
  bank.clock.advance(3 * 24 * hour)
  const admin = await bank.login('root')
  assert.equal((await admin.post(linkPath(id))).status, 204)
  const mail = await linkMailTo(bank, wanda.email)
  assert.equal(mail.subject, 'Welcome: choose your password')
  const newPassword = 'twelve blue herons by the weir'
  const use = (token: string) =>
    bank.send('POST', '/api/v1/auth/password-reset/confirm', { body: { token, newPassword } })
  assert.equal((await use(first)).status, 400)
  assert.equal((await use(tokenIn(mail))).status, 204)
  assert.equal((await use(tokenIn(mail))).status, 400)
  const person = (await admin.get(`/api/v1/admin/users/${id}`)).body
  assert.ok(!('invited' in person))
})

test('a link that an administrator sends resets the password, and until then changes nothing', async (t) => {
  const bank = await world(t)
  const [root, ada] = [await bank.as('root'), await bank.login('ada')]
  const sent = await root.post(pathOf('ada'))
  assert.equal(sent.status, 204)
  const mail = await linkMailTo(bank, 'ada@example.com')
  assert.equal(mail.subject, 'Set a new password')
  assert.equal((await ada.get('/api/v1/me')).status, 200)
  assert.equal((await (await bank.login('ada')).get('/api/v1/me')).status, 200)
  assert.deepEqual(await readEvent(bank, sent), {
    actorId: people.root.id,
    action: 'mailPasswordLink',
    target: people.ada.id,
    outcome: 'success',
    address: here,
    detail: null,
  })
})

test('only administrators send such links, to people who may sign in', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  for (const name of ['ada', 'agnes'] as const) {
    assert.equal((await (await bank.as(name)).post(pathOf('ben'))).status, 403, name)
  }
  await root.patch(`/api/v1/admin/users/${people.ben.id}`, { status: 'disabled' })
  assert.equal((await root.post(pathOf('ben'))).body.code, 'illegal_transition')
  const links = (await readMails(bank)).filter(({ text }) => text?.includes('#token='))
  assert.deepEqual(links, [])
})

test('a person is sent three such links in an hour, whoever sends them', async (t) => {
  const bank = await world(t)
  const [root, both] = [await bank.as('root'), await bank.as('root')]
  const send = async (admin: typeof root) => (await admin.post(pathOf('ada'))).status
  assert.deepEqual(
    [await send(root), await send(both), await send(root), await send(both), await send(root)],
    [204, 204, 204, 409, 409],
  )
  assert.equal((await root.post(pathOf('ben'))).status, 204)
  bank.clock.advance(hour - 1)
  assert.equal(await send(await bank.login('root')), 409)
  bank.clock.advance(1)
  assert.equal(await send(await bank.login('root')), 204)
})

test('no hour has more than three such links, wherever it begins', async (t) => {
  const bank = await world(t)
  const send = async () => (await (await bank.login('root')).post(pathOf('ada'))).status
  assert.equal(await send(), 204)
  bank.clock.advance(hour - 2)
  assert.deepEqual([await send(), await send()], [204, 204])
  bank.clock.advance(2)
  assert.equal(await send(), 409)
  bank.clock.advance(hour - 2)
  assert.equal(await send(), 204)
})
