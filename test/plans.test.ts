// The plans of lists on a large bank, as the service prepares them: they read about as many rows as
// a page has, at any size of the tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTransfers } from '../src/features/transfers/sql.ts'
import { accounts } from '../src/features/accounts/sql.ts'
import { type Statement, statements } from '../src/database/statement.ts'
import { users } from '../src/features/users/sql.ts'
import { type Bank, bank } from './support/bank.ts'
import { people } from './support/people.ts'

type Node = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

/** Rows that the scans of a generic plan read, by the kind of scan. */
async function rowsRead({ sql }: Bank, { name, text, takes }: Statement, values: readonly Value[]) {
  // As on the connections for reads.
  await sql('set plan_cache_mode = force_generic_plan')
  await sql('set enable_seqscan = off')
  await sql(`prepare ${name} (${takes.map((type) => type.replace('?', '')).join(', ')}) as ${text}`)
  const [row] = await sql(`explain (analyze, format json) execute ${name} (${literals(values)})`)
  await sql(`deallocate ${name}`)
  const read: Record<string, number> = {}
  const visit = (node: Node): void => {
    const { 'Node Type': type, 'Actual Rows': rows, 'Actual Loops': loops } = node
    const all = Math.ceil((rows + (node['Rows Removed by Filter'] ?? 0)) * loops)
    if (type.includes('Scan')) read[type] = (read[type] ?? 0) + all
    node.Plans?.forEach(visit)
  }
  const [plan] = (row as { 'QUERY PLAN': { Plan: Node }[] })['QUERY PLAN']
  visit((plan as { Plan: Node }).Plan)
  return read
}

type Value = string | number | null | readonly string[]

const literals = (values: readonly Value[]): string =>
  values
    .map((value) => {
      if (value === null) return 'null'
      return typeof value === 'object' ? `'{${value.join(',')}}'` : `'${value}'`
    })
    .join(', ')

const sum = (read: Record<string, number>): number =>
  Object.values(read).reduce((total, rows) => total + rows, 0)

const find = (name: string): Statement => statements.get(name) ?? assert.fail(name)

/** Twenty thousand people with an account each; one in a thousand is called Zelda. */
async function addPeople({ sql }: Bank): Promise<void> {
  await sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     select gen_random_uuid(), 'person' || n, n || '@example.com',
       case n % 1000 when 0 then 'Maria Zelda' else 'Maria' end, 'Person-' || n, '{customer}', now()
     from generate_series(1, 20000) as n`,
  )
  await sql(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     select gen_random_uuid(), id, 'XX00' || right(username, -6), 'EUR', now() from users
     where username like 'person%'`,
  )
  await sql('analyze users')
  await sql('analyze user_names')
  await sql('analyze accounts')
}

test('a search reads the rows that it finds, and not the whole table', async (t) => {
  const fixture = await bank(t)
  await addPeople(fixture)
  const lists = [
    [find('users_list_by_name'), [null, null, 'zel', null, null, null, 21]],
    [find('accounts_search_by_holder'), [null, null, 'zel', ['active'], null, 21]],
    [find('users_list_by_username'), ['person7', null, null, null, null, null, 21]],
    [find('users_list_by_email'), [null, '7@example.com', null, null, null, null, 21]],
    [find('accounts_search_by_iban'), ['XX007', null, null, ['active'], null, 21]],
    [find('accounts_search_by_owner'), [null, people.ada.id, null, ['active'], null, 21]],
  ] as const
  for (const [list, values] of lists) {
    const read = await rowsRead(fixture, list, values)
    assert.ok(!('Seq Scan' in read), `${list.name} ${JSON.stringify(read)}`)
    assert.ok(sum(read) <= 100, `${list.name} ${JSON.stringify(read)}`)
  }
  const found = await users(fixture.db, { name: 'ZELDA  person-1' }, undefined, 100)
  assert.equal(found.length, 11, 'Zelda Person-1000 and those from 10000 to 19000')
  const ofZeldas = await accounts(
    fixture.db,
    { holder: 'zelda', statuses: ['active'] },
    undefined,
    100,
  )
  assert.equal(ofZeldas.length, 20)
})

test('people are found by the beginnings of their present names', async (t) => {
  const { db, sql } = await bank(t)
  const usernamesBy = async (name: string) =>
    (await users(db, { name }, undefined, 100)).map(({ username }) => username)
  await sql(
    `update users set given_name = 'Anna Maria', family_name = 'von Müller-Östberg'
     where username = 'ada'`,
  )
  for (const name of ['anna', 'MARIA VON', 'mül', 'Müller Öst', 'ÖST', ' müller-', 'von  m']) {
    assert.deepEqual(await usernamesBy(name), ['ada'], name)
  }
  for (const name of ['nna', 'ller', '%', '_', 'anna%', ' ', '-', 'müller-östbergs', 'okafor']) {
    assert.deepEqual(await usernamesBy(name), [], name)
  }
  await sql(`update users set given_name = 'Anna', family_name = 'Anna' where username = 'ada'`)
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
  assert.ok(!('Seq Scan' in read), JSON.stringify(read))
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
