// `systemctl reload`: new certificates and secrets, without a restart and without a lost request.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import tls from 'node:tls'
import { Redis } from 'ioredis'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import type { Running } from '../../src/app/start.ts'
import { createReload } from '../../src/cli/reload.ts'
import { readConfig } from '../../src/config/config.ts'
import { turnLock } from '../../src/database/schema/migrate.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { StartupError } from '../../src/domain/startup-error.ts'
import { loadCertificate } from '../../src/http/listeners/tls.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { client } from '../support/client.ts'
import { cloneTemplate, cluster, toUrl } from '../support/database.ts'
import { atEnd, newFolder, until, usedFolder } from '../support/embedded.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { openStore, withoutStore } from '../support/redis.ts'

type Line = { level: number; message: string; because?: string }

const linesOf = (bank: Program): Line[] =>
  bank
    .out()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))

const done = 'the certificate and the secrets were read again'

/** Sends the signal and waits for its end. Gives the lines of the log about what was reloaded. */
async function reload(bank: Program): Promise<Line[]> {
  const lines = await signalled(bank, (told) => told.some(({ message }) => message === done))
  return lines.filter(({ message }) => message !== done)
}

/** The same for one of which so many parts are refused: it is told by their lines alone. */
async function refused(bank: Program, count = 1): Promise<Line[]> {
  const lines = await signalled(bank, (told) => told.length >= count)
  assert.ok(lines.every(({ message }) => message !== done))
  return lines
}

async function signalled(bank: Program, isOver: (told: Line[]) => boolean): Promise<Line[]> {
  const before = linesOf(bank).length
  const told = () =>
    linesOf(bank)
      .slice(before)
      .filter(({ message }) => /certificate|secret/.test(message))
  bank.child.kill('SIGHUP')
  await until(() => isOver(told()))
  return told()
}

async function settingsFor(folder: string) {
  const HTTPS_PORT = String(await freePort())
  return { DATA_DIR: folder, HTTPS_PORT, HTTP_PORT: '0', METRICS_PORT: '0' }
}

async function started(t: TestContext, settings: Record<string, string>): Promise<Program> {
  const bank = run([], settings)
  atEnd(t, () => bank.child.kill('SIGKILL'))
  await bank.says(/"message":"ready"/)
  return bank
}

async function serial(port: string): Promise<string> {
  const socket = tls.connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

/** As a program replaces it that renews certificates or secrets: whole, by a rename. */
async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

test('SIGHUP takes a new certificate for new connections, and keeps the old one when the new one is broken', async (t) => {
  const folder = await newFolder(t)
  const make = (name: string) =>
    loadCertificate({
      dataDir: join(dirname(folder), name),
      host: '127.0.0.1',
      publicUrl: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
    })
  const [one, two, three] = [await make('one'), await make('two'), await make('three')]
  const [TLS_CERT, TLS_KEY] = [join(dirname(folder), 'c.pem'), join(dirname(folder), 'k.pem')]
  await replace(TLS_CERT, one.cert)
  await replace(TLS_KEY, one.key)
  const settings = { ...(await settingsFor(folder)), TLS_CERT, TLS_KEY }
  const bank = await started(t, settings)
  const first = await serial(settings.HTTPS_PORT)
  const port = Number(settings.HTTPS_PORT)
  const open = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(open, 'secureConnect')

  await replace(TLS_CERT, two.cert)
  const halfway = await refused(bank)
  assert.deepEqual(
    halfway.map(({ level, because }) => [level, because]),
    [[50, 'STRONGROOM_TLS_KEY: the key does not belong to the certificate.']],
  )
  assert.equal(await serial(settings.HTTPS_PORT), first)

  await replace(TLS_KEY, two.key)
  assert.deepEqual(
    (await reload(bank)).map(({ message }) => message),
    ['the certificate was renewed'],
  )
  const second = await serial(settings.HTTPS_PORT)
  assert.notEqual(second, first)
  open.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  const [answer] = (await once(open, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /, 'a connection of before goes on')

  const broken: [content: string | undefined, because: RegExp][] = [
    ['-----BEGIN CERTIFICATE-----', /STRONGROOM_TLS_CERT: the file holds no PEM certificate\.$/],
    ['', /STRONGROOM_TLS_CERT: the file holds no PEM certificate\.$/],
    [undefined, /STRONGROOM_TLS_CERT: \S+ cannot be read \(ENOENT\)\.$/],
    [three.cert, /the key does not belong to the certificate\.$/],
  ]
  for (const [content, because] of broken) {
    await (content === undefined ? rm(TLS_CERT) : replace(TLS_CERT, content))
    const [line, ...more] = await refused(bank)
    assert.deepEqual([line?.level, more.length], [50, 0])
    assert.match(line?.because ?? '', because)
    assert.equal(await serial(settings.HTTPS_PORT), second)
  }
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})

/** A mail server on this machine that knows one password. */
async function mailServer(t: TestContext) {
  const made = { password: 'first', url: '' }
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ password }, _, answer) =>
      answer(password === made.password ? null : new Error('no'), { user: 'bank' }),
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  atEnd(t, () => server.close())
  const { port } = listening.address() as AddressInfo
  return Object.assign(made, { url: `smtp://bank:first@127.0.0.1:${port}` })
}

