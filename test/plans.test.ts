// The plans of lists on a large bank, as the service prepares them: they read about as many rows as
// a page has, at any size of the tables.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holidayRules } from '../src/domain/calendar/business-days.ts'
import { genericPlans } from '../src/database/connections/generic-plans.ts'
import { listEntries } from '../src/features/transfers/history-sql.ts'
import { searchFor } from '../src/features/transfers/entry-search.ts'
import { listTransfers } from '../src/features/movements/sql.ts'
import { accounts } from '../src/features/accounts/sql.ts'
import { readBacklog, readSuspense } from '../src/features/overview/backlog-sql.ts'
import { readTotals } from '../src/features/overview/sql.ts'
import { sumSpending } from '../src/features/insight/sql.ts'
import { listDays, readSpan } from '../src/features/statements/sql.ts'
import { takeWaitingOrders } from '../src/features/orders/sql.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { type Statement, statement, statements } from '../src/database/statements/statement.ts'
import { eventTypes } from '../src/features/events/sql.ts'
import { lookUpPeople } from '../src/features/users/find-sql.ts'
import { toLook } from '../src/features/users/spoken.ts'
import { changeUser, users } from '../src/features/users/sql.ts'
import { firstId, lastId } from '../src/domain/ids.ts'
import { owners } from '../src/gate/owners.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { type Bank, bank } from './support/bank.ts'
import { people } from './support/people.ts'
import { addHistory, find, readWhole, rowsRead, sum, type Value } from './support/plans.ts'

