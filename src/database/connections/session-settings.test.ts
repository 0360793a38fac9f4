// Defaults of a server, a database or a role that the service does not expect change none of its
// answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import {
  assertSound,
  patiently,
  readBalance,
  sceneIn,
  transferBody,
} from '../../../test/support/fixture.ts'
import { world } from '../../../test/support/world.ts'
import { provision } from '../../gate/provision.ts'
import { clientOptions } from './connect.ts'
import { requireFit } from '../schema/judge-schema.ts'
import { migrate } from '../schema/migrate.ts'

/** Another value than the usual one, of each setting that a connection sets for itself. */
const odd: Record<string, string> = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Tokyo',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  lc_monetary: 'C.UTF-8',
  lc_numeric: 'C.UTF-8',
  lc_time: 'C.UTF-8',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  'plpgsql.extra_errors': 'all',
  default_transaction_isolation: 'serializable',
  gin_fuzzy_search_limit: '1',
  exit_on_error: 'on',
  idle_session_timeout: '1',
  synchronous_commit: 'off',
  jit: 'on',
  search_path: 'pg_catalog',
  statement_timeout: '1',
  lock_timeout: '1',
  idle_in_transaction_session_timeout: '1',
}

/** Other values of settings that a connection leaves as they are. */
const oddAndLeft: Record<string, string> = {
  // No statement uses what they are about.
  default_text_search_config: 'pg_catalog.english',
  xmlbinary: 'hex',
  xmloption: 'document',
  row_security: 'off',
  timezone_abbreviations: 'India',
  icu_validation_level: 'error',
  // They change what PostgreSQL says beside its answers, or which order it may choose.
  client_min_messages: 'debug1',
  escape_string_warning: 'off',
  md5_password_warnings: 'off',
  synchronize_seqscans: 'off',
  debug_parallel_query: 'regress',
  // They matter to what is made: the schema is the same.
  check_function_bodies: 'off',
  createrole_self_grant: 'set, inherit',
  default_transaction_deferrable: 'on',
}

/** Settings of an operator: where data lie, how long work may take, and who may write. */
const operators = [
  'client_encoding', // the driver sets it
  'dynamic_library_path',
  'extension_control_path',
  'local_preload_libraries',
  'session_preload_libraries',
  'default_table_access_method',
  'default_tablespace',
  'default_toast_compression',
  'temp_tablespaces',
  'gin_pending_list_limit',
  'lc_messages', // no text of an error is read
  'event_triggers',
  'default_transaction_read_only', // writes are refused with 503
  'restrict_nonsystem_relation_kind', // the start names it
  'transaction_timeout', // unknown to PostgreSQL 16
  'transaction_deferrable', // these three hold within a transaction only
  'transaction_isolation',
  'transaction_read_only',
  'lo_compat_privileges', // there are no large objects
]
const judged = ['session_replication_role', 'ignore_checksum_failure', 'zero_damaged_pages']
/** Settings of these categories change how fast an answer is, or what is logged of it. */
const harmless = [
  'Query Tuning',
  'Resource Usage',
  'Reporting and Logging',
  'Statistics',
  'Vacuuming',
  'Lock Management',
  'Replication',
  'Connections and Authentication',
  'Write-Ahead Log',
  'Developer Options',
]

test('each default of PostgreSQL that could change an answer is set by the connection, judged, or known to be harmless', async (t) => {
  const { sql } = await bank(t)
  const rows = await sql(
    `select name, category from pg_settings
     where context in ('user', 'superuser', 'backend', 'superuser-backend')`,
  )
  const known = [...Object.keys(odd), ...Object.keys(oddAndLeft), ...operators, ...judged]
  const unknown = rows.filter(
    ({ name, category }) =>
      !known.includes(String(name).toLowerCase()) &&
      !harmless.some((each) => String(category).startsWith(each)),
  )
  assert.deepEqual(unknown, [])
})

async function setOdd(sql: (text: string) => Promise<unknown>, on: string): Promise<void> {
  for (const [name, value] of Object.entries({ ...odd, ...oddAndLeft }))
    await sql(`alter ${on} set ${name} = ${name === 'search_path' ? value : `'${value}'`}`)
}

