import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import type { Email } from 'postal-mime'
import {
  lastMail,
  type MailServer,
  mailServer,
  type Mood,
  readMails,
  tokenIn,
  until,
} from '../../../test/support/mailbox.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import { people, world, type World } from '../../../test/support/world.ts'
import { fakeClock } from '../../../test/support/clock.ts'
import { utcDays } from '../../domain/days.ts'
import { languages } from '../../domain/languages.ts'
import { mailKinds } from './kinds.ts'
import { renderMail } from './templates.ts'
import { smtpOptions } from './transport.ts'

const ask = '/api/v1/auth/password-reset'
const minute = 60_000
const newPassword = 'twelve blue herons by the weir'

const settings = (server: MailServer, scheme = 'smtp', host = '127.0.0.1') => ({
  SMTP_URL: `${scheme}://${host}:${server.port}`,
  MAIL_FROM: 'bank@bank.example',
})

const bankWith = (t: TestContext, server: MailServer): Promise<World> =>
  world(t, { settings: settings(server) })

/** It sends mails by itself, as in production. */
const busyBankWith = (t: TestContext, server: MailServer): Promise<World> =>
  world(t, { settings: settings(server), isPolling: true })

async function askFor(bank: Pick<World, 'send'>, name = 'ada'): Promise<void> {
  const reply = await bank.send('POST', ask, { body: { email: `${name}@example.com` } })
  assert.equal(reply.status, 202)
}

const use = (bank: World, mail: Email | undefined) =>
  bank.send('POST', `${ask}/confirm`, {
    body: { token: tokenIn(mail ?? assert.fail('no mail')), newPassword },
  })

const work = ({ running }: Pick<World, 'running'>) => running.core.outbox.work()

const queued = async (bank: World) => (await bank.sql('select attempts from mails')).rows

const queueMany = (bank: World, count: number) =>
  bank.sql(
    `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
     select gen_random_uuid(), 'password-changed', $1, $2, $2, $2::timestamptz + interval '1 day'
     from generate_series(1, $3::integer)`,
    [people.ada.id, new Date(bank.clock.now()), count],
  )

test('an instance with a wrong clock sends no mail and lets none expire', async (t) => {
  const server = await mailServer(t)
  const bank = await busyBankWith(t, server)
  const clock = fakeClock(bank.clock.now(), bank.clock)
  const second = await bank.another({ clock })
  await bank.running.close()
  clock.jump(25 * 60 * minute)
  await bank.sql(
    `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
     values (gen_random_uuid(), 'password-changed', $1, $2, $2, $3)`,
    [people.ada.id, new Date(bank.clock.now()), new Date(bank.clock.now() + 60 * minute)],
  )
  await work(second)
  assert.deepEqual([(await queued(bank)).length, server.taken.length], [1, 0])
  clock.jump(-25 * 60 * minute)
  await until('the mail', () => server.taken.length === 1)
})

test('a mail arrives by SMTP: from the bank, to one person, in UTF-8', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  await bank.sql(
    `update users set given_name = 'Żółć', family_name = 'evil@example.com, Łódź' where id = $1`,
    [people.ada.id],
  )
  await askFor(bank)
  await work(bank)
  const [taken, ...others] = server.taken
  assert.deepEqual([taken?.recipients, others], [['ada@example.com'], []])
  const { mail } = taken ?? assert.fail()
  assert.deepEqual(mail.from, { name: 'Strongroom', address: 'bank@bank.example' })
  assert.deepEqual(mail.to, [{ name: 'Żółć evil@example.com, Łódź', address: 'ada@example.com' }])
  assert.deepEqual([mail.subject, mail.cc, mail.bcc], ['Set a new password', undefined, undefined])
  assert.match(mail.text ?? '', /^Hello Żółć,/)
  assert.equal(mail.date, '2026-01-02T09:00:00.000Z')
  const fields = new Map(mail.headers.map(({ key, value }) => [key, value]))
  assert.equal(fields.get('auto-submitted'), 'auto-generated')
  assert.match(fields.get('content-type') ?? '', /^text\/plain; charset=utf-8/)
  assert.equal((await use(bank, mail)).status, 204)
})

