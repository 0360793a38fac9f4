import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { queueMail } from '../mail/sql.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { userByToken, usePasswordToken } from './reset-sql.ts'
import { issueToken } from './reset.ts'
import { dump } from '../../../test/support/database-dump.ts'
import {
  lastMail,
  linkMailTo,
  readMails,
  tokenIn,
  tokenMailedTo,
  until,
} from '../../../test/support/mailbox.ts'
import { password, people, type Reply, world, type World } from '../../../test/support/world.ts'

const ask = '/api/v1/auth/password-reset'
const confirm = '/api/v1/auth/password-reset/confirm'
const minute = 60_000
const hour = 60 * minute
const newPassword = 'twelve blue herons by the weir'

const askFor = (bank: World, email: unknown, headers: Record<string, string> = {}) =>
  bank.send('POST', ask, { body: { email }, headers })

/** Asks for a reset and returns the mailed token. */
async function tokenFor(bank: World, email = 'ada@example.com'): Promise<string> {
  assert.equal((await askFor(bank, email)).status, 202)
  return tokenMailedTo(bank, email)
}

const use = (bank: World, token: string, body: object = { newPassword }) =>
  bank.send('POST', confirm, { body: { token, ...body } })

const logIn = (bank: World, username: string, secret: string) =>
  bank.send('POST', '/api/v1/auth/login', { body: { username, password: secret } })

/** The refusal of any token that is not valid. */
function assertUnusable(reply: Reply, what: string): void {
  assert.equal(reply.status, 400, what)
  assert.equal(
    reply.text,
    '{"error":"Bad Request","code":"invalid_request",' +
      '"message":"The request is invalid; see details.",' +
      '"details":[{"path":"/body/token","message":"is not valid or no longer valid"}]}',
    what,
  )
}

