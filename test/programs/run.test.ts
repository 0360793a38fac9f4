// The command that runs the tests: nothing that goes wrong in a test file is taken for a success.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { watchLeftovers } from '../support/leftovers.ts'
import { freePort } from '../support/program.ts'

const runner = path.join(import.meta.dirname, '../run.ts')
const good = `import { test } from 'node:test'\ntest('a good one', () => {})\n`

/** Runs such files, the named one among good ones. Gives the exit code and what was printed. */
async function runBeside(t: TestContext, source: string | undefined, more: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-run-'))
  t.after(() => rm(folder, { recursive: true }))
  // More files than processes, so that each process has several.
  for (let at = 0; at < 40; at++) await writeFile(path.join(folder, `${at}.test.mjs`), good)
  if (source !== undefined) await writeFile(path.join(folder, '20.test.mjs'), source)
  const env = { ...process.env, ...more }
  delete env['NODE_TEST_CONTEXT']
  const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
  const arguments_ = [runner, path.join(folder, '*.test.mjs')]
  execFile(process.execPath, arguments_, { env }, (error, text, errors) => {
    resolve({ code: Number(error?.code ?? 0), text: text + errors })
  })
  return promise
}

test('forty files that pass are a success', async (t) => {
  const { code, text } = await runBeside(t, undefined)
  assert.equal(code, 0, text)
  assert.equal(text.match(/^✔ a good one/gm)?.length, 40)
})

const failing = {
  'a test that fails': `${good}test('a bad one', () => { throw new Error('bad') })`,
  'a file that cannot be read': `${good}import './none.mjs'`,
  'an error outside a test': `${good}setTimeout(() => { throw new Error('late') })`,
  'the end of the process with code 0': `${good}test('the end', () => process.exit(0))`,
}
for (const [what, source] of Object.entries(failing)) {
  test(`${what} is no success`, async (t) => {
    const { code, text } = await runBeside(t, source)
    assert.equal(code, 1, text)
  })
}

const waiting = `await new Promise(() => setInterval(() => {}, 1000))`
const hanging = {
  'a test that hangs': [`test('a stuck one', async () => { ${waiting} })`, /✖ a stuck one/],
  'a file that hangs while it is read': [waiting, /not read in time: \S*20\.test\.mjs/],
  'a process that does not end': [`setInterval(() => {}, 1000)`, /does not end: .*Timeout/],
} as const
for (const [what, [source, named]] of Object.entries(hanging)) {
  test(`${what} ends the run, which names it`, { timeout: 200_000 }, async (t) => {
    const { code, text } = await runBeside(t, good + source, { TEST_TIMEOUT_MS: '10000' })
    assert.equal(code, 1, text)
    assert.match(text, named)
    assert.equal(text.match(/^✔ a good one/gm)?.length, 40)
  })
}

test('a pattern that matches no file is no success', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  execFile(process.execPath, [runner, 'none/*.test.ts'], (error) => resolve(error?.code))
  assert.equal(await promise, 1)
})

test('no free port is given twice, though nothing listens on the first one yet', async () => {
  const ports = new Set<number>()
  for (let time = 0; time < 500; time++) ports.add(await freePort())
  assert.equal(ports.size, 500)
})

test('what mocks of a file left is put back behind it, and what it has changed is told', (t) => {
  class Base {
    ask(): number {
      return 1
    }
  }
  class Own extends Base {}
  const removeLeftovers = watchLeftovers()
  t.mock.method(Own.prototype, 'ask').mock.restore()
  assert.ok(Object.hasOwn(Own.prototype, 'ask'), 'Node leaves it')
  removeLeftovers('one.test.ts')
  assert.ok(!Object.hasOwn(Own.prototype, 'ask'))

  process.env['LEFT'] = 'x'
  const [under, over] = [2, 3].map((value) => t.mock.method(Base.prototype, 'ask', () => value))
  under?.mock.restore()
  over?.mock.restore()
  assert.equal(new Own().ask(), 2, 'a mock over another one puts that back')
  assert.throws(() => removeLeftovers('other.test.ts'), {
    message: 'other.test.ts left ask,LEFT changed',
  })
  assert.deepEqual([new Own().ask(), process.env['LEFT']], [1, undefined])
})
