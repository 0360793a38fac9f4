// `strongroom backup`, `restore` and the drill, as an operator runs them on an embedded bank.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { type Customer, seed } from '../../bench/seed.ts'
import { store } from '../../bench/store.ts'
import { atEnd, newFolder, query, started, until } from '../../test/support/embedded.ts'
import { freePort, type Program, run } from '../../test/support/program.ts'
import { openDatabase } from '../database/connections/connect.ts'
import { openEmbedded, startEmbedded } from '../database/embedded/embedded.ts'
import { ifPresent } from '../database/embedded/program.ts'
import { systemClock } from '../domain/clock.ts'
import { openLedger } from '../ledger/batch/batch.ts'
import { createBackup, openBackup } from './backup-folder.ts'
import { prepareDatabase } from './serve.ts'

/** A command on a data folder. Gives its exit code and what it wrote. */
async function strongroom(dataDir: string, ...args: string[]) {
  const program = run(args, { DATA_DIR: dataDir })
  const code = await program.ended
  return { code, err: program.err(), out: program.out() }
}

const population = { customers: 4, accountsEach: 3, sessionsEach: 1 }

/** Pays without a pause until it is told to stop; gives the transfers that were acknowledged. */
async function startLoad(dataDir: string, customers: readonly Customer[]) {
  const database = await openEmbedded(dataDir)
  const db = openDatabase(database.address)
  const ledger = openLedger(db, systemClock())
  const acknowledged: string[] = []
  const stopping = new AbortController()
  async function pay({ userId, accounts, sessions }: Customer): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const caller = { userId, sessionId: sessions[0]?.id as string, kid: null }
      const posted = await ledger.submit({
        kind: 'transfer',
        fromAccountId: accounts[0] as string,
        toAccountId: accounts[1] as string,
        amount: 1n,
        currency: 'EUR',
        reference: `${number}`,
        caller: { ...caller, role: 'customer' },
      })
      acknowledged.push(posted.transfer.id)
    }
  }
  const paying = Promise.all(customers.map(pay))
  return {
    acknowledged,
    async stop() {
      stopping.abort()
      await paying
      await ledger.close()
      await db.close()
      await database.stop()
    },
  }
}

/** Folders that several tests use, removed at the end. */
const shared = await mkdtemp('/tmp/strongroom-backup-')
await chmod(shared, 0o711)
after(() => rm(shared, { recursive: true, force: true }))

const template = join(shared, 'bank')
const customers = await (async () => {
  const database = await startEmbedded(template)
  await prepareDatabase(database.address)
  const made = await seed(database.address, population, 'https://bank.example')
  await store(database.address, made, 1000)
  await database.stop()
  return made
})()