test('a mailed link sets the password once, ends all sessions of that user and no other, and does not log in', async (t) => {
  const bank = await world(t)
  const [phone, laptop, ben] = [
    await bank.login('ada'),
    await bank.login('ada'),
    await bank.as('ben'),
  ]
  const token = await tokenFor(bank)
  const mail = await lastMail(bank)
  assert.deepEqual(mail.to, [{ name: 'Ada Okafor', address: 'ada@example.com' }])
  assert.match(mail.text ?? '', /^https:\/\/bank\.example\/portal\/reset#token=/m)
  assert.match(mail.text ?? '', /until 2 January 2026 at 09:30\sUTC/)
  assert.equal((await logIn(bank, 'ada', password)).status, 200, 'asking changes nothing')
  assert.equal((await phone.get('/api/v1/me')).status, 200)

  const done = await use(bank, token)
  assert.deepEqual([done.status, done.text], [204, ''])
  for (const client of [phone, laptop]) {
    assert.equal((await client.get('/api/v1/me')).body.code, 'session_revoked')
    const body = { refreshToken: client.refreshToken }
    assert.equal((await bank.send('POST', '/api/v1/auth/refresh', { body })).status, 401)
  }
  assert.equal((await ben.get('/api/v1/me')).status, 200)
  assert.equal((await logIn(bank, 'ada', password)).status, 401)
  assert.equal((await logIn(bank, 'ada', newPassword)).status, 200)
  assertUnusable(await use(bank, token), 'used')
  const { rows } = await bank.sql(`select password_version from users where username = 'ada'`)
  assert.deepEqual(rows, [{ password_version: 1 }])
})

test('a reset notifies the person and forgets all devices', async (t) => {
  const bank = await world(t)
  await bank.login('ada')
  await bank.login('ben')
  await use(bank, await tokenFor(bank))
  const notice = await lastMail(bank)
  assert.equal(notice.subject, 'Your password was changed')
  assert.equal(notice.to?.[0]?.address, 'ada@example.com')
  assert.doesNotMatch(notice.text ?? '', /token/)
  const { rows } = await bank.sql('select user_id from devices')
  assert.deepEqual(rows, [{ user_id: people.ben.id }])
})

test('known, unknown and disabled addresses get the same answer, and only the known one a mail', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set status = 'disabled' where username = 'ben'`)
  const replies = await Promise.all(
    ['ada@example.com', 'nobody@example.com', 'ben@example.com'].map((email) =>
      askFor(bank, email),
    ),
  )
  const { rows } = await bank.sql('select kind, user_id, attempts from mails')
  assert.ok(rows.length === 0 || rows.length === 3, 'one row each')
  for (const { status, text, headers } of replies) {
    assert.equal(status, 202)
    assert.equal(text, replies[0]?.text)
    const common = { ...headers, 'x-request-id': '', date: '', ratelimit: '' }
    const first = { ...replies[0]?.headers, 'x-request-id': '', date: '', ratelimit: '' }
    assert.deepEqual(common, first)
    assert.match(
      headers['ratelimit'] ?? '',
      /^"perEmail";r=999999;t=3600, "perAddress";r=9999\d\d;/,
    )
  }
  const mails = await readMails(bank)
  assert.deepEqual(
    mails.map(({ to }) => to?.[0]?.address),
    ['ada@example.com'],
  )
  assert.equal((await bank.sql('select from mails')).rowCount, 0, 'nothing is left')
  assert.equal((await bank.sql('select from password_tokens')).rowCount, 1)
})

test('the fourth request for an address in an hour is limited, in every spelling, known or not; others are not', async (t) => {
  const bank = await world(t, { limits: 'default' })
  const spellings = {
    ada: ['ada@example.com', 'ADA@Example.Com', 'ａｄａ@example.com', 'ada@ｅｘａｍｐｌｅ.com'],
    nobody: ['nobody@x.example', 'NOBODY@x.example', 'noBody@X.example', 'ｎobody@x.example'],
  }
  for (const [who, emails] of Object.entries(spellings)) {
    for (const email of emails.slice(0, 3)) {
      assert.equal((await askFor(bank, email)).status, 202, email)
    }
    const limited = await askFor(bank, emails[3])
    assert.equal(limited.status, 429, who)
    assert.equal(limited.headers['retry-after'], '3600')
    const elsewhere = await bank.send('POST', ask, {
      body: { email: emails[0] },
      from: '127.0.0.7',
    })
    assert.equal(elsewhere.status, 429, 'counted by e-mail address, for any client')
  }
  assert.equal((await askFor(bank, 'ben@example.com')).status, 202)
  bank.clock.advance(hour - 1)
  assert.equal((await askFor(bank, 'ada@example.com')).status, 429)
  bank.clock.advance(1)
  assert.equal((await askFor(bank, 'ada@example.com')).status, 202)
})

test('one client may ask for thirty addresses in an hour', async (t) => {
  const bank = await world(t, { limits: 'default' })
  for (let turn = 0; turn < 30; turn++) {
    assert.equal((await askFor(bank, `person${turn}@example.com`)).status, 202)
  }
  assert.equal((await askFor(bank, 'ada@example.com')).status, 429)
  const body = { email: 'ada@example.com' }
  assert.equal((await bank.send('POST', ask, { body, from: '127.0.0.7' })).status, 202)
})

test('of twenty simultaneous uses of a link exactly one succeeds', async (t) => {
  const bank = await world(t)
  const token = await tokenFor(bank)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      use(bank, token, { newPassword: `${newPassword} ${turn}` }),
    ),
  )
  const winners = replies.flatMap(({ status }, turn) => (status === 204 ? [turn] : []))
  assert.equal(winners.length, 1)
  for (const reply of replies.filter(({ status }) => status !== 204)) {
    assertUnusable(reply, 'lost')
  }
  assert.equal((await logIn(bank, 'ada', `${newPassword} ${winners[0]}`)).status, 200)
  assert.equal((await readMails(bank)).length, 2, 'one link, one notice')
})

test('unknown, malformed, expired, void and used tokens get the same refusal', async (t) => {
  const bank = await world(t)
  for (const token of ['A'.repeat(43), 'x', 'ä'.repeat(128), `' or 1=1 --`]) {
    assertUnusable(await use(bank, token), token)
  }
  assertUnusable(
    await use(bank, 'A'.repeat(43), { newPassword: 'short' }),
    'nothing about the policy',
  )

  const older = await tokenFor(bank)
  const newer = await tokenFor(bank)
  assert.notEqual(older, newer)
  assertUnusable(await use(bank, older), 'replaced by a newer one')
  bank.clock.advance(30 * minute)
  assertUnusable(await use(bank, newer), 'expired')
  assertUnusable(await use(bank, newer, { newPassword: 'short' }), 'expired')
  const valid = await tokenFor(bank)
  bank.clock.advance(30 * minute - 1)
  assert.equal((await use(bank, valid)).status, 204, 'valid to the last millisecond')
})