test('a connection has its own value of each of these settings, whatever the database and the role say', async (t) => {
  const { address, sql } = await bank(t)
  const [found] = await sql('select current_database() as name')
  const read = async (names: readonly string[]) => {
    const client = new pg.Client(clientOptions(address, undefined))
    await client.connect()
    const texts = names.map((name) => `current_setting('${name}') as "${name}"`)
    const { rows } = await client.query(`select ${texts.join(', ')}`)
    await client.end()
    return rows[0] as Record<string, string>
  }
  await sql('do $$ begin end $$')
  const before = await read(Object.keys(odd))
  await setOdd(sql, `database ${String(found?.['name'])}`)
  assert.deepEqual(await read(Object.keys(odd)), before)
  for (const [name, value] of Object.entries(odd)) assert.notEqual(before[name], value, name)
  const left = await read(['check_function_bodies', 'client_min_messages'])
  assert.deepEqual(Object.values(left), ['off', 'debug1'], 'the odd defaults do not hold')
})

test('on a database with odd defaults the schema is made and fits, and money, lists, searches, files and the proof of the books are right', async (t) => {
  const made = await world(t)
  const [row] = (await made.sql('select current_database() as name')).rows
  await setOdd(made.sql, `database ${String(row?.['name'])}`)
  // All connections of the service begin anew.
  await made.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const { ada, root, from, to } = await sceneIn(made)
  const post = (path: string, body: object) => patiently(() => ada.post(path, body))
  assert.equal((await post('/api/v1/transfers', transferBody(from, to, '10.00'))).status, 201)
  const payee = { name: "O'Neill / Söhne", iban: 'DE89370400440532013000' }
  const added = await post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  assert.equal(added.status, 201, added.text)
  const elsewhere = {
    amount: '2.50',
    currency: 'EUR',
    fromAccountId: from,
    beneficiaryId: added.body.id,
  }
  const sent = await post('/api/v1/transfers', elsewhere)
  assert.equal(sent.status, 201, sent.text)
  assert.equal((await post(`/api/v1/accounts/${from}/cards`, {})).status, 201)
  assert.equal(await readBalance(ada, from), '87.50')
  const history = `/api/v1/accounts/${from}/transactions`
  for (const query of [
    '',
    '?from=2026-01-01',
    '?minAmount=1.00&maxAmount=20.00',
    '?kind=deposit',
  ]) {
    const { status, body, text } = await ada.get(`${history}${query}`)
    assert.equal(status, 200, text)
    assert.ok(body.items.length > 0, query)
    assert.match(body.items[0].createdAt, /^2026-\d\d-\d\dT/)
  }
  for (const format of ['csv', 'pdf', 'camt053', 'json']) {
    const file = `/api/v1/accounts/${from}/statement?from=2026-01-01&to=2026-01-31&format=${format}`
    assert.equal((await ada.get(file)).status, 200, format)
  }
  for (const path of [
    '/api/v1/admin/audit-events',
    '/api/v1/admin/users?search=ada',
    '/api/v1/events',
  ])
    assert.equal((await root.get(path)).status, 200, path)
  assert.equal((await made.send('GET', '/readyz')).status, 200)
  await made.another()
  await assertSound(made)

  await made.sql('drop schema strongroom cascade')
  assert.ok((await migrate(made.address)).length > 0)
  await provision(made.address, made.clock.now())
  await requireFit(made.address)
  assert.deepEqual(await migrate(made.address), [])
})

test('a database whose triggers are switched off, or whose damage is hidden, is refused with the setting that does it', async (t) => {
  const { address, sql } = await bank(t)
  const [found] = await sql('select current_database() as name')
  const values = {
    session_replication_role: 'replica',
    ignore_checksum_failure: 'on',
    zero_damaged_pages: 'on',
  }
  for (const [name, value] of Object.entries(values)) {
    await sql(`alter database ${String(found?.['name'])} set ${name} = ${value}`)
    const message = new RegExp(`^PostgreSQL's setting ${name} is ${value}, which .+: set it to `)
    await assert.rejects(migrate(address), { message })
    await sql(`alter database ${String(found?.['name'])} reset ${name}`)
  }
  await migrate(address)
})
