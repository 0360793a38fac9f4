// A small run of the benchmark: shows that it still works, so that it does when figures are needed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { samplesOf } from '../support/sample.ts'
import { CannotRun, type Case, runCases, type Settings, type Variant } from '../../bench/harness.ts'

const run = promisify(execFile)
const bench = fileURLToPath(new URL('../../bench/bench.ts', import.meta.url))

type Row = { case: string; variant: string; median: number; ratio: number; refused: number }

/** The rows of the tables under their headings. */
const readRows = (text: string): Row[] =>
  text
    .split('### ')
    .slice(1)
    .flatMap((section) => {
      const [heading = '', , first = '', , ...lines] = section.trimEnd().split('\n')
      const toCells = (line: string) => line.split('|').map((cell) => cell.trim())
      const columns = toCells(first)
      return lines
        .filter((line) => line.startsWith('|'))
        .map((line) => {
          const cells = toCells(line)
          const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
          const toNumber = (name: string) => Number.parseFloat(cell(name).replaceAll(' ', ''))
          return {
            case: heading,
            variant: cell('variant'),
            median: toNumber('median'),
            ratio: toNumber('ratio'),
            refused: toNumber('refused'),
          }
        })
    })

/** All files of the benchmark are below this folder. It is not deep: socket paths are short. */
async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  // As root, PostgreSQL runs under another account, which needs to pass through this folder.
  await chmod(folder, 0o711)
  return folder
}

/** How many rows of a case have a baseline. */
const comparedCounts = { reads: 8, transfers: 9, lists: 0 }

test('the benchmark measures its cases, prints its rows and removes its files', async (t) => {
  const folder = await openFolder(t)
  const env = { ...process.env, TMPDIR: folder }
  const cases = [...samplesOf(t)(['reads', 'transfers'], 1), 'lists']
  const { stdout } = await run(process.execPath, [bench, ...cases, '--tiny'], { env })
  const rows = readRows(stdout)
  assert.deepEqual([...new Set(rows.map((row) => row.case))], cases)
  for (const { variant, median } of rows) {
    // A file may need no memory that the idle service does not hold.
    assert.ok(median > 0 || variant.startsWith('a file'), variant)
  }
  const isCompared = /^(product|uniform|hot|service|plain)/
  const compared = rows.filter(({ variant }) => isCompared.test(variant))
  const counts = cases.map((name) => comparedCounts[name as keyof typeof comparedCounts])
  assert.equal(
    compared.length,
    counts.reduce((sum, count) => sum + count, 0),
  )
  for (const { variant, ratio, refused } of compared) {
    assert.ok(ratio > 0, variant)
    assert.ok(variant.includes('refused') || refused === 0, variant)
  }
  assert.deepEqual(await readdir(folder), [])
})

const settings: Settings = {
  rounds: 1,
  seconds: 0,
  connections: [],
  variants: /./,
  isLarge: false,
  isTiny: true,
  profile: '',
}
const works: Variant = { name: 'works', main: 'seconds', measure: async () => ({ seconds: 1 }) }
const toCase =
  (variant: Variant): Case =>
  async () => ({ variants: [variant], close: async () => {} })

test('a case that needs a program is left out in one line where none is installed, and the others are measured', async () => {
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const away: Case = () => Promise.reject(new CannotRun('no redis-server: apt-get install it'))
  const cases = { away, whole: toCase(works) }
  const clear = async () => say('cleared')
  assert.equal(await runCases(cases, settings, { print: say, report: say }, clear), 0)
  assert.ok(said.includes('away is left out: no redis-server: apt-get install it'), said.join('\n'))
  assert.ok(said.some((text) => text.includes('### whole')))
})

test('a case that fails is told after what it has measured, is cleared away, and does not end the others', async () => {
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const breaks: Variant = { ...works, measure: () => Promise.reject(new Error('no room')) }
  const unproven: Case = async () => ({
    variants: [works],
    close: () => Promise.reject(new Error('no proof')),
  })
  const cases = { broken: toCase(breaks), unproven, whole: toCase(works) }
  const printing = { print: say, report: say }
  const clear = async () => say('cleared')
  assert.equal(await runCases(cases, settings, printing, clear), 2)
  const kinds = said.map((text) => /failed: Error: no \w+|cleared|### [a-z]+/.exec(text)?.[0])
  assert.deepEqual(
    kinds.filter((kind) => kind !== undefined),
    [
      '### broken',
      'failed: Error: no room',
      'cleared',
      '### unproven',
      'failed: Error: no proof',
      'cleared',
      '### whole',
    ],
  )
  const table = said.find((text) => text.includes('### unproven'))
  assert.match(table ?? '', /works/)
})
