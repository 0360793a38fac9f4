// Every statement is prepared against the migrated schema and held to the types it declares.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Prepared, readPrepared, typesOf } from '../src/database/schema/judge-schema.ts'
import { statements } from '../src/database/statements/statement.ts'
import { cloneTemplate, cluster } from './support/database.ts'

const source = fileURLToPath(new URL('../src', import.meta.url))
for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.ts') && !file.endsWith('.test.ts')) await import(`${source}/${file}`)
}

const shared = await cluster()
const { address, login, stop } = await cloneTemplate(shared)
const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
await client.connect()
after(async () => {
  await client.end()
  await stop()
  await shared.stop()
})

/** Without those that tests of the same process have made for themselves. */
const ofService = [...statements.values()].filter(({ name }) => !name.startsWith('test_'))

for (const statement of ofService) {
  const { name, text } = statement
  test(`statement ${name} takes and gives what it declares`, async () => {
    await client.query(`prepare ${name} as ${text}`)
    const { rows } = await client.query<Prepared>(readPrepared)
    await client.query('deallocate all')
    const [declared, found] = typesOf(statement, rows[0])
    assert.deepEqual(found, declared)
  })
}

type PlanNode = {
  'Node Type': string
  'Parent Relationship'?: string
  'Sort Key'?: string[]
  Plans?: PlanNode[]
}

const locksIn = (node: PlanNode): PlanNode[] => [
  ...(node['Node Type'] === 'LockRows' ? [node] : []),
  ...(node.Plans ?? []).flatMap(locksIn),
]

test('rows that are waited for are locked in the order of their identifiers, whatever order the table gives them in', async () => {
  // Statements that lock one row.
  const ofOne = /where (\w\.)?id = (\$1|\(select)|from last_event\b/
  const locking = ofService.filter(
    ({ text }) =>
      /for (no key )?(update|share)/.test(text) && !/skip locked/.test(text) && !ofOne.test(text),
  )
  assert.deepEqual(locking.map(({ name }) => name).toSorted(), [
    'approvals_lock',
    'archive_lock_transfers',
    'auth_end_replaced_sessions',
    'auth_lock_replaced',
    'confirmations_lock',
    'end_all_service_keys',
    'erase_lock',
    'gate_lock_people',
    'gate_lock_programs',
    'gate_write_activity',
    'gate_write_key_use',
    'issuer_end_sessions',
    'ledger_lock_accounts',
    'ledger_lock_drafts',
    'ledger_lock_transfers',
    'payments_keep_texts',
    'sessions_lock_accounts',
  ])
  await client.query('set enable_indexscan = off')
  await client.query('set enable_bitmapscan = off')
  for (const { name, text } of locking) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (generic_plan, format json) ${text}`,
    )
    const { Plan: top } = rows[0]?.['QUERY PLAN'][0] ?? assert.fail()
    const locks = locksIn(top)
    assert.equal(locks.length, 1, name)
    const locked = locks[0]?.Plans?.find((plan) => plan['Parent Relationship'] === 'Outer')
    assert.deepEqual(
      locked?.['Sort Key']?.map((key) => key.replace(/^\w+\./, '')),
      ['id'],
      name,
    )
  }
  await client.query('reset all')
})

test('there are statements to hold', () => assert.ok(ofService.length > 10))

test('the login of the service can become its role and nothing more', async (t) => {
  const service = new pg.Client({ ...login, options: '-c role=strongroom_service' })
  await service.connect()
  t.after(() => service.end())
  await service.query('set role none')
  const { rows } = await service.query(
    'select rolname, rolsuper from pg_roles where rolname = current_user',
  )
  assert.deepEqual(rows, [{ rolname: 'strongroom_login', rolsuper: false }])
  await assert.rejects(service.query('select id from strongroom.users'), { code: '42501' })
  await assert.rejects(service.query('set role strongroom_owner'), { code: '42501' })
})

test('a purge deletes a bounded number of rows, and waits for none that is locked', () => {
  const purges = [...statements.values()].filter(({ name }) => name.includes('purge'))
  assert.equal(purges.length, 16)
  for (const { name, text } of purges)
    assert.ok(text.includes('limit $2 for update skip locked'), name)
})
