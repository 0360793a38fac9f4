// Changes of the books with the rights of the service's role, past the ledger: the database refuses
// each of them, or the verification names it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  bank,
  type Bank,
  callers,
  code,
  finishing,
  payElsewhere,
} from '../../../test/support/bank.ts'
import type { Span } from '../../../test/support/database.ts'
import { toExternalId } from '../rules/external-ids.ts'
import type { Movement, Transfer } from '../rules/movement.ts'
import { verifyLedger } from './verify.ts'

type Books = Bank & {
  from: string
  to: string
  last: Transfer
  pending: Transfer
  settled: Transfer
  returned: Transfer
}

/** Two accounts with five transfers between them, and payments to another bank of each status. */
async function openBooks(t: Span): Promise<Books> {
  const fixture = await bank(t)
  const { ledger, account, movement } = fixture
  const [payer, from, to] = [await account(1000n), await account(1000n), await account(1000n)]
  const [pending, settled, returned] = [
    await payElsewhere(fixture, payer),
    await payElsewhere(fixture, payer),
    await payElsewhere(fixture, payer),
  ]
  await ledger.submit(finishing(settled, 'settlement'))
  await ledger.submit(finishing(returned, 'return'))
  for (const amount of [1n, 2n, 3n, 4n]) await ledger.submit(movement(from, to, { amount }))
  const { transfer: last } = await ledger.submit(movement(from, to, { amount: 5n }))
  assert.equal((await verifyLedger(fixture.db)).mismatch, undefined)
  return { ...fixture, from, to, last, pending, settled, returned }
}

const setEndsBack = `
  update accounts a set last_seq = e.seq, last_hash = e.hash, balance = e.balance_after,
    last_entry_at = e.created_at
  from entries e where e.account_id = a.id and a.id = any($1) and e.seq = a.last_seq - 1`

const insertEntry = `
  insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind)`

type Change = {
  what: string
  sql: string
  values(books: Books): unknown[]
  /** The error of the database, or the mismatch that the verification names. */
  refused?: RegExp
  named?: RegExp
}

