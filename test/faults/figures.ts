// What a storm came to, as figures that can be put beside those of another.
import { type History, toState } from './history.ts'
import type { Recovery } from './nemesis.ts'

export type Figures = {
  seed: number
  seconds: number
  requests: number
  payments: { acknowledged: number; refused: number; neverKnown: number }
  /** Payments without a known end when the storm was over, and settled by their key since. */
  resolved: number
  revokedSessions: number
  freezes: number
  /** How often the bank's whole money was counted while it moved. */
  looks: number
  faults: Record<string, { count: number; slowestRecoveryMs: number }>
  /** 0: none took 3 s. */
  slowestAnswerMs: number
  /** The most that was asked of each processor; above 1 the times are not the service's alone. */
  load: number
  answers: Record<string, number>
  violationCount: number
  violations: string[]
}

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
  const faults: Figures['faults'] = {}
  for (const { kind, ms } of recoveries) {
    const known = (faults[kind] ??= { count: 0, slowestRecoveryMs: 0 })
    known.count++
    known.slowestRecoveryMs = Math.max(known.slowestRecoveryMs, Math.round(ms))
  }
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
    slowestAnswerMs: Math.round(Math.max(0, ...slowest)),
    load: Math.round(history.load * 10) / 10,
    answers: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    violationCount: history.violations.length,
    violations: history.violations.slice(0, 20),
  }
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
    figures.violationCount === 0
      ? 'nothing lost, nothing doubled, no violation'
      : `${figures.violationCount} VIOLATIONS:\n  ${figures.violations.join('\n  ')}`,
  ].join('\n')
}