/** Twenty thousand people with an account each; one in a thousand is called Zelda. */
async function addPeople({ sql }: Bank, isAnalyzed = true): Promise<void> {
  await sql(
    `insert into users (id, username, email, given_name, family_name, folded_name, phone,
       roles, created_at)
     select gen_random_uuid(), 'person' || n, n || '@example.com',
       case n % 1000 when 0 then 'Maria Zelda' else 'Maria' end, 'Person-' || n,
       case n % 1000 when 0 then 'maria zelda' else 'maria' end || ' person ' || n, '+49' || n,
       '{customer}',
       now()
     from generate_series(1, 20000) as n`,
  )
  await sql(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     select gen_random_uuid(), id, 'XX00' || right(username, -6), 'EUR', now() from users
     where username like 'person%'`,
  )
  await sql(
    `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
       created_at)
     select gen_random_uuid(), id, right('0000' || right(iban, -4), 4), sha256(iban::bytea), 1,
       2030, now()
     from accounts where iban like 'XX00%'`,
  )
  await sql(
    `insert into external_ids (caller_id, external_id, body_hash, transfer_id)
     select $1, 'X' || n, sha256(''), id
     from (select id, row_number() over (order by id) as n from users) u`,
    [people.root.id],
  )
  await sql(
    `insert into made_resources (id, kind, caller_id)
     select id, 'user', case when right(id::text, 1) = '0' then $1::uuid else $2 end from users`,
    [people.root.id, people.ben.id],
  )
  if (!isAnalyzed) return
  await sql('analyze external_ids')
  await sql('analyze made_resources')
  await sql('analyze users')
  await sql('analyze user_names')
  await sql('analyze user_words, cards')
  await sql('analyze accounts')
}

type Lookup = Statement<readonly ['uuid[]']>

test('what the lanes prepared on empty tables reads no table whole seconds after they have grown', async (t) => {
  const fixture = await bank(t)
  const { db, sql } = fixture
  const named =
    /^(gate_(owner|read)_|accounts_read|ledger_(lock|read_(claims|rec|transfers|un)|write))/
  const more = ['beneficiaries_read_standing', 'ledger_read_customers_accounts', 'approvals_lock']
  const prepared = [...statements.values()].filter(
    ({ name }) => named.test(name) || more.includes(name),
  )
  const ownerCount = Object.keys(owners).length
  assert.ok(prepared.length >= 18 + ownerCount, `${prepared.length} statements`)
  // None of the service's own is planned so any more: of a transfer without one, by what it lacks.
  prepared.push(
    statement(
      'test_brought_back_by',
      ['uuid[]'],
      { id: 'uuid?' },
      `select r.id from transfers t left join transfers r on r.reversal_of = t.id
       where t.id = any($1)`,
    ),
  )
  t.after(() => statements.delete('test_brought_back_by'))
  const lane = db.openLane()
  t.after(() => lane.close())
  const byId = prepared.filter(({ takes }) => takes.join() === 'uuid[]')
  const runAll = () => Promise.all(byId.map((each) => lane.run(each as Lookup, [[people.ada.id]])))
  const explained = new Map(
    byId.map(({ name }) => {
      const text = `explain (format json) execute ${name} ('{${people.ada.id}}')`
      return [name, statement(`test_explain_${name}`, [], { 'QUERY PLAN': 'jsonb' }, text)]
    }),
  )
  const wholeTables = async () => {
    const plans = [...explained].map(async ([name, each]) => {
      return readWhole(await lane.run(each, [])).map((table) => `${name}: ${table}`)
    })
    return (await Promise.all(plans)).flat()
  }
  // As after all keys were purged, and while the bank had no customers and no payments.
  await sql('vacuum analyze claims')
  await sql('analyze accounts')
  await sql('analyze transfers')
  await runAll()
  const wholeOfEmpty = await wholeTables()
  assert.ok(wholeOfEmpty.length > 0, 'the tables are empty')
  assert.deepEqual(
    wholeOfEmpty.filter((each) => !each.startsWith('test_')),
    [],
  )

  await addPeople(fixture, false)
  await addHistory(fixture, 1, 5000, false)
  const later = performance.now() + 2001
  t.mock.method(performance, 'now', () => later)
  await runAll()
  assert.deepEqual(await wholeTables(), [])
  // Nothing is pending, and no key was claimed, when these are planned.
  await sql('vacuum analyze transfers, entries, accounts')
  for (const setting of genericPlans) await sql(`set ${setting.replace('-c ', '')}`)
  for (const { name, text } of prepared) {
    const plan = await sql(`explain (generic_plan, format json) ${text}`)
    assert.deepEqual(readWhole(plan), [], name)
  }
})

test('the session of a cookie is found without reading others', async (t) => {
  const fixture = await bank(t)
  const { sql } = fixture
  await sql(
    `insert into sessions (id, user_id, handle_hash, created_at, last_used_at, ends_at)
     select gen_random_uuid(), (select id from users limit 1),
       case when n % 2 = 0 then sha256(n::text::bytea) end, now(), now(), now()
     from generate_series(1, 20000) as n`,
  )
  await sql('analyze sessions')
  const [row] = await sql(`select encode(sha256('10000'), 'hex') as hash`)
  const wanted = [[(row as { hash: string }).hash, 'ff'.repeat(32)]]
  const read = await rowsRead(fixture, find('gate_read_sessions_by_handle'), wanted)
  assert.ok(sum(read) < 20, JSON.stringify(read))
})

test('a search reads the rows that it finds, and not the whole table', async (t) => {
  const fixture = await bank(t)
  await addPeople(fixture)
  const nobody = [null, null, null, null, null, null]
  const ofPeople = (filters: object, folded: string | null = null) =>
    [...Object.values({ ...nobody, ...filters }), null, null, 21, folded, null] as Value[]
  const ofAccounts = (iban: string | null, owner: string | null, holder: string | null) =>
    [iban, owner, holder, ['active'], null, null, null, 21, null] as Value[]
  const lists: [Statement, Value[]][] = [
    [find('users_list_by_name'), ofPeople({ 2: 'zel' })],
    [find('accounts_search_by_holder'), ofAccounts(null, null, 'zel')],
    [find('users_list_by_search'), ofPeople({ 5: 'zel' }, 'zel')],
    [find('users_list_by_search'), ofPeople({ 5: 'person777' }, 'person777')],
    [find('users_list_by_username'), ofPeople({ 0: 'person7' })],
    [find('users_list_by_email'), ofPeople({ 1: '7@example.com' })],
    [find('users_list_by_external_id'), [...nobody, 'X7', null, 21, null, null]],
    ...[
      ["'zelda':* & 'maria':*", null, null, null, null, null, null],
      [null, "('zelda':* | 'zela' | '~zelda' | '~zela')", null, null, null, null, null],
      ["'zelda':*", "'zelda':*", null, null, '0007', null, null],
      [null, null, 'person777', null, null, null, null],
      [null, null, null, '700', null, null, null],
      [null, null, null, null, '0007', null, null],
      [null, null, null, null, null, 'XX007', null],
      [null, null, null, null, null, null, 'zel'],
    ].map((look): [Statement, Value[]] => [find('users_find'), [...look, null, null]]),
    [find('accounts_search_by_iban'), ofAccounts('XX007', null, null)],
    [find('accounts_search_by_owner'), ofAccounts(null, people.ada.id, null)],
    [
      find('accounts_search_by_external_id'),
      [null, null, null, ['active'], 'X7', null, null, 21, people.ada.id],
    ],
    [find('users_list_made'), [people.root.id, null, 21]],
    [find('users_find_made'), ['X7', people.root.id]],
  ]
  for (const [list, values] of lists) {
    const read = await rowsRead(fixture, list, values)
    assert.ok(sum(read) <= 100, `${list.name} ${JSON.stringify(read)}`)
  }
  const found = await users(fixture.db, { name: 'ZELDA  person-1' }, undefined, 100)
  assert.equal(found.length, 11, 'Zelda Person-1000 and those from 10000 to 19000')
  const look = toLook('Maira, zelda') ?? assert.fail()
  assert.equal((await lookUpPeople(fixture.db, look, {})).length, 20, 'a letter is wrong')
  const ofZeldas = await accounts(
    fixture.db,
    { holder: 'zelda', statuses: ['active'] },
    undefined,
    100,
  )
  assert.equal(ofZeldas.length, 20)
})

test('a due order is found without reading those that wait for money, and of these some at a time', async (t) => {
  const fixture = await bank(t)
  const { db, sql } = fixture
  await addPeople(fixture)
  const add = (nextOn: string, triedOn: string | null, count: number) =>
    sql(
      `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
         to_account_id, amount, reference, rhythm, first_on, next_on, retry_days, created_at,
         tried_on)
       select gen_random_uuid(), id, owner_id, owner_id, id, false, id, 100, '', 'monthly',
         '2026-01-02', $1, 5, now(), $2::date
       from accounts where owner_id is not null order by id limit $3`,
      [nextOn, triedOn, count],
    )
  await add('2026-01-02', '2026-01-03', 12_000)
  await add('2026-01-03', null, 100)
  await sql('analyze standing_orders')
  // As in the transaction of a turn: see `planByKeys`.
  for (const setting of genericPlans) await sql(`set ${setting.replace('-c ', '')}`)
  const day = '2026-01-03'
  const [rules, days] = [[...holidayRules], holidayRules.map(() => day)]
  const place = ['-infinity', '00000000-0000-0000-0000-000000000000']
  const asking = ['now', 'now', rules, days, 32, ...place]
  const read = await rowsRead(fixture, find('orders_take_due'), asking)
  assert.ok(sum(read) <= 32 * 8, JSON.stringify(read))
  await sql(`update standing_orders set status = 'ended', next_on = null where tried_on is null`)
  // The account of the last order has its amount by now.
  await sql(
    `update accounts set overdraft_limit = 100
     where id = (select account_id from standing_orders where status = 'active'
       order by id desc limit 1)`,
  )
  const asked = { now: 0, leaseEnd: 0, day, count: 32 }
  const found: number[] = []
  let after: string | undefined
  do {
    const taken = await transaction(db, (tx) => takeWaitingOrders(tx, asked, after))
    after = taken.after
    found.push(taken.due.length)
  } while (after !== undefined)
  assert.deepEqual(found, [0, 0, 1])
  // The metrics count those that are not tried, and pass by all that wait for money.
  await add('2026-01-02', null, 100)
  await sql('analyze events')
  const backlog = ['now', 'now', 1000, ['XX%'], day, ['hold.created'], rules, days] as const
  const counted = await rowsRead(fixture, readBacklog, backlog)
  assert.ok(sum(counted) <= 2 * 1000, JSON.stringify(counted))
  const values = ['00000000-0000-0000-0000-000000000000', 5000, day, 'now']
  const some = await rowsRead(fixture, find('orders_find_waiting'), values)
  assert.ok(sum(some) <= 4 * 5000, JSON.stringify(some))
})

test('the orders of an account that go on are found without reading those that have ended', async (t) => {
  await import('../src/features/orders/upcoming-sql.ts')
  const fixture = await bank(t)
  const account = await fixture.account()
  await fixture.sql(
    `insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
       to_account_id, amount, reference, rhythm, first_on, retry_days, created_at, status, next_on)
     select gen_random_uuid(), id, owner_id, owner_id, id, false, id, 100, '', 'once', '2026-01-02',
       0, now(), case when n > 2 then 'ended' else 'active' end,
       case when n <= 2 then date '2026-01-02' end
     from accounts, generate_series(1, 5000) n where id = $1`,
    [account],
  )
  await fixture.sql('analyze standing_orders')
  const read = await rowsRead(fixture, find('orders_list_active'), [account])
  assert.ok(sum(read) <= 10, JSON.stringify(read))
})

test('the drafts that a person has made or signed are found without reading those of others', async (t) => {
  await import('../src/features/drafts/personal.ts')
  const fixture = await bank(t)
  const account = await fixture.account()
  // Ada has made the first, and signed the second.
  await fixture.sql(
    `with made as (
       insert into payment_drafts (id, account_id, maker_id, to_account_id, amount, reference,
         expires_at, created_at)
       select gen_random_uuid(), $1, case n when 1 then $2 else gen_random_uuid() end, $1, n,
         '', now(), now()
       from generate_series(1, 5000) n returning id, amount
     )
     insert into draft_signatures (draft_id, person_id, session_id, signed_at)
     select id, case amount when 2 then $2 else gen_random_uuid() end, id, now() from made
     where amount > 1`,
    [account, people.ada.id],
  )
  await fixture.sql('vacuum analyze payment_drafts, draft_signatures')
  const list = find('export_list_drafts_of') as Statement<readonly ['uuid']>
  const drafts = await fixture.db.run(list, [people.ada.id])
  const told = drafts.map(
    ({ madeAt, signedAt }) => `${madeAt ? 'made' : ''} ${signedAt ? 'signed' : ''}`,
  )
  assert.deepEqual(told.toSorted(), [' signed', 'made '])
  const read = await rowsRead(fixture, list, [people.ada.id])
  assert.ok(sum(read) <= 12, JSON.stringify(read))
})

test('people are found by the beginnings of their present names', async (t) => {
  const { db, sql } = await bank(t)
  const usernamesBy = async (name: string) =>
    (await users(db, { name }, undefined, 100)).map(({ username }) => username)
  const rename = async (givenName: string, familyName: string) => {
    const [ada] = await users(db, { username: 'ada' }, undefined, 1)
    assert.ok(ada)
    await transaction(db, (tx) => changeUser(tx, { ...ada, givenName, familyName }, Date.now()))
  }
  await rename('Anna Maria', 'von Müller-Östberg')
  for (const name of ['anna', 'MARIA VON', 'mül', 'Müller Öst', 'ÖST', ' müller-', 'von  m']) {
    assert.deepEqual(await usernamesBy(name), ['ada'], name)
  }
  for (const name of ['nna', 'ller', '%', '_', 'anna%', ' ', '-', 'müller-östbergs', 'okafor']) {
    assert.deepEqual(await usernamesBy(name), [], name)
  }
  await rename('Anna', 'Anna')
  assert.deepEqual(await usernamesBy('anna'), ['ada'], 'once, even if it is in the name twice')
  assert.deepEqual(await usernamesBy('maria'), [])
  const service = sql(`set role strongroom_service; delete from user_names`)
  await assert.rejects(service, /permission denied/)
})

test("the pages of a customer's transfers are complete, and read little of each account", async (t) => {
  const fixture = await bank(t)
  const sources: string[] = []
  const ids = await fixture.sql('select gen_random_uuid() as id from generate_series(1, 100)')
  for (const { id } of ids) sources.push(id as string)
  await fixture.sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at,
       caller_id, session_id, kind, status, currency, reference, salt)
     select gen_random_uuid(), source, gen_random_uuid(), 1, 1, 1, now(), $2, $2, 'transfer',
       'completed', 'EUR', '', '\\x00000000000000000000000000000000'
     from unnest($1::uuid[]) with ordinality as s (source, n), generate_series(1, n * n / 20)`,
    [sources, people.ada.id],
  )
  await fixture.sql('vacuum analyze transfers')
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const read = await rowsRead(fixture, find('ledger_list_transfers_from'), [sources, last, 21])
  // One row of each account, a page of each account of the page, and the page itself three times.
  assert.ok(sum(read) <= 100 + 100 + 21 + 21 * 21 + 6 * 21, JSON.stringify(read))

  const expected = await fixture.sql('select id from transfers order by id desc limit 1000')
  const seen: string[] = []
  while (seen.length < 1000) {
    const page = await listTransfers(fixture.db, sources, seen.at(-1), 50)
    seen.push(...page.map(({ id }) => id))
  }
  assert.deepEqual(
    seen,
    expected.map(({ id }) => id),
  )
  assert.deepEqual(await listTransfers(fixture.db, [], undefined, 50), [])
})

