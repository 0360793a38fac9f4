// `strongroom archive` that is cut off at any of its transactions leaves books that are sound, and
// goes on when it is called again.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  type ArchivedBank,
  archivedBank,
  dumpOf,
  dyingAfter,
  Killed,
  later,
} from '../../../test/support/archived-bank.ts'
import type { ServiceDatabase } from '../../database/connections/connect.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { archiveUntil } from './archive.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}

/** Cuts it off behind each of its transactions until it ends by itself; gives how many it has. */
async function endAtLast(
  made: ArchivedBank,
  run: (db: ServiceDatabase) => Promise<void>,
): Promise<number> {
  for (let commits = 0; ; commits++) {
    try {
      await run(dyingAfter(made.owner, commits))
      return commits
    } catch (thrown) {
      if (!(thrown instanceof Killed)) throw thrown
    }
    const { mismatch } = await verifyLedger(made.owner, { now: later })
    assert.equal(mismatch, undefined, `behind ${commits} transactions`)
  }
}

test('an archive that is cut off at any transaction goes on: it is the same, and so is its restore', async (t) => {
  const made = await archivedBank(t)
  const before = await dumpOf(made)
  const asked = { until: '2023-01-15', now: later }
  const whole = path.join(made.folder, 'whole')
  await archiveUntil(made.owner, none, whole, asked)
  const archived = await dumpOf(made)
  await restoreFolder(made.owner, none, whole, later)
  assert.equal(await dumpOf(made), before)

  const folder = path.join(made.folder, 'cut')
  const removing = await endAtLast(made, (db) => archiveUntil(db, none, folder, asked))
  assert.ok(removing > 5, `${removing} transactions`)
  const isOfArchive = (row: string) => /"?\(?1,"2023-01-15/.test(row)
  const rowsOf = (dump: string) => dump.split('\n').filter((row) => !isOfArchive(row))
  assert.deepEqual(rowsOf(await dumpOf(made)), rowsOf(archived))
  const restoring = await endAtLast(made, (db) => restoreFolder(db, none, folder, later))
  assert.ok(restoring > 5, `${restoring} transactions`)
  assert.equal(await dumpOf(made), before)
})
