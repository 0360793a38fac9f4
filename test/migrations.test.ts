// A landed migration is never edited: banks that have run it would differ from new ones.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { knownMigrations } from '../src/database/schema/migrations.ts'
import { isPiecemeal, toPieces } from '../src/database/schema/piecemeal.ts'

test('each migration is the file that landed, by its SHA-256', async () => {
  const held = await readFile(new URL('migrations.sha256', import.meta.url), 'utf8')
  const lines = (await knownMigrations()).map(
    ({ name, sha256 }) => `${sha256}  migrations/${name}.sql\n`,
  )
  for (const line of lines) {
    const hint = `a new file: add this line to test/migrations.sha256; one that landed: undo its edit`
    assert.ok(held.includes(line), `${hint}\n${line}`)
  }
  assert.equal(held, lines.join(''), 'no file that landed is gone')
})

/** The last one of the releases before this rule. */
const lastWithout = '0049_ended_orders'

/** Tables that a migration may read or write as a whole while it holds them locked. */
const small: Record<string, string> = {
  bank_generation: 'one row',
  bank_calendars: 'a row per calendar that the bank has had',
  bank_time_zones: 'a row per time zone that the bank has had',
  signing_keys: 'a row per quarter',
  migrations: 'a row per file',
}

/** Statements of a file that runs piece by piece: each does nothing where it is done already. */
const resumable = [
  /^create (unique )?index concurrently if not exists \w+ on /,
  /^drop index concurrently if exists /,
  /^drop table if exists /,
  /^alter table \w+ validate constraint \w+;$/,
  /^do \$\$ begin if exists [^;]+ then alter table \w+ validate [^;]+; end if; end \$\$;$/,
  /^do \$\$[^]* commit;\s[^]*\$\$;$/,
]

/** In an ALTER TABLE: PostgreSQL reads or writes each row behind the strongest of all locks. */
const readsAllRows = new RegExp(
  '\\b(check|references|foreign key|unique|primary key|exclude|validate constraint|' +
    'set not null|type|default (?!now\\b)\\w+(?=\\()|generated always as (?!identity))\\b',
)
/** A constraint that is not valid is held by new rows alone; an index makes one without a read. */
const readsNoRow = / not valid\b| using index /

/** Why a statement keeps requests waiting on a bank with many rows; undefined: it does not. */
function judgeStatement(statement: string, made: ReadonlySet<string>): string | undefined {
  const of = (pattern: RegExp) => {
    const table = pattern.exec(statement)?.[1]
    return table !== undefined && !made.has(table) && !Object.hasOwn(small, table)
  }
  if (of(/^create (?:unique )?index [^]*? on (\w+)/)) return 'an index is built piece by piece'
  if (of(/^(?:update|delete from) (\w+)/)) return 'rows are filled in piece by piece'
  if (/^(cluster|vacuum full|reindex|refresh materialized view)\b/.test(statement)) {
    return 'it rewrites a table'
  }
  // Each action by itself: commas in parentheses belong to it.
  const actions = statement.replace(/\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, '()').split(',')
  const reads = actions.some((action) => readsAllRows.test(action) && !readsNoRow.test(action))
  if (of(/^alter table (?:only )?(\w+)/) && reads) return 'add it NOT VALID, and validate it later'
  return undefined
}

/** What is wrong with the file. */
function judgeFile(text: string): string[] {
  const pieces = toPieces(text)
  if (isPiecemeal(text)) {
    return pieces
      .filter((piece) => !resumable.some((each) => each.test(piece.replace(/\s+/g, ' '))))
      .map((piece) => `not resumable, or locks a table: ${piece}`)
  }
  const made = new Set(pieces.map((piece) => /^create table (\w+)/.exec(piece)?.[1] ?? ''))
  return pieces.flatMap((piece) => {
    const why = judgeStatement(piece, made)
    return why === undefined ? [] : [`${why}: ${piece}`]
  })
}

test('no new migration keeps requests waiting while it reads or writes a table that may be large', async () => {
  for (const { name } of await knownMigrations()) {
    if (name <= lastWithout) continue
    const text = await readFile(new URL(`../migrations/${name}.sql`, import.meta.url), 'utf8')
    assert.deepEqual(judgeFile(text), [], name)
  }
})

const piecemeal = '-- piece by piece\n'
const guarded = `${piecemeal}do $$ begin if exists (b) then`
const judged: [text: string, isRefused: boolean][] = [
  ['create index a on transfers (id);', true],
  ['create unique index a\n  on transfers (id);', true],
  ['create index a on migrations (name);', false],
  ['create table a (id uuid);\ncreate index b on a (id);', false],
  ['alter table entries add column a bytea;', false],
  ['alter table entries add column a int not null default 0, add b text;', false],
  ['alter table entries add a bytea constraint b check (octet_length(a) = 32);', true],
  [
    'alter table entries add a bytea, add constraint b check (length(a) in (1, 2)) not valid;',
    false,
  ],
  [
    'alter table entries\n  add constraint a check (b > 0) not valid,\n  add c int check (c > 0);',
    true,
  ],
  ['alter table entries add a uuid references users;', true],
  ['alter table entries add a uuid not null default gen_random_uuid();', true],
  [
    'alter table entries\n  -- Check;\n  add a timestamptz default now(), -- unique\n  add b int;',
    false,
  ],
  ['alter table entries alter column amount type numeric;', true],
  ['alter table entries alter a set not null;', true],
  ['alter table entries validate constraint a;', true],
  ['alter table entries drop constraint a;', false],
  ['update accounts set a = 1;', true],
  ['create function a() returns trigger as $$ begin update accounts set a = 1; end $$;', false],
  [`${piecemeal}create index concurrently if not exists a on transfers (id);`, false],
  [`${piecemeal}create index concurrently a on transfers (id);`, true],
  [`${piecemeal}create index if not exists a on transfers (id);`, true],
  [`${piecemeal}alter table entries validate constraint a;`, false],
  [`${piecemeal}alter table entries add a int;`, true],
  [`${guarded} alter table c validate constraint d; end if; end $$;`, false],
  [`${guarded} alter table c add check (d > 0); end if; end $$;`, true],
  [`${piecemeal}do $$ begin update accounts set a = 1; commit; end $$;`, false],
  [`${piecemeal}do $$ begin update accounts set a = 1; end $$;`, true],
]

test('what keeps requests waiting is known by its statement', () => {
  for (const [text, isRefused] of judged) {
    assert.equal(judgeFile(text).length > 0, isRefused, text)
  }
})