/** As if those transfers went from the account to another bank, and had not arrived. */
async function makePending({ sql }: Bank, account: string | undefined, where: string) {
  await sql('alter table transfers disable trigger user')
  await sql(
    `update transfers set kind = 'transfer', from_account_id = $1, to_account_id = $2,
       counterparty_iban = 'X', status = 'pending' where ${where}`,
    [account, bankAccount('clearing', 'EUR')],
  )
  await sql('vacuum analyze transfers')
}

test('the balances of a day are read without the rest of the history', async (t) => {
  const fixture = await bank(t)
  const [account = ''] = await addHistory(fixture, 1, 20_000)
  const span = await rowsRead(fixture, readSpan, [account, '2026-03-01', '2026-03-02'])
  // Two binary searches: some rows for each of about 15 steps.
  assert.ok(sum(span) <= 2 * 15 * 6, JSON.stringify(span))
  const day = await rowsRead(fixture, listDays, [account, 8497, 8641, ['2026-03-01']])
  assert.ok(sum(day) <= 144 + 3, JSON.stringify(day))
  // The months of what was spent are read like the days of balances.
  const spent = await rowsRead(fixture, sumSpending, [account, 8497, 8641, '2026-03-01'])
  assert.ok(sum(spent) <= 144 + 3, JSON.stringify(spent))
  for (const read of [span, day, spent]) assert.ok(!('Seq Scan' in read), JSON.stringify(read))
})