test('a link is void once the person is disabled, has another address or another password', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const ada = `/api/v1/admin/users/${people.ada.id}`
  const first = await tokenFor(bank)
  // A link that is void tells nothing of the password policy either.
  const bad = { newPassword: 'short' }
  await root.patch(ada, { status: 'disabled' })
  assertUnusable(await use(bank, first), 'disabled')
  assertUnusable(await use(bank, first, bad), 'disabled')
  await root.patch(ada, { status: 'active' })
  assertUnusable(await use(bank, first), 'enabled again')

  const second = await tokenFor(bank)
  await root.patch(ada, { email: 'ada@new.example' })
  assertUnusable(await use(bank, second), 'sent to her previous address')
  assertUnusable(await use(bank, second, bad), 'sent to her previous address')

  const third = await tokenFor(bank, 'ada@new.example')
  const client = await bank.login('ada')
  const body = { currentPassword: password, newPassword }
  assert.equal((await client.post('/api/v1/auth/password', body)).status, 204)
  assertUnusable(await use(bank, third), 'the password was changed in the meantime')
  assertUnusable(await use(bank, third, bad), 'the password was changed in the meantime')
  const notices = (await readMails(bank)).filter(({ subject }) => subject?.endsWith('was changed'))
  assert.equal(notices.at(-1)?.subject, 'Your password was changed')
  const fourth = await tokenFor(bank, 'ada@new.example')
  assert.equal((await use(bank, fourth)).status, 204, 'the newest link replaces all of that')
})

test('a link that becomes void while the new password is hashed sets no password', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const now = bank.clock.now()
  const issue = () => transaction(db, (tx) => issueToken(tx, people.ada.id, 'reset', now))
  const issued = await issue()
  assert.ok(issued)
  const useAt = (at: number) =>
    transaction(db, (tx) => usePasswordToken(tx, sha256(issued.token), 'a hash', at))
  /** Whether it is found before the hash, and can be used after it; nothing is changed. */
  const isValid = async (at: number) => {
    const isFound = (await userByToken(db, sha256(issued.token), at)) !== undefined
    const attempt = transaction(db, async (tx) => {
      const used = await usePasswordToken(tx, sha256(issued.token), 'a hash', at)
      throw new Error(used ? 'used' : 'void')
    })
    return [isFound, (await attempt.catch((thrown: Error) => thrown.message)) === 'used']
  }
  assert.deepEqual(await isValid(now), [true, true])
  for (const [change, undo] of [
    [`status = 'disabled'`, `status = 'active'`],
    [`email = 'ada@new.example'`, `email = 'ada@example.com'`],
    ['password_version = password_version + 1', 'password_version = password_version - 1'],
  ]) {
    await bank.sql(`update users set ${change} where username = 'ada'`)
    assert.deepEqual(await isValid(now), [false, false], change)
    await bank.sql(`update users set ${undo} where username = 'ada'`)
  }
  assert.deepEqual(await isValid(issued.expiresAt), [false, false])
  assert.deepEqual(await useAt(issued.expiresAt - 1), { id: people.ada.id })
  assert.equal(await useAt(now), undefined, 'once')

  await issue()
  await bank.sql(`update users set email = 'ada@new.example' where username = 'ada'`)
  assert.equal((await issue())?.email, 'ada@new.example', 'sent to the address of the moment')
})

test('a password against the policy is refused with its reason, and the link stays valid', async (t) => {
  const bank = await world(t)
  const token = await tokenFor(bank)
  const bad = ['short', 'x'.repeat(129), 'password1234', 'I am ada, hear me roar']
  for (const secret of bad) {
    const reply = await use(bank, token, { newPassword: secret })
    assert.deepEqual([reply.status, reply.body.details[0].path], [400, '/body/newPassword'], secret)
  }
  assert.equal((await use(bank, token)).status, 204)
})

test('anything but a single e-mail address is refused and nothing is queued', async (t) => {
  const bank = await world(t)
  const inputs = [
    'ada@example.com\r\nBcc: evil@example.com',
    'ada@example.com,evil@example.com',
    'ada@example.com evil@example.com',
    '<ada@example.com>',
    'Ada <ada@example.com>',
    '"ada"@example.com',
    'mıke@example.com',
    'ada@exämple.com',
    'ada@example.com\u0000',
    `${'a'.repeat(250)}@example.com`,
    'ada',
    '',
    ['ada@example.com', 'evil@example.com'],
    { $ne: '' },
    null,
  ]
  for (const email of inputs) {
    assert.equal((await askFor(bank, email)).status, 400, JSON.stringify(email))
  }
  const extra = await bank.send('POST', ask, { body: { email: 'ada@example.com', to: 'x@y.z' } })
  assert.equal(extra.status, 400)
  assert.deepEqual(await readMails(bank), [])
})

