// `strongroom verify`, `erase` and `export-person` as an operator runs them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pause } from '../../test/support/locks.ts'
import pg from 'pg'
import { bank, type Bank } from '../../test/support/bank.ts'
import { toUrl } from '../../test/support/database.ts'
import { run } from '../../test/support/program.ts'
import type { LocalAddress } from '../database/connections/connect.ts'
import { beginLine, digestLine } from '../ledger/proof/heads.ts'

const hash = '0'.repeat(64)

type Fixture = Bank & {
  folder: string
  strongroom(...args: string[]): Promise<{ code: number | null; err: string; out: string }>
}

async function fixture(t: TestContext): Promise<Fixture> {
  const made = await bank(t)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-heads-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const settings = { DATABASE_URL: toUrl(made.address as LocalAddress) }
  return {
    ...made,
    folder,
    async strongroom(...args) {
      const program = run(args, settings)
      const code = await program.ended
      return { code, err: program.err(), out: program.out() }
    },
  }
}

test('verify proves that written heads are on their chains, and reports one that is not', async (t) => {
  const { strongroom, folder, account, ledger, movement, sql } = await fixture(t)
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(movement(from, to))
  const file = path.join(folder, 'heads')
  const first = await strongroom('verify', '--heads', file)
  assert.equal(first.code, 0, first.err)
  const [, digest = ''] = /^Digest of all heads: ([0-9a-f]{64})$/m.exec(first.err) ?? []
  const lines = (await readFile(file, 'utf8')).split('\n')
  assert.equal(lines.pop(), '')
  assert.equal(lines.pop(), `digest ${digest}`)
  assert.equal(
    createHash('sha256')
      .update(`${lines.join('\n')}\n`)
      .digest('hex'),
    digest,
  )
  assert.ok(lines.some((line) => line.startsWith(`${from} 2 `)))
  assert.deepEqual(await readdir(folder), ['heads'])

  // After further transfers the heads are still on their chains.
  await ledger.submit(movement(from, to, { key: 'again' }))
  const given = ['--since', file, '--heads', file, '--cores', '2']
  const second = await strongroom('verify', ...given)
  assert.equal(second.code, 0, second.err)
  assert.ok(second.err.includes(`The heads with the digest ${digest} are on their chains.\n`))
  assert.notEqual(await readFile(file, 'utf8'), `${lines.join('\n')}\ndigest ${digest}\n`)

  // A head with another hash, as if the books had been rewritten from that entry on.
  const altered = lines.map((line) => line.replace(/^(\S+ [1-9]\d*) .*/, `$1 ${hash}`))
  const other = altered.join('\n')
  const otherDigest = createHash('sha256').update(`${other}\n`).digest('hex')
  const forged = path.join(folder, 'forged')
  await writeFile(forged, `${other}\ndigest ${otherDigest}\n`)
  const another = await strongroom('verify', '--since', forged)
  assert.equal(another.code, 1)
  assert.match(another.err, /Entry \d+ of account \S+: it is another than in the earlier heads/)
  await rm(forged)

  // An empty ledger is consistent in itself: only the earlier heads show the rewrite.
  await sql('set session_replication_role = replica')
  await sql('truncate entries, transfers, claims, recent_transfers')
  await sql(`update accounts set balance = 0, last_seq = 0, last_hash = null, last_entry_at = null`)
  assert.equal((await strongroom('verify')).code, 0)
  const rewritten = await strongroom('verify', '--since', file, '--heads', file)
  assert.equal(rewritten.code, 1)
  assert.match(
    rewritten.err,
    /^The books are not sound\. Account \S+: its chain ends at entry 0, earlier heads have \d+\./,
  )
  assert.deepEqual(await readdir(folder), ['heads'])
})

