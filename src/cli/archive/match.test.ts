// A folder that is there already is used only if it has the books of this database.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, stat } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { archivedBank, Killed, later, mismatchOf } from '../../../test/support/archived-bank.ts'
import { readSuspense } from '../../features/overview/backlog-sql.ts'
import { readHeads } from '../../ledger/archive/removal-sql.ts'
import { newestArchive } from '../../ledger/archive/state-sql.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const asked = { until: '2022-12-10', now: later }
const made = await archivedBank({ after })
const { owner, folder, sql } = made

/** Is away from the time on when that folder is there. */
const awayBehind = (to: string): typeof owner => ({
  ...owner,
  run: async (statement, values) => {
    if (statement.name === 'archive_read_accounts' && existsSync(to)) throw new Killed()
    return owner.run(statement, values)
  },
})

async function assertRefused(to: string, named: RegExp, terms = asked): Promise<void> {
  await assert.rejects(archiveUntil(owner, none, to, terms), named)
  assert.equal(await newestArchive(owner), undefined)
  assert.equal(await mismatchOf(made), undefined)
}

test('a folder stays that could not be compared, and the next run uses it', async () => {
  const own = path.join(folder, 'kept')
  await assert.rejects(archiveUntil(awayBehind(own), none, own, asked), Killed)
  const { ino } = await stat(own)
  await archiveUntil(owner, none, own, asked)
  assert.equal((await stat(own)).ino, ino)
  await restoreFolder(owner, none, own, later)
  assert.equal(await mismatchOf(made), undefined)
})

test('a folder without entries that stayed is used no more than a new one', async () => {
  const before = path.join(folder, 'before')
  const nothing = { until: '2022-10-31', now: later }
  await assert.rejects(archiveUntil(awayBehind(before), none, before, nothing), Killed)
  await assertRefused(before, /Nothing was booked before 2022-10-31/, nothing)
})

test('a folder of another bank, or of an earlier state of this one, is not used', async (t) => {
  const other = await archivedBank(t, 'two')
  const foreign = path.join(other.folder, 'books')
  await archiveUntil(other.owner, none, foreign, asked)
  await assertRefused(foreign, /is not of these books: account [-0-9a-f]+ is another there/)

  const own = path.join(folder, 'books')
  await archiveUntil(owner, none, own, asked)
  await restoreFolder(owner, none, own, later)
  // Since then the books were recovered to an earlier time, and another payment was booked.
  const [last] = await sql(
    `select account_id as id, max(seq) as seq from entries where created_at < $1
     group by account_id order by 2 desc limit 1`,
    [asked.until],
  )
  await sql('alter table entries disable trigger user')
  const place = [last?.['id'], last?.['seq']]
  const flip = async () => {
    await sql(
      `update entries set hash = set_byte(hash, 0, get_byte(hash, 0) # 1)
       where account_id = $1 and seq = $2`,
      place,
    )
  }
  await flip()
  await assert.rejects(
    archiveUntil(owner, none, own, asked),
    new RegExp(`account ${String(last?.['id'])} is another there`),
  )
  await flip()
  // An account that the folder does not have.
  const added = await sql(
    `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind)
     select a.id, e.transfer_id, 1, e.amount, e.amount, e.created_at, e.hash, e.kind
     from accounts a, (
       select transfer_id, amount, created_at, hash, kind from entries
       where created_at < $1 order by created_at limit 1
     ) e
     where a.last_seq = 0 limit 1 returning account_id`,
    [asked.until],
  )
  assert.equal(added.length, 1)
  await sql('update accounts set last_seq = 1 where id = $1', [added[0]?.['account_id']])
  await assert.rejects(archiveUntil(owner, none, own, asked), /is not of these books/)
  await sql('delete from entries where account_id = $1', [added[0]?.['account_id']])
  await sql('update accounts set last_seq = 0 where id = $1', [added[0]?.['account_id']])
  await sql('alter table entries enable trigger user')

  // As it was, it is used.
  await archiveUntil(owner, none, own, asked)
  assert.equal(await mismatchOf(made), undefined)
  const copy = path.join(folder, 'copy')
  await cp(own, copy, { recursive: true })
  await restoreFolder(owner, none, copy, later)
  assert.equal(await mismatchOf(made), undefined)
})

test('money that lies in an account since before an archive is as old as its last entry there at least', async () => {
  const accounts = await sql('select id from accounts where last_seq > 0')
  const ids = accounts.map(({ id }) => id as string)
  // As if each of them were one of money in suspense.
  const readAges = async () => {
    const ages = new Map<string, number | undefined>()
    for (const id of ids) {
      const [row] = await owner.run(readSuspense, [[id], 10_000n])
      if (row) ages.set(id, row.at?.getTime())
    }
    return ages
  }
  const before = await readAges()
  const own = path.join(folder, 'ages')
  await archiveUntil(owner, none, own, asked)
  const heads = await readHeads(owner, ids)
  const behind = await readAges()
  const until = Date.parse(asked.until)
  let old = 0
  for (const [id, at = Infinity] of before) {
    if (at < until) old++
    assert.equal(behind.get(id), at < until ? heads.get(id)?.at.getTime() : at, id)
  }
  assert.ok(old > 3 && old < before.size, `${old} of ${before.size}`)
  await restoreFolder(owner, none, own, later)
})
