// Entries from before entries kept any texts, and those of instances of such a version.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { pause } from '../../../test/support/locks.ts'
import pg from 'pg'
import { bank, type Bank, callers, payElsewhere } from '../../../test/support/bank.ts'
import { noteHeads, toStream } from '../../../test/support/heads.ts'
import { people } from '../../../test/support/people.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { changeUser, lockedUser } from '../../features/users/sql.ts'
import { listEntries } from '../../features/transfers/history-sql.ts'
import { one } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { readHeading } from '../../features/statements/sql.ts'
import { commitTexts, entryHash, joinTerms, readCommitment, zeroHash } from '../rules/hash-chain.ts'
import type { Texts } from '../rules/movement.ts'
import { fillingEntryTexts } from '../batch/purge.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { eraseBefore } from '../erasure/erase.ts'
import { verifyLedger } from './verify.ts'

const counts: number[] = []
const fillTexts = fillingEntryTexts((count) => void counts.push(count))

/** Makes of all entries what a version without texts would have written. */
async function makeOlder({ sql }: Bank): Promise<void> {
  await sql('set session_replication_role = replica')
  const rows = await sql(
    `select e.account_id as "accountId", e.seq, e.kind as "entryKind", e.amount as "entryAmount",
       e.balance_after as "balanceAfter", t.id, t.kind, t.from_account_id as "fromAccountId",
       t.to_account_id as "toAccountId", t.amount, t.currency, t.reference, t.created_at as
       "createdAt", t.beneficiary_id as "beneficiaryId", t.reversal_of as "reversalOf",
       t.caller_id as "callerId", t.session_id as "sessionId", t.counterparty_name as
       "counterpartyName", t.counterparty_iban as "counterpartyIban",
       encode(t.salt, 'hex') as salt, null as commitment
     from entries e join transfers t on t.id = e.transfer_id order by e.account_id, e.seq`,
  )
  type Row = Parameters<typeof joinTerms>[0] &
    Parameters<typeof readCommitment>[0] &
    Record<'accountId' | 'seq' | 'entryKind' | 'entryAmount' | 'balanceAfter', string>
  let last = { accountId: '', hash: zeroHash }
  for (const row of rows as Row[]) {
    const { accountId, entryKind: kind, createdAt } = row
    if (last.accountId !== accountId) last = { accountId, hash: zeroHash }
    const [seq, amount] = [BigInt(row.seq), BigInt(row.entryAmount)]
    const balanceAfter = BigInt(row.balanceAfter)
    const entry = { accountId, seq, kind, amount, balanceAfter, createdAt }
    last.hash = entryHash(last.hash, entry, joinTerms(row, readCommitment(row)))
    await sql(
      `update entries set hash = decode($3, 'hex'), reference = null, counterparty_name = null,
         counterparty_iban = null, texts_in_chain = false where account_id = $1 and seq = $2`,
      [accountId, seq, last.hash],
    )
    await sql(`update accounts set last_hash = decode($2, 'hex') where id = $1`, [
      accountId,
      last.hash,
    ])
  }
  await sql('reset session_replication_role')
}

async function olderBooks(t: TestContext) {
  const made = await bank(t)
  const { account, ledger, movement, clock, db } = made
  const [from, to, bens] = [await account(1000n), await account(), await account(0n, 'ben')]
  await ledger.submit(movement(from, to, { reference: 'Between' }))
  await payElsewhere(made, from)
  const [beneficiary] = await made.sql(
    `insert into beneficiaries (id, account_id, name, iban, created_at)
     select gen_random_uuid(), $1, 'Benny', iban, '2026-01-01' from accounts where id = $2
     returning id`,
    [from, bens],
  )
  const beneficiaryId = beneficiary?.['id'] as string
  const counterparty = { name: 'Benny', iban: null }
  const paid = await ledger.submit(
    movement(from, bens, { amount: 9n, beneficiaryId, counterparty }),
  )
  await ledger.submit({
    ...movement(bens, from, { amount: 9n, counterparty }),
    originalId: paid.transfer.id,
    kind: 'reversal',
    caller: callers.root,
  })
  const shown = async () => {
    const all: object[] = []
    for (const accountId of [from, to, bens]) {
      const range = { accountId, first: 1n, before: 100n }
      all.push(...(await listEntries(db, range, 100)).rows)
    }
    return all
  }
  const rename = (name: keyof typeof people, familyName: string) =>
    transaction(db, async (tx) => {
      const user = await lockedUser(tx, people[name].id)
      assert.ok(user)
      await changeUser(tx, { ...user, familyName }, clock.now())
    })
  return { ...made, from, to, bens, shown, rename }
}

