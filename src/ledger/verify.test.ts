// The verification names every change of the books past the ledger.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank, type Bank } from '../../test/support/bank.ts'
import { verifyLedger } from './verify.ts'

/** Two accounts with four transfers between them. */
async function openBooks({ ledger, account, order }: Bank) {
  const [from, to] = [await account(1000n), await account()]
  for (const amount of [1n, 2n, 3n, 4n]) await ledger.submit(order(from, to, { amount }))
  return { from, to }
}

test('sound books are proven and counted', async (t) => {
  const fixture = await bank(t)
  await openBooks(fixture)
  const seen: number[] = []
  const found = await verifyLedger(fixture.db, {
    progress: (done, total) => void seen.push(done / total),
  })
  assert.equal(found.mismatch, undefined)
  assert.equal(found.entries, 10)
  assert.equal(found.transfers, 5)
  assert.equal(seen.at(-1), 1)
})

test('empty books are sound', async (t) => {
  const { db } = await bank(t)
  assert.equal((await verifyLedger(db)).mismatch, undefined)
})

type Change = [what: string, sql: string, named: RegExp]

const changes: Change[] = [
  ['a balance', 'update accounts set balance = balance + 1 where id = $1', /its balance is 991/],
  [
    'an entry’s amount',
    'update entries set amount = -5 where account_id = $1 and seq = 3',
    /Entry 3 .*amount/,
  ],
  [
    'an entry’s balance',
    'update entries set balance_after = 7 where account_id = $1 and seq = 3',
    /Entry 3 .*balance after it is 7, not 997/,
  ],
  [
    'an entry’s time',
    `update entries set created_at = created_at - interval '1 s' where account_id = $1 and seq = 3`,
    /Entry 3 .*time/,
  ],
  [
    'the hash of an entry',
    `update entries set hash = sha256('x') where account_id = $1 and seq = 3`,
    /Entry 3 .*chain/,
  ],
  [
    'a missing entry',
    'delete from entries where account_id = $1 and seq = 3',
    /Entry 4 .*entry 3 is missing/,
  ],
  [
    'a missing last entry',
    'delete from entries where account_id = $1 and seq = 5',
    /entry 5 is missing/,
  ],
  [
    'the reference of a transfer',
    `update transfers set reference = 'Other' where from_account_id = $1 and from_seq = 3`,
    /Entry [23] .*chain/,
  ],
  [
    'the salt of a transfer',
    `update transfers set salt = uuid_send(caller_id) where from_account_id = $1 and from_seq = 3`,
    /Entry [23] .*chain/,
  ],
  [
    'the session of a transfer',
    `update transfers set session_id = caller_id where from_account_id = $1 and from_seq = 3`,
    /Entry [23] .*chain/,
  ],
  [
    'the amount of a transfer',
    'update transfers set amount = 9 where from_account_id = $1 and from_seq = 3',
    /Entry [23] .*amount/,
  ],
  [
    'where the money of a transfer went',
    `update transfers set counterparty_name = 'Eve' where from_account_id = $1 and from_seq = 3`,
    /Entry [23] .*chain/,
  ],
  [
    'a missing transfer',
    'delete from transfers where from_account_id = $1 and from_seq = 3',
    /transfer is missing/,
  ],
  [
    'a transfer without entries',
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, salt)
     values (gen_random_uuid(), $1, gen_random_uuid(), 9, 9, 1, now(), $1, $1, 'transfer',
       'completed', 'EUR', '', uuid_send($1))`,
    /one of its two entries is missing/,
  ],
  [
    'an entry of an account that is not there',
    `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind)
     select gen_random_uuid(), transfer_id, seq, amount, balance_after, created_at, hash, kind
     from entries where account_id = $1 and seq = 1`,
    /no such account/,
  ],
  [
    'a status',
    `update transfers set status = 'returned', counterparty_iban = null
     where from_account_id = $1 and from_seq = 3`,
    /status is wrong/,
  ],
  [
    'money out of nowhere',
    'update accounts set balance = 5 where id <> $1 and last_seq = 0',
    /its balance is 5/,
  ],
]

for (const [what, sql, named] of changes) {
  test(`a change of the books is named: ${what}`, async (t) => {
    const fixture = await bank(t)
    const { from } = await openBooks(fixture)
    // With all rights over the database: no trigger fires.
    await fixture.sql('set session_replication_role = replica')
    if (what === 'a status') {
      await fixture.sql('alter table transfers drop constraint transfers_only_elsewhere_waits')
    }
    await fixture.sql(sql, [from])
    assert.match((await verifyLedger(fixture.db)).mismatch ?? 'nothing', named)
  })
}

test('a forged chain is found by the other account of its transfers', async (t) => {
  const fixture = await bank(t)
  const { from } = await openBooks(fixture)
  await fixture.sql('set session_replication_role = replica')
  // The last transfer of one account is removed, and the end of its chain set back.
  await fixture.sql('delete from entries where account_id = $1 and seq = 5', [from])
  await fixture.sql(
    `update accounts a set last_seq = 4, last_hash = e.hash, balance = e.balance_after
     from entries e where a.id = $1 and e.account_id = a.id and e.seq = 4`,
    [from],
  )
  const found = await verifyLedger(fixture.db)
  assert.match(found.mismatch ?? '', /one of its two entries is missing/)
})

test('sound books are proven beside a busy service', async (t) => {
  const fixture = await bank(t)
  const { from, to } = await openBooks(fixture)
  const verification = { isOver: false }
  const workload = (async () => {
    for (let round = 0; !verification.isOver; round++) {
      const [source, target] = round % 2 ? [from, to] : [to, from]
      const keys = [0, 1, 2].map((index) => `${round}-${index}`)
      await Promise.all(
        keys.map((key) => fixture.ledger.submit(fixture.order(source, target, { key }))),
      )
    }
  })()
  for (let run = 0; run < 15; run++)
    assert.equal((await verifyLedger(fixture.db)).mismatch, undefined)
  verification.isOver = true
  await workload
})
