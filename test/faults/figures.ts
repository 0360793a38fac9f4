// The result of a storm in figures, to compare with those of another storm.
import { type History, toState } from './history.ts'
import type { Recovery } from './nemesis.ts'

export type Figures = {
  seed: number
  seconds: number
  requests: number
  payments: { acknowledged: number; refused: number; neverKnown: number }
  /** Payments whose outcome was open when the storm was over, and was settled by their key. */
  resolved: number
  revokedSessions: number
  freezes: number
  /** How often all the money of the bank was counted while payments ran. */
  looks: number
  faults: Record<string, { count: number; slowestRecoveryMs: number; withoutWritesMs: Spread }>
  /** For each fault: the longest time without an acknowledged payment. */
  withoutWritesMs: Spread
  /** 0: none took 3 s. */
  slowestAnswerMs: number
  /** The highest load of a processor; above 1 the times are not the service's alone. */
  load: number
  answers: Record<string, number>
  violationCount: number
  violations: string[]
}

export type Spread = { min: number; median: number; p90: number; max: number }

type More = {
  seed: number
  seconds: number
  recoveries: readonly Recovery[]
  resolved: number
  looks: number
}

export function toFigures(history: History, { recoveries, ...more }: More): Figures {
  const states = history.payments.map(toState)
  const stateCount = (state: string): number => states.filter((each) => each === state).length
  const written = history.payments
    .flatMap(({ attempts }) => attempts)
    .filter(({ status, isReplayed }) => status === 201 && !isReplayed)
    .map(({ endedAt }) => endedAt)
    .toSorted((one, other) => one - other)
  const faults = Object.fromEntries(
    [...Map.groupBy(recoveries, ({ kind }) => kind)].map(([kind, group]) => [
      kind,
      {
        count: group.length,
        slowestRecoveryMs: Math.round(Math.max(...group.map(({ ms }) => ms))),
        withoutWritesMs: toSpread(group.map((each) => longestGap(written, each))),
      },
    ]),
  )
  const slowest = history.slow.map(({ sentAt, endedAt }) => endedAt - sentAt)
  return {
    ...more,
    requests: [...history.counts]
      .filter(([what]) => !/^(resolved|start)/.test(what))
      .reduce((sum, [, count]) => sum + count, 0),
    payments: {
      acknowledged: stateCount('ok'),
      refused: stateCount('refused'),
      neverKnown: stateCount('unknown'),
    },
    revokedSessions: history.sessions.filter(({ overAt }) => overAt !== undefined).length,
    freezes: history.freezes.length,
    faults,
    withoutWritesMs: toSpread(recoveries.map((each) => longestGap(written, each))),
    slowestAnswerMs: Math.round(Math.max(0, ...slowest)),
    load: Math.round(history.load * 10) / 10,
    answers: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    violationCount: history.violations.length,
    violations: history.violations.slice(0, 20),
  }
}

function longestGap(times: readonly number[], { from, until }: Recovery): number {
  const within = [from, ...times.filter((at) => at > from && at < until), until]
  return Math.max(...within.slice(1).map((at, index) => at - (within[index] as number)))
}

function toSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { min: Math.round(sorted[0] ?? 0), median: at(0.5), p90: at(0.9), max: at(1) }
}

/** The figures in a few lines. */
export function toSummary(figures: Figures): string {
  const { payments, faults, resolved } = figures
  const kinds = Object.values(faults)
  const count = kinds.reduce((sum, each) => sum + each.count, 0)
  const slowest = Math.max(0, ...kinds.map((each) => each.slowestRecoveryMs))
  return [
    `seed ${figures.seed}: ${figures.requests} requests, ${count} faults`,
    `${payments.acknowledged} payments acknowledged, ${payments.refused} refused, ` +
      `${resolved} of unknown outcome settled by their key, ` +
      `${payments.neverKnown} without a key left to the books`,
    `slowest answer ${figures.slowestAnswerMs || 'under 3000'} ms, ` +
      `slowest recovery ${slowest} ms, load ${figures.load} per processor`,
    `longest time without a payment, of each fault: ${told(figures.withoutWritesMs)}`,
    ...Object.entries(faults).map(
      ([kind, each]) =>
        `  ${kind}, ${each.count} times: ${told(each.withoutWritesMs)}; ` +
        `recovered within ${each.slowestRecoveryMs} ms`,
    ),
    figures.violationCount === 0
      ? 'nothing lost, nothing doubled, no violation'
      : `${figures.violationCount} VIOLATIONS:\n  ${figures.violations.join('\n  ')}`,
  ].join('\n')
}

const told = ({ min, median, p90, max }: Spread): string =>
  `least ${min}, median ${median}, 90 % ${p90}, most ${max} ms`
