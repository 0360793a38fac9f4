// `npm run storm`: the storms as a command. Progress on standard error, the figures as JSON on
// standard output, exit code 1 on a violation.
import { Command, InvalidArgumentError } from 'commander'
import { randomInt } from 'node:crypto'
import { openPatroni } from '../cluster/patroni-stage.ts'
import { withoutPatroni } from '../cluster/programs.ts'
import { openCluster } from '../cluster/stage.ts'
import type { Found } from './bugs.ts'
import { type Figures, toSummary } from './figures.ts'
import { storm } from './storm-run.ts'

type Options = {
  minutes: number
  seed: number
  kills?: number
  cluster?: true
  patroni?: true
  rounds?: number
  kinds?: string
  bugs?: string | true
}

const say = (text: string) => void process.stderr.write(`${text}\n`)

const number = (text: string): number => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('has to be a number.')
  return value
}

async function run(options: Options): Promise<void> {
  const { minutes, seed, kills, cluster, patroni, rounds, kinds, bugs } = options
  if (patroni && withoutPatroni) return say(`Skipped: ${withoutPatroni}`)
  if (bugs) {
    const { tryBugs } = await import('./bugs.ts')
    const judged = ({ name, does, verdict, violations }: Found) =>
      say(`${name}: ${does}\n  ${verdict ?? `NOT FOUND; ${violations.join('; ')}`}`)
    const names = bugs === true ? {} : { names: bugs.split(',') }
    const all = await tryBugs({ seed, judged, ...names })
    if (all.some(({ verdict }) => verdict === undefined)) process.exitCode = 1
    return
  }
  say(`seed ${seed}`)
  const figures = await (kills === undefined
    ? storm(
        { seconds: minutes * 60, rounds, seed, say, ...(kinds && { kinds: kinds.split(',') }) },
        patroni ? openPatroni : cluster && openCluster,
      )
    : (await import('./kills.ts')).kill({ kills, seed, say }))
  tell(figures)
}

function tell(figures: Figures): void {
  say(toSummary(figures))
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
  if (figures.violationCount > 0) process.exitCode = 1
}

await new Command('storm')
  .description('Many clients, many faults, and a judge: nothing acknowledged is ever lost.')
  .option('--minutes <number>', 'how long the storm lasts', number, 2)
  .option('--seed <number>', 'the same seed brings the same faults', number, randomInt(2 ** 31))
  .option(
    '--kills <number>',
    'kill the service and its embedded database in turn, so often',
    number,
  )
  .option('--cluster', 'on a primary with two standbys, which fail')
  .option('--patroni', 'three instances behind HAProxy on a cluster with Patroni, which fail')
  .option('--rounds <number>', 'so many faults, however long they take', number)
  .option('--kinds <names>', 'only these faults, with commas between them')
  .option('--bugs [names]', 'put known defects into the service, one by one: each has to be found')
  .action(run)
  .parseAsync()