test('the mail goes to the stored address in every spelling, and the link to the configured host', async (t) => {
  const bank = await world(t, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
  const tricks: Record<string, string>[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example' },
    { origin: 'https://evil.example', referer: 'https://evil.example/' },
  ]
  for (const headers of tricks) {
    assert.equal((await askFor(bank, 'ＡDA@example.com', headers)).status, 202)
  }
  const mails = await readMails(bank)
  assert.equal(mails.length, tricks.length)
  for (const { text = '', to } of mails) {
    assert.deepEqual(
      to?.map(({ address }) => address),
      ['ada@example.com'],
    )
    assert.doesNotMatch(text, /evil/)
    for (const [, host] of text.matchAll(/https?:\/\/([^/]+)/g)) assert.equal(host, 'bank.example')
  }
})

test('neither the database nor the log contains a token, nor the log an address or a password', async (t) => {
  const bank = await world(t)
  await askFor(bank, 'ada@example.com')
  const queued = await dump(bank)
  const token = tokenIn(await lastMail(bank))
  const sent = await dump(bank)
  await use(bank, token, { newPassword: 'short' })
  await use(bank, token)
  await use(bank, token)
  await bank.send('POST', `${confirm}?token=${token}`, { body: { token, newPassword } })
  await readMails(bank)
  const bytes = Buffer.from(token, 'base64url')
  const forms = [
    token,
    bytes.toString('hex'),
    bytes.toString('base64'),
    Buffer.from(token).toString('hex'),
  ]
  for (const text of [queued, sent, await dump(bank), bank.logged.join('\n')]) {
    for (const form of forms) assert.ok(!text.includes(form))
  }
  assert.ok(sent.includes('\\\\x'), 'hashes are there')
  assert.doesNotMatch(bank.logged.join('\n'), /herons|example\.com/)
})

test('the sixth use in a second from one address is limited', async (t) => {
  const bank = await world(t, { limits: 'default' })
  for (let turn = 0; turn < 5; turn++) assertUnusable(await use(bank, 'x'), 'guess')
  assert.equal((await use(bank, 'x')).status, 429)
})

test('a login that checked the old password leaves no live session after a reset, in either order', async (t) => {
  const bank = await world(t)
  const holder = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  holder.on('error', () => {})
  await holder.connect()
  const waiting = async () => {
    const { rows } = await bank.sql(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.['n'] as number
  }
  /** Both have judged their input and wait for the lock of the user. */
  async function race(order: 'login first' | 'reset first', current: string, next: string) {
    const token = await tokenFor(bank)
    for (;;) {
      await holder.query('begin')
      await holder.query(`select from users where username = 'ada' for update`)
      const steps = [
        () => logIn(bank, 'ada', current),
        () => use(bank, token, { newPassword: next }),
      ]
      if (order === 'reset first') steps.reverse()
      const replies: Promise<Reply>[] = []
      let answered = 0
      for (const [index, step] of steps.entries()) {
        replies.push(step().finally(() => answered++))
        await until(order, async () => answered > 0 || (await waiting()) === index + 1)
      }
      await holder.query('commit')
      const all = await Promise.all(replies)
      const [login, reset] = order === 'login first' ? all : all.toReversed()
      // On a busy machine the wait for the lock may time out: then nothing has happened.
      if (reset?.status !== 503) return { login, reset }
    }
  }
  let current = password
  for (const order of ['login first', 'reset first'] as const) {
    const next = `${newPassword} ${order}`
    const { login, reset } = await race(order, current, next)
    assert.equal(reset?.status, 204)
    if (login?.status === 200) {
      const { token: access } = login.body
      assert.equal((await bank.send('GET', '/api/v1/me', { token: access })).status, 401, order)
    } else assert.ok(login?.status === 401 || login?.status === 503)
    const { rows } = await bank.sql(
      `select (select count(*)::int from current_sessions where user_id = $1) as sessions,
              (select count(*)::int from devices where user_id = $1) as devices`,
      [people.ada.id],
    )
    assert.deepEqual(rows[0], { sessions: 0, devices: 0 }, order)
    current = next
  }
  await holder.end()
})

test('a person created without a password is invited, and the link is valid for a day', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const person = (username: string) => ({
    username,
    email: `${username}@example.com`,
    givenName: 'Zoë',
    familyName: 'Ångström, Sr.',
    roles: ['customer'],
  })
  const create = (body: object) => root.post('/api/v1/admin/users', body)
  assert.equal((await create(person('zoe'))).status, 201)
  const mail = await linkMailTo(bank, 'zoe@example.com')
  assert.deepEqual(mail.to, [{ name: 'Zoë Ångström, Sr.', address: 'zoe@example.com' }])
  assert.match(mail.text ?? '', /Hello Zoë,[^]*user\sname is zoe\.[^]*3 January 2026 at 09:00\sUTC/)
  assert.equal((await create(person('zoe'))).status, 409)
  await create({ ...person('yves'), password: 'a password of Yves' })
  assert.deepEqual(
    new Set((await readMails(bank)).map(({ to }) => to?.[0]?.address)),
    new Set(['root@example.com', 'zoe@example.com']),
    'neither a refused person nor one with a password',
  )

  await create(person('xena'))
  const late = await tokenMailedTo(bank, 'xena@example.com')
  bank.clock.advance(24 * hour - 1)
  assert.equal((await use(bank, tokenIn(mail))).status, 204)
  assert.equal((await logIn(bank, 'zoe', newPassword)).status, 200)
  bank.clock.advance(1)
  assertUnusable(await use(bank, late), 'a day is over')
  assert.equal((await use(bank, await tokenFor(bank, 'xena@example.com'))).status, 204)
  assert.equal((await logIn(bank, 'xena', newPassword)).status, 200)
})

test('a person who got a password while the invitation waited is not invited', async (t) => {
  const bank = await world(t)
  const now = new Date(bank.clock.now())
  const invite = (id: string) =>
    bank.sql(
      `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
       values (gen_random_uuid(), 'invitation', $1, $2, $2, $2::timestamptz + interval '1 day')`,
      [id, now],
    )
  await bank.sql('update users set password_hash = null where id = $1', [people.ben.id])
  for (const { id } of [people.ada, people.ben]) await invite(id)
  const addresses = (await readMails(bank)).map(({ to }) => to?.[0]?.address)
  assert.deepEqual(addresses, ['ben@example.com'])
  const links = await bank.sql('select user_id from password_tokens')
  assert.deepEqual(links.rows, [{ user_id: people.ben.id }])
})

test('an invitation stays void when the person is enabled again, and a reset takes its place', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const names = { username: 'wanda', givenName: 'Wanda', familyName: 'Landowska' }
  const person = { ...names, email: 'wanda@example.com', roles: ['customer'] }
  const { id } = (await root.post('/api/v1/admin/users', person)).body
  const token = await tokenMailedTo(bank, person.email)
  for (const status of ['disabled', 'active']) {
    assert.equal((await root.patch(`/api/v1/admin/users/${id}`, { status })).status, 200)
  }
  assertUnusable(await use(bank, token), 'the invitation')
  assert.equal((await use(bank, await tokenFor(bank, person.email))).status, 204)
  assert.equal((await logIn(bank, 'wanda', newPassword)).status, 200)
})

test('a mail queued in a transaction that is rolled back is never sent', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const now = bank.clock.now()
  const failing = transaction(db, async (tx) => {
    await queueMail(tx, 'password-changed', people.ada.id, now)
    throw new Error('rolled back')
  })
  await assert.rejects(failing, /rolled back/)
  assert.deepEqual(await readMails(bank), [])
  await transaction(db, (tx) => queueMail(tx, 'password-changed', people.ada.id, now))
  assert.equal((await readMails(bank)).length, 1)
})

test('who has a link learns whose password it sets, as often as asked, and nothing of a dead one', async (t) => {
  const bank = await world(t)
  const token = await tokenFor(bank)
  const check = (text: string) => bank.send('POST', `${ask}/check`, { body: { token: text } })
  for (const _ of [1, 2]) assert.deepEqual((await check(token)).body, { username: 'ada' })
  assertUnusable(await check('x'), 'unknown')
  const newer = await tokenFor(bank)
  assertUnusable(await check(token), 'replaced')
  assert.equal((await use(bank, newer)).status, 204, 'a check uses nothing up')
  assertUnusable(await check(newer), 'used')
  const last = await tokenFor(bank)
  bank.clock.advance(30 * minute)
  assertUnusable(await check(last), 'expired')
})
