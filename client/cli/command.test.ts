// `strongroom client`, as a person and as a program starts it, against a real service.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openAccount, readBalance, type Scene, sceneIn } from '../../test/support/fixture.ts'
import { isRoot } from '../../test/support/embedded.ts'
import { enrolTotp } from '../../test/support/factors.ts'
import { freePort } from '../../test/support/program.ts'
import { commonWorld, password } from '../../test/support/world.ts'
import { describeFailure, exitCodes, UsageError } from './exit.ts'
import { ApiError } from '../src/errors.ts'
import { toTable } from './table.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

type Ended = { code: number | null; out: string; err: string }

/** Runs `strongroom client …` in that folder with that on its standard input. */
const use = (folder: string, args: readonly string[], input = ''): Promise<Ended> =>
  begin([process.execPath, bin, 'client', ...args, '--folder', folder], input).ended

function begin([program = '', ...args]: readonly string[], input = '') {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'] }, stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdin.end(input)
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ ...said, code })),
  )
  return { child, ended }
}

let bank: Scene
/** Where Ada is logged in. */
let folder = ''
const logInAs = (name: string): string[] => [
  'login',
  '--url',
  `https://localhost:${bank.running.httpsPort}`,
  '--ca',
  bank.running.certificate.caPath as string,
  '--username',
  name,
]

before(async () => {
  bank = await sceneIn(await commonWorld())
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'strongroom-cli-')), 'login')
  const { code, err } = await use(folder, logInAs('ada'), `${password}\n`)
  assert.equal(code, 0, err)
})
after(() => rm(path.dirname(folder), { recursive: true, force: true }))

async function folderFor(t: TestContext): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'strongroom-cli-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

test('a user without a name and a home folder has every command that needs no home', (t) => {
  if (!isRoot) return t.skip('only root starts a program as another user')
  const uid = 54_321
  const start = (...args: string[]) => {
    const options = { env: {}, uid, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], options)
    return { status, out: stdout, err: stderr }
  }
  assert.match(start('--version').out, /^\d+\.\d+\.\d+\n$/)
  const { status, err } = start('client', 'accounts')
  assert.deepEqual(
    [status, err],
    [exitCodes.usage, 'This user has no home folder: give --folder, or set HOME.\n'],
  )
  // Another refusal: it has got as far as the login.
  assert.match(start('client', 'accounts', '--folder', '/nowhere').err, /^No login is kept here/)
})

test('the login is its owner’s alone, and one that others can read is not used', async (t) => {
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.deepEqual(await readdir(folder), ['login.json'])
  assert.equal((await stat(path.join(folder, 'login.json'))).mode & 0o777, 0o600)
  const kept = await readFile(path.join(folder, 'login.json'), 'utf8')
  assert.ok(!kept.includes(password))

  const open = await folderFor(t)
  await chmod(open, 0o700)
  await writeFile(path.join(open, 'login.json'), kept, { mode: 0o600 })
  assert.equal((await use(open, ['accounts'])).code, 0)
  for (const [at, mode] of [
    [path.join(open, 'login.json'), 0o640],
    [path.join(open, 'login.json'), 0o604],
    [open, 0o711],
  ] as const) {
    const before = (await stat(at)).mode
    await chmod(at, mode)
    const { code, out, err } = await use(open, ['accounts'])
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.match(err, /is open to others than you.*chmod/)
    await chmod(at, before)
  }
})

test('accounts are a table for people and JSON for programs', async () => {
  const { code, out } = await use(folder, ['accounts'])
  assert.equal(code, 0)
  const [heading = '', ...rows] = out.trimEnd().split('\n')
  assert.match(heading, /^IBAN +Name +Balance +Available +Currency +Status +Id$/)
  const row = rows.find((each) => each.endsWith(bank.from)) ?? ''
  assert.match(row, /^[A-Z]{2}\d{2}\w+ +\d+\.\d\d +\d+\.\d\d {2}EUR +active +/)
  assert.equal(new Set([heading, ...rows].map((each) => each.lastIndexOf('  '))).size, 1)
  const asJson = JSON.parse((await use(folder, ['accounts', '--json'])).out) as { id: string }[]
  assert.deepEqual(
    asJson.map(({ id }) => id).toSorted(),
    rows.map((each) => each.slice(-36)).toSorted(),
  )
})

