// `strongroom move`: the embedded bank to a PostgreSQL of one's own, with an owner that is no
// superuser. It is killed in the middle and run again; there is one bank at any time.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { cloneTemplate, cluster, toUrl } from '../support/database.ts'
import { client, type Client } from '../support/client.ts'
import { until } from '../support/mailbox.ts'
import { freePort, run } from '../support/program.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-move-'))
await chmod(folder, 0o711)
const data = path.join(folder, 'data')
const tests = await cluster()
const word = `move_${randomBytes(6).toString('hex')}`
const [owner, service] = [`${word}_owner`, `${word}_service`]
const password = randomBytes(12).toString('hex')

async function sql(database: string, text: string): Promise<Record<string, unknown>[]> {
  const session = new pg.Client({ ...tests.address, database })
  await session.connect()
  try {
    const { rows } = await session.query<Record<string, unknown>>(text)
    return rows
  } finally {
    await session.end()
  }
}

await sql('postgres', `create role ${owner} login createrole password '${password}'`)
await sql('postgres', `grant strongroom_service to ${owner}`)
await sql('postgres', `create role ${service} login password '${password}'`)
await sql('postgres', `grant strongroom_service to ${service}`)
await sql('postgres', `create database ${word} owner ${owner}`)
after(async () => {
  await sql('postgres', `drop database ${word} with (force)`)
  await sql('postgres', `drop role ${owner}, ${service}`)
  await tests.stop()
  await rm(folder, { recursive: true, force: true })
})

const url = (user: string) => toUrl({ ...tests.address, user, password, database: word })
const ownerFile = path.join(folder, 'owner')
await writeFile(ownerFile, `${url(owner)}\n`, { mode: 0o600 })

const adminPassword = 'the heron waits by seven weirs'
const embedded = { DATA_DIR: data }
const own = { DATA_DIR: data, DATABASE_URL: url(service) }

async function strongroom(settings: Record<string, string>, ...args: string[]) {
  const program = run(args, settings)
  const code = await program.ended
  const text = program.err() + program.out()
  assert.ok(!text.includes(password), 'a password is printed')
  return { code, text }
}

/** Starts the service, does the work as a customer or an administrator, and stops it. */
async function whileServing(settings: Record<string, string>, work: (send: Send) => Promise<void>) {
  const port = await freePort()
  const ports = { HTTPS_PORT: String(port), HTTP_PORT: '0', METRICS_PORT: '0' }
  const bank = run([], { ...settings, ...ports, ADMIN_PASSWORD: adminPassword })
  try {
    await bank.says(/Strongroom is ready/)
    const { send, close } = client(port, await readFile(path.join(data, 'tls/ca.pem')))
    await work(send)
    close()
  } finally {
    bank.child.kill('SIGTERM')
    await bank.ended
  }
}
type Send = Client['send']

async function expect(status: number, answer: ReturnType<Send>) {
  const reply = await answer
  assert.equal(reply.status, status, reply.text)
  return reply.body
}

const ada = { username: 'ada', password: 'seven lean kine and a barn' }
let accounts: { from: string; to: string } | undefined
const pay = (send: Send, token: string, amount: string) =>
  expect(
    201,
    send('POST', '/api/v1/transfers', {
      token,
      body: {
        fromAccountId: accounts?.from,
        toAccountId: accounts?.to,
        amount,
        currency: 'EUR',
        reference: 'Späte Äpfel 1/2',
      },
    }),
  )

async function login(send: Send, body: object): Promise<string> {
  return (await expect(200, send('POST', '/api/v1/auth/login', { body }))).token
}