test('SIGHUP takes new logins for the database, the store of limits and the mail server, each after it was tried', async (t) => {
  if (withoutStore) return t.skip(withoutStore)
  const shared = await cluster()
  atEnd(t, () => shared.stop())
  const world = await cloneTemplate(shared)
  atEnd(t, world.stop)
  const owner = new pg.Client(world.address)
  owner.on('error', () => {})
  await owner.connect()
  const user = `reload_${process.pid}`
  atEnd(t, async () => {
    await owner.query(`drop role ${user}`)
    await owner.end()
  })
  await owner.query(`create role ${user} login password 'first' in role strongroom_service`)
  const store = await openStore(['--requirepass', 'first'])
  atEnd(t, () => store.stop())
  const mail = await mailServer(t)

  const folder = await newFolder(t)
  const secrets = dirname(folder)
  const urls = {
    DATABASE_URL: toUrl({ ...world.address, user, password: 'first' }),
    REDIS_URL: `redis://:first@127.0.0.1:${store.port}`,
    SMTP_URL: mail.url,
  }
  const files = Object.keys(urls).map((name) => [`${name}_FILE`, join(secrets, name)] as const)
  const write = (name: keyof typeof urls, url: string) => replace(join(secrets, name), `${url}\n`)
  for (const name of Object.keys(urls) as (keyof typeof urls)[]) await write(name, urls[name])
  const settings = {
    ...(await settingsFor(folder)),
    ...Object.fromEntries(files),
    MAIL_FROM: 'bank@bank.example',
    PUBLIC_URL: 'https://bank.example',
  }
  const bank = await started(t, settings)
  const ca = await readFile(join(folder, 'tls/ca.pem'))
  const { send, close } = client(Number(settings.HTTPS_PORT), ca)
  atEnd(t, close)
  const isReady = async () => (await send('GET', '/readyz')).status === 200
  const isLimited = async () => (await send('GET', '/api/v1/me')).status === 401
  assert.deepEqual(await reload(bank), [], 'nothing is new')

  const names = Object.keys(urls) as (keyof typeof urls)[]
  for (const name of names) await write(name, urls[name].replace(':first@', ':second@'))
  const early = await refused(bank, 3)
  assert.deepEqual(
    early.map(({ level, because, message }) => [level, because, message]),
    [
      [50, 'STRONGROOM_DATABASE_URL: 28P01', 'a secret cannot be used; the old one stays'],
      [50, 'STRONGROOM_REDIS_URL: WRONGPASS', 'a secret cannot be used; the old one stays'],
      [50, 'STRONGROOM_SMTP_URL: EAUTH', 'a secret cannot be used; the old one stays'],
    ],
  )
  assert.deepEqual([await isReady(), await isLimited()], [true, true])

  await owner.query(`alter role ${user} password 'second'`)
  const admin = new Redis({ port: store.port, password: 'first', host: '127.0.0.1' })
  await admin.config('SET', 'requirepass', 'second')
  admin.disconnect()
  mail.password = 'second'
  const taken = await reload(bank)
  assert.deepEqual(
    taken.map(({ level, because }) => [level, because]),
    names.map((name) => [30, `STRONGROOM_${name}`]),
  )
  // All connections are made anew, by the new logins.
  await owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
    user,
  ])
  const renewed = new Redis({ port: store.port, password: 'second', host: '127.0.0.1' })
  await renewed.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  renewed.disconnect()
  await until(isReady)
  await until(isLimited)

  await write('DATABASE_URL', toUrl(world.address))
  assert.deepEqual(
    (await reload(bank)).map(({ level, because }) => [level, because]),
    [[30, 'STRONGROOM_DATABASE_URL']],
  )
  await bank.says(/"because":"STRONGROOM_DATABASE_URL","message":"the service's login owns/)

  await write('DATABASE_URL', urls.DATABASE_URL.replace('/world_', '/other_'))
  await write('REDIS_URL', urls.REDIS_URL.replace(/$/, '/1'))
  await write('SMTP_URL', urls.SMTP_URL.replace(/:\d+$/, ':1'))
  const other = await refused(bank, 3)
  assert.deepEqual(
    other.map(({ level, because }) => [level, because]),
    names.map((name) => [50, `STRONGROOM_${name}: another server needs a restart`]),
  )

  await chmod(join(secrets, 'REDIS_URL'), 0o644)
  const [unreadable, ...more] = await refused(bank)
  assert.equal(more.length, 0)
  assert.deepEqual(
    [unreadable?.level, unreadable?.message],
    [50, 'secrets cannot be read; the old ones stay'],
  )
  assert.match(unreadable?.because ?? '', /^STRONGROOM_REDIS_URL_FILE names a file that every/)
  assert.deepEqual([await isReady(), await isLimited()], [true, true])
  for (const secret of ['first', 'second']) assert.ok(!bank.out().includes(`:${secret}@`))

  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})

