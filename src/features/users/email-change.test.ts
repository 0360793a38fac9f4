// Another e-mail address: links to set a password go there from now on, so the address before is
// told, and nothing that was trusted before is trusted on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMails, tokenMailedTo } from '../../../test/support/mailbox.ts'
import { password, people, world, type World } from '../../../test/support/world.ts'

const ada = `/api/v1/admin/users/${people.ada.id}`
const oldEmail = 'ada@example.com'
const newEmail = 'ada@example.org'

const logIn = async (bank: World, deviceToken?: string) => {
  const body = { username: 'ada', password, ...(deviceToken && { deviceToken }) }
  return (await bank.send('POST', '/api/v1/auth/login', { body })).body
}
const askForLink = (bank: World, email: string) =>
  bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })

test('a changed e-mail address is told to the address before, and ends sessions, links and devices', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const device = await logIn(bank)
  await askForLink(bank, oldEmail)
  const token = await tokenMailedTo(bank, oldEmail)
  assert.equal((await root.patch(ada, { email: newEmail })).status, 200)

  const told = (await readMails(bank)).filter(({ subject }) => subject?.includes('e-mail address'))
  assert.deepEqual(
    told.map(({ to }) => to),
    [[{ name: 'Ada Okafor', address: oldEmail }]],
  )
  assert.ok(!told[0]?.text?.includes(newEmail), 'the new address is not told to the one before')
  const me = await bank.send('GET', '/api/v1/me', { token: device.token })
  assert.equal(me.body.code, 'session_revoked')
  assert.notEqual((await logIn(bank, device.deviceToken)).deviceToken, device.deviceToken)

  // Also once the address is the old one again.
  assert.equal((await root.patch(ada, { email: oldEmail })).status, 200)
  const body = { token, newPassword: 'another fine password' }
  const used = await bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
  assert.equal(used.body.code, 'invalid_request')
  const second = (await readMails(bank)).filter(({ subject }) =>
    subject?.includes('e-mail address'),
  )
  assert.deepEqual(new Set(second.map(({ to }) => to?.[0]?.address)), new Set([oldEmail, newEmail]))
})

test('a change of something else, or to the same address, or one that is refused, ends and tells nothing', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const device = await logIn(bank)
  assert.equal((await root.patch(ada, { email: 'ADA@example.com', givenName: 'Ade' })).status, 200)
  assert.equal((await root.patch(ada, { email: 'ben@example.com' })).status, 409)
  assert.equal((await bank.send('GET', '/api/v1/me', { token: device.token })).status, 200)
  assert.equal((await logIn(bank, device.deviceToken)).deviceToken, device.deviceToken)
  assert.deepEqual(await readMails(bank), [])
})

test('a mail that waits for the address before when it changes goes to nobody', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  await askForLink(bank, oldEmail)
  assert.equal((await root.patch(ada, { email: newEmail })).status, 200)
  const subjects = (await readMails(bank)).map(({ subject }) => subject)
  assert.ok(!subjects.includes('Set a new password'), String(subjects))
})

test('nothing is sent to the made-up address of the first administrator, and asking for it is answered alike', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set email = 'root@localhost' where id = $1`, [people.root.id])
  const [made, real] = [await askForLink(bank, 'root@localhost'), await askForLink(bank, oldEmail)]
  assert.deepEqual([made.status, made.text], [real.status, real.text])
  const addresses = (await readMails(bank)).map(({ to }) => to?.[0]?.address)
  assert.deepEqual(addresses, [oldEmail])
  const { rows } = await bank.sql('select from password_tokens where user_id = $1', [
    people.root.id,
  ])
  assert.equal(rows.length, 0, 'no link was made either')
  const waiting = await bank.sql('select from mails')
  assert.equal(waiting.rows.length, 0, 'and it is not tried again')
})
