// `npm run bench`: measures the product beside the plain thing, in one run on one machine, every
// protection on. `node bench/bench.ts transfers` measures one case; `--help` says what else.
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { stopAll } from './bank.ts'
import { type Case, type Row, runCase, type Settings } from './harness.ts'
import { describeMachine, type Machine } from './machine.ts'
import { machineLines, toTable } from './table.ts'

const late =
  (load: () => Promise<{ open: Case }>): Case =>
  async (settings) => {
    const { open } = await load()
    return open(settings)
  }

/** In the order in which they are measured. */
const cases: Record<string, Case> = {
  reads: late(() => import('./reads.ts')),
  transfers: late(() => import('./transfers.ts')),
  flood: late(() => import('./flood.ts')),
  hostile: late(() => import('./hostile.ts')),
  timing: late(() => import('./timing.ts')),
  growth: late(() => import('./growth.ts')),
  memory: late(() => import('./memory.ts')),
  start: late(() => import('./start.ts')),
  install: late(() => import('./install.ts')),
}

const help = `node bench/bench.ts [case …] [options]
Cases: ${Object.keys(cases).join(', ')}; all of them when none is named.
  --rounds=3              rounds, each of which measures every variant once
  --seconds=3             of one measurement
  --connections=16,64,256
  --variants=<pattern>    only variants whose name matches
  --large                 also ten million transfers: half an hour more
  --json=<file>           write what was measured
  --profile=<folder>      processor profiles of the service
  --document=<file>       measure nothing: write docs/PERFORMANCE.md and its chart from that file
  --tiny                  see that the bench runs; the figures mean nothing
`

export type Results = { at: string; machine: Machine; settings: Partial<Settings>; rows: Row[] }

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const whisper = (text: string): void => void process.stderr.write(`${text}\n`)

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      variants: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      profile: { type: 'string', default: '' },
      document: { type: 'string' },
      large: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return say(help)
  if (values.document !== undefined) {
    const { writeDocument } = await import('./document.ts')
    return writeDocument(JSON.parse(await readFile(values.document, 'utf8')) as Results)
  }
  const isTiny = values.tiny
  const settings: Settings = {
    rounds: Number(values.rounds ?? (isTiny ? 1 : 3)),
    seconds: Number(values.seconds ?? (isTiny ? 0.2 : 3)),
    connections: (values.connections ?? (isTiny ? '4' : '16,64,256')).split(',').map(Number),
    isLarge: values.large,
    isTiny,
    profile: values.profile,
  }
  const named = [...positionals, ...values.only.split(',')].filter((name) => name !== '')
  const chosen = named.length > 0 ? named : Object.keys(cases)
  const unknown = chosen.filter((name) => !cases[name])
  if (unknown.length > 0) throw new Error(`There is no case ${unknown.join(', ')}.\n${help}`)
  await measure(chosen, settings, new RegExp(values.variants), values.json)
}

async function measure(
  chosen: readonly string[],
  settings: Settings,
  wanted: RegExp,
  file: string | undefined,
): Promise<void> {
  const machine = await describeMachine()
  for (const line of machineLines(machine)) say(line)
  const rows: Row[] = []
  for (const name of chosen) {
    const isWanted = (variant: string) => wanted.test(variant)
    const options = { isWanted, say: whisper }
    rows.push(...(await runCase(name, cases[name] as Case, settings, options)))
    const { profile: _, ...told } = settings
    const results: Results = { at: new Date().toISOString(), machine, settings: told, rows }
    // After each case: what was measured is not lost with what fails later.
    if (file !== undefined) await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`)
  }
  say(`\n${toTable(rows, machine.cores)}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(1)))
}
try {
  await main()
} catch (thrown) {
  whisper(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  process.exitCode = 1
  await stopAll()
}