test('a transfer by IBAN is made once, however often it is repeated with its key', async () => {
  const [from, to] = [await openAccount(bank.ada), await openAccount(bank.ada)]
  const { iban } = (await bank.ada.get(`/api/v1/accounts/${to}`)).body
  const spaced = iban.replace(/(.{4})/g, '$1 ').toLowerCase()
  const deposit = { amount: '10.00', currency: 'EUR', reason: 'Paid in' }
  await bank.root.post(`/api/v1/admin/accounts/${from}/deposits`, deposit)
  const key = ['--key', `cli-${from}`]
  const order = ['transfer', '--from', from, '--to', spaced, '--reference', 'Rent', ...key]
  const first = await use(folder, [...order, '--amount', '2.5'])
  assert.deepEqual([first.code, first.err], [0, ''])
  assert.match(first.out, /^2\.50 EUR completed: transfer [0-9a-f-]{36}\n$/)
  const again = await use(folder, [...order, '--amount', '2.50', '--currency', 'eur', '--json'])
  const { id } = JSON.parse(again.out) as { id: string }
  assert.ok(first.out.includes(id))
  assert.equal(await readBalance(bank.ada, to), '2.50')

  const refused = await use(folder, [...order.slice(0, -2), '--amount', '99.00'])
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.equal(refused.err, 'The account has insufficient funds.\n')
  const asJson = await use(folder, [...order.slice(0, -2), '--amount', '99.00', '--json'])
  assert.equal((JSON.parse(asJson.err) as { code: string }).code, 'insufficient_funds')
  assert.equal(asJson.code, 1)
})

test('a statement is shown, or written as a file', async (t) => {
  const { code, out } = await use(folder, ['statement', bank.from, '--from', '2026-01-01'])
  assert.equal(code, 0)
  assert.match(out, /Opening balance 0\.00, closing balance 100\.00\n/)
  assert.match(out, /^2026-01-02 {2}deposit .*Paid in +100\.00 +100\.00$/m)
  const csv = await use(folder, ['statement', bank.from, '--format', 'csv'])
  assert.match(csv.out, /,100\.00,/)
  const file = path.join(await folderFor(t), 'statement.pdf')
  const pdf = await use(folder, ['statement', bank.from, '--format', 'pdf', '--out', file])
  assert.deepEqual([pdf.code, pdf.out], [0, ''])
  assert.equal((await readFile(file)).subarray(0, 5).toString(), '%PDF-')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const json = await use(folder, ['statement', bank.from, '--json'])
  assert.equal((JSON.parse(json.out) as { closingBalance: string }).closingBalance, '100.00')
})