/** The clock of the books is not that of the command: says that the run began then. */
async function date(file: string, at: number): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split(/(?<=\n)/)
  assert.match(lines[0] ?? '', /^# from \S+Z\n$/)
  const text = [beginLine(at), ...lines.slice(1, -1)].join('')
  const digest = createHash('sha256').update(text).digest('hex')
  await writeFile(file, text + digestLine(digest))
  return digest
}

test('verify --only-new proves what is new since the heads of an earlier run, and says no more', async (t) => {
  const { strongroom, folder, account, ledger, movement, sql, clock } = await fixture(t)
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(movement(from, to))
  const [file, next] = [path.join(folder, 'heads'), path.join(folder, 'next')]
  assert.equal((await strongroom('verify', '--heads', file)).code, 0)
  clock.advance(3_600_000)
  const digest = await date(file, clock.now())
  await ledger.submit(movement(from, to, { key: 'again' }))
  const prove = (...more: string[]) => strongroom('verify', '--only-new', '--since', file, ...more)
  const sound = await prove('--heads', next)
  assert.equal(sound.code, 0, sound.err)
  const [begin, since, ...rest] = (await readFile(next, 'utf8')).trim().split('\n')
  assert.match(begin ?? '', /^# from /)
  assert.equal(since, `# new since ${digest}`)
  const nextDigest = rest.at(-1)?.replace('digest ', '') ?? ''
  const accounts = rest.filter((line) => !line.startsWith('#')).length - 1
  assert.equal(
    sound.err,
    `What is new since the heads with the digest ${digest} is sound: 1 transfers, 2 entries, and ` +
      `the balances of ${accounts} accounts. What is older was not proven.\n` +
      `Digest of all heads: ${nextDigest}\n`,
  )

  // What is older is not read; what is new is.
  await sql('set session_replication_role = replica')
  const change = `update entries set reference = 'Wages' where account_id = $1 and seq = $2`
  await sql(change, [from, 1])
  assert.equal((await prove()).code, 0)
  assert.equal((await strongroom('verify', '--since', file)).code, 1)
  await sql(change, [from, 3])
  const unsound = await prove()
  assert.equal(unsound.code, 1)
  assert.match(unsound.err, /^The books are not sound\. Entry 3 of account /)
  const events = await sql('select action, outcome, detail from audit_events order by id')
  assert.deepEqual(
    events.map(({ action, outcome }) => [action, outcome]),
    [
      ['verify', 'success'],
      ['verifyNew', 'success'],
      ['verifyNew', 'success'],
      ['verify', 'failure'],
      ['verifyNew', 'failure'],
    ],
  )
  assert.equal(events[1]?.['detail'], `${nextDigest} since ${digest}`)

  const alone = await strongroom('verify', '--only-new')
  assert.deepEqual([alone.code, alone.err], [2, '--only-new goes with --since.\n'])
  await writeFile(file, `${lines}digest ${digestOfLines}\n`)
  const older = await prove()
  assert.deepEqual(
    [older.code, older.err],
    [2, `--only-new needs a file of heads that says when its run began, and ${file} does not.\n`],
  )
})

test('a run is an event of the audit trail, sound or not, where the trail can be written', async (t) => {
  const { strongroom, account, sql } = await fixture(t)
  const id = await account(5n)
  assert.equal((await strongroom('verify')).code, 0)
  await sql('update accounts set balance = 6 where id = $1', [id])
  const unsound = await strongroom('verify')
  assert.equal(unsound.code, 1)
  const events = await sql('select action, outcome, address, detail from audit_events order by id')
  const command = { action: 'verify', address: 'operator' }
  assert.match(String(events[0]?.['detail']), /^digest [0-9a-f]{64}$/)
  assert.deepEqual(events, [
    { ...command, outcome: 'success', detail: events[0]?.['detail'] },
    { ...command, outcome: 'failure', detail: events[1]?.['detail'] },
  ])
  assert.match(String(events[1]?.['detail']), new RegExp(`Account ${id}`))

  await sql('update accounts set balance = 5 where id = $1', [id])
  await sql('revoke insert on audit_events from strongroom_service')
  const unrecorded = await strongroom('verify')
  assert.equal(unrecorded.code, 0)
  assert.match(unrecorded.err, /^The run is not in the audit trail\.\nThe books are sound: /)
})

test('only books that are not sound end with 1: a verify that cannot be done ends with 3, and wrong usage with 2', async (t) => {
  const { strongroom, folder, address, account, ledger, movement, sql } = await fixture(t)
  await ledger.submit(movement(await account(100n), await account()))
  const other = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // It ends with its database.
  other.on('error', () => {})
  await other.connect()
  await other.query('begin; lock table transfers')
  const late = await strongroom('verify')
  assert.equal(late.code, 3, late.err)
  assert.match(late.err, /^The books could not be verified: canceling statement due to .*\n$/)
  await other.query('commit')

  // The disk is full in the middle of the file.
  await symlink('/dev/full', path.join(folder, 'heads.part'))
  const full = await strongroom('verify', '--heads', path.join(folder, 'heads'))
  assert.equal(full.code, 3, full.err)
  assert.match(full.err, /^The books could not be verified: ENOSPC: .*\n$/)
  assert.deepEqual(await readdir(folder), [])

  const away = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/bank?sslmode=disable' }
  const program = run(['verify'], away)
  assert.equal(await program.ended, 3)
  assert.equal(
    program.err(),
    'The books could not be verified: connect ECONNREFUSED 127.0.0.1:1.\n',
  )
  assert.equal((await strongroom('verify', '--heads')).code, 2)
  for (const cores of ['0', '33', '2x', '1.5']) {
    assert.equal((await strongroom('verify', '--cores', cores)).code, 2, cores)
  }
  assert.equal((await strongroom('verify', 'everything')).code, 2)

  // Where both is so, the books come first.
  await sql('update accounts set balance = balance + 1 where last_seq > 0')
  await symlink('/dev/full', path.join(folder, 'heads.part'))
  const both = await strongroom('verify', '--heads', path.join(folder, 'heads'))
  assert.equal(both.code, 1, both.err)
})

// The databases of other tests have a table with the same number.
const waitingForTransfers = `
  select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
  where not granted and relation = 'transfers'::regclass`

test('a verify that is interrupted ends at once, leaves no file behind and says nothing of the books', async (t) => {
  const { folder, address, account, ledger, movement, sql } = await fixture(t)
  await ledger.submit(movement(await account(100n), await account()))
  const other = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // It ends with its database.
  other.on('error', () => {})
  await other.connect()
  const settings = { DATABASE_URL: toUrl(address as LocalAddress) }
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    await other.query('begin; lock table transfers')
    const program = run(['verify', '--heads', path.join(folder, 'heads')], settings)
    while ((await sql(waitingForTransfers)).length === 0) await pause()
    assert.deepEqual(await readdir(folder), ['heads.part'])
    program.child.kill(signal)
    assert.equal(await program.ended, code)
    assert.equal(program.err(), 'Interrupted.\n')
    await other.query('commit')
    assert.deepEqual(await readdir(folder), [])
  }
})

