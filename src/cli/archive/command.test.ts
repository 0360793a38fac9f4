// `strongroom archive`, and `verify` beside it, as an operator runs them.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { archivedBank } from '../../../test/support/archived-bank.ts'
import { toUrl } from '../../../test/support/database.ts'
import { openHolder } from '../../../test/support/locks.ts'
import { run } from '../../../test/support/program.ts'
import { oldestRelease, release } from '../../domain/release.ts'
import type { LocalAddress } from '../../database/connections/connect.ts'

test('an operator moves the books before a day to a folder, proves both, and puts them back', async (t) => {
  const { address, folder, sql } = await archivedBank(t)
  const strongroom = async (...args: string[]) => {
    const program = run(args, { DATABASE_URL: toUrl(address as LocalAddress) })
    const code = await program.ended
    return { code, err: program.err() }
  }
  const [books, heads, newer] = ['books', 'heads', 'newer'].map((name) => path.join(folder, name))
  const toBooks = ['archive', books as string, '--until', '2022-12-10']
  // What is needed is counted from today on.
  const lastYear = `${new Date().getUTCFullYear() - 1}-12-01`
  const soon = await strongroom('archive', books as string, '--until', lastYear)
  assert.equal(soon.code, 2, soon.err)
  assert.match(soon.err, /^--until is \d{4}-\d\d-\d\d at the latest: .* 24 months is still needed/)
  assert.equal((await strongroom('archive', books as string)).code, 2)
  const wrong = await strongroom('archive', books as string, '--until', 'May')
  assert.match(wrong.err, /^--until is a day/)
  const early = await strongroom('archive', books as string, '--until', '2021-01-01')
  assert.match(early.err, /^Nothing was booked before 2021-01-01/)
  const begin = await strongroom('close-day', heads as string, '--day', '2022-11-20')
  assert.equal(begin.code, 0, begin.err)

  // Beside another run, or a run of `verify`.
  const holder = await openHolder(t, { address })
  await holder.query('select pg_advisory_lock_shared(7871)')
  assert.match(
    (await strongroom(...toBooks)).err,
    /Another `strongroom archive`, or `verify` or `erase`, runs.* session \d+ of \w+\./,
  )
  await holder.query('select pg_advisory_unlock_shared(7871)')
  await holder.query('select pg_advisory_lock(7871)')
  // The service's own login may take the lock: it stops no proof of books at rest.
  const beside = await strongroom('verify')
  assert.equal(beside.code, 0, beside.err)
  const erase = await strongroom('erase', '--before', '2010-01-01')
  assert.match(erase.err, /^An archive is written or .* behind it\. .* session \d+ of \w+\./)
  await holder.query('select pg_advisory_unlock(7871)')

  // An instance of a release that knows no archives.
  const oldest = async () =>
    (await sql(`select oldest_release as is from migrations where name = '0180_archives'`))[0]?.[
      'is'
    ]
  await holder.query(`set application_name = 'strongroom 0.3.0'`)
  const older = await strongroom(...toBooks)
  assert.equal(older.code, 2, older.err)
  assert.match(older.err, /^strongroom 0\.3\.0 is connected: replace it by/)
  assert.equal(await oldest(), oldestRelease)
  await holder.end()

  // `pg_dump` reads every table until its end: an archive does not wait for it, nor do others.
  const dump = await openHolder(t, { address })
  await dump.query('begin')
  await dump.query('select from strongroom.migrations')
  const archived = await strongroom(...toBooks)
  await dump.end()
  assert.equal(await oldest(), release, 'it does not start any more')
  assert.equal(archived.code, 0, archived.err)
  assert.match(
    archived.err,
    /^\d+ entries and \d+ transfers before 2022-12-10T.*\nSHA-256 of its manifest/s,
  )
  assert.match((await strongroom(...toBooks)).err, /^What is before 2022-12-10 is in the archive/)
  const proven = await strongroom(
    'verify',
    '--archive',
    books as string,
    '--heads',
    newer as string,
  )
  assert.equal(proven.code, 0, proven.err)
  assert.match(proven.err, /The archive books until .* its chains go on in the database\.\n/)
  const setState = (state: string) =>
    sql(`do $$ begin perform set_config('strongroom.archive', 'on', true);
      update archives set state = '${state}'; end $$`)
  await setState('removing')
  const half = await strongroom('verify', '--archive', books as string)
  assert.equal(half.code, 0, half.err)
  assert.match(
    half.err,
    /^The archive books is half removed: run that again\.\nThe archive books /m,
  )
  assert.doesNotMatch(half.err, /go on in the database/)
  const remover = await openHolder(t, { address })
  await remover.query('select pg_advisory_lock(7871)')
  const moving = await strongroom('verify')
  assert.equal(moving.code, 3, moving.err)
  assert.match(moving.err, /An archive is written or restored/)
  await remover.end()
  await setState('removed')
  const month = ['statements', path.join(folder, 'month'), '--format', 'csv', '--month']
  const lost = await strongroom(...month, '2022-12')
  assert.equal(lost.code, 2, lost.err)
  assert.match(lost.err, /^The month 2022-12 is in the archive books, or in an earlier one/)
  const old = await strongroom('verify', '--since', heads as string)
  assert.equal(old.code, 2, old.err)
  assert.match(old.err, /The earlier heads are older than an archive: entry \d+ of account /)
  for (const more of [[], ['--only-new']]) {
    const since = await strongroom('verify', '--since', newer as string, ...more)
    assert.equal(since.code, 0, since.err)
  }
  const day = await strongroom('close-day', path.join(folder, 'day'), '--day', '2022-11-25')
  assert.equal(day.code, 2, day.err)
  assert.match(day.err, /^The day 2022-11-25 is in the archive books, or in an earlier one/)
  const last = await strongroom('close-day', path.join(folder, 'day'), '--day', '2022-12-09')
  assert.equal(last.code, 0, last.err)

  const restored = await strongroom('archive', books as string, '--restore')
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.err, /^\d+ entries and \d+ transfers are in the database again/)
  assert.equal(await oldest(), oldestRelease)
  const whole = await strongroom('verify', '--since', heads as string)
  assert.equal(whole.code, 0, whole.err)
  const again = await strongroom('archive', books as string, '--restore')
  assert.match(again.err, /the database names no such archive/)
  const actions = await sql(
    `select action from audit_events where action in ('archiveBooks', 'restoreBooks') order by id`,
  )
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['archiveBooks', 'restoreBooks'],
  )
})