const membership = {
  rights: 'pay',
  perPayment: 10n ** 17n + 1n,
  perDay: 10n ** 17n + 1n,
  until: new Date(Date.UTC(2026, 8, 30)),
  endedAt: new Date(Date.UTC(2026, 8, 30)),
  endedBy: 'staff',
} as const

test('no line of a mail is longer than 84 characters but a link, and amounts are in the notation of the language', () => {
  const link = { token: 'x'.repeat(43), expiresAt: Date.UTC(2026, 8, 30) }
  const payment = {
    kind: 'transfer',
    amount: 10n ** 17n + 1n,
    currency: 'EUR' as const,
    iban: 'X'.repeat(34),
    payeeIban: null,
  }
  const run = { ...payment, dueOn: '2026-09-30', refusal: 'insufficient_funds' }
  const card = { lastFour: '1234', merchant: 'M'.repeat(140), reason: 'insufficient_funds' }
  const by = { isProgram: false, isByMember: true, memberName: 'N'.repeat(141) }
  const bankName = 'B'.repeat(70)
  const about = {
    publicUrl: 'https://bank.example',
    bankName,
    days: utcDays,
    at: link.expiresAt,
    link,
    payment: { ...payment, ...by },
    run,
    ordered: { ...payment, ...by, rhythm: 'monthly', nextOn: '2026-09-30' },
    authorization: { ...payment, ...card },
    arrival: { ...payment, payerIban: payment.iban },
    low: payment,
    draft: {
      ...payment,
      makerName: by.memberName,
      signerNames: [by.memberName, by.memberName],
    },
    disputed: { ...payment, ...card, step: 'lost' as const },
    list: { ...payment, ...by, count: 1000, refusedCount: 1000, executeOn: '2026-09-30' },
    member: { ...payment, ...by, ...membership, ownerName: 'O'.repeat(141) },
  }
  const amounts = {
    en: '1,000,000,000,000,000.01 EUR',
    de: '1.000.000.000.000.000,01 EUR',
    fr: '1 000 000 000 000 000,01 EUR',
    es: '1.000.000.000.000.000,01 EUR',
  }
  for (const [language, kind] of Object.keys(languages).flatMap((code) =>
    mailKinds.map((each) => [code, each] as const),
  )) {
    const to = { username: 'u'.repeat(32), givenName: 'Ada', language }
    const { subject, text } = renderMail(kind, to, about)
    for (const line of text.split('\n')) {
      const isLink = /^https:\/\/bank\.example\/portal\/[a-z-]+#token=x{43}$/.test(line)
      assert.ok(isLink || line.length <= 84, line)
    }
    assert.match(subject, /^[\p{L}\d\u00a0 :’-]{10,45}$/u)
    assert.doesNotMatch(text, /undefined|null/)
    assert.doesNotMatch(text, /\/api\//, 'a mail is for people')
    const money = amounts[language as keyof typeof amounts]
    if (/^(payment|order|card|money|balance)/.test(kind))
      assert.ok(text.replace(/\s+/g, ' ').includes(money), text)
  }
})

/** What mail programs look for: a scheme, `www.`, and a host name without either. */
const links = /[a-z][a-z\d+.-]*:[^\s\d]|[a-z]+:\d|www\.\S|[^\s.][.。．｡][\p{L}\p{N}]/giu

test('no mail has a link that others than the bank have chosen, whatever they call themselves', () => {
  const link = { token: 'x'.repeat(43), expiresAt: Date.UTC(2026, 8, 30) }
  const money = { amount: 12_345n, currency: 'JPY' as const, iban: 'X'.repeat(22) }
  let shownCount = 0
  for (const name of [
    'https://evil.example/login',
    'www.evil.example',
    'EVIL.EXAMPLE',
    'Shop evil.example.',
    'пример.рф',
    'evil。example',
    'evil.1st-bank',
    'pay@evil.example',
    'mailto:pay@evil',
    'tel:4420794',
    'a..b:c',
  ]) {
    const by = { isProgram: false, isByMember: true }
    const aboutOf = (name: string) => ({
      publicUrl: 'https://bank.example',
      bankName: 'Bank',
      days: utcDays,
      at: link.expiresAt,
      link,
      payment: { ...money, kind: 'transfer', payeeIban: null, memberName: name, ...by },
      run: { ...money, dueOn: '2026-09-30', refusal: 'insufficient_funds' },
      ordered: {
        ...money,
        payeeIban: null,
        rhythm: 'once',
        nextOn: '2026-09-30',
        memberName: name,
        ...by,
      },
      authorization: { ...money, lastFour: '1234', merchant: name, reason: null },
      arrival: { ...money, kind: 'incoming', payerIban: null },
      low: money,
      draft: { ...money, payeeIban: null, makerName: name, signerNames: [name] },
      disputed: { ...money, lastFour: '1234', merchant: name, step: 'lost' as const },
      list: { ...money, count: 2, refusedCount: 1, executeOn: null, memberName: name, ...by },
      member: { ...money, ...membership, memberName: name, ownerName: name },
    })
    for (const language of Object.keys(languages)) {
      for (const kind of mailKinds) {
        const text = (givenName: string, of: ReturnType<typeof aboutOf>) =>
          renderMail(kind, { username: 'ada', givenName, language }, of).text.replaceAll('\n', ' ')
        const own = text('Ada', aboutOf('Shop')).match(links) ?? []
        const found = text(name, aboutOf(name))
        assert.deepEqual(found.match(links) ?? [], own, found)
        if (found.includes(name.split(/[.:。]/)[0] as string)) shownCount++
      }
    }
  }
  assert.ok(shownCount > 500, 'the names are still there')
})

test('a mail server that does not answer delays no request, and no mail is lost by it', async (t) => {
  const server = await mailServer(t)
  const bank = await busyBankWith(t, server)
  server.mood = 'hangs'
  for (let turn = 0; turn < 6; turn++) await askFor(bank, turn % 2 === 0 ? 'ada' : 'nobody')
  await until('the mails hang', () => server.hanging === 3)
  const startedAt = performance.now()
  for (const name of ['ada', 'ben', 'nobody']) await askFor(bank, name)
  // The service gives up a mail after ten seconds.
  assert.ok(performance.now() - startedAt < 8000)
  server.mood = 'well'
  server.release()
  await work(bank)
  assert.equal(server.taken.length, 5)
  assert.deepEqual(await queued(bank), [])
})

const bad: Mood[] = ['greets 421', 'refuses 450', 'refuses 550', 'rejects 554', 'drops']
for (const mood of bad) {
  test(`a server that ${mood} is retried with growing delays until it accepts the mail`, async (t) => {
    const server = await mailServer(t)
    const bank = await bankWith(t, server)
    server.mood = mood
    await askFor(bank)
    await work(bank)
    assert.deepEqual(await queued(bank), [{ attempts: 1 }])
    await work(bank)
    bank.clock.advance(1999)
    await work(bank)
    assert.deepEqual(await queued(bank), [{ attempts: 1 }], 'not before two seconds are over')
    bank.clock.advance(1)
    await work(bank)
    assert.deepEqual(await queued(bank), [{ attempts: 2 }])
    server.mood = 'well'
    bank.clock.advance(3999)
    await work(bank)
    assert.equal(server.taken.length, 0)
    bank.clock.advance(1)
    await work(bank)
    assert.equal(server.taken.length, 1)
    assert.deepEqual(await queued(bank), [])
    assert.equal((await use(bank, server.taken[0]?.mail)).status, 204)
    assert.doesNotMatch(bank.logged.join('\n'), /example\.com|token=/)
  })
}

test('a mail that may have arrived is sent again, and only its last link is valid', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  server.mood = 'drops after it took it'
  await askFor(bank)
  await work(bank)
  server.mood = 'well'
  bank.clock.advance(2000)
  await work(bank)
  const [first, second] = server.taken
  assert.equal(server.taken.length, 2)
  assert.equal((await use(bank, first?.mail)).status, 400)
  assert.equal((await use(bank, second?.mail)).status, 204)
})