/** A bank with a thousand transfers and live sessions, not running. */
async function usedBank(t: TestContext) {
  const folder = await newFolder(t)
  await promisify(execFile)('/bin/cp', ['-a', template, folder])
  return { folder, beside: (name: string) => join(dirname(folder), name) }
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test('a backup that is taken under load holds what was acknowledged before it, and is restored with its books proven and no session alive', async (t) => {
  const { folder, beside } = await usedBank(t)
  const ports = { HTTPS_PORT: String(await freePort()), HTTP_PORT: '0', METRICS_PORT: '0' }
  const service = run(['serve'], { DATA_DIR: folder, ...ports })
  t.after(() => service.child.kill('SIGKILL'))
  await service.says(/Strongroom is ready/)
  const heads = await strongroom(folder, 'verify', '--heads', beside('heads'))
  assert.equal(heads.code, 0, heads.err)
  const load = await startLoad(folder, customers)
  while (load.acknowledged.length < 200) await new Promise(setImmediate)
  const before = [...load.acknowledged]
  const made = await strongroom(folder, 'backup', beside('backup'))
  const during = load.acknowledged.length
  await load.stop()
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.equal(made.code, 0, made.err)
  assert.ok(during > before.length, 'payments went on during the backup')

  assert.match(made.err, /^The backup has \d+ MB and took [\d.]+ s\.$/m)
  assert.equal(await modeOf(beside('backup')), 0o700)
  const names = await readdir(beside('backup'), { recursive: true })
  assert.ok(names.includes('tls/ca.pem'))
  for (const name of names) {
    const mode = name === 'tls' ? 0o700 : 0o600
    assert.equal(await modeOf(join(beside('backup'), name)), mode, name)
  }
  await promisify(execFile)('sha256sum', ['-c', 'SHA256SUMS'], { cwd: beside('backup') })

  const since = ['--since', beside('heads')]
  const restored = await strongroom(beside('new'), 'restore', beside('backup'), ...since)
  assert.equal(restored.code, 0, restored.err)
  assert.match(
    restored.err,
    /All sessions are ended and all keys of service accounts are revoked\.\n/,
  )
  assert.match(restored.err, /The heads with the digest \w+ are on their chains\.\n/)
  assert.deepEqual((await readdir(beside('new'))).toSorted(), ['postgres', 'postgres.json', 'tls'])
  assert.deepEqual(
    await readFile(join(beside('new'), 'tls/ca.pem')),
    await readFile(join(folder, 'tls/ca.pem')),
  )
  const database = await started(t, beside('new'))
  const rows = await query(database, 'select id from strongroom.transfers')
  const kept = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    before.filter((id) => !kept.has(id)),
    [],
  )
  assert.equal((await query(database, 'select from strongroom.sessions')).length, 4)
  assert.equal((await query(database, 'select from strongroom.current_sessions')).length, 0)
  const [last] = await query(database, 'select number from strongroom.last_event')
  assert.match(String(last?.['number']), /^\d{16}$/)
  const events = await query(database, 'select action from strongroom.audit_events order by id')
  assert.deepEqual(events.map(({ action }) => action).slice(-4), [
    'backup',
    'endSessions',
    'rotateKeys',
    'verify',
  ])
  const keys = await query(
    database,
    `select retired_at is null as signs, revoked_at is null as "isGood"
     from strongroom.signing_keys order by created_at`,
  )
  assert.deepEqual(keys, [
    { signs: false, isGood: false },
    { signs: true, isGood: true },
  ])
})

test('a drill restores beside the bank, proves the earlier heads, and leaves nothing; an account whose head the backup does not reach is named', async (t) => {
  const { folder, beside } = await usedBank(t)
  assert.equal((await strongroom(folder, 'verify', '--heads', beside('early'))).code, 0)
  assert.equal((await strongroom(folder, 'backup', beside('backup'))).code, 0)
  await mkdir(beside('scratch'))
  await chmod(beside('scratch'), 0o711)
  const drill = (...more: string[]) =>
    strongroom(
      folder,
      'restore',
      beside('backup'),
      '--drill',
      '--scratch',
      beside('scratch'),
      ...more,
    )
  const good = await drill('--since', beside('early'))
  assert.equal(good.code, 0, good.err)
  for (const what of [
    'Backup read and checked',
    'Restored',
    'Database recovered',
    'Books proven',
  ]) {
    assert.match(good.err, new RegExp(`^${what}: \\d+(\\.\\d+)? s$`, 'm'))
  }
  assert.match(good.err, /are on their chains\.\n[^]*The backup of \S+Z can be restored\.\n$/)
  assert.deepEqual(await readdir(beside('scratch')), [])

  const database = await started(t, folder)
  await store(database.address, customers, 10)
  await database.stop()
  assert.equal((await strongroom(folder, 'verify', '--heads', beside('late'))).code, 0)
  const missing = await drill('--since', beside('late'))
  assert.equal(missing.code, 1)
  const sentence =
    /The books are not sound\. Account \S+: its chain ends at entry \d+, earlier heads/
  assert.match(missing.err, sentence)
  assert.deepEqual(await readdir(beside('scratch')), [])
  const unread = await drill('--since', beside('nowhere'))
  assert.deepEqual([unread.code, unread.err.split('\n').length], [2, 2], unread.err)
})