test('events are shown for staff, and followed until Ctrl-C', async (t) => {
  const own = path.join(await folderFor(t), 'own')
  assert.equal((await use(own, logInAs('root'), `${password}\n`)).code, 0)
  const { code, out } = await use(own, ['events', '--types', 'account.opened'])
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^ +\\d+  2026-01-02T\\S+  account\\.opened +${bank.from}$`, 'm'))
  const refused = await use(folder, ['events'])
  assert.deepEqual([refused.code, refused.err], [1, 'You are not permitted to do this.\n'])

  const after = [
    '--after',
    (/^ +(\d+)/m.exec(out.trimEnd().split('\n').at(-1) ?? '') ?? [])[1] ?? '',
  ]
  const args = ['client', 'events', '--follow', '--json', '--folder', own, ...after]
  const child = spawn(process.execPath, [bin, ...args, '--types', 'account.opened'], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.on('close', resolve))
  const opened: string[] = []
  const seen: unknown[] = []
  opened.push(await openAccount(bank.ada))
  for await (const line of createInterface(child.stdout)) {
    seen.push((JSON.parse(line) as { resourceId: string }).resourceId)
    // The second one is opened while the command waits for it.
    if (opened.length < 2) opened.push(await openAccount(bank.ada))
    else child.kill('SIGINT')
  }
  assert.deepEqual(seen, opened)
  assert.equal(await ended, 130)
})

test('events are sent on to a program under development, signed as webhooks are', async (t) => {
  const own = path.join(await folderFor(t), 'own')
  assert.equal((await use(own, logInAs('root'), `${password}\n`)).code, 0)
  type Taken = { headers: IncomingHttpHeaders; body: string }
  const taken: Taken[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      taken.push({ headers: request.headers, body })
      response.writeHead(taken.length === 1 ? 500 : 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const args = ['client', 'webhooks', 'listen', '--forward-to', url, '--types', 'account.opened']
  const child = spawn(process.execPath, [bin, ...args, '--folder', own], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.on('close', resolve))
  let said = ''
  const key = await new Promise<Buffer>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      const [, secret] = /whsec_(\S+)\n/.exec((said += chunk.toString())) ?? []
      if (secret !== undefined) resolve(Buffer.from(secret, 'base64'))
    })
  })
  const opened = [await openAccount(bank.ada), await openAccount(bank.ada)]
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    if (lines.push(line) === 2) child.kill('SIGINT')
  }
  assert.equal(await ended, 130)
  assert.deepEqual(
    lines.map((line) => line.replace(/^\d+  /, '')),
    ['account.opened  500', 'account.opened  204'],
  )
  type Sent = { data: { resourceId: string } }
  const sent = taken.map(({ body }) => (JSON.parse(body) as Sent).data.resourceId)
  assert.deepEqual(sent, opened)
  for (const { headers, body } of taken) {
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const expected = createHmac('sha256', key).update(signed).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
  }
})

test('wrong usage sends nothing and ends with 2', async (t) => {
  const from = ['transfer', '--from', bank.from]
  for (const [args, message] of [
    [['transfer'], /required option/],
    [['accounts', '--colour'], /unknown option/],
    [['fly'], /unknown command/],
    [[...from, '--amount', '1'], /either --to or --beneficiary/],
    [[...from, '--to', bank.to, '--amount', '1,5'], /1,5 is not an amount of EUR/],
    [[...from, '--to', 'DE00', '--amount', '1'], /You have no account DE00/],
    [['statement', bank.from, '--format', 'ofx'], /Allowed choices/],
    [['accounts', '--wait', '0'], /Whole seconds/],
    [['login'], /either --username or --key/],
    [['webhooks', 'listen', '--forward-to', 'there'], /is no URL/],
    [['login', '--username', 'ada', '--url', 'http://bank.example'], /has to be https/],
    [['login', '--username', 'ada', '--password', 'x'], /unknown option/],
  ] as const) {
    const { code, err, out } = await use(folder, args)
    assert.deepEqual([code, out], [2, ''], args.join(' '))
    assert.match(err, message)
  }
  const none = await use(path.join(await folderFor(t), 'none'), ['accounts'])
  assert.deepEqual([none.code, none.err.includes('`login`')], [2, true])
})

test('a wrong password is a refusal, and the login that was there stays', async () => {
  const { code, err } = await use(folder, logInAs('ada'), 'wrong wrong wrong\n')
  assert.deepEqual([code, err], [1, 'Invalid user name or password.\n'])
  assert.equal((await use(folder, ['accounts'])).code, 0)
})

test('a login to a bank whose certificate is not trusted tells how to trust it', async (t) => {
  const args = logInAs('ada').filter((_, at) => at !== 3 && at !== 4)
  const { code, err } = await use(await folderFor(t), args, `${password}\n`)
  assert.equal(code, 3)
  assert.match(
    err,
    /^The bank could not be reached: .+\n.* log in with --ca data\/tls\/ca\.pem, .*\n$/,
  )
})

test('a login asks for the second factor of a person who has one', async (t) => {
  const own = path.join(await folderFor(t), 'own')
  const { code: codeOf, recoveryCodes } = await enrolTotp(bank, await bank.login('agnes'))
  const { err, code } = await use(own, logInAs('agnes'), `${password}\n000000\n`)
  assert.deepEqual([code, err], [1, 'Invalid user name or password.\n'])
  for (const proof of [codeOf(1), recoveryCodes[0]]) {
    const done = await use(own, logInAs('agnes'), `${password}\n${proof}\n`)
    assert.deepEqual([done.code, done.err], [0, ''])
  }
})

test('a logout ends the session and forgets it, also one that is over already', async (t) => {
  const own = path.join(await folderFor(t), 'own')
  assert.equal((await use(own, logInAs('ben'), `${password}\n`)).code, 0)
  const file = path.join(own, 'login.json')
  type Kept = { tokens: { session?: { token: string }; deviceToken: string } }
  const kept = await readFile(file, 'utf8')
  const { tokens } = JSON.parse(kept) as Kept
  const token = tokens.session?.token
  assert.equal((await bank.send('GET', '/api/v1/me', { token })).status, 200)
  assert.equal((await use(own, ['logout'])).code, 0)
  assert.equal((await bank.send('GET', '/api/v1/me', { token })).body.code, 'session_revoked')
  const left = async () => (JSON.parse(await readFile(file, 'utf8')) as Kept).tokens
  assert.deepEqual(await left(), { deviceToken: tokens.deviceToken })
  const without = await use(own, ['accounts'])
  assert.deepEqual([without.code, without.err.includes('`login`')], [2, true])
  assert.deepEqual(await use(own, ['logout']), { code: 0, out: '', err: '' })

  // The answer was lost, or the session was ended elsewhere.
  await writeFile(file, kept)
  const ended = await use(own, ['accounts'])
  assert.deepEqual([ended.code, ended.err], [2, 'The session was revoked; log in again.\n'])
  assert.deepEqual(await use(own, ['logout']), { code: 0, out: '', err: '' })
  assert.deepEqual(await left(), { deviceToken: tokens.deviceToken })

  const away = kept.replace(/localhost:\d+/, `localhost:${await freePort()}`)
  await writeFile(file, away)
  assert.equal((await use(own, ['logout', '--wait', '1'])).code, 3)
  assert.equal(await readFile(file, 'utf8'), away)
})

test('on a terminal the password is asked for and not shown', async (t) => {
  if (spawnSync('script', ['--version']).status !== 0) return t.skip('there is no program script')
  const own = path.join(await folderFor(t), 'own')
  const line = [process.execPath, bin, 'client', ...logInAs('ada'), '--folder', own]
  const child = spawn('script', ['-qec', line.join(' '), '/dev/null'], {
    env: { PATH: process.env['PATH'] },
    stdio: 'pipe',
  })
  let shown = ''
  let isAsked = false
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    if (isAsked || !shown.includes('Password: ')) return
    isAsked = true
    child.stdin.write(`${password}\r`)
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, shown)
  assert.equal(shown.trim(), 'Password:')
  assert.equal((await use(own, ['accounts'])).code, 0)
})

test('SIGTERM ends a command that asks for a password', async (t) => {
  if (spawnSync('script', ['--version']).status !== 0) return t.skip('there is no program script')
  const line = [process.execPath, bin, 'client', ...logInAs('ada'), '--folder', await folderFor(t)]
  const asked = `echo pid $$; exec ${line.join(' ')}`
  const child = spawn('script', ['-qec', asked, '/dev/null'], {
    env: { PATH: process.env['PATH'] },
    stdio: 'pipe',
  })
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const isAsked = shown.includes('Password: ')
    shown += chunk.toString()
    if (isAsked || !shown.includes('Password: ')) return
    process.kill(Number(/pid (\d+)/.exec(shown)?.[1]), 'SIGTERM')
  })
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 143)
  assert.match(shown, /Terminated\.\s+$/)
})

test('SIGTERM and SIGHUP during a payment tell its key, as Ctrl-C does', async (t) => {
  const own = await folderFor(t)
  await chmod(own, 0o700)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    let key: unknown
    const server = createServer((request, response) => {
      if (request.method === 'GET') return void response.end('{"currency":"EUR"}')
      key = request.headers['idempotency-key']
      // No answer comes. Further signals meet the command until its process has ended.
      const { child } = paying
      const again = (): void => {
        const isEnded = child.exitCode !== null || child.signalCode !== null
        if (!isEnded && child.kill(signal)) setImmediate(again)
      }
      child.kill(signal)
      request.socket.once('close', again)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.closeAllConnections())
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await use(own, ['login', '--key', '--url', url], 'srk_key\n')
    const order = ['transfer', '--from', bank.from, '--to', bank.to, '--amount', '1']
    const paying = begin([process.execPath, bin, 'client', ...order, '--folder', own])
    const { code, err } = await paying.ended
    assert.deepEqual([code, err.split('\n')[1]], [3, `Repeat it with --key ${String(key)}`])
  }
})

test('a bank that is away, and a payment whose outcome is not known, end with 3', async (t) => {
  const own = await folderFor(t)
  await chmod(own, 0o700)
  const keys = new Set<unknown>()
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      keys.add(request.headers['idempotency-key'])
      request.socket.destroy()
    } else response.end(JSON.stringify({ currency: 'EUR' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asKey = await use(own, ['login', '--key', '--url', url], 'srk_key\n')
  assert.equal(asKey.code, 0, asKey.err)
  const pay = ['transfer', '--from', bank.from, '--to', bank.to, '--amount', '1', '--wait', '1']
  const unknown = await use(own, pay)
  assert.equal(unknown.code, 3)
  assert.equal(keys.size, 1)
  assert.ok(unknown.err.includes(`--key ${String([...keys][0])}\n`), unknown.err)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const away = await use(own, ['accounts', '--wait', '1', '--json'])
  assert.equal(away.code, 3)
  assert.equal((JSON.parse(away.err) as { code: string }).code, 'not_reached')
})

test('an output that cannot be written ends with 4, and one whose reader is gone with 0', async (t) => {
  const line = `'${process.execPath}' '${bin}' client accounts --folder '${folder}'`
  const shell = (text: string) => begin(['bash', '--norc', '-c', text]).ended
  assert.deepEqual(await shell(`set -o pipefail; ${line} | true`), { out: '', err: '', code: 0 })
  if (!existsSync('/dev/full')) return t.skip('there is no /dev/full')
  const full = await shell(`${line} > /dev/full`)
  assert.equal(full.code, 4)
  assert.match(full.err, /^The output cannot be written, .*ENOSPC.*\n$/)
  const asJson = await shell(`${line} --json > /dev/full`)
  assert.equal((JSON.parse(asJson.err) as { code: string }).code, 'unwritten')
})

test('what a terminal would obey is not printed', () => {
  const table = toTable(
    ['A', 'B'],
    [
      ['\u001b[31mred\u0007', '1'],
      ['\u202ex', null],
    ],
    ['B'],
  )
  assert.equal(table, 'A          B\n?[31mred?  1\n?x\n')
})

test('a bank that is not available for now is to be asked again, and has refused nothing', () => {
  const body = { code: 'unavailable', message: 'Later', requestId: '1' } as const
  const thrown = new ApiError('unavailable', new Response(null, { status: 503 }), body)
  assert.equal(describeFailure(thrown, true).exitCode, exitCodes.unknown)
})

test('an error of the program itself is not hidden', () => {
  assert.throws(() => describeFailure(new TypeError('a defect'), false), /a defect/)
  assert.equal(
    describeFailure(new UsageError('wrong'), true).text,
    '{"code":"usage","message":"wrong"}',
  )
})