test('a mail that is voided while its link is made is not sent, and there is no link', async (t) => {
  const bank = await world(t)
  await bank.sql('begin')
  await bank.sql(
    `insert into password_tokens (user_id, token_hash, email, password_version, expires_at)
     values ($1, decode(repeat('00', 32), 'hex'), 'ada@example.com', 0, '2030-01-01')`,
    [people.ada.id],
  )
  const { status } = await bank.send('POST', ask, { body: { email: 'ada@example.com' } })
  assert.equal(status, 202)
  const working = bank.running.core.outbox.work()
  await waitingForLock(bank)
  await bank.sql('delete from mails')
  await bank.sql('delete from password_tokens')
  await bank.sql('commit')
  await working
  assert.deepEqual(await readMails(bank), [])
  assert.deepEqual((await bank.sql('select from password_tokens')).rows, [])
})

test('a link that could not be mailed for half an hour is given up and not sent late', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  server.mood = 'refuses 450'
  await askFor(bank)
  for (let turn = 0; turn < 60 && (await queued(bank)).length > 0; turn++) {
    await work(bank)
    bank.clock.advance(minute)
  }
  assert.ok(server.attempts >= 10 && server.attempts <= 20, `${server.attempts} attempts`)
  assert.ok(bank.clock.now() <= Date.UTC(2026, 0, 2, 9, 34), 'the queue is empty soon after')
  server.mood = 'well'
  await work(bank)
  assert.equal(server.taken.length, 0)
  assert.ok(bank.logged.some((line) => line.includes('mail given up')))
  assert.equal(bank.running.core.outbox.givenUpCount(), 1)
})

