// The work of a night, each command as an operator runs it, beside a service without load.
import { hash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../test/support/program.ts'
import type { Case, Figures, Variant } from './harness.ts'
import { readPeakMb } from './processes.ts'
import { openDatabase } from '../src/database/connections/connect.ts'
import { beginLine, digestLine } from '../src/ledger/proof/heads.ts'
import { readTrialBalance } from '../src/ledger/proof/trial-balance.ts'
import { choosePopulation } from './seed.ts'
import { endWithBench, openService } from './service.ts'
import { readLastStored, store } from './store.ts'

const dayMs = 86_400_000
/** The stored transfers lie in the first half of the last year: half of them are older. */
const middleAgeMs = 274 * dayMs

export const open: Case = async ({ isTiny }) => {
  const size = isTiny ? 100 : 1_000_000
  const { folder, address, customers, watch, stop } = await openService({
    population: choosePopulation(isTiny),
  })
  await store(address, customers, size)
  const day = new Date(Date.now() - middleAgeMs).toISOString().slice(0, 10)
  const [heads, closed] = [path.join(folder, 'heads.txt'), path.join(folder, 'closed.txt')]
  const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10)
  await runBeside(folder, ['close-day', heads, '--day', yesterday])
  const [before, behind] = [path.join(folder, 'before.txt'), path.join(folder, 'behind.txt')]
  await runBeside(folder, ['verify', '--heads', before])
  await dateHeads(before, await readLastStored(address))
  // What is stored behind the heads stands for the last day.
  await store(address, customers, size / 20)
  await runBeside(folder, ['verify', '--heads', behind])
  const db = openDatabase(address)
  const variant = (name: string, main: 'microsecondsPerEntry' | 'seconds', args: string[]) => ({
    name: `${name}, ${size.toLocaleString('en')} stored`,
    main,
    goal: { atMost: main === 'seconds' ? 2 : 30 },
    async measure() {
      await rm(closed, { force: true })
      return watch(() => runBeside(folder, args))
    },
  })
  const variants: Variant[] = [
    variant('verify', 'microsecondsPerEntry', ['verify']),
    // Each of all entries: it proves those before the heads too.
    variant('verify --since', 'microsecondsPerEntry', ['verify', '--since', heads]),
    variant('verify --only-new', 'microsecondsPerEntry', [
      'verify',
      '--only-new',
      '--since',
      before,
    ]),
    variant('verify --only-new, nothing new', 'seconds', [
      'verify',
      '--only-new',
      '--since',
      behind,
    ]),
    variant('close-day of a day in the middle', 'seconds', ['close-day', closed, '--day', day]),
    {
      name: 'trial balance of a day in the middle',
      main: 'seconds',
      goal: { atMost: 2 },
      measure: () =>
        watch(async () => {
          const startedAt = performance.now()
          await readTrialBalance(db, Date.now() - middleAgeMs)
          return { seconds: (performance.now() - startedAt) / 1000 }
        }),
    },
  ]
  return {
    variants,
    async close() {
      await db.close()
      await stop()
    },
  }
}

/** Stored transfers are older than now: the file says that its run began before them. */
async function dateHeads(file: string, lastTime: number): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split(/(?<=\n)/).slice(1, -1)
  const text = [beginLine(lastTime + 61_000), ...lines].join('')
  await writeFile(file, text + digestLine(hash('sha256', text, 'hex')))
}

/** Runs a command beside the service. Its processor time is that of the load. */
export async function runBeside(folder: string, args: readonly string[]): Promise<Figures> {
  const startedAt = performance.now()
  const { child, ended, err } = run(args, { DATA_DIR: folder })
  endWithBench(child, ended)
  let peakMb = 0
  const watching = setInterval(() => {
    void readPeakMb(child.pid as number).then((mb) => (peakMb = Math.max(mb, peakMb)))
  }, 50)
  const code = await ended
  clearInterval(watching)
  if (code !== 0) throw new Error(err())
  const seconds = (performance.now() - startedAt) / 1000
  const entries = Number(/(\d+) entries/.exec(err())?.[1])
  const microsecondsPerEntry = (seconds * 1e6) / entries
  return { microsecondsPerEntry, perSecond: entries / seconds, seconds, peakMb }
}
