// The verification names every change of the books past the ledger, also when all chains behind it
// were written anew, as somebody with all rights over the database can do.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank, type Bank, callers, finishing, payElsewhere } from '../../../test/support/bank.ts'
import { rewriteChains } from '../../../test/support/chains.ts'
import { noteHeads, toStream } from '../../../test/support/heads.ts'
import type { Span } from '../../../test/support/database.ts'
import type { Db } from '../../database/statements/statement.ts'
import { zeroHash } from '../rules/hash-chain.ts'
import type { Head } from './heads.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { verifyLedger } from './verify.ts'

type Books = Bank & { from: string; to: string }

/** Two accounts with four transfers: entries 2 to 5 of the one, 1 to 4 of the other. */
async function openBooks(t: Span): Promise<Books> {
  const made = await bank(t)
  const { ledger, account, movement } = made
  const [from, to] = [await account(1000n), await account()]
  for (const amount of [1n, 2n, 3n, 4n]) await ledger.submit(movement(from, to, { amount }))
  return { ...made, from, to }
}

test('sound books are proven and counted', async (t) => {
  const { db } = await openBooks(t)
  const seen: number[] = []
  const found = await verifyLedger(db, { progress: (done, total) => void seen.push(done / total) })
  assert.equal(found.mismatch, undefined)
  assert.deepEqual([found.entries, found.transfers, found.erased], [10, 5, 0])
  assert.equal(seen.at(-1), 1)
})

test('empty books are sound', async (t) => {
  const { db } = await bank(t)
  assert.equal((await verifyLedger(db)).mismatch, undefined)
})

const books = await openBooks({ after })
const clearing = bankAccount('clearing', 'EUR')
const finished = { settled: '', returned: '', back: '', reversed: '', reversal: '' }
{
  const payer = await books.account(100n)
  await payElsewhere(books, payer)
  const settled = await payElsewhere(books, payer)
  const returned = await payElsewhere(books, payer)
  await books.ledger.submit(finishing(settled, 'settlement'))
  const { transfer: back } = await books.ledger.submit(finishing(returned, 'return'))
  const lucky = await books.account()
  await books.deposit(lucky, 6n)
  const [deposit] = await books.sql(`select id, from_account_id as cash from transfers
    where to_account_id = '${lucky}'`)
  const { transfer: reversal } = await books.ledger.submit({
    kind: 'reversal',
    fromAccountId: lucky,
    toAccountId: deposit?.['cash'] as string,
    amount: 6n,
    currency: 'EUR',
    reference: '',
    originalId: deposit?.['id'] as string,
    caller: callers.root,
  })
  Object.assign(finished, {
    settled: settled.id,
    returned: returned.id,
    back: back.id,
    reversed: deposit?.['id'],
    reversal: reversal.id,
  })
}

/** A statement, or several, with their values. */
type Sql = string | readonly (readonly [text: string, values: readonly unknown[]])[]
type Change = [what: string, change: Sql | (() => Sql), named: RegExp]

