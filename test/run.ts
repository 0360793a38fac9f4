// Runs the test files that the patterns name in a few processes. A process that has started one
// service starts the next in a quarter of the time. `node --test FILE` runs one file by itself.
import { randomInt } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** More than cores: tests wait for the database and for each other's locks. */
const concurrency = Number(process.env['TEST_PROCESSES'] ?? 5)

/**
 * Of each test, and of the end of a process behind its last test. The longest test takes 20 s on
 * two free cores, and ten times as long on busy ones; one may set a time-out of its own.
 */
const testTimeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? 300_000)

const isNightly = process.env['NIGHTLY'] === '1'
/** The nightly run has those files alone of which a run of other days takes a sample. */
const isWanted = (file: string): boolean =>
  !isNightly || /\/sample\.ts|assertAccessibleEverywhere/.test(readFileSync(file, 'utf8'))

const runFiles = new URL('support/run-files.ts', import.meta.url).href
const files = globSync(process.argv.slice(2))
  .filter(isWanted)
  .map((file) => ({ file, size: statSync(file).size }))
  // The largest first: at the end, no process has much more to do than the others.
  .toSorted((one, other) => other.size - one.size)
  .map(({ file }) => pathToFileURL(path.resolve(file)).href)
if (files.length === 0) throw new Error('No test file matches.')
process.env['SAMPLE_SEED'] ??= String(randomInt(2 ** 31))
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-groups-'))

type Place = { name: string; file?: string | undefined; line?: number | undefined }
type Running = { what: string; since: number }
const underWay = new Map<string, Running>()
const toKey = ({ name, file, line }: Place) => `${file}:${line} ${name}`

function begun(test: Place): void {
  const { name, file, line } = test
  if (file === undefined || file.startsWith(folder)) return
  const at = file.startsWith('file:') ? fileURLToPath(file) : file
  const what = `${path.relative('', at)}:${line} ${name}`
  underWay.set(toKey(test), { what, since: performance.now() })
}

/** What was under way, for a run that is ended from outside; the longest first. */
function tellRunning(signal: NodeJS.Signals): void {
  const now = performance.now()
  const lines = [...underWay.values()].map(
    ({ what, since }) => `  ${((now - since) / 1000).toFixed(1)} s  ${what}\n`,
  )
  process.stderr.write(`\nended by ${signal}; under way were\n${lines.join('')}`)
}

try {
  const text = `import { runFiles } from '${runFiles}'
runFiles(${JSON.stringify(files)}, ${JSON.stringify(folder)}, ${testTimeoutMs})
`
  const processes = Array.from({ length: concurrency }, (_, index) =>
    path.join(folder, `${index + 1}.mjs`),
  )
  for (const name of processes) await writeFile(name, text)
  const globalSetupPath = path.join(import.meta.dirname, 'global-setup.ts')
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The second one ends it as usual.
    process.once(signal, () => {
      process.exitCode = 1
      tellRunning(signal)
      ending.abort()
    })
  }
  // The types of Node do not know the global set-up yet.
  const { signal } = ending
  const options = { files: processes, concurrency, globalSetupPath, timeout: testTimeoutMs, signal }
  const events = run(options)
  events.on('test:dequeue', begun)
  events.on('test:complete', (test) => void underWay.delete(toKey(test)))
  events.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text as string)
  if (!isNightly) process.stdout.write(`samples: SAMPLE_SEED=${process.env['SAMPLE_SEED']}\n`)
} finally {
  await rm(folder, { recursive: true })
}
