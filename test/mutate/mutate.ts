// `npm run mutate -- [path…] [--sample 400] [--seed 1] [--jobs 2] [--minimum 95]`: changes one
// thing of the sources at a time and runs the tests that cover it. The tree on disk is not changed.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { clusterVariable, startCluster } from '../support/database.ts'
import { createRandom } from '../support/random.ts'
import { type Coverage, coverage, isRun, type Place, root, sourcePattern } from './coverage.ts'
import { type Mutant, mutantsIn } from './mutants.ts'
import { runTest } from './run-test.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    /** So many of the sample were judged by an earlier run that was stopped. */
    skip: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    /** The share of mutants that has to be noticed, in percent: exit code 1 below. */
    minimum: { type: 'string', default: '95' },
    /** What the test files of one mutant may take, in percent of the time of all test files. */
    budget: { type: 'string', default: '30' },
    /** The test files, as patterns. */
    tests: { type: 'string', multiple: true, default: ['{src,test,client/cli}/**/*.test.ts'] },
  },
})
const read = (name: Exclude<keyof typeof options, 'tests'>): number =>
  Number.parseInt(options[name], 10)

const rooms = ['gate', 'audit', 'ledger', 'http', 'database', 'features/auth']
const hooks = new URL('hooks.ts', import.meta.url).href
const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Verdict = {
  mutant: Mutant
  noticedBy: string | undefined
  /** The test file did not end in time: a slow machine looks the same. */
  isLate: boolean
  testCount: number
}

const text = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const sources = globSync(sourcePattern, { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .toSorted()

/** Where a changed constant is used; else the change itself. */
function placesOf({ file, start, constant, before }: Mutant): Place[] {
  // V8 counts `&&` and `||` with what stands right of them; left of them both are decided.
  const at = before === '&&' || before === '||' ? start - 1 : start
  if (constant === undefined) return [{ file, at }]
  const used = new RegExp(`(?<![\\w$.'"])${constant}\\b(?! =)`, 'g')
  return sources.flatMap((source) =>
    [...text(source).matchAll(used)].map(({ index }) => ({ file: source, at: index })),
  )
}

/** Test files that run the change: those beside it first, then the shortest. */
function testsFor(mutant: Mutant, tests: Coverage): string[] {
  const places = placesOf(mutant)
  const totalMs = Object.values(tests).reduce((sum, { durationMs }) => sum + durationMs, 0)
  const budgetMs = (totalMs * read('budget')) / 100
  const isNear = (file: string) => path.dirname(file) === path.dirname(mutant.file)
  const ordered = Object.entries(tests)
    .filter(([, covered]) => places.some((place) => isRun(covered, place)))
    .map(([file, { durationMs }]) => ({
      file,
      durationMs,
      rank: durationMs / (isNear(file) ? 5 : 1),
    }))
    .toSorted((one, other) => one.rank - other.rank)
  let spentMs = 0
  return ordered.filter(({ durationMs }) => (spentMs += durationMs) <= budgetMs).map((t) => t.file)
}

async function judge(mutant: Mutant, tests: Coverage): Promise<Verdict> {
  const chosen = testsFor(mutant, tests)
  const flags = [process.env['NODE_OPTIONS'] ?? '', `--import ${hooks}`]
  const env = { NODE_OPTIONS: flags.join(' ').trim(), MUTANT: JSON.stringify(mutant) }
  for (const [index, file] of chosen.entries()) {
    const timeoutMs = 60_000 + 6 * (tests[file]?.durationMs ?? 0)
    const { outcome } = await runTest(file, { env, timeoutMs })
    if (outcome === 'passed') continue
    return { mutant, noticedBy: file, isLate: outcome === 'late', testCount: index + 1 }
  }
  return { mutant, noticedBy: undefined, isLate: false, testCount: chosen.length }
}

function chooseMutants(): Mutant[] {
  const wanted = positionals.length > 0 ? positionals : rooms.map((room) => `src/${room}`)
  const all = sources
    .filter((file) => wanted.some((each) => file === each || file.startsWith(`${each}/`)))
    .flatMap((file) => mutantsIn(file, text(file)))
  const random = createRandom(read('seed'))
  const chosen: Mutant[] = []
  while (chosen.length < read('sample') && all.length > 0) {
    chosen.unshift(all.splice(random.below(all.length), 1)[0] as Mutant)
  }
  say(`${chosen.length} of ${chosen.length + all.length} mutants, seed ${read('seed')}`)
  return chosen.slice(read('skip'))
}

function report(verdicts: readonly Verdict[]): void {
  const roomOf = ({ file }: Mutant) => rooms.find((room) => file.startsWith(`src/${room}/`)) ?? file
  const byRoom = Map.groupBy(verdicts, ({ mutant }) => roomOf(mutant))
  for (const [room, found] of [...byRoom, ['all', verdicts] as const]) {
    const noticed = found.filter(({ noticedBy }) => noticedBy !== undefined).length
    const percent = Math.floor((100 * noticed) / found.length)
    say(`${room.padEnd(14)} ${noticed} of ${found.length} noticed (${percent} %)`)
    if (room === 'all' && percent < read('minimum')) process.exitCode = 1
  }
}

const describe = ({ file, line, kind, before, text: after }: Mutant): string =>
  `${file}:${line} ${kind}: ${JSON.stringify(before.slice(0, 70))} → ${JSON.stringify(after.slice(0, 70))}`

const cluster = await startCluster()
process.env[clusterVariable] = JSON.stringify(cluster)
// All cases: whether a mutant is noticed depends on no sample.
process.env['NIGHTLY'] = '1'
try {
  const tests = await coverage(options.tests, read('jobs'), say)
  const queue = chooseMutants()
  const verdicts: Verdict[] = []
  async function work(): Promise<void> {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const verdict = await judge(mutant, tests)
      verdicts.push(verdict)
      const { noticedBy, isLate, testCount } = verdict
      const noticed = `${isLate ? 'late' : 'by'} ${noticedBy}`
      const result = noticedBy === undefined ? `SURVIVES ${testCount} test files` : noticed
      say(`${verdicts.length} ${describe(mutant)}: ${result}`)
    }
  }
  await Promise.all(Array.from({ length: read('jobs') }, work))
  say('')
  for (const { mutant, noticedBy } of verdicts) {
    if (noticedBy === undefined) say(`survives: ${describe(mutant)}`)
  }
  report(verdicts)
} finally {
  await cluster.stop()
}