test('four mails are on their way at a time, however many are due', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  await queueMany(bank, 9)
  server.mood = 'hangs'
  const done = work(bank)
  await until('four mails hang', () => server.hanging >= 4)
  server.release(1)
  await until('the next one begins', () => server.attempts >= 5)
  await until('it is stored', async () => (await queued(bank)).length === 8)
  const begun = (await queued(bank)).filter(({ attempts }) => attempts !== 0)
  assert.deepEqual([server.attempts, begun.length], [5, 4])
  server.mood = 'well'
  server.release()
  await done
  assert.equal(server.taken.length, 9)
})

test('a server that comes back gets the mail, and one bad mail delays no other', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  await server.stop()
  for (const name of ['ada', 'ben', 'agnes', 'root', 'both']) await askFor(bank, name)
  await work(bank)
  const again = await mailServer(t, { port: server.port })
  bank.clock.advance(2000)
  await bank.sql(`update users set email = 'not an address' where username = 'ada'`)
  await work(bank)
  assert.equal(again.taken.length, 4)
})

test('no mail is sent in the clear to another machine, nor to one with an invalid certificate', async (t) => {
  const server = await mailServer(t, { host: '0.0.0.0' })
  const secure = await mailServer(t, { secure: true })
  for (const how of [settings(server, 'smtp', hostname()), settings(secure, 'smtps')]) {
    const bank = await world(t, { settings: how })
    await askFor(bank)
    await work(bank)
    assert.deepEqual(await queued(bank), [{ attempts: 1 }], how.SMTP_URL)
  }
  assert.deepEqual([server.attempts, secure.attempts], [0, 0])
})

test('the mail URL determines host, port, TLS and credentials', () => {
  const toOptions = (url: string) => {
    const { host, port, secure, requireTLS, ignoreTLS } = smtpOptions(url)
    return [host, port, secure, requireTLS, ignoreTLS]
  }
  assert.deepEqual(toOptions('smtp://mail.example'), ['mail.example', 587, false, true, false])
  assert.deepEqual(toOptions('smtp://mail.example:25'), ['mail.example', 25, false, true, false])
  assert.deepEqual(toOptions('smtps://mail.example'), ['mail.example', 465, true, false, false])
  assert.deepEqual(toOptions('smtp://localhost:25'), ['localhost', 25, false, false, true])
  assert.deepEqual(toOptions('smtp://[::1]:25'), ['::1', 25, false, false, true])
  assert.deepEqual(toOptions('smtp://127.0.0.1.evil.example')[3], true)
  const { auth } = smtpOptions('smtps://bank%40a:p%3Ass@mail.example') as { auth?: object }
  assert.deepEqual(auth, { user: 'bank@a', pass: 'p:ss' })
})