async function makeBank(send: Send): Promise<void> {
  const admin = await login(send, { username: 'admin', password: adminPassword })
  const person = { email: 'ada@example.com', givenName: 'Ada', familyName: 'Ökafor' }
  const body = { ...ada, ...person, roles: ['customer'] }
  await expect(201, send('POST', '/api/v1/admin/users', { token: admin, body }))
  const token = await login(send, ada)
  const open = async () =>
    (await expect(201, send('POST', '/api/v1/accounts', { token, body: { currency: 'EUR' } }))).id
  accounts = { from: await open(), to: await open() }
  const deposit = { amount: '60.00', currency: 'EUR', reason: 'Paid in' }
  const where = `/api/v1/admin/accounts/${accounts.from}/deposits`
  await expect(201, send('POST', where, { token: admin, body: deposit }))
  await pay(send, token, '20.00')
}

/** Holds the first statement that puts a foreign key back: all rows are copied by then. */
const hold = `
  create function public.hold() returns event_trigger language plpgsql as $$
  declare is_filled boolean;
  begin
    if to_regclass('strongroom.users') is null then return; end if;
    execute 'select exists (select from strongroom.users)' into is_filled;
    if is_filled then perform pg_advisory_xact_lock(7); end if;
  end $$;
  create event trigger hold on ddl_command_start when tag in ('ALTER TABLE')
    execute function public.hold()`

/** What the copy has switched off meanwhile. */
const checks = `
  select conname as name, conrelid::regclass::text as of, pg_get_constraintdef(oid) as text
  from pg_constraint where connamespace = 'strongroom'::regnamespace
  union all
  select tgname, tgrelid::regclass::text, tgenabled::text from pg_trigger where not tgisinternal
  order by 1, 2, 3`

test('a bank is moved to another database though the command was killed, and exactly one of the two can be used at any time', async (t) => {
  await whileServing(embedded, async (send) => {
    await makeBank(send)
    const refused = await strongroom(embedded, 'move', '--to-file', ownerFile)
    assert.match(refused.text, /Another Strongroom is running/)
  })

  await t.test('a password on the command line is refused, and said nowhere', async () => {
    const { code, text } = await strongroom(embedded, 'move', '--to', url(owner))
    assert.deepEqual([code, text.match(/--to may hold no password/g)?.length], [2, 1], text)
  })

  await t.test(
    'killed in the middle: the former bank is whole and in use, the new one is not',
    async () => {
      await sql(word, hold)
      const holder = new pg.Client({ ...tests.address, database: word })
      await holder.connect()
      await holder.query('select pg_advisory_lock(7)')
      const killed = run(['move', '--to-file', ownerFile], embedded)
      await until('the copy', async () => {
        assert.equal(killed.child.exitCode, null, killed.err())
        const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
        return (await sql(word, waiting)).length > 0
      })
      killed.child.kill('SIGKILL')
      await killed.ended
      await holder.end()
      await sql(word, 'drop event trigger hold; drop function public.hold()')
      const former = await strongroom(embedded, 'verify')
      assert.match(former.text, /The books are sound: \d+ accounts, 2 transfers/)
      const half = await strongroom(own, 'verify')
      assert.deepEqual(
        [half.code, /being filled by `strongroom move`/.test(half.text)],
        [2, true],
        half.text,
      )
    },
  )

  await t.test('another bank is not moved into what this one has begun', async () => {
    const other = await cloneTemplate(tests)
    const from = path.join(folder, 'other')
    await writeFile(from, toUrl(other.address), { mode: 0o600 })
    const args = ['--from-file', from, '--to-file', ownerFile]
    const { code, text } = await strongroom(embedded, 'move', ...args)
    await other.stop()
    assert.deepEqual([code, /not of an earlier move of this bank/.test(text)], [2, true], text)
  })

  let digest = ''
  await t.test('the same command again ends it, with the same rows and heads', async () => {
    const moved = await strongroom(embedded, 'move', '--to-file', ownerFile)
    assert.equal(moved.code, 0, moved.text)
    assert.match(moved.text, /\d+ tables with \d+ rows are the same in both/)
    digest = /^Digest of all heads in both: (\w{64})$/m.exec(moved.text)?.[1] ?? ''
    assert.deepEqual(await sql(word, checks), await sql('strongroom_template', checks))
    const sequence = `select (select last_value from strongroom.events_written_seq) =
      (select max(written) from strongroom.events) as goes_on`
    assert.deepEqual(await sql(word, sequence), [{ goes_on: true }])
    const again = await strongroom(embedded, 'move', '--to-file', ownerFile)
    assert.deepEqual([again.code, /was moved to/.test(again.text)], [2, true], again.text)
  })

  await t.test('the new one goes on where the former one ended', async () => {
    const proven = await strongroom(own, 'verify')
    assert.ok(digest !== '' && proven.text.includes(`Digest of all heads: ${digest}`), proven.text)
    await whileServing(own, async (send) => {
      const token = await login(send, ada)
      await pay(send, token, '15.00')
      const { balance } = await expect(
        200,
        send('GET', `/api/v1/accounts/${accounts?.from}`, { token }),
      )
      assert.equal(balance, '25.00')
    })
    const after = await strongroom(own, 'verify')
    assert.match(after.text, /The books are sound: \d+ accounts, 3 transfers/)
  })

  await t.test(
    'the former one refuses every start and command in one line, until it is taken back',
    async () => {
      for (const command of ['serve', 'verify', 'migrate']) {
        const { code, text } = await strongroom(embedded, command)
        const lines = text.split('\n').filter((line) => !line.startsWith('{') && line !== '')
        assert.equal(code, 2, text)
        assert.equal(lines.length, 1, text)
        assert.match(
          lines[0] ?? '',
          /^The bank was moved to \S+ at \S+\. To use this database again/,
        )
      }
      const back = await strongroom(embedded, 'move', '--take-back')
      assert.match(back.text, /there would be two banks/)
      const { text } = await strongroom(embedded, 'verify')
      assert.match(text, /The books are sound: \d+ accounts, 2 transfers/)
      const occupied = await strongroom(embedded, 'move', '--to-file', ownerFile)
      assert.deepEqual([occupied.code, /name an empty one/.test(occupied.text)], [2, true])
    },
  )
})

