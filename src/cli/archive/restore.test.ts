// What a restore does with rows that are not as they left.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  bankWithFolder,
  dumpOf,
  dyingAfter,
  Killed,
  later,
  mismatchOf,
} from '../../../test/support/archived-bank.ts'
import { finishing, payElsewhere } from '../../../test/support/bank.ts'
import type { TransferLine } from '../../ledger/archive/lines.ts'
import { archiveUntil } from './archive.ts'
import { eraseTransfers } from './erased.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}

test('an archive of before a column was added comes back: the column has its default', async (t) => {
  const made = await bankWithFolder(t)
  const { owner, ledger, clock, movement, sql } = made
  clock.jump(Date.UTC(2023, 5, 1) - clock.now())
  await ledger.submit(movement(await made.account(9n), await made.account()))
  const folder = path.join(made.folder, 'books')
  await archiveUntil(owner, none, folder, { until: '2023-12-01', now: later })
  for (const table of ['transfers', 'entries', 'transfer_details', 'payment_terms']) {
    await sql(`alter table ${table} add column added int not null default 7`)
  }
  await restoreFolder(owner, none, folder, later)
  const found = await sql(
    'select t.added, count(*)::int as entries from transfers t ' +
      'join entries e on e.transfer_id = t.id and e.added = 7 group by t.id',
  )
  assert.deepEqual(found, [
    { added: 7, entries: 2 },
    { added: 7, entries: 2 },
  ])
  assert.equal(await mismatchOf(made), undefined)
})

test('a transfer with details comes back with them, also where a run was cut off', async (t) => {
  const made = await bankWithFolder(t)
  const { owner, ledger, clock, sql } = made
  clock.jump(Date.UTC(2023, 5, 1) - clock.now())
  const paid = await payElsewhere(made, await made.account(9n))
  const details = { endToEndId: null, bic: null, reasonCode: 'AC04', original: null }
  await ledger.submit({ ...finishing(paid, 'return'), details })
  assert.equal(await mismatchOf(made), undefined)
  const whole = await dumpOf(made)
  const folder = path.join(made.folder, 'books')
  await archiveUntil(owner, none, folder, { until: '2023-12-01', now: later })
  assert.deepEqual(await sql('select from transfer_details'), [])
  await assert.rejects(restoreFolder(dyingAfter(owner, 3), none, folder, later), Killed)
  await restoreFolder(owner, none, folder, later)
  assert.equal(await dumpOf(made), whole)
  assert.equal(await mismatchOf(made), undefined)
})

test('what came back into suspense is erased with the person, also if the payment was erased before', () => {
  const line = (id: string, month: number, transfer: Record<string, string>): TransferLine => ({
    transfer: {
      id,
      created_at: `2023-0${month}-01T00:00:00+00:00`,
      reference: 'Rent',
      counterparty_name: 'Grace Hopper',
      counterparty_iban: null,
      salt: '\\x00',
      commitment: null,
      reversal_of: null,
      ...transfer,
    },
    details: null,
    search: ['2', '3'],
    kept: null,
    links: {},
    sentSeq: null,
    sentLinks: {},
    settledSeq: null,
    settledLinks: {},
  })
  const lines = [
    line('paid', 1, { from_account_id: 'hers', to_account_id: 'clearing' }),
    line('back', 3, {
      from_account_id: 'clearing',
      to_account_id: 'suspense',
      reversal_of: 'paid',
    }),
    line('other', 3, { from_account_id: 'his', to_account_id: 'clearing' }),
  ]
  const erasures = [
    { id: 'of a day', before: Date.UTC(2023, 1, 1), accountIds: new Set<string>() },
    { id: 'of a person', before: undefined, accountIds: new Set(['hers']) },
  ]
  assert.deepEqual(
    eraseTransfers(lines, erasures).map(({ transfer, search }) => [
      transfer['id'],
      transfer['erasure_id'] ?? null,
      transfer['reference'],
      search,
    ]),
    [
      ['paid', 'of a day', '', ['2']],
      ['back', 'of a person', '', ['2']],
      ['other', null, 'Rent', ['2', '3']],
    ],
  )
})