test('what an editor or a system leaves beside the certificates is not copied, and the backup can be used', async (t) => {
  const { folder, beside } = await usedBank(t)
  await mkdir(join(folder, 'tls/old'), { recursive: true })
  const left = ['ca.pem~', '.DS_Store', 'my cert.pem', 'old/ca.pem']
  for (const name of ['ca.pem', 'authority.secret.pem', ...left]) {
    await writeFile(join(folder, 'tls', name), name)
  }
  const made = await strongroom(folder, 'backup', beside('backup'))
  assert.equal(made.code, 0, made.err)
  const { names } = await openBackup(beside('backup'))
  assert.deepEqual(names.toSorted(), [
    'bank.json',
    'postgres.tar',
    'tls/authority.secret.pem',
    'tls/ca.pem',
  ])
  const backup = await createBackup(beside('other'))
  for (const name of left) {
    await assert.rejects(backup.add(`tls/${name}`, Readable.from([])), /cannot hold a file named/)
  }
})

const damages: [what: string, damage: (folder: string) => Promise<unknown>, reason: RegExp][] = [
  ['cut off', (f) => rm(join(f, 'SHA256SUMS')), /SHA256SUMS is missing: .*cut off/],
  ['not a backup', (f) => rm(f, { recursive: true }), /SHA256SUMS is missing/],
  ['without its archive', (f) => rm(join(f, 'postgres.tar')), /postgres\.tar is missing/],
  ['one byte longer', (f) => appendFile(join(f, 'postgres.tar'), 'x'), /postgres\.tar is damaged/],
  ['another password', (f) => appendFile(join(f, 'bank.json'), ' '), /bank\.json is damaged/],
  ['sums cut off', (f) => writeFile(join(f, 'SHA256SUMS'), ''), /does not name postgres\.tar/],
  ['other sums', (f) => writeFile(join(f, 'SHA256SUMS'), `../x\n`), /SHA256SUMS is damaged/],
]
test('a damaged or incomplete backup is refused in one line, and nothing of it is restored', async (t) => {
  const kept = join(shared, 'backup')
  assert.equal((await strongroom(template, 'backup', kept)).code, 0)
  const target = await newFolder(t)
  for (const [what, damage, reason] of damages) {
    const broken = join(dirname(target), what)
    await cp(kept, broken, { recursive: true })
    await damage(broken)
    const { code, err } = await strongroom(target, 'restore', broken)
    assert.equal(code, 2, what)
    assert.match(err, reason)
    assert.equal(err.indexOf('\n'), err.length - 1, err)
    assert.deepEqual(await readdir(target), [], what)
  }
})

test('a backup that holds no archive ends with 2, as nothing is known of its books', async (t) => {
  const { folder, beside } = await usedBank(t)
  const backup = await createBackup(beside('backup'))
  await backup.add('postgres.tar', Readable.from([Buffer.from('no archive')]))
  const postgresql = (await readFile(join(folder, 'postgres/PG_VERSION'), 'utf8')).trim()
  await backup.finish({
    format: 1,
    madeAt: '2026-11-25T00:00:00.000Z',
    postgresql,
    password: 'none',
  })
  for (const more of [['--drill'], []]) {
    const { code, err } = await strongroom(beside('new'), 'restore', beside('backup'), ...more)
    assert.equal(code, 2, err)
    assert.match(err, /The archive of the backup cannot be used: it is cut off\.\n$/)
  }
})

/** Sends the signal when `isUnderWay` is so for the first time; gives how the program ended. */
async function interrupted(
  program: Program,
  signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM',
  isUnderWay: RegExp | (() => Promise<boolean>),
) {
  if (isUnderWay instanceof RegExp) await program.says(isUnderWay)
  else await until(isUnderWay)
  program.child.kill(signal)
  return { code: await program.ended, err: program.err() }
}