const changes: Change[] = [
  {
    what: 'the ends of two accounts set back by one entry, which stays',
    sql: setEndsBack,
    values: ({ from, to }) => [[from, to]],
    named: /^Account .*: it ends at entry 5, but there is entry 6$/,
  },
  {
    what: 'an invented entry far behind the end',
    sql: `${insertEntry}
          values ($1, $2, 1000, 5, 5, now(), sha256('x'), 'transfer')`,
    values: ({ to, last }) => [to, last.id],
    named: /^Entry 1000 of account .*: the account ends before it$/,
  },
  {
    what: 'an invented entry right behind the end',
    sql: `${insertEntry}
          select account_id, transfer_id, seq + 1, amount, balance_after + amount, created_at, hash,
            kind
          from entries where account_id = $1 order by seq desc limit 1`,
    values: ({ to }) => [to],
    named: /^Entry 7 .*: its transfer does not name it/,
  },
  {
    what: 'a settled payment set back to pending',
    sql: `update transfers set status = 'pending', settled_seq = null where id = $1`,
    values: ({ settled }) => [settled.id],
    refused: /append-only/,
  },
  {
    what: 'a returned payment set to completed',
    sql: `update transfers set status = 'completed', settled_seq = 1 where id = $1`,
    values: ({ returned }) => [returned.id],
    refused: /append-only/,
  },
  {
    what: 'the place of a settlement moved',
    sql: 'update transfers set settled_seq = 1 where id = $1',
    values: ({ settled }) => [settled.id],
    refused: /append-only/,
  },
  {
    what: 'a pending payment set to completed without a settlement',
    sql: `update transfers set status = 'completed' where id = $1`,
    values: ({ pending }) => [pending.id],
    refused: /append-only/,
  },
  {
    what: 'a pending payment set to completed by the settlement of another',
    sql: `update transfers set status = 'completed',
            settled_seq = (select settled_seq from transfers where id = $2) where id = $1`,
    values: ({ pending, settled }) => [pending.id, settled.id],
    named: /^Account .*: it counts 2 marks of payments, its entries 1$/,
  },
  {
    what: 'the number of marks of a clearing account changed',
    sql: 'update accounts set mark_count = mark_count - 1 where id = $1',
    values: ({ settled }) => [settled.toAccountId],
    named: /^Account .*: it counts 0 marks of payments, its entries 1$/,
  },
  {
    what: 'a pending payment set to returned without the money',
    sql: `update transfers set status = 'returned' where id = $1`,
    values: ({ pending }) => [pending.id],
    named: /^Transfer .*: its status is wrong$/,
  },
  {
    what: 'a second settlement of a payment',
    sql: `with end_of as (
            select a.id, a.last_seq + 1 as seq, a.balance from accounts a where a.id = $2
          ), moved as (
            update accounts a set last_seq = e.seq from end_of e where a.id = e.id
          )
          ${insertEntry}
          select id, $1, seq, 0, balance, now(), sha256('x'), 'settlement' from end_of`,
    values: ({ settled }) => [settled.id, settled.toAccountId],
    named: /^Entry .*: its transfer does not say that it was settled/,
  },
  {
    what: 'a payment to another bank that was never pending',
    sql: `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
            created_at, caller_id, session_id, kind, status, currency, reference, counterparty_iban,
            salt)
          values (gen_random_uuid(), $1, $2, 9, 9, 1, now(), $1, $1, 'transfer', 'completed', 'EUR',
            '', 'DE89', uuid_send($1))`,
    values: ({ from, settled }) => [from, settled.toAccountId],
    refused: /transfers_only_elsewhere_waits/,
  },
  {
    what: 'an account turned into one of the bank, which has no floor',
    sql: `update accounts set kind = 'further', code = 'x', owner_id = null, iban = null
          where id = $1`,
    values: ({ from }) => [from],
    named: /^Account .*: it is none of the bank's own$/,
  },
  {
    what: "the bank's clearing account turned into a customer's",
    sql: `update accounts set kind = 'customer', code = null,
            owner_id = (select owner_id from accounts
            where id = $1), iban = 'ZZ00X' where id = $2`,
    values: ({ from, settled }) => [from, settled.toAccountId],
    named: /^Account .*: it is the bank's own$/,
  },
  {
    what: 'the time of the last entry moved ahead, which would date all later ones',
    sql: `update accounts set last_entry_at = now() + interval '10 years' where id = $1`,
    values: ({ from }) => [from],
    named: /^Account .*: its last time is not right$/,
  },
  {
    what: 'the texts of a payment changed',
    sql: `update transfers set reference = 'Other' where id = $1`,
    values: ({ last }) => [last.id],
    refused: /permission denied/,
  },
  {
    what: 'the texts of a payment erased',
    sql: `update transfers set salt = null, commitment = sha256('x'), erasure_id = id
          where id = $1`,
    values: ({ last }) => [last.id],
    refused: /permission denied/,
  },
  {
    what: 'a payment that is said to have come back',
    sql: 'insert into brought_back (transfer_id, by_transfer_id) values ($1, $1)',
    values: ({ last }) => [last.id],
    refused: /permission denied/,
  },
  {
    what: 'a payment that came back and is said not to have',
    sql: 'delete from brought_back where transfer_id = $1',
    values: ({ returned }) => [returned.id],
    refused: /permission denied/,
  },
  {
    what: 'a payment without texts',
    sql: `insert into transfers (id, commitment) values (gen_random_uuid(), sha256('x'))`,
    values: () => [],
    refused: /permission denied/,
  },
]

const books = await openBooks({ after })

for (const { what, sql, values, refused, named } of changes) {
  test(`${what}: ${refused ? 'refused' : 'named'}`, async () => {
    const mismatch = books.mismatchAfter(async () => {
      await books.sql('set local role strongroom_service')
      await books.sql(sql, values(books))
    })
    if (refused) await assert.rejects(mismatch, refused)
    else assert.match(await mismatch, named as RegExp)
  })
}

test('a settled payment that the owner sets to pending and returns is named', async (t) => {
  const fixture = await openBooks(t)
  await fixture.sql('set session_replication_role = replica')
  await fixture.sql(`update transfers set status = 'pending', settled_seq = null where id = $1`, [
    fixture.settled.id,
  ])
  assert.equal(await code(fixture.ledger.submit(finishing(fixture.settled, 'return'))), 'done')
  const { mismatch } = await verifyLedger(fixture.db)
  assert.match(mismatch ?? 'nothing', /does not say that it was settled/)
})

