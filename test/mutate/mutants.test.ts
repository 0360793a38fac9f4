import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'acorn'
import { bundled } from '../../portal/test/bundled-support.ts'
import { sourcePattern } from './coverage.ts'
import { mutantsIn } from './mutants.ts'
import { readFilesName } from './page-files.ts'
import { sqlChanges } from './sql-changes.ts'

const changed = (source: string): string[] =>
  mutantsIn('a.ts', source).map(({ start, end, text }) => {
    return source.slice(0, start) + text + source.slice(end)
  })

test('comparisons, conditions, calls, fallbacks and constants are changed one at a time', () => {
  assert.deepEqual(changed('if (a as number >= 2) b(c ?? refuse())'), [
    'if (true) b(c ?? refuse())',
    'if (false) b(c ?? refuse())',
    'if (a as number > 2) b(c ?? refuse())',
    'if (a as number >= 3) b(c ?? refuse())',
    'if (a as number >= 2) void 0',
    'if (a as number >= 2) b(c)',
  ])
  assert.deepEqual(changed('const d = !e && f.filter(g)'), [
    'const d = e && f.filter(g)',
    'const d = !e || f.filter(g)',
    'const d = !e && f',
  ])
})

test('a mutant knows the constant it is in, not the function', () => {
  const [first, second] = mutantsIn('a.ts', 'export const limit = 3\nconst f = () => 4\n')
  assert.equal(first?.constant, 'limit')
  assert.equal(second?.constant, undefined)
  assert.equal(second?.line, 2)
})

test('conditions, locks, order, bounds and conflict clauses of SQL are changed one at a time', () => {
  const text = `select a from b where c = $1 and d between 1 and $2 and e < $3
    order by a desc for no key update skip locked`
  const changes = sqlChanges(text).map((change) => [
    change.kind,
    text.slice(change.start, change.end),
    change.text,
  ])
  assert.deepEqual(changes, [
    ['SQL no lock', ' for no key update skip locked', ''],
    ['SQL no skip', ' skip locked', ''],
    ['SQL < to <=', '<', '<='],
    ['SQL order', ' desc', ''],
    ['SQL constant', '1', '2'],
    ['SQL no condition', 'c = $1', '(c = $1 or true)'],
    ['SQL no condition', 'd between 1 and $2', '(d between 1 and $2 or true)'],
    ['SQL no condition', 'e < $3', '(e < $3 or true)'],
  ])
  assert.deepEqual(
    sqlChanges('insert into a values ($1) on conflict (b) do nothing').map(({ kind }) => kind),
    ['SQL no conflict clause'],
  )
  assert.deepEqual(sqlChanges('no statement and no more'), [])
})

test('every mutant of the sources is a program', () => {
  const files = globSync('{src/{gate,ledger,audit},portal/src/{calls,state}}/**/*.ts').filter(
    (file) => !/\.test\./.test(file),
  )
  let count = 0
  for (const file of files) {
    const source = readFileSync(file, 'utf8')
    const script = stripTypeScriptTypes(source)
    for (const { start, end, text } of mutantsIn(file, source).filter(
      (_, index) => index % 7 === 0,
    )) {
      const options = { ecmaVersion: 'latest', sourceType: 'module' } as const
      const mutant = script.slice(0, start) + text + script.slice(end)
      assert.doesNotThrow(() => parse(mutant, options), `${file} at ${start}: ${text}`)
      count++
    }
  }
  assert.ok(count > 100)
})

test("a test's bundle of the page has the mutant in it, and tells which files it has read", async (t) => {
  const file = 'portal/src/state/cell.ts'
  assert.ok(path.matchesGlob(file, sourcePattern))
  const [mutant] = mutantsIn(file, readFileSync(file, 'utf8'))
  assert.equal(mutant?.constant, 'isDue')
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-mutants-'))
  t.after(() => rm(folder, { recursive: true }))
  const bundle = async (given: Record<string, string>): Promise<string> => {
    Object.assign(process.env, given)
    const script = await bundled({ modules: ['state/cell.ts'], scripts: '', format: 'esm' })
    for (const name of Object.keys(given)) delete process.env[name]
    return script
  }
  const whole = await bundle({})
  assert.match(whole, /isDue = false/)
  const changedScript = await bundle({ MUTANT: JSON.stringify(mutant) })
  assert.equal(changedScript, whole.replace('isDue = false', 'isDue = true'))
  assert.equal(await bundle({ NODE_V8_COVERAGE: folder }), whole)
  assert.equal(readFileSync(path.join(folder, readFilesName), 'utf8'), `${file}\n`)
})