test('entries of an older version show the names of their day, before and after these are filled in, and the heads noted before stay on the chain', async (t) => {
  const made = await olderBooks(t)
  const { db, sql, clock, shown, rename, from } = made
  const written = await shown()
  assert.ok(written.length > 6)
  await makeOlder(made)
  const heads = await noteHeads(db)
  assert.deepEqual(await shown(), written, 'told from the rows of today')
  clock.advance(1000)
  await rename('ada', 'Lovelace')
  await rename('ben', 'Franklin')
  assert.deepEqual(await shown(), written, 'told from the names of the day')
  const hashes = 'select account_id, seq, hash from entries order by account_id, seq'
  const older = await sql(hashes)

  await transaction(db, (tx) => fillTexts(tx, 0))
  const left = await sql(
    `select count(*)::int from entries where reference is null or texts_in_chain`,
  )
  assert.deepEqual(left, [{ count: 0 }])
  assert.deepEqual(await shown(), written, 'told by the entries')
  const proven = await verifyLedger(db, { since: toStream(heads) })
  assert.equal(proven.mismatch, undefined)
  assert.deepEqual(await sql(hashes), older)

  // What is written from now on carries the new name, behind the same chain.
  clock.advance(1000)
  await made.ledger.submit(made.movement(from, made.to, { reference: 'Later' }))
  const [first] = (await listEntries(db, { accountId: from, first: 1n, before: 100n }, 100)).rows
  assert.equal(first?.counterpartyName, 'Ada Lovelace')
  assert.equal((await verifyLedger(db, { since: toStream(heads) })).mismatch, undefined)
})

test('the holder at a time is the last name that was not over by then, whichever version renamed the person', async (t) => {
  const { db, sql, clock, account, rename } = await olderBooks(t)
  const id = await account()
  const start = clock.now()
  clock.advance(1000)
  await rename('ada', 'Lovelace')
  clock.advance(1000)
  await rename('ada', 'Byron')
  const holderAt = async (at: number) =>
    (await one(db, readHeading, [id, 1n, 1n, new Date(at), false]))?.holder
  for (const [offset, name] of [
    [-1, 'Ada Okafor'],
    [999, 'Ada Okafor'],
    [1000, 'Ada Lovelace'],
    [1999, 'Ada Lovelace'],
    [2000, 'Ada Byron'],
  ] as const) {
    assert.equal(await holderAt(start + offset), name, String(offset))
  }
  // A version that does not know the column renames at the time of the database.
  await sql(`update users set family_name = 'King' where id = $1`, [people.ada.id])
  assert.equal(await holderAt(start + 2000), 'Ada Byron')
  assert.equal(await holderAt(Date.now() + 60_000), 'Ada King')
  await sql(`update users set given_name = 'Erased', erased_at = now(), status = 'disabled'`)
  assert.deepEqual(await sql('select from holder_names'), [])
})

/** What `strongroom erase` of 0.2.0 runs, when it has proven the texts. */
const eraseTextsOfOlder = `update transfers t
   set salt = null, commitment = e.commitment, erasure_id = $3, reference = '',
       counterparty_name = null, counterparty_iban = null
   from unnest($1::uuid[], $2::bytea[]) as e (id, commitment)
   where t.id = e.id and t.salt is not null
   returning t.id`