test('a move between two servers waits for all instances to end, and one that was killed in its last moment is ended by the same command', async (t) => {
  const former = await cloneTemplate(tests)
  t.after(() => former.stop())
  const name = `${word}_next`
  await sql('postgres', `create database ${name}`)
  t.after(() => sql('postgres', `drop database ${name} with (force)`))
  const next = toUrl({ ...tests.address, database: name })
  await writeFile(path.join(folder, 'former.url'), toUrl(former.address), { mode: 0o600 })
  await writeFile(path.join(folder, 'next.url'), next, { mode: 0o600 })
  const files = ['former.url', 'next.url'].map((file) => path.join(folder, file))
  const args = ['move', '--from-file', files[0] ?? '', '--to-file', files[1] ?? '']
  const instance = new pg.Client({ ...former.address, application_name: 'strongroom 0.3.0' })
  await instance.connect()
  const early = await strongroom({}, ...args)
  assert.deepEqual([early.code, /strongroom 0\.3\.0 is connected/.test(early.text)], [2, true])
  await instance.end()

  const moved = await strongroom({}, ...args)
  assert.equal(moved.code, 0, moved.text)
  const [mark] = await sql(
    former.address.database,
    `select substr(obj_description('strongroom'::regnamespace), 17)::json->>'move' as move`,
  )
  const proven = JSON.stringify({ state: 'proven', bank: 'of then', move: mark?.['move'] })
  await sql(name, `comment on schema strongroom is 'strongroom move ${proven}'`)
  const closed = await strongroom({ DATABASE_URL: next }, 'verify')
  assert.deepEqual([closed.code, /run that again/.test(closed.text)], [2, true], closed.text)
  const ended = await strongroom({}, ...args)
  assert.match(ended.text, /^The bank is in \S+ now/)
  const open = await strongroom({ DATABASE_URL: next }, 'verify')
  assert.equal(open.code, 0, open.text)

  // An instance that has run all the time, or of an older release, knows no mark.
  await assert.rejects(
    sql(former.address.database, 'set role strongroom_service; select from strongroom.users'),
    /permission denied for schema strongroom/,
  )
})