const head = (id: string, seq: string) => `${id.repeat(8)}-0000-0000-0000-000000000000 ${seq} `
const lines = `${head('1', '0')}${hash}\n${head('2', '3')}${hash}\n`
const digestOfLines = createHash('sha256').update(lines).digest('hex')

const damaged: [what: string, content: string, reason: string][] = [
  ['nothing', '', 'its last line, the digest, is missing'],
  ['something else', '{"heads": []}\n', 'line 1 is not a head'],
  ['a part only', lines, 'its last line, the digest, is missing'],
  ['one more line', `${lines}digest ${digestOfLines}\n${lines}`, 'line 4 stands behind the digest'],
  [
    'another number',
    `${lines.replace(' 3 ', ' 4 ')}digest ${digestOfLines}\n`,
    'its digest is not that',
  ],
  ['no order', lines.split('\n').toReversed().join('\n').trim(), 'line 2 is not in the order'],
  ['one endless line', 'f'.repeat(200_000), 'it has a line that is too long'],
]

test('a file of heads that cannot be used: one line, exit code 2', async (t) => {
  const { strongroom, folder } = await fixture(t)
  const file = path.join(folder, 'heads')
  for (const [what, content, reason] of damaged) {
    await writeFile(file, content)
    const { code, err } = await strongroom('verify', '--since', file)
    assert.equal(code, 2, what)
    assert.ok(err.startsWith(`The file of heads ${file} cannot be used: ${reason}`), err)
    assert.equal(err.indexOf('\n'), err.length - 1)
  }
  await writeFile(file, `${lines}digest ${digestOfLines}\n`)
  const { code, err } = await strongroom('verify', '--since', file)
  assert.equal(code, 1)
  assert.match(err, /Account 11111111-0000-0000-0000-000000000000 is missing\.\n$/)
  const nowhere = path.join(folder, 'no', 'heads')
  for (const option of ['--since', '--heads']) {
    const answer = await strongroom('verify', option, nowhere)
    assert.equal(answer.code, 2)
    assert.match(answer.err, /^The file of heads .* cannot be used: ENOENT.*\n$/)
  }
})

