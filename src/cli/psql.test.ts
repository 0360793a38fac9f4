// The prompt on the database: what it reads, and what it never writes.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scene, transferBody } from '../../test/support/fixture.ts'
import { toUrl } from '../../test/support/database.ts'
import { inheritedVariables } from '../../test/support/program.ts'
import type { World } from '../../test/support/world.ts'
import type { LocalAddress } from '../database/connections/connect.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

/** Runs the command with that on its standard input. */
async function psql({ address }: Pick<World, 'address'>, args: readonly string[], input = '') {
  const url = toUrl(address as LocalAddress)
  const env = { ...inheritedVariables(), STRONGROOM_DATABASE_URL: url }
  const child = spawn(process.execPath, [bin, 'psql', ...args], { env, stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...said }
}

test('the questions of "Investigating a payment" are answered as the document prints them', async (t) => {
  const made = await scene(t)
  const paid = await made.ada.post('/api/v1/transfers', transferBody(made.from, made.to, '12.34'))
  const records = await readFile(new URL('../../docs/RECORDS.md', import.meta.url), 'utf8')
  const section = records.slice(records.indexOf('## Investigating a payment'))
  const questions = [...section.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => String(sql))
  assert.equal(questions.length, 3)
  const lines = [`\\set transfer '${paid.body.id}'`, ...questions, '\\d accounts', '\\q'].join('\n')
  const { code, out, err } = await psql(made, [], lines)
  assert.deepEqual([code, err], [0, ''], 'no terminal is told how to go on')
  const [which = '', others = '', events = '', columns = ''] = out.split(/\(\d+ rows?\)\n/)
  assert.match(which, new RegExp(`login_at.*\n${paid.body.id}  transfer  2026-`))
  assert.match(others, /1234/)
  assert.match(events, /login .*success/)
  assert.match(columns, /^owner_id +uuid/m)
})

test('without the word of the owner nothing that is typed can write, and what was opened is on record', async (t) => {
  const made = await scene(t)
  const change = `update accounts set name = 'x' where id = '${made.from}'`
  const writing = [
    change,
    `insert into audit_events select * from audit_events limit 1`,
    `select 1; ${change}`,
    `set transaction read write`,
    `do $$ begin set local transaction_read_only = off; ${change}; end $$`,
    `do $$ begin reset role; ${change}; end $$`,
    `create table strongroom.mine (id int)`,
    `select setval('migrations_id_seq', 1)`,
  ]
  for (const statement of writing) {
    const { code, out, err } = await psql(made, ['-c', statement])
    assert.deepEqual([code, out, err.split('\n').length], [1, '', 2], `${statement}: ${err}`)
  }
  // One after the other: no statement leaves a transaction for the next one.
  for (const first of [
    'commit;',
    'commit and chain;',
    'reset role;',
    'set session characteristics as transaction read write;',
  ]) {
    const input = `${first}\nset transaction read write;\n${change};\n`
    assert.equal((await psql(made, [], input)).code, 1, first)
  }
  const refused = await psql(made, ['--owner', '-c', change], 'yes\n')
  assert.deepEqual([refused.code, refused.out], [2, ''])
  assert.match(refused.err, /Type owner to go on\.\nNothing was opened\.\n$/)
  const changed = `select from accounts where name = 'x'`
  assert.equal((await made.sql(changed)).rows.length, 0)

  const owner = await psql(made, ['--owner', '-c', change], 'owner\n')
  assert.deepEqual([owner.code, owner.out], [0, 'UPDATE 1\n'], owner.err)
  assert.equal((await made.sql(changed)).rows.length, 1)
  const { rows } = await made.sql(
    `select detail, count(*)::int from audit_events where action = 'openPrompt' group by 1 order by 1`,
  )
  assert.deepEqual(rows, [
    { detail: 'to read', count: writing.length + 4 },
    { detail: 'with the rights of the owner', count: 1 },
  ])
})

test('what a terminal would obey is not printed, and a row can be read downwards', async (t) => {
  const made = await scene(t)
  const { out } = await psql(made, [], `\\x\nselect E'a\\u001b[31mb' as name, null as none;\n`)
  assert.equal(out, 'row 1\nname   a?[31mb\nnone\n(1 row)\n')
})
