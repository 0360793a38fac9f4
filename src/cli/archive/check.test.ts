// `verify --archive` compares a folder with all that the database has of it, in both directions.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { archivedBank, dyingAfter, Killed, later } from '../../../test/support/archived-bank.ts'
import { newestArchive } from '../../ledger/archive/state-sql.ts'
import { UnsoundBooks } from '../report.ts'
import { requireAtRest, requireUnchanged } from '../verify.ts'
import { archiveUntil } from './archive.ts'
import { checkArchive } from './check.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const made = await archivedBank({ after })
const { owner, folder, sql, mismatchAfter } = made
const folders = { older: path.join(folder, 'older'), newer: path.join(folder, 'newer') }
await archiveUntil(owner, none, folders.older, { until: '2022-12-10', now: later })
await archiveUntil(owner, none, folders.newer, { until: '2023-02-20', now: later })

const aKept = `(select k.transfer_id from archived_terms k join transfers t on t.id = k.transfer_id
  where t.created_at > '2022-12-10' order by 1 limit 1)`
const anOlder = `(select k.transfer_id from archived_terms k join transfers t on t.id = k.transfer_id
  where t.created_at < '2022-12-10' order by 1 limit 1)`
const aHead = `(select account_id from archived_heads where at > '2022-12-10' order by 1 limit 1)`

const changes: [of: keyof typeof folders, what: string, change: string, named: RegExp][] = [
  [
    'newer',
    'a head of an account that the folder does not have',
    `insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
     select gen_random_uuid(), seq, hash, balance_after, mark_count, '2023-02-19'
     from archived_heads limit 1`,
    /The database has \d+ heads of its time, and the folder/,
  ],
  [
    'older',
    'a head of an earlier time that the folder does not have',
    `insert into archived_heads (account_id, seq, hash, balance_after, mark_count, at)
     select gen_random_uuid(), seq, hash, balance_after, mark_count, '2022-12-09'
     from archived_heads limit 1`,
    /The database has \d+ heads of its time, and the folder/,
  ],
  [
    'newer',
    'a head that was moved to an earlier time',
    `update archived_heads set at = '2022-11-20' where account_id = ${aHead}`,
    /its head in the database is another/,
  ],
  [
    'older',
    'a head that is gone',
    `delete from archived_heads g using accounts a
     where a.id = g.account_id and a.kind = 'clearing'`,
    /its head in the database is another/,
  ],
  [
    'newer',
    'another archive before it',
    `update archives set digest = sha256('x') where id = 1`,
    /The archive before it in the database is another/,
  ],
  [
    'newer',
    'a transfer that was kept, removed with its terms',
    `with gone as (
       delete from archived_terms where transfer_id = ${aKept} returning transfer_id)
     update archives set kept = kept - 1 where id = 2 and exists (select from gone)`,
    /what the database keeps of it is not as in the folder/,
  ],
  [
    'older',
    'other terms of a transfer that was kept',
    `update archived_terms set terms = sha256('x') where transfer_id = ${anOlder}`,
    /what the database keeps of it is not as in the folder/,
  ],
  [
    'newer',
    'a mark of a transfer that was kept, invented',
    `update archived_terms set settled_seq = 1 where transfer_id = ${aKept}`,
    /what the database keeps of it is not as in the folder/,
  ],
  [
    'newer',
    'terms of a transfer that the folder does not have',
    `update archived_terms set transfer_id = gen_random_uuid() where transfer_id = (
      select k.transfer_id from archived_terms k left join transfers t on t.id = k.transfer_id
      order by k.transfer_id desc limit 1)`,
    /what the database keeps of it is not as in the folder|The database keeps \d+ transfers/,
  ],
  [
    'newer',
    'an event that names another digest',
    `update audit_events set detail = regexp_replace(detail, '.$', 'x')
     where action = 'archiveBooks' and detail like 'until 2023-02-20%'`,
    /Its event in the audit trail is of another archive/,
  ],
]

for (const [of, what, change, named] of changes) {
  test(`the proof of the ${of} of two archives names ${what}`, async () => {
    const found = await mismatchAfter(
      async () => {
        await sql(`select set_config('strongroom.archive', 'on', true)`)
        await sql('alter table audit_events disable trigger user')
        await sql(change)
      },
      (db) =>
        checkArchive(db, folders[of]).then(
          () => undefined,
          (thrown) => {
            if (thrown instanceof UnsoundBooks) return thrown.message
            throw thrown
          },
        ),
    )
    assert.match(found, named)
  })
}

test('both are sound as they are, and without their events, which may have been dropped', async () => {
  for (const to of Object.values(folders)) assert.match(await checkArchive(owner, to), /is sound: /)
  const found = await mismatchAfter(
    async () => {
      await sql('alter table audit_events disable trigger user')
      await sql(`delete from audit_events where action = 'archiveBooks'`)
    },
    async (db) => {
      for (const to of Object.values(folders)) await checkArchive(db, to)
      return 'none'
    },
  )
  assert.equal(found, 'none')
})

test('a run without the lock gives no verdict beside an archive that is written or restored', async () => {
  const newest = (await newestArchive(owner)) ?? assert.fail()
  const removing = { ...newest, state: 'removing' as const }
  const other = { ...newest, digest: 'other' }
  const refused = /An archive is written or restored/
  for (const resting of [undefined, newest]) requireAtRest(resting)
  assert.throws(() => requireAtRest(removing), refused)
  for (const same of [undefined, newest, removing]) requireUnchanged(same, same)
  for (const [before, behind] of [
    [undefined, newest],
    [newest, undefined],
    [newest, removing],
    [removing, newest],
    [other, newest],
  ] as const) {
    assert.throws(() => requireUnchanged(before, behind), refused)
  }
})

test('a folder whose archive is cut off is sound, though another of its time came back before', async () => {
  await restoreFolder(owner, none, folders.newer, later)
  const again = path.join(folder, 'again')
  const until = { until: '2023-02-20', now: later + 1 }
  await assert.rejects(archiveUntil(dyingAfter(owner, 2), none, again, until), Killed)
  for (const to of [again, folders.older]) {
    assert.match(await checkArchive(owner, to), /^The archive (again|older) until .* is sound: /)
  }
  await archiveUntil(owner, none, again, until)
  assert.match(await checkArchive(owner, again), /; its chains go on in the database\.\n$/)
})
