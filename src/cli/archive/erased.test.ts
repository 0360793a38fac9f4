// Texts that are erased while an archive has them: they are gone from what stays, and do not come
// back with it.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  type ArchivedBank,
  archivedBank,
  dyingAfter,
  Killed,
  later,
  mismatchOf,
} from '../../../test/support/archived-bank.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { eraseBefore, eraseOfAccount } from '../../ledger/erasure/erase.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const until = '2023-01-15'

async function record({ owner }: ArchivedBank, about: { target?: string; detail: string }) {
  const event = commandEvent(later + 1000, { action: 'erase', ...about })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  return event.id
}

/** What is left of the texts of accounts, of transfers that wait for nothing. */
const textsOf = ({ sql }: ArchivedBank, accountIds: unknown[]) =>
  sql(
    `with theirs as (
       select id, salt from transfers
       where (from_account_id = any($1) or to_account_id = any($1))
         and status not in ('pending', 'sent')
     )
     select id, 'transfer' as of from theirs where salt is not null
     union all
     select e.transfer_id, 'entry' from entries e join theirs t on t.id = e.transfer_id
     where e.reference <> '' or e.counterparty_name is not null
     union all
     select p.id, 'search' from payment_terms p join theirs t on t.id = p.id where p.term & 1 = 1
     union all
     select d.transfer_id, 'details' from transfer_details d join theirs t on t.id = d.transfer_id`,
    [accountIds],
  )

/** The person with most entries in archives. */
async function aPerson({ sql }: ArchivedBank) {
  const [person] = await sql(
    `select a.owner_id as id from accounts a where a.kind = 'customer'
     order by a.last_seq desc limit 1`,
  )
  const target = person?.['id'] as string
  const accounts = await sql('select id from accounts where owner_id = $1', [target])
  return { target, ids: accounts.map(({ id }) => id as string) }
}

const pieces = { entries: 60, transfers: 1000 }
const stateOf = async ({ sql }: ArchivedBank) =>
  (await sql('select state from archives'))[0]?.['state']

test('the texts of a person who is erased beside an archive that is half removed, or half restored, do not come back', async (t) => {
  for (const state of ['removing', 'restoring']) {
    const made = await archivedBank(t, state)
    const { owner, sql } = made
    const folder = path.join(made.folder, 'archive')
    const archive = (db = owner) => archiveUntil(db, none, folder, { until, now: later, pieces })
    const restore = (db = owner) => restoreFolder(db, none, folder, later, pieces)
    const { target, ids } = await aPerson(made)
    if (state === 'restoring') await archive()
    // Behind some pieces of entries.
    await assert.rejects((state === 'removing' ? archive : restore)(dyingAfter(owner, 8)), Killed)
    assert.equal(await stateOf(made), state)
    const [half] = await sql(
      `select count(*)::int as n from archived_terms k
       join entries e on e.account_id = k.from_account_id and e.seq = k.from_seq
       where not exists (
         select from entries o where o.account_id = k.to_account_id and o.seq = k.to_seq)`,
    )
    assert.ok((half?.['n'] as number) > 0, 'of some transfers one entry is there')
    // By the numbers of rows of another moment a plan may take seconds.
    await sql('analyze')
    const id = await record(made, { target, detail: 'a person' })
    for (const each of ids) await eraseOfAccount(owner, each, id)
    const day = '2022-12-15'
    const detail = `texts of transfers before ${day}`
    await eraseBefore(owner, Date.parse(`${day}T00:00:00Z`), await record(made, { detail }))
    assert.equal(await mismatchOf(made), undefined)
    assert.deepEqual(await textsOf(made, ids), [])
    if (state === 'removing') await archive()
    await restore()
    assert.equal(await mismatchOf(made), undefined)
    assert.deepEqual(await textsOf(made, ids), [])
  }
})

test('texts before a day that were erased meanwhile come back erased', async (t) => {
  const made = await archivedBank(t)
  const { owner, sql } = made
  const folder = path.join(made.folder, 'archive')
  await archiveUntil(owner, none, folder, { until, now: later })
  const day = '2022-12-15'
  const id = await record(made, { detail: `texts of transfers before ${day}` })
  const kept = await eraseBefore(owner, Date.parse(`${day}T00:00:00Z`), id)
  assert.ok(kept.erased > 0, 'those that stayed are erased, and were proven')
  assert.equal(await mismatchOf(made), undefined)
  await restoreFolder(owner, none, folder, later)
  assert.equal(await mismatchOf(made), undefined)
  const left = await sql(
    `select t.id from transfers t where t.created_at < $1 and t.salt is not null
       and t.status not in ('pending', 'sent')
     union all
     select e.transfer_id from entries e join transfers t on t.id = e.transfer_id
     where t.created_at < $1 and t.salt is null and t.created_at = e.created_at
       and (e.reference <> '' or e.counterparty_name is not null)
     union all
     select p.id from payment_terms p join transfers t on t.id = p.id
     where t.salt is null and p.term & 1 = 1
     union all
     select d.transfer_id from transfer_details d join transfers t on t.id = d.transfer_id
     where t.salt is null`,
    [day],
  )
  assert.deepEqual(left, [])
  const [others] = await sql(
    `select count(*)::int as n from transfers
     where created_at >= $1 and created_at < $2 and reference <> ''`,
    [day, until],
  )
  assert.ok((others?.['n'] as number) > 0, 'later ones have theirs')
  assert.equal((await eraseBefore(owner, Date.parse(`${day}T00:00:00Z`), id)).erased, 0)
})

test('the texts of a person who was erased meanwhile come back erased', async (t) => {
  const made = await archivedBank(t)
  const { owner, sql } = made
  const folder = path.join(made.folder, 'archive')
  await archiveUntil(owner, none, folder, { until, now: later })
  const { target, ids } = await aPerson(made)
  const id = await record(made, { target, detail: 'a person' })
  for (const each of ids) await eraseOfAccount(owner, each, id)
  assert.equal(await mismatchOf(made), undefined)
  await restoreFolder(owner, none, folder, later)
  assert.equal(await mismatchOf(made), undefined)
  assert.deepEqual(await textsOf(made, ids), [])
  for (const each of ids) assert.equal(await eraseOfAccount(owner, each, id), 0)
  const [others] = await sql(
    `select count(*)::int as n from transfers where created_at < $1 and salt is not null`,
    [until],
  )
  assert.ok((others?.['n'] as number) > 0, 'other people have theirs')
})
