// Runs the test files that the patterns name, several to a process. A process that has started one
// service starts the next in a quarter of the time. `node --test FILE` runs one file by itself.
import { globSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

const groupCount = 16
/** More than cores: tests wait for the database and for each other's locks. */
const concurrency = 5

/** Distributes the files by size, so that the groups take about the same time. */
async function toGroups(files: string[]): Promise<string[][]> {
  const sized = await Promise.all(files.map(async (file) => ({ file, ...(await stat(file)) })))
  const groups = Array.from({ length: groupCount }, (): string[] => [])
  for (const [at, { file }] of sized.toSorted((a, b) => b.size - a.size).entries()) {
    groups[at % groupCount]?.push(file)
  }
  return groups
}

const wholeGroup = new URL('support/whole-group.ts', import.meta.url).href
const files = globSync(process.argv.slice(2))
if (files.length === 0) throw new Error('No test file matches.')
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-groups-'))
try {
  const groups = (await toGroups(files)).map(async (group, index) => {
    const urls = group.map((file) => pathToFileURL(path.resolve(file)).href)
    const text = `import { readAll } from '${wholeGroup}'\nreadAll(${JSON.stringify(urls)})\n`
    const name = path.join(folder, `${index + 1}.mjs`)
    await writeFile(name, text)
    return name
  })
  const globalSetupPath = path.join(import.meta.dirname, 'global-setup.ts')
  // The types of Node do not know the global set-up yet.
  const options = { files: await Promise.all(groups), concurrency, globalSetupPath }
  const events = run(options)
  events.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text as string)
} finally {
  await rm(folder, { recursive: true })
}
