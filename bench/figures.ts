// What a measurement comes to, and how it is printed.

export type Figures = {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** By what went wrong, how often. */
  failures: Record<string, number>
}

/** @param latencies milliseconds of each that succeeded */
export function figuresOf(
  latencies: number[],
  seconds: number,
  failures: Record<string, number> = {},
): Figures {
  const sorted = Float64Array.from(latencies).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  return {
    perSecond: latencies.length / seconds,
    p50: at(0.5) ?? Number.NaN,
    p99: at(0.99) ?? Number.NaN,
    failures,
  }
}

const milliseconds = (name: string, value: number): string =>
  (Number.isNaN(value) ? '' : `${name} ${value.toFixed(1)} ms`).padStart(13)

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

export function line(label: string, figures: Figures, against?: Figures, cost = ''): void {
  const ratio = against ? `${(figures.perSecond / against.perSecond).toFixed(1)} x` : ''
  const failed = Object.entries(figures.failures).map(([what, count]) => `${what}: ${count}`)
  say(
    [
      label.padEnd(46),
      `${Math.round(figures.perSecond)}/s`.padStart(9),
      milliseconds('p50', figures.p50),
      milliseconds('p99', figures.p99),
      ratio.padStart(8),
      cost,
      failed.join(', '),
    ].join(' '),
  )
}
