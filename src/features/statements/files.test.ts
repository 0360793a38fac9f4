// Statements as files over HTTP: formats, file names, refusals, and what a client that does not
// read costs the database.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { deposit, openAccount } from '../../../test/support/fixture.ts'
import { connect, connectHttp2, everything } from '../../../test/support/connect.ts'
import {
  commonWorld,
  people,
  type ApiClient,
  world,
  type World,
} from '../../../test/support/world.ts'

const files = [
  ['csv', 'text/csv', 'text/csv; charset=utf-8; header=present', 'csv'],
  ['pdf', 'application/pdf', 'application/pdf', 'pdf'],
  ['camt053', 'application/xml', 'application/xml; charset=utf-8', 'xml'],
] as const

const open = async (bank: World, name: 'ada' | 'ben' = 'ada'): Promise<string> =>
  openAccount(await bank.as(name))

const pathTo = (account: string, query = ''): string =>
  `/api/v1/accounts/${account}/statement${query}`
const ask = (client: ApiClient, account: string, query = '', headers = {}) =>
  client.get(pathTo(account, query), { headers })

/** Adds `count` deposits of 0.01 of that day by SQL. */
async function fill(
  bank: World,
  account: string,
  count: number,
  day = '2026-01-02',
  reference = 'Counter',
): Promise<void> {
  // No look-up of each foreign key.
  await bank.sql('set session_replication_role = replica')
  await bank.sql(
    `with cash as (select id from accounts where kind = 'cash' and currency = 'EUR'),
     numbered as (
       select last_seq + i as i, gen_random_uuid() as id
       from accounts, generate_series(1, $2::int) i where accounts.id = $1),
     moved as (
       insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
         created_at, caller_id, session_id, kind, status, currency, reference, salt)
       select id, (select id from cash), $1, i, i, 1, $3, $1, $1, 'deposit',
         'completed', 'EUR', $4 || ' ' || i, '\\x00000000000000000000000000000000' from numbered)
     insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind, reference)
     select $1, id, i, 1, i, $3, sha256(''), 'deposit', $4 || ' ' || i from numbered`,
    [account, count, `${day}T08:00:00Z`, reference],
  )
  await bank.sql('reset session_replication_role')
  await bank.sql(
    'update accounts set balance = balance + $2::int, last_seq = last_seq + $2::int where id = $1',
    [account, count],
  )
}

const dayMs = 24 * 3_600_000
let filled: Promise<string> | undefined

/** The common world, where Ada has an account with 60,001 entries: on four days, see below. */
async function withLongAccount(): Promise<{ bank: World; account: string }> {
  const bank = await commonWorld()
  const fillDays = async () => {
    bank.clock.advance(2 * dayMs)
    const account = await open(bank)
    await fill(bank, account, 1, '2026-01-01')
    await fill(bank, account, 9_999, '2026-01-02')
    await fill(bank, account, 1, '2026-01-03')
    await fill(bank, account, 50_000, '2026-01-04')
    return account
  }
  return { bank, account: await (filled ??= fillDays()) }
}

