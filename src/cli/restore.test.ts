// What a backup that was changed in its storage can do to the machine that restores it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
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
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { newFolder, query, started, usedFolder } from '../../test/support/embedded.ts'
import { run } from '../../test/support/program.ts'
import { withEntries } from '../../test/support/tar.ts'
import { startEmbedded } from '../database/embedded/embedded.ts'
import { openBackup } from './backup-folder.ts'
import { prepareDatabase } from './serve.ts'

async function strongroom(dataDir: string, ...args: string[]) {
  const program = run(args, { DATA_DIR: dataDir })
  const code = await program.ended
  return { code, err: program.err(), out: program.out() }
}

/** Folders that several tests use, removed at the end. */
const shared = await mkdtemp('/tmp/strongroom-restore-')
await chmod(shared, 0o711)
after(() => rm(shared, { recursive: true, force: true }))

const bank = join(shared, 'bank')
const kept = join(shared, 'backup')
const digest = await (async () => {
  const database = await startEmbedded(bank)
  await prepareDatabase(database.address)
  await database.stop()
  await mkdir(join(bank, 'tls'))
  await writeFile(join(bank, 'tls/authority.secret.pem'), 'a key')
  const made = await strongroom(bank, 'backup', kept)
  assert.match(made.out, /^sha256:[0-9a-f]{64}\n$/, made.err)
  return made.out.trim()
})()

/** A copy of the backup with another content, and sums that agree with it. */
async function changed(t: TestContext, file: string, change: (content: Buffer) => Buffer) {
  const target = await newFolder(t)
  const folder = join(dirname(target), 'backup')
  await cp(kept, folder, { recursive: true })
  const content = change(await readFile(join(folder, file)))
  await writeFile(join(folder, file), content)
  const sums = await readFile(join(folder, 'SHA256SUMS'), 'utf8')
  const sum = createHash('sha256').update(content).digest('hex')
  const line = new RegExp(`^[0-9a-f]{64}(?=  ${file}$)`, 'm')
  await writeFile(join(folder, 'SHA256SUMS'), sums.replace(line, sum))
  return { target, folder, beside: (name: string) => join(dirname(target), name) }
}

const isOneLine = (text: string) => text.indexOf('\n') === text.length - 1

test('settings, signals and rules of access in an archive reach no server, neither in a restore nor in a drill', async (t) => {
  const open = await mkdtemp('/tmp/strongroom-marker-')
  await chmod(open, 0o777)
  t.after(() => rm(open, { recursive: true }))
  const command = `touch ${open}/marker; false`
  const orders = [
    ...['restore_command', 'archive_command', 'recovery_end_command', 'ssl_passphrase_command'].map(
      (name) => `${name} = '${command}'`,
    ),
    'archive_mode = on',
    'port = 6543',
    "shared_preload_libraries = 'no-such-library'",
    '',
  ].join('\n')
  const { target, folder, beside } = await changed(
    t,
    'postgres.tar',
    withEntries(
      { name: 'recovery.signal' },
      { name: 'standby.signal' },
      { name: 'postgresql.conf', content: "include 'more.conf'\n" },
      { name: 'more.conf', content: orders },
      { name: 'postgresql.auto.conf', content: orders },
      { name: 'pg_hba.conf', content: 'local all all trust\n' },
    ),
  )
  const drill = await strongroom(target, 'restore', folder, '--drill', '--scratch', beside('.'))
  assert.equal(drill.code, 0, drill.err)
  const restored = await strongroom(target, 'restore', folder)
  assert.equal(restored.code, 0, restored.err)
  assert.deepEqual(await readdir(open), [])
  const written = await readdir(join(target, 'postgres'))
  assert.deepEqual(
    written.filter((name) => /conf|signal/.test(name)),
    ['pg_hba.conf', 'pg_ident.conf', 'postgresql.conf'],
  )
  const database = await started(t, target)
  const rules = await query(database, 'select type, auth_method from pg_hba_file_rules')
  assert.deepEqual(rules, [
    { type: 'local', auth_method: 'scram-sha-256' },
    { type: 'local', auth_method: 'scram-sha-256' },
  ])
  const found = await query(
    database,
    "select name from pg_settings where source = 'configuration file' or setting like '%marker%'",
  )
  assert.deepEqual(found, [])
})

/** The digest that `backup` would have printed. */
const sumOf = async (folder: string) =>
  `sha256:${createHash('sha256')
    .update(await readFile(join(folder, 'SHA256SUMS')))
    .digest('hex')}`