async function mismatchAfter(change: Sql, isRewritten: boolean): Promise<string> {
  return books.mismatchAfter(async () => {
    // With all rights over the database: no trigger fires.
    await books.sql('set local session_replication_role = replica')
    await books.sql(
      `alter table transfers drop constraint transfers_only_elsewhere_waits,
         drop constraint transfers_brings_back, drop constraint transfers_erased_whole`,
    )
    await books.sql(
      `alter table entries drop constraint entries_settle_nothing, drop constraint entries_texts`,
    )
    await books.sql('alter table accounts drop constraint accounts_floor')
    const statements = typeof change === 'string' ? [[change, [books.from]] as const] : change
    for (const [text, values] of statements) await books.sql(text, [...values])
    if (isRewritten) await rewriteChains(books)
  })
}

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
    /Entry 3 .*: its time is not right \(/,
  ],
  [
    'the hash of an entry',
    `update entries set hash = sha256('x') where account_id = $1 and seq = 3`,
    /Entry 3 .*chain/,
  ],
  [
    'the end of a chain',
    `update accounts set last_hash = sha256('x') where id = $1`,
    /its end of the chain is another$/,
  ],
  [
    'the time of the last entry',
    `update accounts set last_entry_at = last_entry_at - interval '1 ms' where id = $1`,
    /its last time is not right$/,
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
    'the balance of an account whose end was set back',
    `update accounts a set last_seq = 4, last_hash = e.hash, balance = e.balance_after + 1
     from entries e where a.id = $1 and e.account_id = a.id and e.seq = 4`,
    /its balance is 995, its entries say 994$/,
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
    'the name that an entry shows',
    `update entries set counterparty_name = 'Eve' where account_id = $1 and seq = 3`,
    /Entry 3 .*chain/,
  ],
  [
    'the reference that an entry shows',
    `update entries set reference = 'Wages' where account_id = $1 and seq = 3`,
    /Entry 3 .*chain/,
  ],
  [
    'texts that an entry is said to have kept only later',
    `update entries set texts_in_chain = false where account_id = $1 and seq = 3`,
    /Entry 3 .*chain/,
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

for (const [what, change, named] of changes) {
  test(`a change of the books is named: ${what}`, async () => {
    assert.match(await mismatchAfter(change as Sql, false), named)
  })
}

/** Gives the side of a transfer that is the last entry of its account to another account. */
const moveSide = (transfer: string, side: 'from' | 'to', other: string): Sql => [
  [
    `update entries e set account_id = $2, seq = (select last_seq + 1 from accounts where id = $2)
     from transfers t
     where t.id = $1 and e.transfer_id = t.id and e.account_id = t.${side}_account_id`,
    [transfer, other],
  ],
  [
    `update transfers set ${side}_account_id = $2,
       ${side}_seq = (select last_seq + 1 from accounts where id = $2)
     where id = $1`,
    [transfer, other],
  ],
]

/** Says of a transfer and of its entries that they are of another kind. */
const setKind = (transfer: string, kind: string): Sql => [
  [`update transfers set kind = $2 where id = $1`, [transfer, kind]],
  [`update entries set kind = $2 where transfer_id = $1`, [transfer, kind]],
]

const shownTexts = /: its texts are not those of its transfer /

/** Says of the entry of a payer that it was filled in, with that. */
const fillIn = (texts: string): Sql => [
  [
    `update entries set texts_in_chain = false, ${texts}
     where transfer_id = $1 and kind = 'transfer' and counterparty_name is not null`,
    [finished.settled],
  ],
]

/** A transfer that is erased whole. */
const erased = [
  [
    `update transfers set salt = null, commitment = sha256('x'), erasure_id = id, reference = ''
     where from_account_id = $1 and from_seq = 3`,
    [books.from],
  ],
  [
    `update entries e
     set reference = '', counterparty_name = null, counterparty_iban = null,
       commitment = sha256('y')
     from transfers t where t.id = e.transfer_id and t.from_account_id = $1 and t.from_seq = 3`,
    [books.from],
  ],
] as const

const forgeries: Change[] = [
  [
    'an entry of another kind than its transfer',
    `update entries set kind = 'deposit' where account_id = $1 and seq = 3`,
    /Entry 3 .*: its kind is not that of its transfer/,
  ],
  [
    'an entry at another time than its transfer',
    `update entries set created_at = created_at - interval '1 ms'
     where account_id = $1 and seq = 1`,
    /Entry 1 .*: its time is not right \(/,
  ],
  [
    'entries whose times go back',
    () => [
      [
        `update transfers set created_at = created_at - interval '1 ms'
         where from_account_id = $1 and from_seq = 5`,
        [books.from],
      ],
      [
        `update entries e set created_at = t.created_at from transfers t
         where t.id = e.transfer_id and t.from_account_id = $1 and t.from_seq = 5`,
        [books.from],
      ],
    ],
    /Entry [45] of account .*: its time is not right$/,
  ],
  [
    'an account in another currency than its entries',
    `update accounts set currency = 'USD' where id = $1`,
    /Entry 1 .*: its currency is not the account's$/,
  ],
  [
    'two entries that move the money the other way',
    `update entries e set amount = -e.amount from transfers t
     where t.id = e.transfer_id and t.from_account_id = $1 and t.from_seq = 3`,
    /Entry [23] .*: its amount is not that of its transfer/,
  ],
  [
    'an entry that its transfer has at another place',
    `update transfers set from_seq = 9 where from_account_id = $1 and from_seq = 3`,
    /Entry 3 .*: its transfer does not name it/,
  ],
  [
    'a transfer that leaves an account of the bank',
    () => setKind(finished.reversed, 'transfer'),
    /: a transfer does not leave an account of the bank$/,
  ],
  [
    'a settlement in an account that did not get the payment',
    () => [
      [
        `update entries set account_id = $2, seq = 6
         where transfer_id = $1 and kind = 'settlement'`,
        [finished.settled, books.from],
      ],
      // The one entry of the clearing account behind it moves up.
      [
        `update entries set seq = seq - 1 where account_id = $1 and transfer_id = $2`,
        [clearing, finished.back],
      ],
      ['update transfers set from_seq = from_seq - 1 where id = $1', [finished.back]],
      ['update transfers set settled_seq = 6 where id = $1', [finished.settled]],
    ],
    /: its transfer does not say that it was settled/,
  ],
  [
    'a settlement at another place than its payment says',
    () => [
      [`update transfers set settled_seq = settled_seq + 1 where id = $1`, [finished.settled]],
    ],
    /: its transfer does not say that it was settled/,
  ],
  [
    'a settlement that moves money',
    () => [
      [
        `update entries set amount = 1 where transfer_id = $1 and kind = 'settlement'`,
        [finished.settled],
      ],
    ],
    /: its transfer does not say that it was settled/,
  ],
  [
    'a settlement of a payment within the bank',
    () => [
      [
        `insert into entries
           (account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind)
         select to_account_id, id, 5, 0, 0, created_at, sha256(''), 'settlement'
         from transfers where from_account_id = $1 and from_seq = 5`,
        [books.from],
      ],
      [
        'update transfers set settled_seq = 5 where from_account_id = $1 and from_seq = 5',
        [books.from],
      ],
      [
        `update accounts set mark_count = 1 where id = (
           select to_account_id from transfers where from_account_id = $1 and from_seq = 5)`,
        [books.from],
      ],
    ],
    /: its status is wrong$/,
  ],
  [
    'a payment to another bank that was reversed instead of returned',
    () => setKind(finished.back, 'reversal'),
    /: its status is wrong$/,
  ],
  [
    'a deposit that was returned',
    () => setKind(finished.reversal, 'return'),
    /: its status is wrong$/,
  ],
  [
    'a reversal that was reversed',
    () => setKind(finished.reversed, 'reversal'),
    /: its status is wrong$/,
  ],
  [
    'a return that was reversed',
    () => setKind(finished.reversed, 'return'),
    /: its status is wrong$/,
  ],
  [
    'a name of the payee that an entry was filled in with',
    () => fillIn(`counterparty_name = 'Eve'`),
    shownTexts,
  ],
  [
    'an IBAN of the payee that an entry was filled in with',
    () => fillIn(`counterparty_iban = 'EVE00'`),
    shownTexts,
  ],
  ['a reference that an entry was filled in with', () => fillIn(`reference = 'Wages'`), shownTexts],
  [
    'an IBAN of an account of this bank that an entry was filled in with',
    `update entries set texts_in_chain = false, counterparty_iban = 'EVE00'
     where account_id = $1 and seq = 3`,
    shownTexts,
  ],
  [
    'no IBAN where an entry has to show one',
    `update entries set texts_in_chain = false, counterparty_iban = null
     where account_id = $1 and seq = 3`,
    shownTexts,
  ],
  [
    'a name of the bank that an entry was filled in with',
    `update entries set texts_in_chain = false, counterparty_name = 'Eve'
     where account_id = $1 and seq = 1`,
    shownTexts,
  ],
  [
    'names in an account of the bank',
    () => [
      [
        `update entries set texts_in_chain = false, counterparty_name = 'Eve'
         where account_id = $1 and transfer_id = $2`,
        [clearing, finished.settled],
      ],
    ],
    shownTexts,
  ],
  [
    'texts of a settlement',
    () => [
      [
        `update entries set reference = 'Eve' where transfer_id = $1 and kind = 'settlement'`,
        [finished.settled],
      ],
    ],
    shownTexts,
  ],
  [
    'a name of the payee that the chain holds with the entry',
    () => [
      [
        `update entries set counterparty_name = 'Eve'
         where transfer_id = $1 and kind = 'transfer' and counterparty_name is not null`,
        [finished.settled],
      ],
    ],
    shownTexts,
  ],
  [
    'a reference that the chain holds with the entry',
    `update entries set reference = 'Wages' where account_id = $1 and seq = 3`,
    shownTexts,
  ],
  [
    'texts that were put back on an erased entry',
    () => [
      ...erased,
      [
        `update entries set reference = 'Wages', counterparty_name = 'Eve'
         where account_id = $1 and seq = 3`,
        [books.from],
      ],
    ],
    shownTexts,
  ],
  [
    'texts that were put back on an erased transfer',
    () => [
      ...erased,
      [
        `update transfers set counterparty_name = 'Eve'
         where from_account_id = $1 and from_seq = 3`,
        [books.from],
      ],
    ],
    shownTexts,
  ],
  [
    'a payment set to pending that came back',
    () => [[`update transfers set status = 'pending' where id = $1`, [finished.returned]]],
    /: its status is wrong$/,
  ],
  [
    'another amount that came back',
    () => [
      ['update transfers set amount = amount - 1 where id = $1', [finished.back]],
      [
        'update entries set amount = amount - sign(amount)::bigint where transfer_id = $1',
        [finished.back],
      ],
    ],
    /: what came back is something else$/,
  ],
  [
    'money that came back from another account',
    () => moveSide(finished.back, 'from', books.from),
    /: what came back is something else$/,
  ],
  [
    'money that came back to another account',
    () => moveSide(finished.back, 'to', books.from),
    /: what came back is something else$/,
  ],
]

for (const [what, change, named] of forgeries) {
  test(`a change is named although all chains were written anew: ${what}`, async () => {
    assert.match(await mismatchAfter(typeof change === 'function' ? change() : change, true), named)
  })
}

for (const side of ['from', 'to'] as const) {
  test(`a forged chain is found by the other account of its transfers: ${side}`, async () => {
    // The last transfer of one account is removed, and the end of its chain set back.
    const last = `select ${side}_seq from transfers
      where from_account_id = $1 and from_seq = 5`
    const account = books[side]
    const mismatch = await mismatchAfter(
      [
        [`delete from entries where account_id = $2 and seq = (${last})`, [books.from, account]],
        [
          `update accounts a set last_seq = e.seq, last_hash = e.hash, balance = e.balance_after
           from entries e where a.id = $2 and e.account_id = a.id and e.seq = (${last}) - 1`,
          [books.from, account],
        ],
      ],
      false,
    )
    assert.match(mismatch, /one of its two entries is missing/)
  })
}

test('a sum of all accounts that is not zero is named, even if each account is right', async () => {
  const db: Db = {
    run: async (statement, values) => {
      if (statement.name !== 'verify_sum_balances') return books.db.run(statement, values)
      return [{ currency: 'EUR', total: '-1' }] as never[]
    },
  }
  const { mismatch } = await verifyLedger(db)
  assert.equal(mismatch, 'All accounts in EUR together hold -1, not nothing')
})

test('each earlier head has to be on the chain of its account', async () => {
  const heads = await noteHeads(books.db)
  const mismatchSince = async (changed: Partial<Head>) => {
    const others = heads.map((head) =>
      head.accountId === books.from ? { ...head, ...changed } : head,
    )
    const { mismatch } = await verifyLedger(books.db, { since: toStream(others) })
    const alone = others.filter((_, at) => heads[at]?.accountId === books.from)
    const found = await verifyLedger(books.db, { since: toStream(alone) })
    assert.equal(found.mismatch, mismatch, 'beside no other head')
    return mismatch
  }
  assert.equal(await mismatchSince({}), undefined)
  const { hash = '' } = heads.find(({ accountId }) => accountId === books.from) ?? {}
  assert.match((await mismatchSince({ hash: zeroHash })) ?? '', /Entry 5 .*another than in the ear/)
  assert.match((await mismatchSince({ seq: 4n })) ?? '', /Entry 4 .*another than in the earlier/)
  assert.match(
    (await mismatchSince({ seq: 6n, hash })) ?? '',
    /ends at entry 5, earlier .* have 6$/,
  )
  const accountId = books.from.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  assert.equal(await mismatchSince({ accountId }), `Account ${accountId} is missing`)
})

test('sound books are proven beside a busy service', async (t) => {
  const fixture = await openBooks(t)
  const { from, to } = fixture
  const verification = { isOver: false }
  const workload = (async () => {
    for (let round = 0; !verification.isOver; round++) {
      const [source, target] = round % 2 ? [from, to] : [to, from]
      const keys = [0, 1, 2].map((index) => `${round}-${index}`)
      await Promise.all(
        keys.map((key) => fixture.ledger.submit(fixture.movement(source, target, { key }))),
      )
    }
  })()
  for (let run = 0; run < 15; run++)
    assert.equal((await verifyLedger(fixture.db)).mismatch, undefined)
  verification.isOver = true
  await workload
})