const cancelled = { kind: 'cancellation', caller: callers.ada } as const
type Step = 'sending' | 'settlement'
const ways: [what: string, status: string, steps: Step[], back: Partial<Movement>][] = [
  ['sent, and is cancelled', 'pending', ['sending'], cancelled],
  ['settled, and is cancelled', 'pending', ['settlement'], cancelled],
  ['sent and settled, and is cancelled', 'pending', ['sending', 'settlement'], cancelled],
  ['neither sent nor settled, and is reversed', 'completed', [], { kind: 'reversal' }],
  ['sent alone, and is reversed', 'completed', ['sending'], { kind: 'reversal' }],
]
for (const [what, status, steps, back] of ways) {
  test(`a payment whose status the owner changes is named, once it was ${what}`, async (t) => {
    const made = await bank(t)
    const { ledger, sql, db } = made
    const paid = await payElsewhere(made, await made.account(100n))
    for (const kind of steps) {
      const externalId = toExternalId(kind, 'sendTransfer', paid.id)
      await ledger.submit({ ...finishing(paid, 'settlement'), kind, externalId })
    }
    await sql('alter table transfers disable trigger user')
    await sql('alter table transfers drop constraint transfers_only_elsewhere_waits')
    await sql('update transfers set status = $2 where id = $1', [paid.id, status])
    await sql('alter table transfers enable trigger user')
    const movement = { ...finishing(paid, 'return'), ...back } as Movement
    assert.equal(await code(ledger.submit(movement)), 'done')
    const { mismatch } = await verifyLedger(db)
    assert.match(mismatch ?? 'nothing', new RegExp(`^Transfer ${paid.id}: its status is wrong$`))
  })
}

for (const [kind, named] of [
  ['sending', /: its transfer does not say that it was sent \(/],
  ['settlement', /: its transfer does not say that it was settled \(/],
] as const) {
  test(`a payment that the owner sets to pending is named once its ${kind} is repeated`, async (t) => {
    const made = await bank(t)
    const { ledger, sql, db } = made
    const paid = await payElsewhere(made, await made.account(100n))
    const step = (id: string) => ({
      ...finishing(paid, 'settlement'),
      kind,
      externalId: toExternalId(id, 'sendTransfer', paid.id),
    })
    assert.equal(await code(ledger.submit(step('A'))), 'done')
    await sql('set session_replication_role = replica')
    await sql('delete from external_ids')
    await sql(
      `update transfers set status = 'pending', sent_seq = null, settled_seq = null where id = $1`,
      [paid.id],
    )
    assert.equal(await code(ledger.submit(step('B'))), 'done')
    assert.match((await verifyLedger(db)).mismatch ?? 'nothing', named)
  })
}

test('a settlement is an entry of the clearing account with the amount zero', async () => {
  const { sql, settled } = books
  const rows = await sql(
    `select e.amount, e.kind, e.balance_after = p.balance_after as is_same
     from transfers t
     join entries e on e.account_id = t.to_account_id and e.seq = t.settled_seq
     join entries p on p.account_id = e.account_id and p.seq = e.seq - 1
     where t.id = $1`,
    [settled.id],
  )
  assert.deepEqual(rows, [{ amount: '0', kind: 'settlement', is_same: true }])
})

test('no function that has the rights of the owner can be called by the service, but for those that fill in texts, name the holder of a lock, make parts of years and take back a skip', async () => {
  const rows = await books.sql(
    `select proname from pg_proc where prosecdef and pronamespace = 'strongroom'::regnamespace
       and has_function_privilege('strongroom_service', oid, 'execute')
     order by proname`,
  )
  const names = rows.map(({ proname }) => proname)
  assert.deepEqual(names, ['fill_entry_texts', 'lock_holder', 'make_years', 'undo_skip'])
  const forging = books.mismatchAfter(async () => {
    await books.sql('set local role strongroom_service')
    await books.sql(
      `create temp table forged (id uuid, given_name text, family_name text, erased_at timestamptz,
         changed_at timestamptz)`,
    )
    await books.sql(
      `create trigger forging after update on forged for each row
         execute function keep_former_name()`,
    )
  })
  await assert.rejects(forging, /permission denied for function keep_former_name/)
})

test('an unarranged overdraft that is not what the account lacks is named', async (t) => {
  const { account, mismatchAfter, sql } = await bank(t)
  const id = await account(100n)
  const named = await mismatchAfter(async () => {
    await sql('alter table accounts drop constraint accounts_unarranged')
    await sql('alter table accounts disable trigger user')
    await sql('update accounts set unarranged = 5, unarranged_since = now() where id = $1', [id])
  })
  assert.match(named, /: its unarranged overdraft is 5, and it lacks -?\d+$/)
})
