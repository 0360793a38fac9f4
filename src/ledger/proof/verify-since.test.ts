// A proof of what is new since the heads of an earlier one: what it finds and, by design, does not.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank, callers, finishing, payElsewhere } from '../../../test/support/bank.ts'
import { rewriteChains } from '../../../test/support/chains.ts'
import type { Span } from '../../../test/support/database.ts'
import { noteHeads, toStream } from '../../../test/support/heads.ts'
import type { Db } from '../../database/statements/statement.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { type Head, headLine } from './heads.ts'
import { verifyLedger } from './verify.ts'
import { openWorkers } from './verify-workers.ts'

const clearing = bankAccount('clearing', 'EUR')
const hour = 3_600_000

/**
 * Accounts with transfers and payments to another bank, the heads an hour later, and behind them
 * further transfers, the ends of two of these payments and a reversal.
 */
async function openBooks(t: Span) {
  const made = await bank(t)
  const { ledger, account, movement, clock, db } = made
  const [from, to, idle] = [await account(1000n), await account(), await account(50n)]
  const still = await account(20n)
  for (const amount of [1n, 2n, 3n, 4n]) await ledger.submit(movement(from, to, { amount }))
  const payer = await account(100n)
  const earlier = await payElsewhere(made, payer)
  const [settled, pending, returned] = [
    await payElsewhere(made, payer),
    await payElsewhere(made, payer),
    await payElsewhere(made, payer),
  ]
  // The head of clearing is a mark.
  await ledger.submit(finishing(earlier, 'settlement'))
  const [deposit] = await made.sql('select id from transfers where to_account_id = $1', [idle])
  await made.deposit(idle, 1n)
  clock.advance(hour)
  const [heads, begin] = [await noteHeads(db), clock.now()]
  clock.advance(hour)
  const opened = await account(7n)
  for (const amount of [5n, 6n]) await ledger.submit(movement(from, to, { amount }))
  await ledger.submit(finishing(settled, 'settlement'))
  await ledger.submit(finishing(returned, 'return'))
  await ledger.submit({
    kind: 'reversal',
    fromAccountId: idle,
    toAccountId: bankAccount('cash', 'EUR'),
    amount: 50n,
    currency: 'EUR',
    reference: '',
    originalId: deposit?.['id'] as string,
    caller: callers.root,
  })
  const { transfer: last } = await ledger.submit(movement(from, to, { amount: 9n }))
  const payments = { settled: settled.id, pending: pending.id, returned: returned.id }
  const ids = { from, to, idle, still, opened, deposit: deposit?.['id'] as string, ...payments }
  return { ...made, heads, begin, ids: { ...ids, last: last.id } }
}

const books = await openBooks({ after })
const { ids } = books

/** Later than the books, as a run is. */
const now = books.begin + 2 * hour

const proveNew = (db: Db, heads: readonly Head[] = books.heads) =>
  verifyLedger(db, { since: toStream(heads), onlyNewFrom: books.begin, now })

test('what is new is proven and counted, in one thread and in several', async () => {
  const found = await proveNew(books.db)
  assert.equal(found.mismatch, undefined)
  // Six with two entries each, one of them to the new account, and a settlement.
  assert.deepEqual([found.entries, found.transfers], [13, 6])
  const workers = openWorkers(books.address, 2, { needsPrimary: false })
  const options = { since: toStream(books.heads), onlyNewFrom: books.begin, now }
  assert.deepEqual(await verifyLedger(books.db, { ...options, workers }), found)
  await workers.close()
  const all = await verifyLedger(books.db)
  assert.equal(found.digest, all.digest)
  assert.ok(all.entries > 2 * found.entries)
})

test('heads with nothing behind them, and those of an empty bank, are enough', async (t) => {
  const { db, begin } = books
  const now = begin + 3 * hour
  const heads = await noteHeads(db)
  const none = await verifyLedger(db, { since: toStream(heads), onlyNewFrom: now, now })
  assert.deepEqual([none.mismatch, none.entries, none.transfers], [undefined, 0, 0])
  const empty = await bank(t)
  const first = await noteHeads(empty.db)
  await empty.ledger.submit(
    empty.movement(await empty.account(5n), await empty.account(), { amount: 5n }),
  )
  const options = { since: toStream(first), onlyNewFrom: empty.clock.now() }
  const found = await verifyLedger(empty.db, options)
  assert.deepEqual([found.mismatch, found.entries, found.transfers], [undefined, 4, 2])
})

