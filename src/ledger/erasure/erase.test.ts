// Only the texts of a transfer can be erased; an erasure or a change past the command is found.
import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { bank, type Bank, finishing, payElsewhere } from '../../../test/support/bank.ts'
import { toTill } from '../../../test/support/card-payments.ts'
import { deposit, scene } from '../../../test/support/fixture.ts'
import { openHolder, pause } from '../../../test/support/locks.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Database } from '../../database/connections/connect.ts'
import { commitTexts } from '../rules/hash-chain.ts'
import { eraseBefore, eraseOfAccount } from './erase.ts'
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { MovementOf, Texts, Transfer } from '../rules/movement.ts'
import { verifyLedger } from '../proof/verify.ts'

type Books = Bank & { owner: Database; from: string; to: string; before: number; event: string }

/** Two transfers and a settled, a returned and a pending payment of today; two of tomorrow. */
async function books(t: TestContext): Promise<Books> {
  const fixture = await bank(t)
  const { clock, ledger, account, movement } = fixture
  const owner = openDatabase(fixture.address, { role: null })
  t.after(() => owner.close())
  const [from, to] = [await account(1000n), await account()]
  const pay = (reference: string) =>
    ledger.submit(movement(from, to, { reference, key: randomUUID() }))
  await pay('Rent')
  await pay('Rent')
  await ledger.submit(finishing(await payElsewhere(fixture, from), 'settlement'))
  await ledger.submit(finishing(await payElsewhere(fixture, from), 'return'))
  await payElsewhere(fixture, from)
  // Those of the last millisecond before it are erased, those of its first one stay.
  const before = clock.now() + 1
  clock.advance(1)
  await pay('Food')
  await pay('Fuel')
  const event = commandEvent(clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  return { ...fixture, owner, from, to, before, event: event.id }
}

const withTexts = `select reference, counterparty_name, counterparty_iban from transfers
                   where salt is not null order by from_account_id, from_seq`

test('payments of later that are pending are not counted', async (t) => {
  const later = await books(t)
  await payElsewhere(later, later.from)
  const { owner, before, event } = later
  assert.deepEqual(await eraseBefore(owner, before, event), { erased: 6, pending: 1n })
})

test('erased texts are gone, all others stay, and the books are sound before and after', async (t) => {
  const { db, owner, sql, before, event } = await books(t)
  const proven = await verifyLedger(db)
  assert.deepEqual([proven.mismatch, proven.erased], [undefined, 0])
  // The seed, two payments, a settled one, a returned one and what brought it back.
  assert.deepEqual(await eraseBefore(owner, before, event), { erased: 6, pending: 1n })
  const after = await verifyLedger(db)
  assert.deepEqual(after, { ...proven, erased: 6 })
  const kept = await sql(
    `select distinct e.reference from entries e join transfers t on t.id = e.transfer_id
     where t.salt is null and e.kind <> 'settlement' and (e.commitment is null
       or (e.reference, e.counterparty_name, e.counterparty_iban) is distinct from
         ('', null::text, null::text))`,
  )
  assert.deepEqual(kept, [], 'the entries have none of its texts')
  const nothing = { counterparty_name: null, counterparty_iban: null }
  const elsewhere = { counterparty_name: 'Elsewhere', counterparty_iban: 'DE89370400440532013000' }
  assert.deepEqual(await sql(withTexts), [
    { reference: 'Rent', ...elsewhere },
    { reference: 'Food', ...nothing },
    { reference: 'Fuel', ...nothing },
  ])
  const left = await sql(
    `select count(*)::int from transfers
     where salt is null and reference = '' and counterparty_name is null
       and counterparty_iban is null and erasure_id = $1`,
    [event],
  )
  assert.deepEqual(left, [{ count: 6 }])
  assert.deepEqual(await eraseBefore(owner, before, event), { erased: 0, pending: 1n })
})

test('transfers behind several pages of erased ones are erased', async (t) => {
  const { owner, sql, before, event } = await books(t)
  await sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, commitment, erasure_id)
     select ('00000000' || substr(gen_random_uuid()::text, 9))::uuid, from_account_id,
       to_account_id, n, n, 1, '2016-01-01', caller_id, session_id, 'transfer', 'completed', 'EUR',
       '', sha256(''), $1
     from generate_series(1, 1200) as n, (select * from transfers limit 1) as any_transfer`,
    [event],
  )
  assert.deepEqual(await eraseBefore(owner, before, event), { erased: 6, pending: 1n })
})

test('an erased name cannot be guessed from a short list of names', async (t) => {
  const { owner, sql, before, event } = await books(t)
  const salts = await sql(
    `select encode(salt, 'hex') as salt from transfers where created_at < $1`,
    [new Date(before)],
  )
  assert.equal(new Set(salts.map(({ salt }) => salt)).size, salts.length)
  await eraseBefore(owner, before, event)
  const rows = await sql(
    `select encode(commitment, 'hex') as commitment from transfers where salt is null`,
  )
  const found = rows.map(({ commitment }) => commitment as string)
  // Two payments of the same text left different commitments.
  assert.equal(new Set(found).size, found.length)
  const references = ['Rent', 'Seed', 'Food', '']
  const names = ['Elsewhere', null]
  const ibans = ['DE89370400440532013000', null]
  const guesses = references.flatMap((reference) =>
    names.flatMap((counterpartyName) =>
      ibans.map((counterpartyIban) => ({ reference, counterpartyName, counterpartyIban })),
    ),
  )
  const left = await sql(`select encode(salt, 'hex') as salt from transfers where salt is not null`)
  const known = ['', ...left.map(({ salt }) => salt as string)]
  for (const texts of guesses) {
    const plain = [texts.reference, texts.counterpartyName, texts.counterpartyIban]
    assert.ok(!found.includes(hash('sha256', JSON.stringify(plain))))
    for (const salt of known) assert.ok(!found.includes(commitTexts(salt, texts)))
  }
  // With the salts each of them would be found: only the salts were missing.
  const opened = found.filter((commitment) =>
    salts.some(({ salt }) =>
      guesses.some((texts) => commitTexts(salt as string, texts) === commitment),
    ),
  )
  assert.equal(opened.length, found.length)
  const everything = await sql(
    `select t::text as dump from transfers t union all select e::text from entries e
     union all select c::text from claims c union all select r::text from recent_transfers r
     union all select a::text from audit_events a`,
  )
  const dump = everything.map((row) => row['dump'] as string).join('')
  const gone = salts.filter(({ salt }) => !left.some((other) => other['salt'] === salt))
  assert.equal(gone.length, found.length)
  assert.ok(left.every(({ salt }) => dump.includes(salt as string)))
  for (const { salt } of gone) assert.ok(!dump.includes(salt as string))
})

const eraseOwn = `update entries
  set reference = '', counterparty_name = null, counterparty_iban = null, commitment = $2
  where account_id = $1 and reference = 'Food'`
const eraseFood = `update transfers set salt = null, reference = '', counterparty_name = null,
  counterparty_iban = null, erasure_id = $2, commitment = $3
  where from_account_id = $1 and reference = 'Food'`

test('an erasure past the command is named, with a right commitment and with a wrong one', async (t) => {
  const { db, sql, from, event } = await books(t)
  const [row] = await sql(
    `select encode(salt, 'hex') as salt from transfers where reference = 'Food'`,
  )
  const texts: Texts = { reference: 'Food', counterpartyName: null, counterpartyIban: null }
  const commit = (of: Texts) => Buffer.from(commitTexts(row?.['salt'] as string, of), 'hex')
  const right = commit(texts)
  const shown = await sql(
    `select account_id as account, reference, counterparty_name as "counterpartyName",
       counterparty_iban as "counterpartyIban" from entries where reference = 'Food'`,
  )
  assert.equal(shown.length, 2)
  for (const { account, ...own } of shown) {
    await sql(eraseOwn, [account, commit(own as Texts)])
  }
  await sql(eraseFood, [from, randomUUID(), right])
  assert.match(
    (await verifyLedger(db)).mismatch ?? '',
    /^Transfer .*: its texts were erased without/,
  )
  await sql('set session_replication_role = replica')
  await sql('update transfers set erasure_id = $1, commitment = $2 where salt is null', [
    event,
    Buffer.alloc(32),
  ])
  assert.match((await verifyLedger(db)).mismatch ?? '', /the chain breaks$/)
})

test('changed texts are evidence, and are not erased', async (t) => {
  const { sql, owner, before, event } = await books(t)
  await sql('set session_replication_role = replica')
  await sql(`update transfers set reference = 'Wages' where reference = 'Rent' and from_seq = 3`)
  await assert.rejects(
    eraseBefore(owner, before, event),
    /^Error: Transfer .* is not what its chain/,
  )
  assert.equal((await sql(`select 1 from transfers where reference = 'Wages'`)).length, 1)
})

test('the owner cannot change a text, restore one or erase a part', async (t) => {
  const { sql, owner, from, before, event } = await books(t)
  await eraseBefore(owner, before, event)
  const attempts: [sql: string, answer: RegExp][] = [
    [`update transfers set reference = 'Other' where reference = 'Food'`, /append-only/],
    [`update transfers set salt = uuid_send(id) where reference = 'Food'`, /append-only/],
    [
      `update transfers set salt = uuid_send(id), commitment = null, erasure_id = null
       where salt is null`,
      /app/,
    ],
    [`update transfers set commitment = sha256('x') where salt is null`, /append-only/],
    [`update entries set reference = 'Other' where reference = 'Food'`, /append-only/],
    [`update entries set counterparty_name = null where reference = 'Food'`, /append-only/],
    [
      `update entries set reference = '', counterparty_name = null, counterparty_iban = null
       where reference = 'Food'`,
      /append-only/,
    ],
    [
      `update entries set reference = 'Food', commitment = null where commitment is not null`,
      /app/,
    ],
    [`update entries set commitment = sha256('x') where commitment is not null`, /append-only/],
    ['update entries set amount = 2 * amount', /append-only/],
    ['update entries set texts_in_chain = false', /append-only/],
    [
      `update transfers set salt = null, commitment = sha256('x'), erasure_id = id
       where reference = 'Food'`,
      /transfers_erased_whole/,
    ],
    [
      `update transfers set salt = null, commitment = sha256('x'), erasure_id = id, reference = '',
         counterparty_name = null, counterparty_iban = null where status = 'pending'`,
      /transfers_only_elsewhere_waits/,
    ],
  ]
  for (const [attempt, answer] of attempts) await assert.rejects(sql(attempt), answer, attempt)
  await sql('set role strongroom_service')
  await assert.rejects(sql(eraseFood, [from, event, Buffer.alloc(32)]), /permission denied/)
})

test('two erasures at once both end, and each transfer is erased once', async (t) => {
  const { address, db, owner, sql, before, event } = await books(t)
  const other = openDatabase(address, { role: null })
  t.after(() => other.close())
  await sql('begin')
  await sql('select from entries for update')
  const erasures = Promise.all([
    eraseBefore(owner, before, event),
    eraseBefore(other, before, event),
  ])
  const waiting = `select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ 'of_entries|for no key update'`
  while ((await sql(waiting)).length < 2) {
    await pause()
    await sql('select pg_stat_clear_snapshot()')
  }
  await sql('commit')
  const counts = (await erasures).map(({ erased }) => erased)
  assert.deepEqual(new Set(counts), new Set([0, 6]))
  const found = await verifyLedger(db)
  assert.deepEqual([found.mismatch, found.erased], [undefined, 6])
})

/** A settled payment from an account that is closed now, and the movement to return it. */
async function settledOfClosed(made: Books): Promise<{ from: string; back: MovementOf<'return'> }> {
  const from = await made.account(7n)
  const paid = await payElsewhere(made, from)
  await made.ledger.submit(finishing(paid, 'settlement'))
  await made.sql(`update accounts set status = 'closed' where id = $1`, [from])
  return { from, back: returnOf(paid) }
}

/** As the handler makes it, which has read the payment. */
const returnOf = (paid: Transfer): MovementOf<'return'> => ({
  ...finishing(paid, 'return'),
  suspenseId: bankAccount('suspense', 'EUR'),
  reference: paid.reference,
  counterparty: { name: paid.counterpartyName ?? '', iban: paid.counterpartyIban },
})

/** How many transfers and entries of a payment and of its return have a text or a salt. */
const countTexts = `select count(*)::int as count from transfers t
  join entries e on e.transfer_id = t.id
  where $1 in (t.id, t.reversal_of) and (t.salt is not null or t.reference <> ''
    or t.counterparty_name is not null or t.counterparty_iban is not null
    or e.reference <> '' or e.counterparty_name is not null or e.counterparty_iban is not null)`

test('an erasure behind the read of a return leaves none of the texts in what comes back', async (t) => {
  const made = await books(t)
  const { from, back } = await settledOfClosed(made)
  // The seed and the payment.
  assert.equal(await eraseOfAccount(made.owner, from, made.event), 2)
  const { transfer } = await made.ledger.submit(back)
  const { reference, counterpartyName, counterpartyIban } = transfer
  assert.deepEqual([reference, counterpartyName, counterpartyIban], ['', null, null])
  const kept = await made.sql(
    `select distinct reference, counterparty_name as name, counterparty_iban as iban
     from entries where transfer_id = $1`,
    [transfer.id],
  )
  assert.deepEqual(kept, [{ reference: '', name: null, iban: null }])
  assert.equal((await verifyLedger(made.db)).mismatch, undefined)
})

test('an erasure waits for a return under way, and erases its texts too', async (t) => {
  const made = await books(t)
  const { from, back } = await settledOfClosed(made)
  // The batch has read the payment when it waits to write, and the erasure may lock rows meanwhile.
  const holder = await openHolder(t, made)
  await holder.query('begin')
  await holder.query('lock table transfers in share mode')
  const returned = made.ledger.submit(back)
  const waiting = `select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock'`
  while ((await made.sql(waiting)).length === 0) await pause()
  const erased = eraseOfAccount(made.owner, from, made.event)
  while ((await made.sql(waiting)).length < 2) await pause()
  await holder.query('rollback')
  const { transfer } = await returned
  assert.equal(transfer.counterpartyName, 'Elsewhere')
  assert.equal(await erased, 3, 'the seed, the payment and what came back')
  assert.deepEqual(await made.sql(countTexts, [back.originalId]), [{ count: 0 }])
  assert.equal((await verifyLedger(made.db)).mismatch, undefined)
})

