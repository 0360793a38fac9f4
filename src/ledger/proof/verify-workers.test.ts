// The verification in several ranges and threads: what it proves and names is the same. That each
// seeded damage has the same name with two workers is proved where the damages are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank, type Bank } from '../../../test/support/bank.ts'
import type { Span } from '../../../test/support/database.ts'
import type { Db } from '../../database/statements/statement.ts'
import { verifyLedger } from './verify.ts'
import { openWorkers, type Workers, workHere } from './verify-workers.ts'

async function openBooks(t: Span): Promise<Bank & { from: string }> {
  const made = await bank(t)
  const { ledger, account, movement } = made
  const [from, to] = [await account(1000n), await account()]
  for (const amount of [1n, 2n]) await ledger.submit(movement(from, to, { amount }))
  return { ...made, from }
}

test('each range of accounts proves its heads, and that no entry of a missing account is in it', async (t) => {
  const { db } = await openBooks(t)
  const lines: string[] = []
  const whole = await verifyLedger(db, { onHead: (line) => void lines.push(line) })
  const ranged: string[] = []
  const found = await verifyLedger(db, {
    workers: workHere(db, 2),
    accountsPerRange: 1,
    onHead: (line) => void ranged.push(line),
  })
  assert.equal(whole.mismatch, undefined)
  assert.deepEqual(found, whole)
  assert.deepEqual(ranged, lines)
  const mismatchWithout = async (id: string) => {
    const without: Db = {
      async run(statement, values) {
        const rows = await db.run(statement, values)
        const isOfAccounts = /^verify_(find|read)_accounts$|_last_seqs$/.test(statement.name)
        return isOfAccounts ? rows.filter((row) => (row as { id?: unknown }).id !== id) : rows
      },
    }
    const workers = workHere(without, 2)
    return (await verifyLedger(without, { workers, accountsPerRange: 1 })).mismatch
  }
  const used = lines.map((line) => line.split(' ')).filter(([, seq]) => seq !== '0')
  assert.equal(used.length, 3)
  for (const [id = ''] of used) {
    assert.equal(await mismatchWithout(id), `Entry 1 of ${id}: there is no such account`)
  }
})

test('threads prove and name the same, and the failure of one is that of the run', async (t) => {
  const { db, address, sql, from } = await openBooks(t)
  const workers = openWorkers(address, 2, { needsPrimary: false })
  assert.deepEqual(await verifyLedger(db, { workers }), await verifyLedger(db))
  await sql('update accounts set balance = balance + 1 where id = $1', [from])
  const { mismatch } = await verifyLedger(db, { workers })
  assert.match(mismatch ?? '', /its balance is/)
  assert.equal(mismatch, (await verifyLedger(db)).mismatch)
  await sql('alter table holds rename to gone')
  await sql('update accounts set balance = balance - 1 where id = $1', [from])
  await assert.rejects(verifyLedger(db, { workers }), { code: '42P01' })
  await workers.close()
  await assert.rejects(verifyLedger(db, { workers }), /^Error: A thread of the verification has en/)
})

test('once a flaw is found no job is under way any more', async (t) => {
  const { db, sql, from } = await openBooks(t)
  await sql('update accounts set balance = balance + 1 where id = $1', [from])
  const own = workHere(db, 2)
  let underWay = 0
  const workers: Workers = {
    count: own.count,
    run(...job) {
      underWay++
      return own.run(...job).finally(() => underWay--)
    },
  }
  const { mismatch } = await verifyLedger(db, { workers, accountsPerRange: 1 })
  assert.match(mismatch ?? '', /its balance is/)
  assert.equal(underWay, 0)
})
