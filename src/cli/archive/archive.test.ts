// `strongroom archive`: closed periods leave the database and come back, and at each moment the
// books are sound and say of what stays what they said before.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import {
  archivedBank,
  dumpOf,
  later,
  mismatchOf,
  readsFrom,
} from '../../../test/support/archived-bank.ts'
import { archiveUntil } from './archive.ts'
import { checkArchive } from './check.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}

test('what is before a day leaves the database and comes back: nothing that stays says anything else, and the books stay sound', async (t) => {
  const made = await archivedBank(t)
  const { owner, folder, sql } = made
  assert.equal(await mismatchOf(made), undefined)
  const before = await dumpOf(made)
  const days = ['2022-12-10', '2023-01-20'] as const
  const dumps = [before]
  for (const day of days) {
    const from = Date.parse(`${day}T00:00:00Z`)
    const reads = await readsFrom(made, from)
    const to = path.join(folder, day)
    await archiveUntil(owner, none, to, { until: day, now: later })
    const [left] = await sql('select count(*)::int as n from entries where created_at < $1', [day])
    assert.equal(left?.['n'], 0)
    assert.equal(await mismatchOf(made), undefined)
    assert.match(await checkArchive(owner, to), / is sound: .* go on in the database/)
    assert.deepEqual(await readsFrom(made, from), reads)
    dumps.push(await dumpOf(made))
  }
  const [gone] = await sql('select transfers::int as n from archives where id = 1')
  assert.ok((gone?.['n'] as number) > 20, 'some transfers leave')
  for (const day of days.toReversed()) {
    dumps.pop()
    await restoreFolder(owner, none, path.join(folder, day), later)
    assert.equal(await mismatchOf(made), undefined)
    assert.equal(await dumpOf(made), dumps.at(-1))
  }
})

test('payments go on while an archive is made and restored', async (t) => {
  const made = await archivedBank(t, 'two')
  const { owner, folder, ledger, movement } = made
  const [from, to] = [await made.account(10_000n), await made.account()]
  const pay = () => ledger.submit(movement(from, to, { key: `${folder} ${paid++}` }))
  const paying = async (work: Promise<void>): Promise<number> => {
    const state = { isDone: false }
    const done = work.finally(() => (state.isDone = true))
    const before = paid
    while (!state.isDone) await pay()
    await done
    return paid - before
  }
  let paid = 0
  const to2022 = path.join(folder, 'books')
  const asked = { until: '2023-01-15', now: later }
  assert.ok((await paying(archiveUntil(owner, none, to2022, asked))) > 20)
  assert.equal(await mismatchOf(made), undefined)
  assert.ok((await paying(restoreFolder(owner, none, to2022, later))) > 20)
  assert.equal(await mismatchOf(made), undefined)
  assert.equal(await made.balance(to), BigInt(paid))
})