test('with the digest that was noted a changed backup is refused before anything is unpacked; without one, what can be trusted is said', async (t) => {
  const { target, folder, beside } = await changed(t, 'tls/authority.secret.pem', () =>
    Buffer.from('another key'),
  )
  const drill = ['--drill', '--scratch', beside('.')]
  for (const more of [[], drill]) {
    const { code, err } = await strongroom(
      target,
      'restore',
      folder,
      '--expect-digest',
      digest,
      ...more,
    )
    assert.equal(code, 2, err)
    assert.match(err, /cannot be used: its digest is sha256:[0-9a-f]{64}, and not the one that was/)
    assert.ok(isOneLine(err), err)
    const noted = await strongroom(target, 'restore', kept, '--expect-digest', digest, ...drill)
    assert.equal(noted.code, 0, noted.err)
    assert.doesNotMatch(noted.err, /trustworthy/)
  }
  for (const text of ['', 'sha256:', digest.slice(7), digest.toUpperCase(), `${digest}0`]) {
    const { code, err } = await strongroom(target, 'restore', kept, '--expect-digest', text)
    assert.equal(code, 2, err)
    assert.match(err, /^--expect-digest is the line that `strongroom backup` has printed\.\n$/)
  }
  assert.deepEqual(await readdir(target), [])
  const without = await strongroom(target, 'restore', folder, ...drill)
  assert.equal(without.code, 0, without.err)
  assert.match(
    without.err,
    /^Without --expect-digest, what is restored is only as trustworthy as /m,
  )
})

test('a file that is changed after its sum was compared is refused when it is read again', async (t) => {
  const { folder } = await changed(t, 'bank.json', (content) => content)
  const backup = await openBackup(folder)
  for (const name of backup.names) {
    await appendFile(join(folder, name), 'x')
    await assert.rejects(
      async () => {
        for await (const _ of backup.read(name));
      },
      new RegExp(`${name} is damaged`),
    )
  }
})

test('a link, a pipe or a device in place of a file of the backup is not read', async (t) => {
  for (const name of ['bank.json', 'SHA256SUMS', 'postgres.tar']) {
    const { folder } = await changed(t, 'bank.json', (content) => content)
    const path = join(folder, name)
    for (const place of [
      () => symlink(join(kept, name), path),
      () => symlink('/dev/zero', path),
      () => promisify(execFile)('mkfifo', [path]),
    ]) {
      await rm(path)
      await place()
      await assert.rejects(openBackup(folder), new RegExp(`${name} is missing`))
    }
  }
})

test('facts of a backup that were changed are not printed, stored or used', async (t) => {
  const facts = JSON.parse(await readFile(join(kept, 'bank.json'), 'utf8')) as object
  const texts = [
    'null',
    '{',
    ...[{ madeAt: '\u001b[2J' }, { postgresql: 18.5 }, { password: '' }, { format: 0 }].map(
      (more) => JSON.stringify({ ...facts, ...more }),
    ),
  ]
  for (const text of texts) {
    const { folder } = await changed(t, 'bank.json', () => Buffer.from(text))
    await assert.rejects(openBackup(folder), /bank\.json is damaged/, text)
  }
})

test('a backup of another PostgreSQL is refused with nothing left: of another version, with the control file of another system, and one that no PostgreSQL has made', async (t) => {
  const facts = await readFile(join(kept, 'bank.json'), 'utf8')
  const other = join(await usedFolder(t), 'postgres/global/pg_control')
  const control = await readFile(other)
  const entry = (name: string, content: string | Buffer) => ({ name, content, replaces: true })
  const cases = [
    [
      'bank.json',
      () => Buffer.from(facts.replace(/"18"/, '"17"')),
      /The backup is of PostgreSQL 17, /,
    ],
    [
      'postgres.tar',
      withEntries(entry('PG_VERSION', '17\n')),
      /was made by PostgreSQL 17, and this /,
    ],
    [
      'postgres.tar',
      withEntries(entry('global/pg_control', control)),
      /PostgreSQL did not start on /,
    ],
  ] as const
  for (const [file, change, reason] of cases) {
    const { target, folder } = await changed(t, file, change)
    const { code, err } = await strongroom(
      target,
      'restore',
      folder,
      '--expect-digest',
      await sumOf(folder),
    )
    assert.equal(code, 2, err)
    assert.match(err, reason)
    assert.ok(isOneLine(err), err)
    assert.deepEqual(await readdir(target), [])
  }
})

test('what is restored can be read by its owner alone, whatever the archive, the backup and the umask say', async (t) => {
  const wide = { name: 'base/wide/', type: '5', mode: '0004777' }
  const { target, folder } = await changed(
    t,
    'postgres.tar',
    withEntries(wide, { name: 'base/wide/1', mode: '0004777', content: 'x' }),
  )
  for (const name of ['postgres.tar', 'bank.json', 'tls/authority.secret.pem']) {
    await chmod(join(folder, name), 0o666)
  }
  // As a restore leaves it that was cut off.
  await mkdir(join(target, 'tls'), { recursive: true, mode: 0o700 })
  await chmod(target, 0o700)
  await writeFile(join(target, 'tls/authority.secret.pem'), 'old')
  await chmod(join(target, 'tls/authority.secret.pem'), 0o666)
  const umask = process.umask(0)
  const restored = await strongroom(target, 'restore', folder).finally(() => process.umask(umask))
  assert.equal(restored.code, 0, restored.err)
  for (const name of await readdir(target, { recursive: true })) {
    const found = await stat(join(target, name))
    assert.equal(found.mode & 0o7777, found.isDirectory() ? 0o700 : 0o600, name)
  }
  const { mode } = await stat(target)
  assert.ok([0o700, 0o710].includes(mode & 0o7777), 'PostgreSQL of root passes through the folder')
  assert.equal(await readFile(join(target, 'tls/authority.secret.pem'), 'utf8'), 'a key')
})