test('a search for text reads each entry once', async (t) => {
  const fixture = await bank(t)
  const [account = ''] = await addHistory(fixture, 1, 24_000)
  const amounts = [null, '0', '100', null] as const
  const list = find('ledger_list_texts')
  const read = await rowsRead(fixture, list, [account, 1, 2001, ...amounts])
  assert.ok(!('Seq Scan' in read), JSON.stringify(read))
  assert.ok(sum(read) <= 2000 + 1, JSON.stringify(read))
  const seen = Array.from({ length: 21 }, (_, index) => `${index + 7}`)
  const page = await rowsRead(fixture, find('ledger_list_entries_by_seq'), [account, seen])
  assert.ok(sum(page) <= 21, JSON.stringify(page))

  const search = async (before: bigint, text: string, count: number) => {
    const filter = { accountId: account, first: 1n, before, matches: searchFor(text, 'EUR') }
    const { rows, next } = await listEntries(fixture.db, filter, count)
    return [rows.map(({ seq }) => seq), next]
  }
  assert.deepEqual(await search(24_001n, 'needle', 9), [[16_007n, 8007n], 4001n])
  assert.deepEqual(await search(4001n, 'needle', 9), [[7n], undefined])
  assert.deepEqual((await search(24_001n, 'needle', 2))[0], [16_007n, 8007n])
  assert.deepEqual(await search(8007n, 'needle', 2), [[7n], undefined])
  assert.deepEqual(await search(24_001n, 'nothing', 2), [[], 4001n])
})

