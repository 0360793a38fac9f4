// Mails of a large payment, which `alertsEnabled` switches; of a new device, a changed phone number
// and a changed e-mail address, which need no setting.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Email } from 'postal-mime'
import { many, openAccount, readBalance, sceneIn } from '../../../test/support/fixture.ts'
import { mailServer, readMails, until } from '../../../test/support/mailbox.ts'
import { password, people, world, type World } from '../../../test/support/world.ts'
import { isAlert, mailKinds } from './kinds.ts'

const minute = 60_000
const otherBank = 'DE89370400440532013000'
const device = 'A login from a new device'
const payment = 'A payment left your account'
const phone = 'A phone number was changed'
const paused = 'Many alerts within an hour'

type Paid = Awaited<ReturnType<typeof payer>>

/** Ada has an account with money in it and a payee at another bank; mails so far are `known`. */
async function payer(made: World, balance = '100000.00') {
  const bank = await sceneIn(made, balance)
  const { ada, from } = bank
  const body = { name: 'Otto Example', iban: otherBank }
  const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  assert.equal(added.status, 201, added.text)
  const pay = async (amount: string, more = {}, key?: string) =>
    ada.post(
      '/api/v1/transfers',
      {
        fromAccountId: from,
        beneficiaryId: added.body.id,
        amount,
        currency: 'EUR',
        reference: 'Rent https://evil.example',
        ...more,
      },
      { headers: { 'idempotency-key': key ?? randomBytes(8).toString('hex') } },
    )
  const known = (await readMails(bank)).length
  return { ...bank, pay, known }
}

const subjects = async (bank: Paid | World, known = 0): Promise<(string | undefined)[]> =>
  (await readMails(bank)).slice(known).map(({ subject }) => subject)

const setAlerts = async ({ root, from }: Pick<Paid, 'root' | 'from'>, alertsEnabled: boolean) => {
  const reply = await root.patch(`/api/v1/accounts/${from}/settings`, { alertsEnabled })
  assert.equal(reply.status, 200, reply.text)
}

test('a payment above the threshold is told to its payer, once, by the ends of both IBANs', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=1000' } }))
  const { pay, ada, from } = bank
  const key = 'key-of-a-large-payment'
  assert.equal((await pay('1000.00')).status, 201)
  assert.equal((await pay('1000.01', {}, key)).status, 201)
  assert.equal((await pay('1000.01', {}, key)).headers['idempotency-replayed'], 'true')
  assert.equal((await pay('200000.00')).body.code, 'insufficient_funds')
  const mails = (await readMails(bank)).slice(bank.known)
  assert.deepEqual(
    mails.map(({ subject, to }) => [subject, to?.[0]?.address]),
    [[payment, 'ada@example.com']],
  )
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const text = mails[0]?.text ?? ''
  assert.ok(text.startsWith('Hello Ada,\n\n1,000.01 EUR left your account that ends in '), text)
  assert.match(
    text,
    new RegExp(`that ends in ${iban.slice(-4)} on 2 January 2026 at 09:00\\sUTC, to`),
  )
  assert.match(text, /to an account that ends in 3000\./)
  assertHidesSecrets(mails[0], [iban, otherBank, await readBalance(ada, from)])
  assert.doesNotMatch(text, /Rent|evil|Otto/, 'no text that a client chose')
})

function assertHidesSecrets(mail: Email | undefined, secrets: readonly string[]): void {
  const whole = JSON.stringify(mail)
  for (const secret of secrets) assert.ok(!whole.includes(secret), secret)
  assert.doesNotMatch(whole, /\bey[\w-]{8}|token=/)
  assert.equal(mail?.html, undefined)
  assert.equal(mail?.attachments.length, 0)
}