test('wrong usage of a command is one line, exit code 2', async (t) => {
  const { strongroom } = await fixture(t)
  const wrong: [args: string[], err: string][] = [
    [['erase'], 'Say either --person or --before.\n'],
    [['erase', '--before', '2026-02-30'], '--before is a day, such as 2015-12-31.\n'],
    [['erase', '--person', 'ada'], '--person is the identifier of a user: a UUID in lower case.\n'],
    [
      ['erase', '--before', '2020-01-01', '--retention-years', '101'],
      '--retention-years is a whole number from 0 to 100.\n',
    ],
    [
      ['rotate-secrets', 'limit', 'nonsense'],
      'That is not a secret; the secrets are cursor, refresh, limit.\n',
    ],
    [['export-audit', 'file', '--before', 'May'], '--before is a month, such as 2026-01.\n'],
    [
      ['create-admin', '--username', '', '--email', 'ada@example.com'],
      'That is not a user name.\n',
    ],
    [['create-admin', '--username', 'ada', '--email', 'ada'], 'That is not an e-mail address.\n'],
  ]
  for (const [args, err] of wrong) {
    assert.deepEqual(await strongroom(...args), { code: 2, err, out: '' })
  }
  const lasting = await strongroom('rotate-secrets', 'card')
  assert.equal(lasting.code, 2)
  assert.match(lasting.err, /^The secret card cannot be rotated: .*\n$/)
})

test('erase and export-person report a problem in one line, and do their work without one', async (t) => {
  const { strongroom, account, sql } = await fixture(t)
  await account(5n)
  const unknownUser = { code: 1, err: 'There is no such user.\n', out: '' }
  assert.deepEqual(await strongroom('export-person', 'nobody'), unknownUser)
  const young = await strongroom('erase', '--before', '2026-06-01')
  assert.match(young.err, /^Records from \d{4}-\d\d-\d\d on are within their legal time\.\n$/)
  assert.equal(young.code, 1)
  const old = await strongroom('erase', '--before', '2026-06-01', '--retention-years', '0')
  assert.equal(old.err, 'The texts of 1 transfers were erased.\n')
  const exported = await strongroom('export-person', 'ada')
  assert.deepEqual([exported.code, exported.err], [0, ''])
  assert.equal(JSON.parse(exported.out).person.username, 'ada')
  const verified = await strongroom('verify')
  assert.match(verified.err, /The texts of 1 transfers are erased\.\n/)
  const rows = await sql(`select action from audit_events where address = 'operator' order by id`)
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['erase', 'exportPerson', 'verify'],
  )
})