test('the newest transactions of a customer are read without the rest of the history', async (t) => {
  const fixture = await bank(t)
  const accountIds = await addHistory(fixture, 10, 20_000)
  const list = find('ledger_list_own_entries')
  const first = await rowsRead(fixture, list, [people.ada.id, null, null, 21])
  assert.ok(!('Seq Scan' in first), JSON.stringify(first))
  // A page of each account.
  assert.ok(sum(first) <= 10 * (21 + 5), JSON.stringify(first))
  const place = [accountIds[3] ?? '', 1000] as const
  const later = await rowsRead(fixture, list, [people.ada.id, ...place, 21])
  assert.ok(!('Seq Scan' in later), JSON.stringify(later))
  // A binary search in each account: some rows for each of about 11 steps.
  assert.ok(sum(later) <= 10 * (21 + 11 * 6), JSON.stringify(later))
})

test('the pending transfers are read without the others', async (t) => {
  const fixture = await bank(t)
  const [account = ''] = await addHistory(fixture, 1, 5000)
  await makePending(fixture, account, "reference = 'Needle' or to_seq % 50 = 0")
  const page = ['ffffffff-ffff-ffff-ffff-ffffffffffff', 21] as const
  const lists = [
    // The page as an index, as rows, and what may have brought them back.
    [find('ledger_list_pending_transfers'), page, 21 * 4],
    // All of the account, sorted.
    [find('ledger_list_pending_transfers_from'), [[account], ...page], 101 + 21 * 4],
  ] as const
  for (const [list, values, rowsMax] of lists) {
    const read = await rowsRead(fixture, list, values)
    assert.ok(!('Seq Scan' in read), `${list.name} ${JSON.stringify(read)}`)
    assert.ok(sum(read) <= rowsMax, `${list.name} ${JSON.stringify(read)}`)
  }
})

