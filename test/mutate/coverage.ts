// Which test file runs which characters of which source file, as V8 counts it. Measured once for
// the text of all sources and tests, and kept beside the installed packages.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFilesName } from './page-files.ts'
import { runTest } from './run-test.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const kept = path.join(root, 'node_modules/.cache/mutate/coverage.json')

/** Where the sources are that can be changed. */
export const sourcePattern = '{src,demo,client/cli,portal/src}/**/*.ts'

type Span = readonly [start: number, end: number]
export type Covered = {
  /** How long the test file takes when nothing is wrong, in milliseconds. */
  durationMs: number
  /** By source file, what runs. */
  spans: Record<string, Span[]>
}
export type Coverage = Record<string, Covered>

type Report = {
  result: {
    url: string
    functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[]
  }[]
}

/**
 * What was measured for these very texts, else measured now. A test file that fails is left out.
 *
 * @param patterns which test files there are
 * @param jobs how many of them run at the same time
 */
export async function coverage(
  patterns: readonly string[],
  jobs: number,
  say: (line: string) => void,
): Promise<Coverage> {
  const digest = createHash('sha256').update(JSON.stringify(patterns))
  const texts = [sourcePattern, '{test,migrations,portal/test}/**/*.{ts,sql}']
  for (const file of globSync(texts, { cwd: root }).toSorted()) {
    if (!file.startsWith('test/mutate/')) digest.update(readFileSync(path.join(root, file)))
  }
  const key = digest.digest('hex')
  const found = await readFile(kept, 'utf8').catch(() => '{}')
  const known = JSON.parse(found) as { key?: string; tests?: Coverage }
  if (known.key === key && known.tests) return known.tests
  const tests: Coverage = {}
  const queue = globSync(patterns, { cwd: root }).toSorted()
  async function work(): Promise<void> {
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      const covered = await measure(file)
      say(`${file}: ${covered ? `${(covered.durationMs / 1000).toFixed(1)} s` : 'fails, left out'}`)
      if (covered) tests[file] = covered
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  await mkdir(path.dirname(kept), { recursive: true })
  await writeFile(kept, JSON.stringify({ key, tests }))
  return tests
}

async function measure(file: string): Promise<Covered | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-coverage-'))
  try {
    const run = await runTest(file, { env: { NODE_V8_COVERAGE: folder }, timeoutMs: 300_000 })
    if (run.outcome !== 'passed') return undefined
    const spans: Record<string, Span[]> = {}
    for (const name of await readdir(folder)) {
      const text = await readFile(path.join(folder, name), 'utf8')
      if (name === readFilesName) {
        for (const read of text.trimEnd().split('\n')) spans[read] = [[0, Number.MAX_SAFE_INTEGER]]
        continue
      }
      for (const { url, functions } of (JSON.parse(text) as Report).result) {
        const source = url.startsWith('file:') ? path.relative(root, fileURLToPath(url)) : ''
        if (!path.matchesGlob(source, sourcePattern)) continue
        spans[source] = [...(spans[source] ?? []), ...executed(functions.flatMap((f) => f.ranges))]
      }
    }
    return { durationMs: run.durationMs, spans }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Ranges come from the outside in: the count of an inner one holds in place of the outer one's. */
function executed(ranges: Report['result'][0]['functions'][0]['ranges']): Span[] {
  const length = Math.max(0, ...ranges.map(({ endOffset }) => endOffset))
  const counts = new Uint8Array(length + 1)
  for (const { startOffset, endOffset, count } of ranges) {
    counts.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  const spans: Span[] = []
  let start = -1
  for (const [at, count] of counts.entries()) {
    if (count === 1 && start < 0) start = at
    if (count === 0 && start >= 0) {
      spans.push([start, at])
      start = -1
    }
  }
  return spans
}

export type Place = { file: string; at: number }

export const isRun = ({ spans }: Covered, { file, at }: Place): boolean =>
  (spans[file] ?? []).some(([start, end]) => start <= at && at < end)