test('the outbox recovers from the loss of the database, between mails and during one', async (t) => {
  const server = await mailServer(t)
  const bank = await busyBankWith(t, server)
  const { database, ...cluster } = bank.address as { database: string }
  const superuser = new pg.Client({ ...cluster, database: 'postgres' })
  await superuser.connect()
  const cut = () =>
    superuser.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ])
  await work(bank)
  await cut()
  await until('a request succeeds', async () => {
    const reply = await bank.send('POST', ask, { body: { email: 'ada@example.com' } })
    return reply.status === 202
  })
  await until('a mail is sent without a further request', () => server.taken.length === 1)

  server.mood = 'hangs'
  await askFor(bank)
  await until('the mail hangs', () => server.hanging === 1)
  await superuser.query(`alter database ${database} allow_connections false`)
  await cut()
  server.mood = 'well'
  server.release()
  await until('the mail is sent', () => server.taken.length === 2)
  await until('the loss is noticed', () => bank.logged.some((line) => line.includes('waits for')))
  // Until then it may still try to store that the mail was sent.
  await work(bank)
  await superuser.query(`alter database ${database} allow_connections true`)
  await superuser.end()
  // Its sending could not be stored, so it is sent again after the lease.
  bank.clock.advance(minute)
  await until('it is sent again', () => server.taken.length === 3)
  await work(bank)
  assert.deepEqual(await queued(bank), [])
  assert.equal((await use(bank, server.taken[2]?.mail)).status, 204)
})

test('a mail that is queued when the service ends is sent by the next one', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  server.mood = 'refuses 450'
  await askFor(bank)
  await work(bank)
  await bank.running.close()
  assert.deepEqual(await queued(bank), [{ attempts: 1 }])
  server.mood = 'well'
  bank.clock.advance(2000)
  const next = await bank.another()
  await work(next)
  assert.equal(server.taken.length, 1)
})

test('a mail whose sender died is taken by another instance when the lease ends, not before', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  server.mood = 'hangs'
  await askFor(bank)
  const dying = work(bank)
  await until('the mail hangs', () => server.hanging === 1)
  const next = await bank.another()
  server.mood = 'well'
  bank.clock.advance(minute - 1)
  await work(next)
  assert.equal(server.taken.length, 0)
  bank.clock.advance(1)
  await work(next)
  assert.equal(server.taken.length, 1)
  const first = server.taken[0]?.mail
  server.release()
  await dying
  assert.deepEqual(await queued(bank), [])
  assert.equal((await use(bank, first)).status, 204)
})

test('a failure that comes after the lease moves no other lease: the mail is not sent a third time meanwhile', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  const next = await bank.another()
  server.mood = 'hangs'
  await askFor(bank)
  const first = work(bank)
  await until('the mail hangs', () => server.hanging === 1)
  bank.clock.advance(minute)
  const second = work(next)
  await until('the mail hangs at the next instance', () => server.hanging === 2)
  const due = () => bank.sql('select attempts, due_at as "dueAt" from mails')
  const leased = (await due()).rows
  assert.deepEqual(leased, [{ attempts: 2, dueAt: new Date(bank.clock.now() + minute) }])
  server.mood = 'rejects 554'
  server.release(1)
  await first
  assert.deepEqual((await due()).rows, leased)
  server.mood = 'well'
  server.release()
  await second
  assert.deepEqual(await queued(bank), [])
  assert.equal(server.taken.length, 1)
})

test('a person who has a password by now is not invited', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  for (const name of ['ada', 'ben'] as const) {
    await bank.sql(
      `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
       values (gen_random_uuid(), 'invitation', $1, $2, $2, $2::timestamptz + interval '1 day')`,
      [people[name].id, new Date(bank.clock.now())],
    )
  }
  await bank.sql('update users set password_hash = null where id = $1', [people.ben.id])
  await work(bank)
  assert.deepEqual(await queued(bank), [])
  assert.deepEqual(
    server.taken.flatMap(({ recipients }) => recipients),
    ['ben@example.com'],
  )
})

