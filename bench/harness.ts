// What a benchmark is made of: cases with variants that are measured in turn, round after round, so
// that what the machine does meanwhile meets all of them; medians, spread and ratios to what stands
// beside. A ratio is made within its round.

/** What can be said of one measurement. Every name carries its unit where it has one. */
export type Figure =
  | 'perSecond'
  | 'p50Milliseconds'
  | 'p99Milliseconds'
  | 'milliseconds'
  | 'microsecondsPerEntry'
  | 'seconds'
  | 'megabytes'
  | 'bytesEach'
  | 'refusedPercent'
  /** 99th percentile of how late the service's event loop was. */
  | 'lagMilliseconds'
  /** Cores used on average: the service, PostgreSQL, the generator, and strangers to the bench. */
  | 'serviceCores'
  | 'databaseCores'
  | 'loadCores'
  | 'otherCores'

export type Figures = Partial<Record<Figure, number>>

/** What has to be reached, of the main figure or of its ratio. */
export type Goal = { of: 'ratio' | Figure; atLeast?: number; atMost?: number }

export type Variant = {
  name: string
  /** The figure that the row is about. */
  main: Figure
  /** Names of variants of the same case; the ratio is to the best of them in the same round. */
  against?: readonly string[]
  goals?: readonly Goal[]
  /** For what takes long: not in more rounds than this. */
  rounds?: number
  measure(): Promise<Figures>
}

/** A case that is set up: its variants, and the way to put everything away. */
export type Opened = { variants: readonly Variant[]; close(): Promise<void> }

export type Settings = {
  rounds: number
  /** Of one measurement. */
  seconds: number
  connections: readonly number[]
  /** Also what takes half an hour. */
  isLarge: boolean
  /** As small as it goes: to see that the bench still runs, not to measure. */
  isTiny: boolean
  /** A folder for processor profiles of the service; empty for none. */
  profile: string
}

export type Case = (settings: Settings) => Promise<Opened>

export type Spread = { median: number; least: number; most: number }

export type Row = {
  case: string
  variant: string
  main: Figure
  rounds: number
  figures: Partial<Record<Figure, Spread>>
  /** To the best of `against`. */
  ratio?: Spread
  against?: readonly string[]
  goals: (Goal & { isMet: boolean })[]
}

/** Measures the variants of a case that `isWanted`, A B C A B C …, and puts the case away. */
export async function runCase(
  name: string,
  open: Case,
  settings: Settings,
  { isWanted, say }: { isWanted(variant: string): boolean; say(text: string): void },
): Promise<Row[]> {
  const { variants, close } = await open(settings)
  const wanted = variants.filter((variant) => isWanted(variant.name))
  const measured = new Map<string, Figures[]>(wanted.map((variant) => [variant.name, []]))
  try {
    for (let round = 0; round < settings.rounds; round++) {
      for (const variant of wanted.filter(({ rounds = Infinity }) => round < rounds)) {
        say(`${name}: ${variant.name}, round ${round + 1} of ${settings.rounds}`)
        measured.get(variant.name)?.push(await variant.measure())
      }
    }
  } finally {
    await close()
  }
  return wanted.map((variant) => toRow(name, variant, measured))
}

function toRow(name: string, variant: Variant, measured: ReadonlyMap<string, Figures[]>): Row {
  const { main, against = [] } = variant
  const own = measured.get(variant.name) ?? []
  const names = [...new Set(own.flatMap((figures) => Object.keys(figures) as Figure[]))]
  const figures = Object.fromEntries(
    names.map((figure) => [figure, toSpread(own.map((each) => each[figure] ?? Number.NaN))]),
  )
  const others = against.flatMap((other) => measured.get(other) ?? [])
  const ratios = own.map((each, round) => {
    const beside = against.flatMap((other) => measured.get(other)?.[round]?.[main] ?? [])
    const best = main === 'perSecond' ? Math.max(...beside) : Math.min(...beside)
    return (each[main] ?? Number.NaN) / best
  })
  const ratio = others.length > 0 ? toSpread(ratios) : undefined
  const goals = (variant.goals ?? []).flatMap((goal) => {
    const value = (goal.of === 'ratio' ? ratio : figures[goal.of])?.median
    const { atLeast = -Infinity, atMost = Infinity } = goal
    return value === undefined ? [] : { ...goal, isMet: value >= atLeast && value <= atMost }
  })
  return {
    case: name,
    variant: variant.name,
    main,
    rounds: own.length,
    figures,
    ...(ratio && { ratio, against }),
    goals,
  }
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = values.filter(Number.isFinite).toSorted((one, other) => one - other)
  const [least = Number.NaN] = sorted
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
  return { median, least, most: sorted.at(-1) ?? Number.NaN }
}