/** Erases the finished transfers from before entries kept texts, as 0.2.0 does. */
async function eraseAsOlder({ clock, db }: Bank, sql: Bank['sql']): Promise<void> {
  const event = commandEvent(clock.now(), { action: 'erase' })
  await transaction(db, (tx) => addEvents(tx, [event]))
  const rows = await sql(
    `select id, encode(salt, 'hex') as salt, reference, counterparty_name as "counterpartyName",
       counterparty_iban as "counterpartyIban" from transfers
     where salt is not null and status <> 'pending'`,
  )
  const commitments = (rows as (Texts & { salt: string })[]).map((row) =>
    Buffer.from(commitTexts(row.salt, row), 'hex'),
  )
  await sql(eraseTextsOfOlder, [rows.map((row) => row['id']), commitments, event.id])
}

/** Another session of the owner. */
async function ownerOf({ address }: Bank): Promise<Bank['sql']> {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  // It ends with its database.
  client.on('error', () => {})
  await client.connect()
  return async (text, values) => (await client.query(text, values)).rows
}

async function requireErased({ db, sql }: Bank): Promise<void> {
  const left = await sql(
    `select e.seq from entries e join transfers t on t.id = e.transfer_id
     where t.salt is null and (e.reference <> '' or e.counterparty_name is not null
       or e.counterparty_iban is not null)`,
  )
  assert.deepEqual(left, [], 'the entries show none of its texts')
  const found = await verifyLedger(db)
  assert.equal(found.mismatch, undefined)
  assert.ok(found.erased > 3)
}

test('an erasure proves entries of an older version, and leaves nothing of them to be filled in', async (t) => {
  const made = await olderBooks(t)
  await makeOlder(made)
  const { clock } = made
  clock.advance(1)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const event = commandEvent(clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  await eraseBefore(owner, clock.now(), event.id)
  await transaction(made.db, (tx) => fillTexts(tx, 0))
  await requireErased(made)
})

test('an erasure by an instance of an older version erases the texts that were filled in, too', async (t) => {
  const made = await olderBooks(t)
  await makeOlder(made)
  await transaction(made.db, (tx) => fillTexts(tx, 0))
  const [row] = await made.sql('select count(*)::int from entries where reference is not null')
  assert.equal(counts.at(-1), row?.['count'], 'the log tells how many')
  await eraseAsOlder(made, made.sql)
  await requireErased(made)
})

test('texts that an older version is erasing are not filled in', async (t) => {
  const made = await olderBooks(t)
  await makeOlder(made)
  const sql = await ownerOf(made)
  await sql('begin')
  await eraseAsOlder(made, sql)
  await transaction(made.db, (tx) => fillTexts(tx, 0))
  await sql('commit')
  await transaction(made.db, (tx) => fillTexts(tx, 0))
  await requireErased(made)
  const left = await sql('select from entries where reference is null and amount <> 0')
  assert.deepEqual(left, [])
})

test('texts that are being filled in are erased when an older version erases them meanwhile', async (t) => {
  const made = await olderBooks(t)
  await makeOlder(made)
  const filler = await ownerOf(made)
  await filler('begin')
  await filler('select fill_entry_texts(100)')
  const state = { isOver: false }
  const erasure = eraseAsOlder(made, made.sql).finally(() => (state.isOver = true))
  const waiting = `select from pg_locks where not granted and locktype = 'transactionid'
    and pid in (select pid from pg_stat_activity where datname = current_database())`
  while (!state.isOver && (await filler(waiting)).length === 0) await pause()
  await filler('commit')
  await erasure
  await requireErased(made)
})

test('entries whose transfer is missing do not keep later ones from their texts', async (t) => {
  const made = await olderBooks(t)
  await makeOlder(made)
  const { sql } = made
  await sql('set session_replication_role = replica')
  await sql(
    `delete from transfers where id in
       (select transfer_id from entries order by account_id, seq limit 2)`,
  )
  await sql('reset session_replication_role')
  const [row] = await sql('select fill_entry_texts(2) as filled')
  assert.deepEqual(row, { filled: '2' })
})