test('many instances send each mail once', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  const others = [await bank.another(), await bank.another()]
  await queueMany(bank, 60)
  await Promise.all([bank, ...others].map(work))
  assert.equal(server.taken.length, 60)
  assert.deepEqual(await queued(bank), [])
})

test('the shutdown waits briefly for a mail in progress, then aborts it, and it stays queued', async (t) => {
  const server = await mailServer(t)
  const bank = await busyBankWith(t, server)
  server.mood = 'hangs'
  await askFor(bank)
  await until('the mail hangs', () => server.hanging === 1)
  const startedAt = performance.now()
  await bank.running.close()
  const took = performance.now() - startedAt
  // By itself the attempt would end after ten seconds.
  assert.ok(took > 1000 && took < 10_000, `${took} ms`)
  assert.deepEqual(await queued(bank), [{ attempts: 1 }])
})

test('without a mail server, mails are files that only the service can read', async (t) => {
  const bank = await world(t)
  await askFor(bank)
  await lastMail(bank)
  bank.clock.advance(1)
  await askFor(bank, 'ben')
  await lastMail(bank)
  const folder = path.join(bank.running.config.dataDir, 'outbox')
  const names = (await readdir(folder)).toSorted()
  assert.equal(names.length, 2)
  const shape = /^2026-01-02T09-00-00\.00[01]Z-000[12]-reset-[0-9a-f-]{36}\.eml$/
  for (const name of names) {
    assert.match(name, shape)
    assert.equal((await stat(path.join(folder, name))).mode & 0o777, 0o600)
    const text = await readFile(path.join(folder, name), 'utf8')
    assert.match(text, /^https:\/\/bank\.example\/portal\/reset#token=[\w-]{43}\r$/m, 'to copy')
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
})

test('a mail whose file cannot be written is retried, and leaves no half of it', async (t) => {
  const bank = await world(t)
  const folder = path.join(bank.running.config.dataDir, 'outbox')
  await writeFile(folder, 'not a folder')
  await askFor(bank)
  await work(bank)
  assert.deepEqual(await queued(bank), [{ attempts: 1 }])
  await rm(folder)
  bank.clock.advance(2000)
  const [mail] = (await bank.sql('select id from mails')).rows
  const name = `2026-01-02T09-00-02.000Z-0001-reset-${mail?.['id'] as string}.eml`
  await mkdir(path.join(folder, name), { recursive: true })
  await work(bank)
  assert.deepEqual(await queued(bank), [{ attempts: 2 }])
  assert.deepEqual(await readdir(folder), [name])
})

test('a mail is in the language of its recipient, which a person chooses and staff set at the creation', async (t) => {
  const server = await mailServer(t)
  const bank = await bankWith(t, server)
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  assert.equal((await ada.get('/api/v1/me')).body.language, null)
  const chosen = await ada.patch('/api/v1/me', { language: 'de' })
  assert.deepEqual([chosen.status, chosen.body.language], [200, 'de'])
  for (const body of [{}, { language: 'xx' }, { language: null }, { language: 'DE' }]) {
    assert.equal((await ada.patch('/api/v1/me', body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await ada.get('/api/v1/me')).body.language, 'de')
  await askFor(bank)
  await work(bank)
  const person = {
    username: 'clara',
    email: 'clara@example.com',
    givenName: 'Clara',
    familyName: 'Haskil',
    roles: ['customer'],
    language: 'fr',
  }
  const created = await root.post('/api/v1/admin/users', person)
  assert.deepEqual([created.status, created.body.language], [201, 'fr'])
  await work(bank)
  const told = new Map(server.taken.map(({ recipients, mail }) => [recipients[0], mail]))
  const toAda = told.get('ada@example.com') ?? assert.fail('no mail to Ada')
  assert.equal(toAda.subject, 'Neues Passwort setzen')
  assert.match(toAda.text ?? '', /^Guten Tag Ada,\n\nfür Ihren Benutzernamen ada wurde/)
  const toClara = told.get('clara@example.com') ?? assert.fail('no mail to Clara')
  assert.equal(toClara.subject, 'Bienvenue\u00a0: choisissez votre mot de passe')
  assert.match(toClara.text ?? '', /jusqu’au 3 janvier 2026 à 09:00 UTC/)
})
