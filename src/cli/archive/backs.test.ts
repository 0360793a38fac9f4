// What was brought back is not brought back again, at any moment of an archive and of its restore.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  type ArchivedBank,
  bankWithFolder,
  dumpOf,
  dyingAfter,
  Killed,
  later,
  mismatchOf,
} from '../../../test/support/archived-bank.ts'
import { callers } from '../../../test/support/bank.ts'
import type { ServiceDatabase } from '../../database/connections/connect.ts'
import { Refusal } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Transfer } from '../../ledger/rules/movement.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const weekMs = 7 * 86_400_000

/** Each one in a transaction of its own: between any two the other movements of a bank may be. */
const pieces = { entries: 3, transfers: 1 }

const reversing = ({ id, fromAccountId, toAccountId, amount, currency }: Transfer) => ({
  kind: 'reversal' as const,
  fromAccountId: toAccountId,
  toAccountId: fromAccountId,
  amount,
  currency,
  reference: '',
  originalId: id,
  caller: callers.root,
})

/** The code of the refusal. */
const reverseAgain = ({ ledger }: ArchivedBank, transfer: Transfer): Promise<string> =>
  ledger.submit(reversing(transfer)).then(
    () => 'booked',
    (thrown) => (thrown instanceof Refusal ? thrown.code : String(thrown)),
  )

/** A row of what came back that is removed, or added, while an archive has its transfers. */
async function requireNamed({ sql, mismatchAfter }: ArchivedBank): Promise<void> {
  const changes = [
    `delete from brought_back where transfer_id = (
       select transfer_id from brought_back order by 1 limit 1)`,
    `insert into brought_back values (least_id_at('2023-06-01'), least_id_at('2023-06-02'))`,
  ]
  for (const change of changes) {
    const found = await mismatchAfter(
      async () => {
        await sql('set local session_replication_role = replica')
        await sql(change)
      },
      async (db) => (await verifyLedger(db, { now: later })).mismatch,
    )
    assert.match(found, /^\d transfers in archives are said to be brought back, not 2$/)
  }
}

test('a transfer that was reversed is not reversed again beside an archive that is removed, gone, or half restored, and the restore ends', async (t) => {
  const made = await bankWithFolder(t)
  const { owner, ledger, clock, movement, sql } = made
  clock.jump(Date.UTC(2023, 5, 1) - clock.now())
  const [from, to] = [await made.account(1000n), await made.account()]
  const paid: Transfer[] = []
  for (const amount of [5n, 7n, 9n]) {
    clock.advance(1)
    paid.push((await ledger.submit(movement(from, to, { amount }))).transfer)
  }
  // Weeks later, so that others are between them.
  for (const each of [paid[0], paid[2]] as Transfer[]) {
    clock.advance(weekMs)
    await ledger.submit(movement(from, to))
    await ledger.submit(reversing(each))
  }
  clock.jump(Date.UTC(2026, 0, 1) - clock.now())
  await ledger.submit(movement(from, to))
  const before = await dumpOf(made)

  const folder = path.join(made.folder, 'books')
  const runs = {
    removing: (db: ServiceDatabase) =>
      archiveUntil(db, none, folder, { until: '2023-12-01', now: later, pieces }),
    restoring: (db: ServiceDatabase) => restoreFolder(db, none, folder, later, pieces),
  }
  for (const [name, run] of Object.entries(runs)) {
    const codes = new Set<string>()
    const requireNoSecond = async () => {
      codes.add(await reverseAgain(made, paid[0] as Transfer))
      codes.add(await reverseAgain(made, paid[2] as Transfer))
      assert.ok(!codes.has('booked'), name)
      assert.equal(await mismatchOf(made), undefined, name)
    }
    for (let commits = 0, isCut = true; isCut; commits++) {
      isCut = await run(dyingAfter(owner, commits)).then(
        () => false,
        (thrown) => {
          if (!(thrown instanceof Killed)) throw thrown
          return true
        },
      )
      await requireNoSecond()
    }
    const [left] = await sql('select count(*)::int as n from transfers')
    assert.equal(left?.['n'], name === 'removing' ? 1 : 9, name)
    assert.ok(codes.has('already_reversed'), `${name}: ${[...codes].join()}`)
    if (name === 'removing') await requireNamed(made)
  }
  assert.equal(await dumpOf(made), before)
  await ledger.submit(reversing(paid[1] as Transfer))
  assert.equal(await mismatchOf(made), undefined)
})

test('what brought a transfer back comes back itself, and no other one takes its place', async (t) => {
  const { ledger, account, movement, sql } = await bankWithFolder(t)
  const { transfer: paid } = await ledger.submit(movement(await account(9n), await account()))
  const { transfer: back } = await ledger.submit(reversing(paid))
  const restoring = async (id: string) => {
    await sql('begin')
    try {
      await sql(`select set_config('strongroom.archive', 'on', true)`)
      await sql('create temp table gone (like transfers) on commit drop')
      await sql('insert into gone select * from transfers where id = $1', [back.id])
      await sql('delete from transfers where id = $1', [back.id])
      await sql('update gone set id = $1', [id])
      await sql('insert into transfers select * from gone')
      return await sql('select by_transfer_id as id from brought_back')
    } finally {
      await sql('rollback')
    }
  }
  assert.deepEqual(await restoring(back.id), [{ id: back.id }])
  const constraint = 'transfers_brought_back_once'
  await assert.rejects(restoring(newId(later)), { code: '23505', constraint })
})
