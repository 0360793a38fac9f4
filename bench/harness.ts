// The harness: runs the variants of a case in turn, round after round, so that disturbances of the
// machine meet all of them. Reports medians, spreads, and ratios within a round to a baseline.

export type Figures = {
  perSecond?: number
  p50Ms?: number
  p99Ms?: number
  microsecondsPerEntry?: number
  refusedPercent?: number
  /** Requests whose connection ended without a response, as a count. */
  lost?: number
  /** How long it took in all, and the most memory it held. */
  seconds?: number
  peakMb?: number
  /** 99th percentile of the delay of the service's event loop. */
  lagMs?: number
  /** Processor time for each operation, in microseconds. */
  serviceMicroseconds?: number
  databaseMicroseconds?: number
  storeMicroseconds?: number
  /** Cores used on average: by the service, PostgreSQL, the store, the load, and other programs. */
  serviceCores?: number
  databaseCores?: number
  storeCores?: number
  loadCores?: number
  otherCores?: number
}
export type Figure = keyof Figures

export type Variant = {
  name: string
  /** The figure that the row is about. */
  main: Figure
  /** Names of baselines of the same case; the ratio is to the best of them in the same round. */
  against?: readonly string[]
  /** The ratio to reach; without a baseline, the main figure. */
  goal?: { atLeast: number } | { atMost: number }
  /** For slow variants: the most rounds to measure them in. */
  rounds?: number
  measure(): Promise<Figures>
}

export type Settings = {
  rounds: number
  /** Of one measurement. */
  seconds: number
  connections: readonly number[]
  /** Variants to measure, by name. */
  variants: RegExp
  /** Adds what takes half an hour. */
  isLarge: boolean
  /** As small as possible: checks that the benchmark runs. */
  isTiny: boolean
  /** A folder for processor profiles of the service; empty for none. */
  profile: string
}

/** Sets a case up. */
export type Case = (
  settings: Settings,
) => Promise<{ variants: readonly Variant[]; close(): Promise<void> }>

/** A case that this machine cannot run, such as one whose program is not installed. */
export class CannotRun extends Error {}

export type Row = { variant: Variant; rounds: readonly Figures[]; ratios: readonly number[] }

type Printing = { print(text: string): void; report(text: string): void }

/**
 * Measures the cases, one after the other. One that fails, or cannot run here, does not end the
 * others. Gives the number of those that failed.
 *
 * @param clear stops what a failed case has left running
 */
export async function runCases(
  cases: Readonly<Record<string, Case>>,
  settings: Settings,
  { print, report }: Printing,
  clear: () => Promise<void>,
): Promise<number> {
  let failedCount = 0
  for (const [name, open] of Object.entries(cases)) {
    try {
      await runCase(name, open, settings, { print, report })
    } catch (thrown) {
      if (thrown instanceof CannotRun) {
        report(`${name} is left out: ${thrown.message}`)
        continue
      }
      failedCount++
      const { stack, message } = thrown as Error
      report(`${name} has failed: ${stack ?? message}`)
      await clear()
    }
  }
  return failedCount
}

/**
 * Measures the variants of a case, A B C A B C …, prints what was measured, and closes the case:
 * its last proof may fail.
 */
async function runCase(
  name: string,
  open: Case,
  settings: Settings,
  { print, report }: Printing,
): Promise<void> {
  const { variants, close } = await open(settings)
  const chosen = variants.filter((variant) => settings.variants.test(variant.name))
  const measured = new Map(chosen.map((variant) => [variant.name, [] as Figures[]]))
  try {
    for (let round = 0; round < settings.rounds; round++) {
      for (const variant of chosen.filter(({ rounds = Infinity }) => round < rounds)) {
        report(`${name}: ${variant.name}, round ${round + 1} of ${settings.rounds}`)
        measured.get(variant.name)?.push(await variant.measure())
      }
    }
  } finally {
    print(`\n### ${name}\n\n${toTable(toRows(chosen, measured))}`)
    await close()
  }
}

const toRows = (chosen: readonly Variant[], measured: ReadonlyMap<string, Figures[]>): Row[] =>
  chosen.map((variant) => {
    const { main, against = [] } = variant
    const rounds = measured.get(variant.name) ?? []
    const ratios = rounds.map((figures, round) => {
      const others = against.flatMap((other) => measured.get(other)?.[round]?.[main] ?? [])
      const best = main === 'perSecond' ? Math.max(...others) : Math.min(...others)
      return (figures[main] ?? Number.NaN) / best
    })
    return { variant, rounds, ratios: ratios.filter((ratio) => ratio > 0 && ratio < Infinity) }
  })

function toSpread(values: readonly number[]) {
  const sorted = values.filter(Number.isFinite).toSorted((one, other) => one - other)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return { median: (lower + upper) / 2, least: sorted[0], most: sorted.at(-1) }
}

/** Three significant digits. */
function toText(value = Number.NaN, unit = ''): string {
  if (!Number.isFinite(value)) return ''
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, digits === 0 ? ' ' : '')
  return text + unit
}

const units: Partial<Record<Figure, string>> = {
  perSecond: '/s',
  p50Ms: ' ms',
  p99Ms: ' ms',
  microsecondsPerEntry: ' µs',
  serviceMicroseconds: ' µs',
  databaseMicroseconds: ' µs',
  storeMicroseconds: ' µs',
  refusedPercent: ' %',
  seconds: ' s',
  peakMb: ' MB',
  lagMs: ' ms',
}

/** Columns after the main figure, by heading. */
const columns: Record<string, Figure> = {
  p50: 'p50Ms',
  p99: 'p99Ms',
  'lag p99': 'lagMs',
  refused: 'refusedPercent',
  lost: 'lost',
  time: 'seconds',
  memory: 'peakMb',
  'service each': 'serviceMicroseconds',
  'database each': 'databaseMicroseconds',
  'store each': 'storeMicroseconds',
  service: 'serviceCores',
  database: 'databaseCores',
  store: 'storeCores',
  load: 'loadCores',
  others: 'otherCores',
}

function toCells({ variant: { name, main, goal }, rounds, ratios }: Row): string[] {
  const spread = (figure: Figure) => toSpread(rounds.flatMap((figures) => figures[figure] ?? []))
  const { median, least, most } = spread(main)
  const goalText = goal && ('atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`)
  return [
    name,
    toText(median, units[main]),
    rounds.length > 1 ? `${toText(least)} – ${toText(most)}` : '',
    toText(toSpread(ratios).median, ' x'),
    goalText ?? '',
    ...Object.values(columns).map((figure) => toText(spread(figure).median, units[figure])),
  ]
}

/** The rows as a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const headings = ['variant', 'median', 'spread', 'ratio', 'goal', ...Object.keys(columns)]
  const lines = [headings, headings.map(() => '---'), ...rows.map(toCells)]
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return lines.map((line) => `| ${line.map(pad).join(' | ')} |`).join('\n')
}