test('the overview reads no entry, and no more sessions and refusals than it counts', async (t) => {
  const fixture = await bank(t)
  const history = await addHistory(fixture, 10, 20_000)
  const count = 3000
  await fixture.sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select gen_random_uuid(), $1, '2026-01-01', '2026-01-02', '2027-01-01'
     from generate_series(1, $2::int)`,
    [people.ada.id, count],
  )
  await fixture.sql(
    `insert into audit_events (id, at, action, outcome, request_id, address)
     select gen_random_uuid(), now(), 'getAccount', 'forbidden', gen_random_uuid(), '::1'
     from generate_series(1, $1::int)`,
    [count],
  )
  await fixture.sql('vacuum analyze')
  const asked = ['2026-01-02', '2026-01-01', firstId, 1000, 1000] as const
  const { 'Seq Scan': generation, ...read } = await rowsRead(fixture, readTotals, asked)
  assert.equal(generation, 1, 'the one row of bank_generation')
  // A session is read by its end and by its key, with its user; a refusal by its outcome.
  assert.ok(sum(read) <= 6 * 1000 + 500, JSON.stringify(read))
  // The newest entries of an account, each with what may have brought it back.
  const suspense = [[String(history[0])], 200] as const
  const newest = await rowsRead(fixture, readSuspense, suspense)
  assert.ok(sum(newest) <= 2 * 200 + 10, JSON.stringify(newest))
})

test('a page of events, its numbering and the question of all that wait read little of many', async (t) => {
  const fixture = await bank(t)
  await fixture.sql(
    `insert into events (type, at, ids, last_number)
     select case n % 5000 when 0 then 'card.issued' else 'transfer.completed' end, now(),
       array(select gen_random_uuid() from generate_series(1, 3)),
       case when n <= 20000 then 3 * n end
     from generate_series(1, 20100) as n`,
  )
  await fixture.sql('update last_event set number = 60000')
  await fixture.sql('vacuum analyze events')
  const asked = [
    // Of the common type a page from the index and its rows; of each event its transfer.
    [find('events_read'), ['100', '60000', [...eventTypes], 21], 21 * 6],
    [find('events_read_told'), ['100', '60000', [...eventTypes], 21], 21 * 2],
    [find('events_read'), ['100', '60000', ['card.issued'], 21], 4 * 6],
    [find('events_read_state'), [[...eventTypes]], eventTypes.length * 3],
    [find('events_number'), ['60000', 50], 50 * 5],
  ] as const
  for (const [statement, values, rowsMax] of asked) {
    const {
      'Function Scan': _,
      'CTE Scan': __,
      ...read
    } = await rowsRead(fixture, statement, values)
    assert.ok(sum(read) <= rowsMax, `${statement.name} ${JSON.stringify(read)}`)
  }
})

test('of large batches a page of events unpacks the first rows alone, each once', async (t) => {
  const fixture = await bank(t)
  await fixture.sql(
    `insert into events (type, at, ids, last_number)
     select 'transfer.completed', now(),
       array(select gen_random_uuid() from generate_series(1, 200)), 200 * n
     from generate_series(1, 500) as n`,
  )
  await fixture.sql('vacuum analyze events')
  for (const name of ['events_read', 'events_read_told']) {
    const values = ['100', '100000', [...eventTypes], 300]
    const read = await rowsRead(fixture, find(name), values)
    assert.ok((read['Function Scan'] ?? 0) <= 4 * 200, `${name} ${JSON.stringify(read)}`)
  }
  const text = find('events_read_told').text
  await fixture.sql(`prepare told (int8, int8, text[], int4) as ${text}`)
  const explain = `explain (analyze, buffers, format json) execute told (100, 100000, $1, 300)`
  const types = `'{transfer.completed}'`
  const [row] = await fixture.sql(explain.replace('$1', types))
  const [{ Plan: plan }] = (row as { 'QUERY PLAN': [{ Plan: Record<string, number> }] })[
    'QUERY PLAN'
  ]
  const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
  assert.ok(blocks <= 100, `${blocks} blocks for the identifiers of three rows`)
})

test('the worker of webhooks reads what is due, not what was delivered, and purges by age', async (t) => {
  const fixture = await bank(t)
  await import('../src/features/webhooks/delivery-sql.ts')
  const hook = '01940000-0000-7000-8000-00000000000a'
  await fixture.sql(
    `insert into webhooks (id, url, description, types, hmac_key, seed, after_number, created_at)
     values ($1, 'https://a.example/', '', '{transfer.completed}', $2, $2, 0, now())`,
    [hook, randomBytes(32)],
  )
  await fixture.sql(
    `insert into webhook_deliveries
       (id, webhook_id, number, type, at, account_ids, due_at, done_at)
     select gen_random_uuid(), $1, n, 'transfer.completed', '2026-01-01', '{}', '2026-01-01',
       case when n > 30 then '2026-01-02'::timestamptz end
     from generate_series(1, 20000) as n`,
    [hook],
  )
  await fixture.sql('vacuum analyze webhook_deliveries')
  const now = '2026-01-03'
  const asked = [
    [find('webhooks_find_behind'), [now, 1000], 50],
    [find('webhook_deliveries_take_due'), [now, '2026-01-04', [], 8], 8 * 4],
    [find('webhook_deliveries_list'), [hook, null, 21], 21],
    [find('webhook_deliveries_purge'), ['0fffffff-ffff-ffff-ffff-ffffffffffff', 100], 3 * 101],
  ] as const
  for (const [statement, values, rowsMax] of asked) {
    const {
      'Function Scan': _,
      'CTE Scan': __,
      'Subquery Scan': ___,
      ...read
    } = await rowsRead(fixture, statement, values)
    assert.ok(sum(read) <= rowsMax, `${statement.name} ${JSON.stringify(read)}`)
  }
})

test('a page of transfers to erase reads no more than a page, however many are erased already', async (t) => {
  const fixture = await bank(t)
  await import('../src/ledger/erasure/erase.ts')
  await fixture.sql(
    `insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, commitment, erasure_id)
     select gen_random_uuid(), $1, $2, n, n, 1, '2016-01-01', $1, $1, 'transfer', 'completed',
       'EUR', '', sha256(''), $1
     from generate_series(1, 20000) as n`,
    [bankAccount('cash', 'EUR'), bankAccount('clearing', 'EUR')],
  )
  await fixture.sql('vacuum analyze transfers')
  const asked = [firstId, lastId, '2017-01-01', 500] as const
  const read = await rowsRead(fixture, find('erase_list_before'), asked)
  assert.ok(sum(read) <= 500, JSON.stringify(read))
})