test('a SIGHUP during the start or the end of the service ends nothing', async (t) => {
  const folder = await usedFolder(t)
  const bank = run([], await settingsFor(folder))
  atEnd(t, () => bank.child.kill('SIGKILL'))
  await until(
    async () => (await readFile(join(folder, 'postgres/postmaster.pid')).catch(() => '')) !== '',
  )
  bank.child.kill('SIGHUP')
  await bank.says(new RegExp(done))
  bank.child.kill('SIGTERM')
  await bank.says(/"message":"draining"/)
  bank.child.kill('SIGHUP')
  assert.equal(await bank.ended, 0)
})

test('SIGTERM ends a start that waits for another one to migrate, as an orderly end', async (t) => {
  const shared = await cluster()
  atEnd(t, () => shared.stop())
  const empty = await cloneTemplate(shared, 'template1')
  atEnd(t, () => empty.stop())
  const other = new pg.Client(empty.address)
  await other.connect()
  atEnd(t, () => other.end())
  await other.query('select pg_advisory_lock($1)', [turnLock])
  const settings = {
    ...(await settingsFor(await newFolder(t))),
    DATABASE_URL: toUrl(empty.address),
  }
  const bank = run([], settings)
  atEnd(t, () => bank.child.kill('SIGKILL'))
  const asks = `select 1 from pg_stat_activity where datname = current_database()
    and query like 'select pg_try_advisory_lock(%'`
  await until(async () => (await other.query(asks)).rowCount === 1)
  bank.child.kill('SIGTERM')
  assert.deepEqual([await bank.ended, bank.err()], [0, ''])
})

test('a reload that fails is told, and the next one does its work', async () => {
  let lines = ''
  const log = createLog('info', (line) => void (lines += line))
  let count = 0
  const running = {
    core: {},
    renewCertificate() {
      if (count++ === 0) throw new URIError('URI malformed')
      return true
    },
  } as unknown as Running
  const again = createReload({ config: readConfig({}), running, database: undefined, log })
  again()
  again()
  await until(() => lines.includes(done))
  assert.match(lines, /"level":50,.*"message":"the certificate and the secrets were not all read"/)
  assert.equal(count, 2)
})

test('why a secret cannot be used is told by a code of this program or of its server, never by a text', async (t) => {
  const given = {
    STRONGROOM_SMTP_URL: 'smtp://bank:second@127.0.0.1:25',
    STRONGROOM_MAIL_FROM: 'bank@bank.example',
    STRONGROOM_PUBLIC_URL: 'https://bank.example',
  }
  Object.assign(process.env, given)
  t.after(() => {
    for (const name of Object.keys(given)) delete process.env[name]
  })
  const config = readConfig({ ...given, STRONGROOM_SMTP_URL: 'smtp://bank:first@127.0.0.1:25' })
  const withCode = (code: unknown) => Object.assign(new Error('of second'), { code })
  const refusal = (because: unknown) => new Refusal('not_found', { because })
  for (const [thrown, because] of [
    [withCode('EAUTH'), 'EAUTH'],
    [withCode(535), 'it does not answer'],
    [new Error('of second'), 'it does not answer'],
    [undefined, 'it does not answer'],
    [refusal(withCode('28P01')), '28P01'],
    [refusal('of second'), 'it does not answer'],
    [new StartupError('another server needs a restart'), 'another server needs a restart'],
  ] as const) {
    let lines = ''
    const log = createLog('info', (line) => void (lines += line))
    const running = {
      core: { transport: { replaceServer: () => Promise.reject(thrown) } },
      renewCertificate: () => true,
    } as unknown as Running
    createReload({ config, running, database: undefined, log })()
    await until(() => lines.includes('the old one stays'))
    const told = JSON.parse(lines.trim().split('\n')[0] as string) as { because: string }
    assert.equal(told.because, `STRONGROOM_SMTP_URL: ${because}`)
    assert.ok(!lines.includes(done))
  }
})

test('the unit of systemd reloads by SIGHUP', async () => {
  const unit = await readFile(new URL('../../deploy/strongroom.service', import.meta.url), 'utf8')
  assert.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
})