/** All rows of these accounts by table: each that names an account, and what is behind it. */
const rowsOf = `
  select c.relname as "table", format('select coalesce(json_agg(x order by x::text), ''[]'')::text
    from %I x where account_id = any($1)', c.relname) as text
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
  where c.relnamespace = 'strongroom'::regnamespace and c.relkind in ('r', 'p')
  union all
  select 'transfers', 'select json_agg(x order by id)::text from transfers x
    where from_account_id = any($1) or to_account_id = any($1)'
  union all
  select 'card_disputes', 'select json_agg(x order by x.id)::text from card_disputes x
    join holds h on h.id = x.payment_id where h.account_id = any($1)'
  union all
  select 'standing_order_changes', 'select json_agg(x order by x.order_id, x.version)::text
    from standing_order_changes x join standing_orders o on o.id = x.order_id
    where o.account_id = any($1)'
  union all
  select 'payment_list_lines', 'select json_agg(x order by list_id, place)::text
    from payment_list_lines x join payment_lists l on l.id = x.list_id
    where l.account_id = any($1)'`

test('an erasure of one account changes nothing of another that has the same of all kinds', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  for (const account of [from, to]) {
    const own = `/api/v1/accounts/${account}`
    const idOf = async (sent: ReturnType<typeof ada.post>): Promise<string> => {
      const { status, body, text } = await sent
      assert.ok(status < 300, text)
      return (body?.id ?? '') as string
    }
    await deposit(root, account, '20.00')
    const till = toTill(root, await idOf(ada.post(`${own}/cards`, {})))
    const { cardPaymentId } = (await till.clear('9.00')).body
    const claim = { reason: 'other', text: 'Wrong' }
    await idOf(ada.post(`/api/v1/card-payments/${cardPaymentId}/disputes`, claim))
    await idOf(till.refund(cardPaymentId, '1.00'))
    await idOf(till.end(await idOf(till.chargeBack(cardPaymentId, '2.00')), 'lost'))
    const iban = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
    const beneficiaryId = await idOf(ada.post(`${own}/beneficiaries`, iban))
    const money = { amount: '1.00', currency: 'EUR' }
    const hold = { ...money, kind: 'dispute', reference: 'Hotel' }
    await idOf(root.post(`/api/v1/holds/${await idOf(root.post(`${own}/holds`, hold))}/release`))
    const days = { rhythm: 'once', firstOn: '2099-01-01' }
    const order = { ...money, ...days, beneficiaryId, reference: 'Rent' }
    await idOf(ada.delete(`/api/v1/orders/${await idOf(ada.post(`${own}/orders`, order))}`))
    const items = [{ beneficiaryId, amount: '1.00', reference: 'Fee' }]
    const list = { currency: 'EUR', messageId: 'May', items }
    await idOf(ada.post(`${own}/payment-lists`, list))
    const [draft, now] = [newId(bank.clock.now()), new Date(bank.clock.now())]
    await bank.sql(
      `insert into payment_drafts (id, account_id, maker_id, beneficiary_id, amount, reference,
         status, expires_at, created_at, ended_at, transfer_id, signatures_needed)
       values ($1, $2, $1, $3, 100, 'Rent', 'paid', $4, $4, $4, $1, 1)`,
      [draft, account, beneficiaryId, now],
    )
  }
  // A closed account loses the numbers of its lists as well.
  await bank.sql(`update accounts set status = 'closed', balance = 0 where id = $1`, [to])
  // Made long before it ended: what has an end of its own is of that time.
  const older = (id: string) => `${id} = overlay(${id}::text placing '0000' from 1 for 4)::uuid`
  await bank.sql('set session_replication_role = replica')
  for (const change of [
    `holds set ${older('id')} where kind = 'dispute'`,
    `standing_orders set ${older('id')}`,
    `standing_order_changes set ${older('order_id')}`,
    `payment_drafts set ${older('id')}`,
  ]) {
    assert.ok((await bank.sql(`update ${change}`)).rowCount, change)
  }
  await bank.sql('reset session_replication_role')
  const { rows: tables } = await bank.sql(rowsOf)
  const stateOf = async (account: string) => {
    const found: Record<string, unknown> = {}
    for (const { table, text } of tables) {
      found[String(table)] = (await bank.sql(String(text), [[account]])).rows
    }
    return found
  }
  const [own, other] = [await stateOf(to), await stateOf(from)]
  const owner = openDatabase(bank.address, { role: null })
  t.after(() => owner.close())
  const event = commandEvent(bank.clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  assert.equal(await eraseOfAccount(owner, to, event.id), 5)
  const after = await stateOf(to)
  const changed = Object.keys(own).filter((table) => !isDeepStrictEqual(own[table], after[table]))
  assert.deepEqual(changed.toSorted(), [
    'card_authorizations',
    'card_disputes',
    'entries',
    'holds',
    'payment_drafts',
    'payment_lists',
    'standing_order_changes',
    'standing_orders',
    'transfers',
  ])
  assert.deepEqual(await stateOf(from), other)
  // All of it is of this millisecond.
  await eraseBefore(owner, bank.clock.now(), event.id)
  assert.deepEqual(await stateOf(from), other, 'what is of the time or later stays')
  // Beside it one with a change of that time, and one with a run: neither keeps what is older.
  const present = `'${new Date(bank.clock.now()).toISOString()}'::timestamptz`
  const idLike = (id: string, prefix: string) =>
    `overlay(${id}::text placing '${prefix}' from 1 for 4)`
  const ofFrom = `(select id from standing_orders where account_id = '${from}')`
  const copyChanges = (prefix: string) =>
    `insert into standing_order_changes select (jsonb_populate_record(c,
       jsonb_build_object('order_id', ${idLike('order_id', prefix)}))).*
     from standing_order_changes c where order_id in ${ofFrom}`
  const addRun = (prefix: string, at: string) =>
    `insert into standing_order_runs (order_id, due_on, on_holiday, outcome, refusal, at)
     select ${idLike('id', prefix)}::uuid, first_on, on_holiday, 'refused', 'not_found', ${at}
     from standing_orders where account_id = '${from}'`
  await bank.sql('set session_replication_role = replica')
  for (const change of [
    copyChanges('0001'),
    `update standing_order_changes set at = at - interval '1 day' where order_id in ${ofFrom}`,
    copyChanges('0002'),
    addRun('0000', `${present} - interval '1 day'`),
    addRun('0002', present),
    `insert into standing_orders select (jsonb_populate_record(o,
       jsonb_build_object('id', overlay(o.id::text placing prefix from 1 for 4)))).*
     from standing_orders o, unnest('{0001,0002}'::text[]) prefix where account_id = '${from}'`,
  ]) {
    assert.ok((await bank.sql(change)).rowCount, change)
  }
  await bank.sql('reset session_replication_role')
  await eraseBefore(owner, bank.clock.now(), event.id)
  const { rows: orders } = await bank.sql(
    `select reference, array(select erasure_id is not null from standing_order_changes
       where order_id = o.id order by version) as "areErased"
     from standing_orders o where account_id = $1 order by id`,
    [from],
  )
  assert.deepEqual(orders, [
    { reference: '', areErased: [true, true] },
    { reference: 'Rent', areErased: [false, false] },
    // Its first terms were replaced before.
    { reference: 'Rent', areErased: [true, false] },
  ])
  await bank.sql(`delete from standing_order_runs`)
  await eraseBefore(owner, bank.clock.now() + 1, event.id)
  const rest = await stateOf(from)
  const erased = Object.keys(own).filter((table) => !isDeepStrictEqual(other[table], rest[table]))
  assert.deepEqual(erased.toSorted(), [
    'card_authorizations',
    'card_disputes',
    'entries',
    'holds',
    'payment_drafts',
    'standing_order_changes',
    'standing_orders',
    'transfers',
  ])
})
