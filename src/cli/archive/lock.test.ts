// A run that goes on although another one may have begun stops at its next piece.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import type pg from 'pg'
import {
  archivedBank,
  dumpOf,
  interrupted,
  later,
  mismatchOf,
} from '../../../test/support/archived-bank.ts'
import { toUrl } from '../../../test/support/database.ts'
import { openHolder, waitingForLock } from '../../../test/support/locks.ts'
import { run } from '../../../test/support/program.ts'
import { release } from '../../domain/release.ts'
import type { LocalAddress } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { beginRestore, newestArchive } from '../../ledger/archive/state-sql.ts'
import { archiveUntil } from './archive.ts'
import { besideNoOther, whileLocked } from './lock.ts'
import { requireNoOtherRelease } from './releases.ts'
import { changing } from './remove.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const made = await archivedBank({ after })
const { owner, address, folder, sql } = made
const asked = { until: '2023-01-15', now: later }

const archiving = (change: string) =>
  `do $$ begin perform set_config('strongroom.archive', 'on', true); ${change}; end $$`
const asOwner = (change: string) => sql(archiving(change))
const setRemoving = archiving(`update archives set state = 'removing'`)

test('a removal stops where another run has begun to restore, and a restore where one removes', async () => {
  const before = await dumpOf(made)
  const books = path.join(folder, 'books')
  const restoring = interrupted(owner, 4, () => changing(owner, (tx) => tx.run(beginRestore, [1])))
  const stopped = /is not in the state removing any more/
  await assert.rejects(archiveUntil(restoring, none, books, asked), stopped)
  const dump = await dumpOf(made)
  await assert.rejects(archiveUntil(owner, none, books, asked), /is half restored/)
  assert.equal(await dumpOf(made), dump)

  const removed = interrupted(owner, 4, () => asOwner(`update archives set state = 'removed'`))
  await assert.rejects(restoreFolder(removed, none, books, later), /state restoring any more/)
  await restoreFolder(owner, none, books, later)
  assert.equal(await dumpOf(made), before)
  assert.equal(await mismatchOf(made), undefined)
})

test('a run stops when the connection with its lock is lost', async () => {
  const books = path.join(folder, 'lost')
  await assert.rejects(
    besideNoOther(address, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      const own = whileLocked(owner, client)
      await transaction(own, async () => {})
      await sql('select pg_terminate_backend($1, 60000)', [rows[0]?.pid])
      await archiveUntil(own, none, books, asked)
    }),
    /The connection with the lock is lost/,
  )
  assert.equal(await newestArchive(owner), undefined)
})

test('a run stops at its next piece when an older release has come back', async () => {
  const books = path.join(folder, 'older')
  const older = await openHolder({ after }, { address })
  await assert.rejects(
    besideNoOther(address, async (client) => {
      const own = whileLocked(owner, client, requireNoOtherRelease)
      await transaction(own, async () => {})
      await older.query(`set application_name = 'strongroom 0.3.0'`)
      await archiveUntil(own, none, books, asked)
    }),
    /strongroom 0\.3\.0 is connected: replace it by/,
  )
  await older.end()
  assert.equal(await newestArchive(owner), undefined)
})

test('the name of the folder is looked at first', async () => {
  await assert.rejects(archiveUntil(owner, none, '/', asked), /has 1 to 200 characters/)
  const long = path.join(folder, 'x'.repeat(201))
  await assert.rejects(archiveUntil(owner, none, long, asked), /has 1 to 200 characters/)
  const books = path.join(folder, 'ending')
  await archiveUntil(owner, none, `${books}/`, asked)
  assert.equal((await newestArchive(owner))?.name, 'ending')
  await restoreFolder(owner, none, `${books}/`, later)
})

test('the connection with a lock says a word each minute, until its work ends', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  for (const isLost of [false, true]) {
    const saidBy = await besideNoOther(address, async (client) => {
      const said = t.mock.method(client, 'query', async () => {
        if (isLost) throw new Error('the connection is lost')
      })
      t.mock.timers.tick(59_999)
      assert.equal(said.mock.callCount(), 0)
      t.mock.timers.tick(60_001)
      assert.equal(said.mock.callCount(), 2)
      return said
    })
    t.mock.timers.tick(60_000)
    assert.equal(saidBy.mock.callCount(), 2)
  }
})

test('verify gives no verdict of books that an archive has changed meanwhile, though it had the lock', async () => {
  const books = path.join(folder, 'meanwhile')
  await archiveUntil(owner, none, books, asked)
  const holder = await openHolder({ after }, { address })
  await holder.query('begin')
  await holder.query('lock table entries, transfers in access exclusive mode')
  const program = run(['verify', '--cores', '1'], { DATABASE_URL: toUrl(address as LocalAddress) })
  await waitingForLock({ sql: (text: string) => holder.query(text) })
  await holder.query(setRemoving)
  await holder.query('commit')
  assert.equal(await program.ended, 3, program.err())
  assert.match(program.err(), /An archive is written or restored: run this again behind it/)
  const events = await sql(`select from audit_events where action = 'verify'`)
  assert.equal(events.length, 0)
  await asOwner(`update archives set state = 'removed'`)
})

/** A command that waits for a table, which a transaction of the holder keeps from it. */
async function whileWaiting(
  args: string[],
  act: (holder: pg.Client) => Promise<unknown>,
  lock = 'audit_events in share mode',
) {
  const holder = await openHolder({ after }, { address })
  await holder.query('begin')
  await holder.query(`lock table ${lock}`)
  const program = run(args, { DATABASE_URL: toUrl(address as LocalAddress) })
  await waitingForLock({ sql: (text: string) => holder.query(text) })
  await act(holder)
  await holder.query('commit')
  await holder.end()
  return { code: await program.ended, err: program.err() }
}

test('verify gives no verdict of a folder beside which the books have changed', async () => {
  const folderArgs = ['--archive', path.join(folder, 'meanwhile')]
  const { code, err } = await whileWaiting(['verify', '--cores', '1', ...folderArgs], (holder) =>
    holder.query(setRemoving),
  )
  assert.equal(code, 3, err)
  assert.match(err, /An archive is written or restored: run this again behind it/)
  await asOwner(`update archives set state = 'removed'`)
})

const endLock = (holder: pg.Client) =>
  holder.query(
    `select pg_terminate_backend(pid, 60000) from pg_locks
     where locktype = 'advisory' and objid = 7871
       and database = (select oid from pg_database where datname = current_database())`,
  )

test('an archive that lost its lock lets no older release start, since another one may have begun', async () => {
  await restoreFolder(owner, none, path.join(folder, 'meanwhile'), later)
  const args = ['archive', path.join(folder, 'unlocked'), '--until', asked.until]
  const { code, err } = await whileWaiting(args, endLock, 'archived_heads in access exclusive mode')
  assert.equal(code, 3, err)
  assert.match(err, /The connection with the lock is lost: run this again/)
  const stored = await sql(
    `select oldest_release as is from migrations where name = '0180_archives'`,
  )
  assert.deepEqual(stored, [{ is: release }])
})

test('erase stops at its next piece when the connection with its lock is lost', async () => {
  const before = await dumpOf(made)
  const args = ['erase', '--before', '2023-02-01', '--retention-years', '0']
  const { code, err } = await whileWaiting(args, endLock)
  assert.equal(code, 1, err)
  assert.match(err, /The connection with the lock is lost: run this again/)
  assert.equal(await dumpOf(made), before)
})
