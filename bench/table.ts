// Rows as people read them.
import type { Figure, Figures, Goal, Row } from './harness.ts'
import type { Machine } from './machine.ts'

const units: Record<Figure, string> = {
  perSecond: '/s',
  p50Milliseconds: ' ms',
  p99Milliseconds: ' ms',
  milliseconds: ' ms',
  microsecondsPerEntry: ' µs',
  seconds: ' s',
  megabytes: ' MB',
  bytesEach: ' B',
  refusedPercent: ' %',
  lagMilliseconds: ' ms',
  serviceCores: '',
  databaseCores: '',
  loadCores: '',
  otherCores: '',
}

export const isKnown = (value: number | null | undefined): value is number => Number.isFinite(value)

/** Three digits that matter, and its unit. */
export function shown(value: number | null | undefined, figure?: Figure): string {
  // What could not be measured is null in the JSON of a run.
  if (!isKnown(value)) return ''
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, digits === 0 ? ' ' : '')
  return `${text}${figure ? units[figure] : ''}`
}

const medians = ({ figures }: Row): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, { median }]) => [name, median]))

export const headings = [
  'case',
  'variant',
  'median',
  'spread',
  'ratio',
  'goal',
  'p50',
  'p99',
  'lag p99',
  'service',
  'database',
  'load',
  'others',
  'bound by',
]

const goalNames: Partial<Record<Goal['of'], string>> = {
  lagMilliseconds: 'lag ',
  refusedPercent: 'refused ',
}

function goalText({ of, atLeast, atMost, isMet }: Goal & { isMet: boolean }): string {
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  const unit = of === 'ratio' ? ' x' : units[of]
  return `${goalNames[of] ?? ''}${bound}${unit} ${isMet ? 'met' : 'MISSED'}`
}

/** Cells of a row, in the order of {@link headings}. */
export function toCells(row: Row, cores: number): string[] {
  const figures = medians(row)
  const { median, least, most } = row.figures[row.main] ?? {}
  const core = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2))
  return [
    row.case,
    row.variant,
    shown(median, row.main),
    row.rounds > 1 ? `${shown(least)} – ${shown(most)}` : '',
    row.ratio && isKnown(row.ratio.median) ? `${row.ratio.median.toFixed(2)} x` : '',
    row.goals.map(goalText).join(', '),
    row.main === 'p50Milliseconds' ? '' : shown(figures.p50Milliseconds, 'p50Milliseconds'),
    row.main === 'p99Milliseconds' ? '' : shown(figures.p99Milliseconds, 'p99Milliseconds'),
    shown(figures.lagMilliseconds, 'lagMilliseconds'),
    core(figures.serviceCores),
    core(figures.databaseCores),
    core(figures.loadCores),
    core(figures.otherCores),
    parseBound(figures, cores),
  ]
}

/** What there is none left of. */
export function parseBound(figures: Figures, cores: number): string {
  const { serviceCores = 0, databaseCores = 0, loadCores = 0, otherCores = 0 } = figures
  if (figures.loadCores === undefined || figures.perSecond === undefined) return ''
  const all = serviceCores + databaseCores + loadCores + otherCores
  if (serviceCores > 0.92) return 'service'
  if (all > 0.92 * cores) return otherCores > 0.2 * cores ? 'machine, shared' : 'machine'
  if (databaseCores > 0.92) return 'database'
  return 'waiting for disk and locks'
}

export function toTable(rows: readonly Row[], cores: number): string {
  const cells = [headings, ...rows.map((row) => toCells(row, cores))]
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  )
  const isText = (column: number) => column < 2 || column === 5 || column === headings.length - 1
  return cells
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0
          return isText(column) ? cell.padEnd(width) : cell.padStart(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The machine in words, one line each. */
export const machineLines = (machine: Machine): string[] => [
  `${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB, ` +
    `Linux ${machine.kernel}`,
  `Node.js ${machine.node}, PostgreSQL ${machine.postgresql}, one fsync ` +
    `${machine.fsyncMilliseconds.toFixed(2)} ms; load by ${machine.generator}`,
]