/** The number of open snapshots in the database. */
async function openSnapshots(bank: World): Promise<number> {
  const { rows } = await bank.sql(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'
       and query not like 'begin%' and backend_type = 'client backend'`,
  )
  return rows[0]?.['count'] as number
}

/** Waits at most 30 s: a file is cut after 20 s. */
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, what)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const untilOpen = (bank: World, count: number): Promise<void> =>
  until(`${count} open snapshots`, async () => (await openSnapshots(bank)) === count)

/** A client that reads the header of a response and nothing of its body. */
async function unreadBy(bank: World, client: ApiClient, path: string) {
  const ca = await readFile(bank.running.certificate.caPath as string)
  const request = https.request({
    host: '127.0.0.1',
    port: bank.running.httpsPort,
    servername: 'localhost',
    ca,
    agent: false,
    path,
    headers: { authorization: `Bearer ${client.token}` },
  })
  request.on('error', () => {})
  const { promise, resolve } = Promise.withResolvers<number>()
  request.on('response', (response) => {
    response.pause()
    response.on('error', () => {})
    resolve(response.statusCode ?? 0)
  })
  request.end()
  return { status: await promise, leave: () => request.destroy() }
}

test('each file format is sent for its Accept and its `format`, which takes precedence, with a file name', async () => {
  const bank = await commonWorld()
  const ada = await bank.as('ada')
  const account = await open(bank)
  await deposit(await bank.as('root'), account, '12.34')
  const { body } = await ask(ada, account)
  const lastFour = (body.account.iban as string).slice(-4)
  for (const [format, accept, type, extension] of files) {
    const named = (label: string) =>
      `attachment; filename="statement-${lastFour}-${label}.${extension}"`
    for (const [query, headers] of [
      ['?from=2026-01-01&to=2026-01-31', { accept }],
      [`?from=2026-01-01&to=2026-01-31&format=${format}`, { accept: 'application/json' }],
      [`?from=2026-01-01&to=2026-01-31&format=${format}`, { accept: 'image/png' }],
    ] as const) {
      const reply = await ask(ada, account, query, headers)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.headers['content-type'], type)
      assert.equal(reply.headers['content-disposition'], named('2026-01'))
      assert.equal(reply.headers['x-content-type-options'], 'nosniff')
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.equal(reply.headers['x-frame-options'], 'DENY')
      assert.ok(reply.headers['ratelimit'] && reply.headers['x-request-id'])
      assert.ok(reply.text.includes(format === 'pdf' ? '%%EOF' : '12.34'), format)
    }
    const part = await ask(ada, account, `?from=2026-01-02&to=2026-01-31&format=${format}`)
    assert.equal(part.headers['content-disposition'], named('2026-01-02-2026-01-31'))
  }
  const json = await ask(ada, account, '?format=json', { accept: 'text/csv' })
  assert.equal(json.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(json.headers['content-disposition'], undefined)
  await untilOpen(bank, 0)
})

test('HEAD of a file has its header fields and no body', async () => {
  const { bank, account } = await withLongAccount()
  const { token } = await bank.as('ada')
  for (const [format, , type] of files) {
    const path = pathTo(account, `?format=${format}&from=2026-01-02&to=2026-01-02`)
    const head = await bank.send('HEAD', path, { token })
    assert.equal(head.status, 200)
    assert.equal(head.headers['content-type'], type)
    assert.match(head.headers['content-disposition'] ?? '', /^attachment/)
    assert.equal(head.headers['content-length'], undefined)
    assert.equal(head.text, '')
  }
  await untilOpen(bank, 0)
})

test('errors are JSON, whatever format the request asks for', async () => {
  const bank = await commonWorld()
  const [ada, ben, agnes] = [await bank.as('ada'), await bank.as('ben'), await bank.as('agnes')]
  const account = await open(bank)
  const { body } = await ask(ada, account)
  const cursor = `cursor=${'A'.repeat(40)}`
  const wrong: [
    client: ApiClient,
    account: string,
    query: string,
    accept: string,
    status: number,
  ][] = [
    [ada, account, '?format=xlsx', '*/*', 400],
    [ada, account, '?format=PDF', '*/*', 400],
    [ada, account, '?format=', '*/*', 400],
    [ada, account, '?format=csv&format=pdf', '*/*', 400],
    [ada, account, '', 'text/html', 406],
    [ada, account, '', 'text/csv;q=0', 406],
    ...files.flatMap(([format]): typeof wrong => [
      [ada, account, `?format=${format}&from=2026-01-02&to=2026-01-01`, '*/*', 400],
      [ada, account, `?format=${format}&from=2025-01-01&to=2026-01-02`, '*/*', 400],
      [ada, account, `?format=${format}&from=2026-02-30`, '*/*', 400],
      [ada, account, `?format=${format}&${cursor}`, '*/*', 400],
      [ben, account, `?format=${format}`, '*/*', 403],
      [ben, people.ada.id, `?format=${format}`, '*/*', 403],
      [agnes, people.ada.id, `?format=${format}`, '*/*', 404],
    ]),
  ]
  for (const [client, id, query, accept, status] of wrong) {
    const reply = await ask(client, id, query, { accept })
    assert.equal(reply.status, status, `${query} ${accept}: ${reply.text}`)
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(reply.headers['content-disposition'], undefined)
    assert.ok(reply.body.code)
  }
  assert.deepEqual(body.entries, [])
  for (const [format] of files) {
    const leap = await ask(ada, account, `?format=${format}&from=2024-01-01&to=2024-12-31`)
    assert.equal(leap.status, 200, '366 days are a year')
  }
  await untilOpen(bank, 0)
})

test('a PDF has at most 10,000 entries: more are refused, with the formats that have no limit', async () => {
  const { bank, account } = await withLongAccount()
  const ada = await bank.as('ada')
  const period = (to: string, format: string) => `?from=2026-01-01&to=${to}&format=${format}`
  const most = await bank.send('HEAD', pathTo(account, period('2026-01-02', 'pdf')), {
    token: ada.token,
  })
  assert.equal(most.status, 200)
  const pdf = await ask(ada, account, period('2026-01-03', 'pdf'))
  assert.equal(pdf.status, 400)
  assert.equal(pdf.body.code, 'invalid_request')
  assert.equal(pdf.body.details[0].path, '/query/to')
  assert.match(pdf.body.details[0].message, /10000 entries.*CSV and camt\.053/)
  const csv = await ask(ada, account, period('2026-01-04', 'csv'))
  assert.equal(csv.text.split('\r\n').length, 60_001 + 2)
  const camt = await ask(ada, account, period('2026-01-04', 'camt053'))
  assert.equal(camt.text.split('<Ntry>').length, 60_001 + 1)
})

test('a PDF that would not be written in time is refused before its first byte', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const account = await open(bank)
  await fill(bank, account, 910, undefined, '王伟'.repeat(50))
  const { status, body } = await ask(ada, account, '?format=pdf')
  assert.equal(status, 400)
  assert.match(body.details[0].message, /letters of scripts.*CSV and camt\.053/)
  const { token } = ada
  assert.equal((await bank.send('HEAD', pathTo(account, '?format=pdf'), { token })).status, 400)
  assert.equal((await ask(ada, account, '?format=csv')).status, 200)
})

test('concurrent PDFs have at most 15,000 entries in all: more get 503, a small one does not', async () => {
  const { bank, account } = await withLongAccount()
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const large = '&from=2026-01-02&to=2026-01-02'
  const small = await open(bank, 'ben')
  await fill(bank, small, 20)
  const head = (format: string) =>
    bank.send('HEAD', pathTo(account, `?format=${format}${large}`), { token: root.token })
  const unread = await unreadBy(bank, ada, pathTo(account, `?format=pdf${large}`))
  assert.equal(unread.status, 200)
  const refused = await head('pdf')
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal((await head('csv')).status, 200)
  assert.equal((await ask(ben, small, '?format=pdf')).status, 200)
  unread.leave()
  const isFree = async () => (await head('pdf')).status === 200
  await until('a client that leaves gives its places back', isFree)
  await until('and so does an answer to HEAD', isFree)
})

test('a file that staff read is in the audit trail', async () => {
  const bank = await commonWorld()
  const account = await open(bank)
  const agnes = await bank.as('agnes')
  for (const [format] of files) {
    const { headers } = await ask(agnes, account, `?format=${format}`)
    await bank.running.edge.flush()
    const { rows } = await bank.sql('select * from audit_events where request_id = $1', [
      headers['x-request-id'],
    ])
    assert.equal(rows.length, 1)
    assert.equal(rows[0]?.['target'], account)
  }
})

test('entries that do not add up are not sent: 500, or a file that is cut', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const account = await open(bank)
  for (const amount of ['1.00', '2.00', '4.00'])
    await deposit(await bank.as('root'), account, amount)
  await bank.sql('alter table entries disable trigger user')
  await bank.sql('update entries set amount = 101 where account_id = $1 and seq = 2', [account])
  for (const [format] of files) {
    const reply = await ask(ada, account, `?format=${format}`)
    assert.equal(reply.status, 500)
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(reply.headers['content-disposition'], undefined)
  }
  // The totals are right, but a balance between them is not: the file is cut.
  const inTheMiddle = 'where account_id = $1 and seq = 2'
  await bank.sql(`update entries set amount = 200, balance_after = 9 ${inTheMiddle}`, [account])
  const isCutLogged = () => bank.logged.some((line) => line.includes('file was cut'))
  for (const [format] of files) {
    const head = await bank.send('HEAD', pathTo(account, `?format=${format}`), { token: ada.token })
    assert.equal(head.status, format === 'pdf' ? 500 : 200, 'HEAD reads the entries of a PDF alone')
  }
  assert.ok(!isCutLogged())
  for (const [format] of files) {
    const status = await ask(ada, account, `?format=${format}`).then(
      (reply) => reply.status,
      () => 'cut',
    )
    assert.ok(status === 'cut' || status === 500, `${format}: ${status}`)
  }
  assert.ok(isCutLogged())
  await untilOpen(bank, 0)
})

test('clients that do not read hold at most one snapshot each and four in all, and no other connection', async () => {
  const { bank, account } = await withLongAccount()
  const names = ['ada', 'ben', 'agnes', 'root'] as const
  const bens = await open(bank, 'ben')
  await fill(bank, bens, 30_000)
  const ada = await bank.as('ada')
  const path = (name: (typeof names)[number]) =>
    pathTo(name === 'ben' ? bens : account, '?format=camt053')
  const unread = await unreadBy(bank, ada, path('ada'))
  assert.equal(unread.status, 200)
  const second = await ask(ada, account, '?format=csv')
  assert.equal(second.status, 503, 'one each')
  assert.equal(second.headers['retry-after'], '1')
  const others = []
  for (const name of names.slice(1))
    others.push(await unreadBy(bank, await bank.as(name), path(name)))
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200, 200],
  )
  await untilOpen(bank, 4)
  const fifth = await ask(await bank.as('both'), account, '?format=csv')
  assert.equal(fifth.status, 503, 'four in all')
  const other = await open(bank)
  await deposit(await bank.as('root'), other, '1.00')
  const json = await ask(ada, other)
  assert.equal(json.body.closingBalance, '1.00', 'payments and reads go on')
  for (const { leave } of [unread, ...others]) leave()
  await untilOpen(bank, 0)
  const again = await ask(ada, account, '?format=csv&from=2026-01-03')
  assert.equal(again.status, 200)
  assert.equal(again.text.split('\r\n').length, 50_001 + 2)
})

test('a client that does not read its file is disconnected after 20 s, and its snapshot is closed', async () => {
  const { bank, account } = await withLongAccount()
  const linesBefore = bank.logged.length
  const startedAt = performance.now()
  const path = pathTo(account, '?format=camt053')
  const { status } = await unreadBy(bank, await bank.as('ada'), path)
  assert.equal(status, 200)
  await untilOpen(bank, 1)
  const isCut = () => bank.logged.slice(linesBefore).some((line) => line.includes('file was cut'))
  await until('it is cut', isCut)
  const took = performance.now() - startedAt
  assert.ok(took >= 19_900, `cut after ${took} ms`)
  await untilOpen(bank, 0)
})

test('a file that is cut ends with an error over HTTP/2, and files are refused over HTTP/1.0', async (t) => {
  const bank = await world(t)
  const account = await open(bank)
  await fill(bank, account, 20_000)
  await bank.sql('alter table entries disable trigger user')
  await bank.sql('update entries set balance_after = 9 where account_id = $1 and seq = 15000', [
    account,
  ])
  const { token } = await bank.as('ada')
  const authorization = `Bearer ${token}`
  const session = await connectHttp2(bank)
  t.after(() => session.destroy())
  const path = pathTo(account, '?format=csv')
  const stream = session.request({ ':path': path, authorization })
  let received = 0
  stream.on('data', (chunk: Buffer) => (received += chunk.length))
  const [thrown] = (await once(stream, 'error')) as [Error]
  assert.match(thrown.message, /INTERNAL_ERROR/)
  assert.ok(received > 0, 'it had begun')

  // The second one is not refused for a snapshot that the first one left open.
  for (let turn = 0; turn < 2; turn++) {
    const socket = await connect(bank)
    const text = everything(socket)
    socket.write(
      `GET ${path} HTTP/1.0\r\nHost: bank.example\r\nAuthorization: ${authorization}\r\n\r\n`,
    )
    assert.match(await text, /^HTTP\/1\.1 406 /)
  }
})