/** The programs that have the path on their command line, such as a PostgreSQL on it. */
async function programsOn(path: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'args'])
  return stdout.split('\n').filter((line) => line.includes(path) && !line.includes('strongroom.js'))
}

test('a backup that is interrupted is removed, and the service goes on', async (t) => {
  const { folder, beside } = await usedBank(t)
  // The copy does not end before its log is archived, which never succeeds here.
  const settings = { archive_mode: 'on', archive_command: 'false' }
  const database = await startEmbedded(folder, settings)
  atEnd(t, () => database.stop())
  const archive = join(beside('backup'), 'postgres.tar')
  const isUnderWay = async () => ((await ifPresent(stat(archive)))?.size ?? 0) > 1_000_000
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const program = run(['backup', beside('backup')], { DATA_DIR: folder })
    const ended = await interrupted(program, signal, isUnderWay)
    assert.deepEqual(ended, { code, err: 'Interrupted.\n' })
    assert.deepEqual(await readdir(dirname(folder)), ['data'])
  }
  assert.deepEqual(await query(database, 'select 1 as one'), [{ one: 1 }])
})

test('a drill or a restore that is interrupted leaves no data and no PostgreSQL, and what was there before', async (t) => {
  const { folder, beside } = await usedBank(t)
  const kept = beside('backup')
  assert.equal((await strongroom(folder, 'backup', kept)).code, 0)
  const before = await readdir(kept)
  const [scratch, target] = [beside('scratch'), beside('new')]
  for (const path of [scratch, target]) {
    await mkdir(path)
    await chmod(path, 0o711)
    await writeFile(join(path, 'mine'), 'kept')
  }
  const drill = ['--drill', '--scratch', scratch]
  const hasBegun = (path: string) => async () => (await readdir(path)).length > 1
  const cases = [
    [drill, 'SIGTERM', 143, hasBegun(scratch)],
    [drill, 'SIGHUP', 129, /^Restored: /m],
    [drill, 'SIGTERM', 143, /^Database recovered: /m],
    [[], 'SIGINT', 130, hasBegun(target)],
    [[], 'SIGTERM', 143, /^All sessions are ended/m],
  ] as const
  for (const [more, signal, code, isUnderWay] of cases) {
    const program = run(['restore', kept, ...more], { DATA_DIR: target })
    const ended = await interrupted(program, signal, isUnderWay)
    assert.equal(ended.code, code, ended.err)
    assert.match(ended.err, /^Interrupted.*\n$/m)
    assert.doesNotMatch(ended.err, /can be restored|was restored/)
    assert.deepEqual([await readdir(scratch), await readdir(target)], [['mine'], ['mine']])
    assert.deepEqual(await programsOn(dirname(folder)), [])
  }
  assert.deepEqual(await readdir(kept), before)
})

test('no backup is written over files, and none is restored over a bank or into a PostgreSQL of your own', async (t) => {
  const { folder: target, beside } = await usedBank(t)
  const kept = beside('backup')
  assert.equal((await strongroom(target, 'backup', kept)).code, 0)
  const taken = await strongroom(target, 'backup', kept)
  assert.deepEqual(
    [taken.code, taken.err],
    [2, `The backup cannot be written to ${kept}: it exists already.\n`],
  )
  const nowhere = beside('none/backup')
  const lost = await strongroom(target, 'backup', nowhere)
  assert.deepEqual(
    [lost.code, lost.err],
    [2, `The backup cannot be written to ${nowhere}: ${beside('none')} does not exist.\n`],
  )
  const held = await strongroom(target, 'restore', kept)
  assert.equal(held.code, 2)
  assert.match(held.err, /^\S+ holds a bank already: restore into another folder .*\n$/)
  const url = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/bank?sslmode=disable', DATA_DIR: target }
  for (const args of [
    ['backup', `${target}-b`],
    ['restore', kept],
  ]) {
    const program = run(args, url)
    assert.equal(await program.ended, 2)
    assert.match(program.err(), /^STRONGROOM_DATABASE_URL names a PostgreSQL of your own: .*\n$/)
  }
})
