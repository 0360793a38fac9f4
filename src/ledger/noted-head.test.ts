// The line that is noted outside: what it covers, and when it may be noted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bank, type Bank } from '../../test/support/bank.ts'
import { statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { collectHead, headText, parseHead, settledTime } from './noted-head.ts'
import { verifyLedger } from './verify.ts'

async function headAt({ db }: Bank, at: number): Promise<string> {
  const head = collectHead(at)
  const { mismatch } = await verifyLedger(db, { onEntry: (entry) => head.add(entry) })
  assert.equal(mismatch, undefined)
  return headText(head.finish())
}

test('the heads at a time stay the same whatever is added later, and a line says them exactly', async (t) => {
  const made = await bank(t)
  const { account, ledger, order, clock, sql } = made
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(order(from, to))
  const [{ at: newest } = {}] = await sql('select max(created_at) as at from entries')
  const at = (newest as Date).getTime()
  const noted = await headAt(made, at)
  // A deposit and a transfer: an entry each in cash and in the second account, two in the first.
  assert.match(noted, /^strongroom-head:\S+Z:3:4:[0-9a-f]{64}$/)
  assert.equal(headText(parseHead(noted) as never), noted)
  clock.advance(60_000)
  await ledger.submit(order(from, to, { reference: 'later' }))
  await account(5n)
  assert.equal(await headAt(made, at), noted)
  assert.notEqual((await headAt(made, at + 3_600_000)).slice(-64), noted.slice(-64))
  assert.match(await headAt(made, at - 3_600_000), /:0:0:/)
  for (const wrong of ['', noted.slice(1), `${noted}0`, noted.replace('T', ' '), `${noted}\n`]) {
    assert.equal(parseHead(wrong), undefined, wrong)
  }
})

const takeIdentifier = statement(
  'test_take_identifier',
  [],
  { id: 'text' },
  'select pg_current_xact_id()::text as id',
)

test('a head is noted only when no transaction is open that could add an entry before it', async (t) => {
  const { db } = await bank(t)
  const open = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const writing = transaction(db, async (tx) => {
    await tx.run(takeIdentifier, [])
    began.resolve()
    await open.promise
  })
  await began.promise
  let isSettled = false
  const settled = settledTime(db).then((at) => ((isSettled = true), at))
  await sleep(500)
  const wasSettled = isSettled
  open.resolve()
  await writing
  assert.equal(wasSettled, false)
  assert.ok((await settled) <= Date.now() - 10_000 + 500)
})

test('of other databases of the server no transaction is waited for, prepared or not', async (t) => {
  const [{ db, sql }, other] = [await bank(t), await bank(t)]
  const noted = async () => {
    const settled = settledTime(db).then(() => true)
    const isNoted = await Promise.race([settled, sleep(500, false)])
    return { isNoted, settled }
  }
  await other.sql('begin')
  await other.sql('select pg_current_xact_id()')
  assert.ok((await noted()).isNoted)
  await other.sql(`prepare transaction 'other'`)
  assert.ok((await noted()).isNoted)
  await other.sql(`rollback prepared 'other'`)
  await sql('begin')
  await sql('select pg_current_xact_id()')
  await sql(`prepare transaction 'own'`)
  const { isNoted, settled } = await noted()
  await sql(`rollback prepared 'own'`)
  assert.ok(!isNoted && (await settled))
})

test('a head is not noted on a standby that cannot tell how far it is', async () => {
  const standby = { run: async () => [{ at: null, open: [] }] as never }
  await assert.rejects(settledTime(standby), /^Error: This standby has replayed no transaction/)
})

test('the line covers the end of every account, and the order in which they are read', () => {
  const entry = (accountId: string, hash: string) => ({
    accountId,
    seq: 1n,
    hash,
    createdAt: new Date(0),
  })
  const line = (...entries: ReturnType<typeof entry>[]) => {
    const head = collectHead(1)
    for (const each of entries) head.add(each)
    return headText(head.finish())
  }
  const [one, other] = [entry('a', 'aa'), entry('b', 'bb')]
  const changed = { ...one, hash: 'ab' }
  assert.equal(line(one, other), line(one, other))
  assert.notEqual(line(changed, other), line(one, other))
  assert.notEqual(line(one, { ...other, hash: 'ab' }), line(one, other))
  assert.notEqual(line(other, one), line(one, other))
})