test('a head keeps the number of marks up to it', async () => {
  const { markCount } = books.heads.find(({ accountId }) => accountId === clearing) ?? {}
  assert.equal(markCount, 1n)
  const lines = headLine({ accountId: clearing, seq: 2n, hash: '0'.repeat(64), markCount: 3n })
  assert.match(lines, /^# marks 3\n00000000-\S+ 2 0+\n$/)
})

type Sql = readonly (readonly [text: string, values?: readonly unknown[]])[]
type Damage = readonly [what: string, change: Sql, named: RegExp]

const oldEntry = 'account_id = $1 and seq = 2'
const newEntry = `account_id = $1 and seq = 6`
const insertEntry = `insert into entries (account_id, transfer_id, seq, amount, balance_after,
  created_at, hash, kind)`

const setBack = (count: number): Sql => [
  [
    `update accounts a set last_seq = e.seq, last_hash = e.hash, balance = e.balance_after,
       last_entry_at = e.created_at
     from entries e where e.account_id = a.id and a.id = $1 and e.seq = a.last_seq - ${count}`,
    [ids.to],
  ],
  [
    `delete from entries e using accounts a
     where a.id = $1 and e.account_id = a.id and e.seq > a.last_seq`,
    [ids.to],
  ],
]

/** What is found by the proof of what is new as it is by that of all. */
const found: Damage[] = [
  [
    'the amount of a new entry',
    [[`update entries set amount = amount - 1 where ${newEntry}`, [ids.from]]],
    /^Entry 6 .*its amount is not/,
  ],
  [
    'the balance after a new entry',
    [[`update entries set balance_after = 1 where ${newEntry}`, [ids.from]]],
    /^Entry 6 .*the balance after it is 1, not 985$/,
  ],
  [
    'the text of a new entry',
    [[`update entries set reference = 'Wages' where ${newEntry}`, [ids.from]]],
    /^Entry 6 .*chain/,
  ],
  [
    'a new entry that is missing',
    [[`delete from entries where ${newEntry}`, [ids.from]]],
    /entry 6 is missing/,
  ],
  [
    'a new transfer that is missing',
    [[`delete from transfers where id = $1`, [ids.last]]],
    /its transfer is missing/,
  ],
  [
    'the session of a new transfer',
    [['update transfers set session_id = caller_id where id = $1', [ids.last]]],
    /chain/,
  ],
  [
    'a new transfer without entries',
    [
      [
        `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
           created_at, caller_id, session_id, kind, status, currency, reference, salt)
         values ($2, $1, $3, 9, 9, 1, now(), $1, $1, 'transfer', 'completed', 'EUR', '',
           uuid_send($1))`,
        [ids.from, newId(books.begin), ids.to],
      ],
    ],
    /one of its two entries is missing/,
  ],
  [
    'a new transfer that names an older entry',
    [['update transfers set from_seq = 2 where id = $1', [ids.last]]],
    /its transfer does not name it/,
  ],
  [
    'an entry behind the end that names an older transfer',
    [
      [
        `${insertEntry} select a.id, $2, a.last_seq + 1, 50, a.balance + 50, now(), sha256('x'),
           'deposit' from accounts a where a.id = $1`,
        [ids.to, ids.deposit],
      ],
    ],
    /^Entry 8 .*: its transfer does not name it/,
  ],
  [
    'an account that is missing',
    [['delete from accounts where id = $1', [ids.idle]]],
    /^Account .* is missing$/,
  ],
  [
    'an account that is older than the heads, and has none',
    [
      [
        `insert into accounts (id, owner_id, iban, currency, created_at)
         select $2, owner_id, 'XX00OLD', 'EUR', now() from accounts where id = $1`,
        [ids.from, newId(books.begin - hour)],
      ],
    ],
    /^Account .*: it is older than the heads, and has none$/,
  ],
  [
    'an entry of an account that is not there',
    [
      [
        `${insertEntry} select gen_random_uuid(), transfer_id, 1, amount, amount, created_at, hash,
           kind from entries where ${newEntry}`,
        [ids.from],
      ],
    ],
    /there is no such account/,
  ],
  ['a chain that was set back to its head', setBack(3), /one of its two entries is missing/],
  ['a chain that was set back behind its head', setBack(4), /its chain ends at entry 3/],
  ['a chain that was set back far behind its head', setBack(6), /its chain ends at entry 1/],
  [
    'the balance of an account without a new entry',
    [['update accounts set balance = balance + 1 where id = $1', [ids.still]]],
    /its balance is/,
  ],
  [
    'the balance of an account without a new entry, with its last entry',
    [
      ['update accounts set balance = balance + 1 where id = $1', [ids.still]],
      [
        `update entries set amount = amount + 1, balance_after = balance_after + 1
         where account_id = $1`,
        [ids.still],
      ],
      [`update transfers set amount = amount + 1 where to_account_id = $1`, [ids.still]],
    ],
    /^Entry 1 .*: the chain breaks$/,
  ],
  [
    'the entry of a head',
    [['update entries set amount = amount + 1 where account_id = $1 and seq = 5', [ids.from]]],
    /^Entry 5 /,
  ],
  [
    'an older pending payment that is said to be settled',
    [
      [
        `update transfers set status = 'completed', settled_seq = s.settled_seq
         from transfers s where transfers.id = $1 and s.id = $2`,
        [ids.pending, ids.settled],
      ],
      ['update accounts set mark_count = mark_count + 1 where id = $1', [clearing]],
    ],
    /it counts 3 marks of payments, its entries 2$/,
  ],
  [
    'an older payment that was settled since',
    [[`update transfers set status = 'pending', settled_seq = null where id = $1`, [ids.settled]]],
    /its transfer does not say that it was settled/,
  ],
  [
    'the status of an older payment that was settled since',
    [[`update transfers set status = 'pending' where id = $1`, [ids.settled]]],
    /^Transfer .*: its status is wrong$/,
  ],
  [
    'the status of an older payment that came back since',
    [[`update transfers set status = 'pending' where id = $1`, [ids.returned]]],
    /^Transfer .*: its status is wrong$/,
  ],
  [
    'the amount of an older transfer that was reversed since',
    [['update transfers set amount = 49 where id = $1', [ids.deposit]]],
    /one of its two entries is missing or is another one$/,
  ],
  [
    'an older transfer that was reversed since, and is missing',
    [['delete from transfers where id = $1', [ids.deposit]]],
    /^Transfer .*: it is missing$/,
  ],
  [
    'an external identifier of what is not there',
    [
      [
        `insert into external_ids (caller_id, external_id, transfer_id, is_settlement, body_hash)
         values ($1, 'x', $2, false, sha256('x'))`,
        [callers.root.userId, newId(books.begin)],
      ],
    ],
    /^An external identifier names transfer .*, which is missing$/,
  ],
]

/** What is older, and neither changed nor named by what is new. */
const notFound: Damage[] = [
  [
    'an older entry',
    [[`update entries set amount = amount - 1 where ${oldEntry}`, [ids.from]]],
    /^Entry 2 .*its amount is not/,
  ],
  [
    'the text of an older entry',
    [[`update entries set reference = 'Wages' where ${oldEntry}`, [ids.from]]],
    /^Entry 2 .*chain/,
  ],
  [
    'an older entry that is missing',
    [[`delete from entries where ${oldEntry}`, [ids.from]]],
    /entry 2 is missing/,
  ],
  [
    'an older payment set to returned',
    [[`update transfers set status = 'returned' where id = $1`, [ids.pending]]],
    /^Transfer .*: its status is wrong$/,
  ],
  [
    'a transfer without entries that is said to be older',
    [
      [
        `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
           created_at, caller_id, session_id, kind, status, currency, reference, salt)
         values ($2, $1, $3, 9, 9, 1, now(), $1, $1, 'transfer', 'completed', 'EUR', '',
           uuid_send($1))`,
        [ids.from, newId(books.begin - hour), ids.to],
      ],
    ],
    /one of its two entries is missing/,
  ],
]

/** With all rights over the database: no trigger fires. */
const inflict = (change: Sql) => async () => {
  await books.sql('set local session_replication_role = replica')
  await books.sql('alter table transfers drop constraint transfers_only_elsewhere_waits')
  await books.sql('alter table entries drop constraint entries_first')
  for (const [text, values] of change) await books.sql(text, [...(values ?? [])])
}

const mismatchesAfter = async (change: Sql): Promise<[onlyNew?: string, all?: string]> => {
  const both: [onlyNew?: string, all?: string] = []
  await books.mismatchAfter(inflict(change), async (db) => {
    both.push((await proveNew(db)).mismatch, (await verifyLedger(db, { now })).mismatch)
    return undefined
  })
  return both
}

for (const [what, change, named] of found) {
  test(`a proof of what is new names a change: ${what}`, async () => {
    const [onlyNew] = await mismatchesAfter(change)
    assert.match(onlyNew ?? 'nothing', named)
  })
}

for (const [what, change, named] of notFound) {
  test(`only a proof of all names a change of what is older: ${what}`, async () => {
    const [onlyNew, all] = await mismatchesAfter(change)
    assert.equal(onlyNew, undefined)
    assert.match(all ?? 'nothing', named)
  })
}

test('a chain written anew from before its head is named', async () => {
  const mismatch = await books.mismatchAfter(
    async () => {
      await inflict([
        [
          `update entries set amount = amount + sign(amount)::int where transfer_id = (
            select id from transfers where from_account_id = $1 and from_seq = 2)`,
          [ids.from],
        ],
      ])()
      await rewriteChains(books)
    },
    async (db) => (await proveNew(db)).mismatch,
  )
  assert.match(mismatch, /another than in the earlier heads$/)
})
