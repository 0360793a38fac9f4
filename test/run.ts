// Runs the test files that the patterns name in a few processes. A process that has started one
// service starts the next in a quarter of the time. `node --test FILE` runs one file by itself.
import { globSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

/** More than cores: tests wait for the database and for each other's locks. */
const concurrency = 5

/**
 * Of each test, and of the end of a process behind its last test. The longest test takes 20 s on
 * two free cores, and ten times as long on busy ones; one may set a time-out of its own.
 */
const testTimeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? 300_000)

const runFiles = new URL('support/run-files.ts', import.meta.url).href
const files = globSync(process.argv.slice(2))
  .map((file) => ({ file, size: statSync(file).size }))
  // The largest first: at the end, no process has much more to do than the others.
  .toSorted((one, other) => other.size - one.size)
  .map(({ file }) => pathToFileURL(path.resolve(file)).href)
if (files.length === 0) throw new Error('No test file matches.')
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-groups-'))
try {
  const text = `import { runFiles } from '${runFiles}'
runFiles(${JSON.stringify(files)}, ${JSON.stringify(folder)}, ${testTimeoutMs})
`
  const processes = Array.from({ length: concurrency }, (_, index) =>
    path.join(folder, `${index + 1}.mjs`),
  )
  for (const name of processes) await writeFile(name, text)
  const globalSetupPath = path.join(import.meta.dirname, 'global-setup.ts')
  // The types of Node do not know the global set-up yet.
  const options = { files: processes, concurrency, globalSetupPath, timeout: testTimeoutMs }
  const events = run(options)
  events.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text as string)
} finally {
  await rm(folder, { recursive: true })
}