test('cash that is paid out is told, money between own accounts and money that comes in is not', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=10' } }))
  const { pay, root, from, to } = bank
  const own = await pay('50.00', { beneficiaryId: undefined, toAccountId: to })
  assert.equal(own.status, 201, own.text)
  const cash = { amount: '20.00', currency: 'EUR', reason: 'Counter' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${from}/deposits`, cash)).status, 201)
  assert.deepEqual(await subjects(bank, bank.known), [])
  const path = `/api/v1/admin/accounts/${from}/withdrawals`
  assert.equal((await root.post(path, cash)).status, 201)
  const [mail, ...others] = (await readMails(bank)).slice(bank.known)
  assert.deepEqual([mail?.subject, others], [payment, []])
  assert.match(mail?.text ?? '', /20\.00 EUR left .*2026 at 09:00\sUTC, in cash\./s)
})

test('what was reserved and is taken is told as that, and not as cash', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=10' } }))
  const { root, from } = bank
  const terms = { amount: '20.00', currency: 'EUR', kind: 'dispute', reference: 'Hotel' }
  const { id } = (await root.post(`/api/v1/accounts/${from}/holds`, terms)).body
  const taken = await root.post(`/api/v1/holds/${id}/capture`, { amount: '20.00', currency: 'EUR' })
  assert.equal(taken.status, 201, taken.text)
  const mail = (await readMails(bank)).at(-1)
  assert.match(
    mail?.text ?? '',
    /20\.00 EUR left .*2026 at 09:00\sUTC, out\sof what was reserved\./s,
  )
})

test('no payment is told of an account without alerts, of a currency without a threshold, or with none', async (t) => {
  const bank = await payer(await world(t))
  await setAlerts(bank, false)
  assert.equal((await bank.pay('1000.01')).status, 201)
  await setAlerts(bank, true)
  assert.equal((await bank.pay('1000.02')).status, 201)
  assert.deepEqual(await subjects(bank, bank.known), [payment])
  for (const ALERT_ABOVE of ['none', 'USD=1']) {
    const silent = await payer(await world(t, { settings: { ALERT_ABOVE } }))
    assert.equal((await silent.pay('50000.00')).status, 201)
    assert.deepEqual(await subjects(silent, silent.known), [], ALERT_ABOVE)
  }
})

test('a threshold of 0 tells of every payment', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=0' } }))
  assert.equal((await bank.pay('0.01')).status, 201)
  assert.deepEqual(await subjects(bank, bank.known), [payment])
})

test('a payee at this bank is named by the end of the IBAN, too', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=10' } }))
  const ben = await bank.as('ben')
  const iban = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body.iban as string
  const path = `/api/v1/accounts/${bank.from}/beneficiaries`
  const { body } = await bank.ada.post(path, { name: 'Ben', iban })
  assert.equal((await bank.pay('11.00', { beneficiaryId: body.id })).status, 201)
  const mail = (await readMails(bank)).at(-1)
  assert.match(mail?.text ?? '', new RegExp(`to an account that ends in ${iban.slice(-4)}\\.`))
})

test('a mail server that hangs delays no payment, and the alert is sent once it answers', async (t) => {
  const server = await mailServer(t)
  const settings = {
    ALERT_ABOVE: 'EUR=10',
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'bank@bank.example',
  }
  const bank = await payer(await world(t, { settings, isPolling: true }))
  server.mood = 'hangs'
  const startedAt = performance.now()
  for (const amount of ['11.00', '12.00', '13.00', '14.00', '15.00', '16.00']) {
    assert.equal((await bank.pay(amount)).status, 201)
  }
  assert.ok(performance.now() - startedAt < 5000)
  await until('the mails hang', () => server.hanging === 4)
  server.mood = 'well'
  server.release()
  await bank.running.core.outbox.work()
  assert.equal(server.taken.filter(({ mail }) => mail.subject === payment).length, 6)
  assert.deepEqual((await bank.sql('select from mails')).rows, [])
})

const logIn = async (bank: World, deviceToken?: string, username = 'ada') => {
  const body = { username, password, device: 'Call +1 555 0100', deviceToken }
  const reply = await bank.send('POST', '/api/v1/auth/login', { body })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

test('a login from a new device is told; one from a known device, or that fails, is not', async (t) => {
  const bank = await world(t)
  await logIn(bank)
  assert.deepEqual(await subjects(bank), [], 'without an account there is nothing to lose')
  await openAccount(await bank.as('ada'))
  bank.clock.advance(30 * minute)
  const { deviceToken } = await logIn(bank)
  const [mail, ...others] = await readMails(bank)
  assert.deepEqual([mail?.subject, others], [device, []])
  assert.match(
    mail?.text ?? '',
    /user name ada was used to log in on 2 January 2026 at 09:30\sUTC,/,
  )
  assertHidesSecrets(mail, [deviceToken, '555 0100'])
  await logIn(bank, deviceToken)
  const body = { username: 'ada', password: 'not the password' }
  assert.equal((await bank.send('POST', '/api/v1/auth/login', { body })).status, 401)
  assert.deepEqual(await subjects(bank), [device])
  // The setting is about payments.
  await bank.sql('update accounts set alerts_enabled = false')
  await logIn(bank)
  assert.deepEqual(await subjects(bank), [device, device])
})

test('staff are told of a new device and a changed phone, with an account or without', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  let known = (await readMails(bank)).length
  const sentTo = async (name: 'agnes' | 'both' | 'root', digit: number) => {
    await logIn(bank, undefined, name)
    const change = { phone: `+44207946011${digit}` }
    const changed = await root.patch(`/api/v1/admin/users/${people[name].id}`, change)
    assert.equal(changed.status, 200, changed.text)
    const sent = await subjects(bank, known)
    known += sent.length
    return sent
  }
  for (const name of ['agnes', 'both', 'root'] as const) {
    assert.deepEqual(new Set(await sentTo(name, 1)), new Set([device, phone]), name)
  }
  const bens = { phone: '+442079460119' }
  assert.equal((await root.patch(`/api/v1/admin/users/${people.ben.id}`, bens)).status, 200)
  assert.deepEqual(await subjects(bank, known), [phone], 'a customer without an account')
  await openAccount(await bank.as('both'))
  known = (await readMails(bank)).length
  await bank.sql('update accounts set alerts_enabled = false')
  assert.deepEqual(new Set(await sentTo('both', 2)), new Set([device, phone]), 'with alerts off')
})

test('a changed phone number is told, of the person and of an account, without the number', async (t) => {
  const bank = await payer(await world(t))
  const { root, from } = bank
  const person = `/api/v1/admin/users/${people.ada.id}`
  const settings = `/api/v1/accounts/${from}/settings`
  const changes = [
    [person, { phone: '+442079460111' }, 1],
    [person, { phone: '+442079460111', givenName: 'Ada' }, 0],
    [settings, { registeredPhone: '+442079460222' }, 1],
    [settings, { registeredPhone: '+442079460222', overdraftLimit: '0' }, 0],
    [settings, { registeredPhone: null, alertsEnabled: false }, 1],
    // The setting is about payments.
    [settings, { registeredPhone: '+442079460333' }, 1],
  ] as const
  let known = bank.known
  for (const [path, change, count] of changes) {
    assert.equal((await root.patch(path, change)).status, 200)
    const mails = (await readMails(bank)).slice(known)
    known += count
    const expected = Array.from({ length: count }, () => [phone, 'ada@example.com'])
    assert.deepEqual(
      mails.map(({ subject, to }) => [subject, to?.[0]?.address]),
      expected,
      JSON.stringify(change),
    )
    for (const mail of mails) assertHidesSecrets(mail, ['44207946'])
  }
})

test('a changed e-mail address and password are told whatever the setting says', async (t) => {
  const bank = await payer(await world(t))
  await setAlerts(bank, false)
  const change = { currentPassword: password, newPassword: 'twelve blue herons by the weir' }
  const changed = await bank.ada.post('/api/v1/auth/password', change)
  assert.equal(changed.status, 204, changed.text)
  await readMails(bank)
  const person = `/api/v1/admin/users/${people.ada.id}`
  assert.equal((await bank.root.patch(person, { email: 'new@example.org' })).status, 200)
  const mails = (await readMails(bank)).slice(bank.known)
  assert.deepEqual(mails.map(({ subject, to }) => `${subject}: ${to?.[0]?.address}`).toSorted(), [
    'This is your e-mail address now: new@example.org',
    'Your e-mail address was changed: ada@example.com',
    // Waited for the address that the person has when it is written.
    'Your password was changed: ada@example.com',
  ])
})

test('a person is sent ten alerts of a kind in an hour and one that says so, and other kinds beside them', async (t) => {
  const settings = { ALERT_ABOVE: 'EUR=10', SESSION_IDLE: '2h', TOKEN_TTL: '2h' }
  const bank = await payer(await world(t, { settings }))
  const { pay, known, clock } = bank
  for (let number = 1; number <= 9; number++) await pay(`20.0${number}`)
  assert.equal((await subjects(bank, known)).length, 9)
  // These wait at the same time: which one is the tenth does not matter.
  await many(6, (number) => pay(`30.0${number}`))
  const sent = await subjects(bank, known)
  assert.deepEqual([sent.length, sent.filter((subject) => subject === paused).length], [11, 1])
  await pay('40.00')
  const waiting = await bank.sql('select kind from mails')
  assert.deepEqual(waiting.rows, [], 'it is not even queued')
  await logIn(bank)
  assert.equal((await subjects(bank, known + 11))[0], device)
  clock.advance(60 * minute - 1)
  assert.equal((await pay('50.00')).status, 201)
  assert.equal((await subjects(bank, known)).length, 12)
  clock.advance(1)
  assert.equal((await pay('60.00')).status, 201)
  assert.deepEqual(await subjects(bank, known + 12), [payment])
})

test('what tells of access and of security is sent however many are sent in an hour', () => {
  const uncounted =
    'reset invitation password-changed email-changed email-set email-asked email-proof ' +
    'alerts-paused notices-off webhook-disabled factor-added factor-removed factor-reset ' +
    'wrong-factor codes-refused recovery-codes-made recovery-code-used issuer-linked ' +
    'issuer-unlinked limits-raised signatures-lowered member-joined'
  const found = mailKinds.filter((kind) => !isAlert(kind))
  assert.deepEqual(found.toSorted(), uncounted.split(' ').toSorted())
})

test('an alert that could not be sent at once is counted once, on every instance', async (t) => {
  const server = await mailServer(t)
  const settings = {
    ALERT_ABOVE: 'EUR=10',
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: 'bank@bank.example',
  }
  const bank = await payer(await world(t, { settings }))
  const second = await bank.another()
  const work = () => Promise.all([bank, second].map(({ running }) => running.core.outbox.work()))
  await work()
  server.taken.length = 0
  server.mood = 'refuses 450'
  await many(15, (number) => bank.pay(`${20 + number}.00`))
  await work()
  const counted = await bank.sql('select kind, count(*)::int from mails group by 1 order by 1')
  assert.deepEqual(counted.rows, [
    { kind: 'alerts-paused', count: 1 },
    { kind: 'payment', count: 10 },
  ])
  server.mood = 'well'
  bank.clock.advance(5000)
  await work()
  const sent = server.taken.map(({ mail }) => mail.subject)
  assert.deepEqual([sent.length, sent.filter((subject) => subject === paused).length], [11, 1])
  assert.deepEqual((await bank.sql('select from mails')).rows, [])
})

test('a name with line breaks and addresses adds no header and no recipient', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=10' } }))
  const name = 'Okafor\r\nBcc: mallory@evil.example\r\n\r\n<b>x</b>'
  await bank.sql('update users set family_name = $2 where id = $1', [people.ada.id, name])
  assert.equal((await bank.pay('11.00')).status, 201)
  const mail = (await readMails(bank)).at(-1) ?? assert.fail()
  assert.deepEqual(
    [mail.bcc, mail.cc, mail.to?.length, mail.to?.[0]?.address],
    [undefined, undefined, 1, 'ada@example.com'],
  )
  assert.ok(!mail.headers.some(({ key }) => key === 'bcc'))
  assert.doesNotMatch(mail.text ?? '', /<b>|mallory/)
})

test('the mail of a payment is queued in the transaction of the payment', async (t) => {
  const bank = await payer(await world(t, { settings: { ALERT_ABOVE: 'EUR=10' } }))
  const before = await readBalance(bank.ada, bank.from)
  await bank.sql(`alter table mails add constraint refused check (kind <> 'payment') not valid`)
  const reply = await bank.pay('11.00')
  assert.ok(reply.status >= 500, reply.text)
  assert.equal(await readBalance(bank.ada, bank.from), before)
  await bank.sql('alter table mails drop constraint refused')
  assert.equal((await bank.pay('11.00')).status, 201)
  assert.deepEqual(await subjects(bank, bank.known), [payment])
})
