// A change of the e-mail address. Links to set a password go to the new address from then on, so
// the previous address is notified, and sessions, links and devices end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Email } from 'postal-mime'
import { mailServer, readMails, tokenMailedTo } from '../../../test/support/mailbox.ts'
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

const toText = ({ to }: Email): string => to?.[0]?.address ?? ''

test('a change of the e-mail address notifies the previous one, and ends sessions, links and devices', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const device = await logIn(bank)
  await askForLink(bank, oldEmail)
  const token = await tokenMailedTo(bank, oldEmail)
  assert.equal((await root.patch(ada, { email: newEmail })).status, 200)

  const notices = (await readMails(bank))
    .filter(({ subject }) => subject?.includes('e-mail address'))
    .toSorted((one, other) => (toText(one) < toText(other) ? 1 : -1))
  assert.deepEqual(
    notices.map(({ to }) => to),
    [newEmail, oldEmail].map((address) => [{ name: 'Ada Okafor', address }]),
  )
  for (const { text } of notices) {
    assert.ok(!text?.includes('@example'), 'no notice contains an address')
  }
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

test('a refused change, one of another field, or to the same address, ends nothing and sends no notice', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const device = await logIn(bank)
  assert.equal((await root.patch(ada, { email: 'ADA@example.com', givenName: 'Ade' })).status, 200)
  assert.equal((await root.patch(ada, { email: 'ben@example.com' })).status, 409)
  assert.equal((await bank.send('GET', '/api/v1/me', { token: device.token })).status, 200)
  assert.equal((await logIn(bank, device.deviceToken)).deviceToken, device.deviceToken)
  const addresses = (await readMails(bank)).map(({ to }) => to?.[0]?.address)
  assert.deepEqual(addresses, ['root@example.com'], 'of the login alone')
})

test('a mail that waits for the previous address when it changes is not sent', async (t) => {
  const server = await mailServer(t)
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'bank@bank.example',
  }
  const bank = await world(t, { settings })
  const root = await bank.as('root')
  server.mood = 'refuses 450'
  await askForLink(bank, oldEmail)
  await bank.running.core.outbox.work()
  assert.equal((await bank.sql(`select from mails where kind = 'reset'`)).rows.length, 1)
  assert.equal((await root.patch(ada, { email: newEmail })).status, 200)
  server.mood = 'well'
  bank.clock.advance(5000)
  await bank.running.core.outbox.work()
  const subjects = server.taken.map(({ mail }) => mail.subject)
  assert.ok(subjects.includes('Your e-mail address was changed'), String(subjects))
  assert.ok(!subjects.includes('Set a new password'), String(subjects))
})

test('no mail is sent to the placeholder address of the first administrator, and a reset for it gets the usual answer', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set email = 'root@localhost' where id = $1`, [people.root.id])
  const [placeholder, real] = [
    await askForLink(bank, 'root@localhost'),
    await askForLink(bank, oldEmail),
  ]
  assert.deepEqual([placeholder.status, placeholder.text], [real.status, real.text])
  const addresses = (await readMails(bank)).map(({ to }) => to?.[0]?.address)
  assert.deepEqual(addresses, [oldEmail])
  const { rows } = await bank.sql('select from password_tokens where user_id = $1', [
    people.root.id,
  ])
  assert.equal(rows.length, 0, 'nor was a link created')
  const waiting = await bank.sql('select from mails')
  assert.equal(waiting.rows.length, 0, 'and it is not tried again')
})
