// A row that the service's login has added under the identifier of an archived transfer stops the
// restore: beside it what comes back would not be what left.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import {
  archivedBank,
  dumpOf,
  interrupted,
  later,
  mismatchOf,
} from '../../../test/support/archived-bank.ts'
import { UnsoundBooks } from '../report.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const made = await archivedBank({ after })
const { owner, sql } = made
const folder = path.join(made.folder, 'books')
let whole = ''

/** A deposit that leaves, as it was, and a transfer of which only an entry leaves. */
const gone = { id: '', account: '', seq: '', row: {} as Record<string, unknown> }

before(async () => {
  // By the numbers of rows of another moment a plan may take seconds.
  await sql('analyze')
  whole = await dumpOf(made)
  const [row] = await sql(
    `select to_jsonb(t) - 'commitment' - 'erasure_id' - 'settled_seq' - 'sent_seq' as row
     from transfers t where kind = 'transfer' and status = 'completed' and salt is not null
       and counterparty_iban is null and settled_seq is null and created_at < '2023-01-01'
       and not exists (select from external_ids x where x.transfer_id = t.id)
       and not exists (select from standing_order_runs x where x.transfer_id = t.id)
       and not exists (select from payment_list_lines x where x.transfer_id = t.id)
       and not exists (select from payment_drafts x where x.transfer_id = t.id)
     order by id limit 1`,
  )
  const found = row?.['row'] as Record<string, unknown>
  Object.assign(gone, { id: found['id'], account: found['from_account_id'], row: found })
  gone.seq = String(found['from_seq'])
  await archiveUntil(owner, none, folder, { until: '2023-01-15', now: later })
  assert.deepEqual(await sql('select from transfers where id = $1', [gone.id]), [])
})

/** With the rights of the service alone. */
async function asService(change: string, values: unknown[] = []) {
  await sql('set role strongroom_service')
  try {
    assert.equal((await sql(`${change} returning 1`, values)).length, 1)
  } finally {
    await sql('reset role')
  }
}

async function addTransfer(changed: Record<string, unknown>) {
  const row = { ...gone.row, ...changed }
  const columns = Object.keys(row).join()
  await asService(
    `insert into transfers (${columns})
     select ${columns} from jsonb_populate_record(null::transfers, $1)`,
    [JSON.stringify(row)],
  )
}

/** As an operator takes the row away again. */
async function remove(table: string, column: string) {
  await sql('begin; set local session_replication_role = replica')
  await sql(`delete from ${table} where ${column} = $1`, [gone.id])
  await sql('commit')
}

const foreign: {
  what: string
  add: () => Promise<void>
  named: () => RegExp
  from: [table: string, column: string]
}[] = [
  ...[{ amount: 999_999 }, { reference: 'x' }, { to_seq: 9999 }].map((changed) => ({
    what: `its own row with another ${Object.keys(changed).join()}`,
    add: () => addTransfer(changed),
    named: () => new RegExp(`Transfer ${gone.id} is another one in the database`),
    from: ['transfers', 'id'] as [string, string],
  })),
  {
    what: 'its own row as it was, which other rows may name',
    add: () => addTransfer({}),
    named: () => new RegExp(`Transfer ${gone.id} is another one in the database`),
    from: ['transfers', 'id'],
  },
  {
    what: 'one of its details',
    add: () =>
      asService(`insert into transfer_details (transfer_id, bic) values ($1, 'X')`, [gone.id]),
    named: () => new RegExp(`Transfer ${gone.id} .* a row of transfer_details`),
    from: ['transfer_details', 'transfer_id'],
  },
  {
    what: 'a number of it',
    add: () =>
      asService(
        `insert into external_ids (caller_id, external_id, body_hash, transfer_id)
         values ($1, 'foreign', sha256(''), $1)`,
        [gone.id],
      ),
    named: () => new RegExp(`Transfer ${gone.id} .* a row of external_ids`),
    from: ['external_ids', 'transfer_id'],
  },
  {
    what: 'a term of the search for it',
    add: () => asService('insert into payment_terms (term, id) values (2, $1)', [gone.id]),
    named: () => new RegExp(`Transfer ${gone.id} .* a row of payment_terms`),
    from: ['payment_terms', 'id'],
  },
  {
    what: 'an entry at the place of its own',
    add: () =>
      asService(
        `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at,
           hash, kind)
         values ($1, $2, $3, -1, 0, now(), sha256(''), 'transfer')`,
        [gone.account, gone.id, gone.seq],
      ),
    named: () => new RegExp(`Entry ${gone.seq} of account ${gone.account} is in .*, and another`),
    from: ['entries', 'transfer_id'],
  },
]

for (const { what, add, named, from } of foreign) {
  test(`a restore refuses beside a foreign row and changes nothing: ${what}`, async () => {
    await add()
    const dump = await dumpOf(made)
    await assert.rejects(restoreFolder(owner, none, folder, later), (thrown: Error) => {
      assert.ok(thrown instanceof UnsoundBooks, String(thrown))
      assert.match(thrown.message, named())
      return true
    })
    assert.equal(await dumpOf(made), dump)
    await remove(...from)
  })
}

test('a restore stops at a foreign row that is added while it runs, and goes on without it', async () => {
  const pieces = { entries: 10_000, transfers: 10_000 }
  // Behind the look at all, in front of the piece of its row.
  for (const { add, named, from } of foreign.slice(3)) {
    const at = from[0] === 'entries' ? 3 : 2
    await assert.rejects(
      restoreFolder(interrupted(owner, at, add), none, folder, later, pieces),
      (thrown: Error) => named().test(thrown.message),
    )
    await remove(...from)
  }
  assert.equal(await mismatchOf(made), undefined)
  await restoreFolder(owner, none, folder, later)
  assert.equal(await dumpOf(made), whole)
})
