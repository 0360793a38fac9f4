// Counts and durations of answered requests, by route. The library makes a text of the labels for
// each observation, to find the series; this finds it by the route and the method.
import { type Code, errorStatus } from '../domain/errors.ts'
import { Counter, type Metric, type Registry } from 'prom-client'

/** The status of an answer, or the code of the refusal that it was. */
export type Outcome = number | Code

/** Upper bounds in seconds. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

type Series = {
  labels: { method: string; route: string }
  byOutcome: Map<Outcome, number>
  /** Durations up to each bound and above the one before; the last ones are above all bounds. */
  buckets: number[]
  seconds: number
}

const toLabels = (outcome: Outcome) =>
  typeof outcome === 'number'
    ? { status: outcome }
    : { status: errorStatus(outcome), code: outcome }

const createSeries = (method: string, route: string): Series => ({
  labels: { method, route },
  byOutcome: new Map(),
  buckets: Array.from({ length: bounds.length + 1 }, () => 0),
  seconds: 0,
})

/** A series as the library shows a histogram: a bucket counts all durations up to its bound. */
function toHistogram(name: string, { labels, buckets, seconds }: Series): object[] {
  let count = 0
  const upTo = buckets.map((within, index) => ({
    labels: { le: bounds[index] ?? '+Inf', ...labels },
    metricName: `${name}_bucket`,
    value: (count += within),
  }))
  return [
    ...upTo,
    { labels, metricName: `${name}_sum`, value: seconds },
    { labels, metricName: `${name}_count`, value: count },
  ]
}

/** Adds both metrics to the registry. Returns the function that counts an answered request. */
export function createRequestMetrics(registry: Registry, prefix: string) {
  const byRoute = new Map<string, Map<string, Series>>()
  const all = () => byRoute.values().flatMap((byMethod) => byMethod.values())

  function find(method: string, route: string): Series {
    let byMethod = byRoute.get(route)
    if (!byMethod) byRoute.set(route, (byMethod = new Map()))
    let series = byMethod.get(method)
    if (!series) byMethod.set(method, (series = createSeries(method, route)))
    return series
  }

  new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests answered, by method, pattern of the route, status and code of the refusal.',
    labelNames: ['method', 'route', 'status', 'code'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, byOutcome } of all()) {
        for (const [outcome, count] of byOutcome)
          this.inc({ ...labels, ...toLabels(outcome) }, count)
      }
    },
  })
  const name = `${prefix}request_seconds`
  const durations = {
    name,
    help: 'From the arrival of the head of a request to the end of its answer.',
    type: 'histogram',
  }
  const get = async () => ({
    ...durations,
    values: all()
      .flatMap((series) => toHistogram(name, series))
      .toArray(),
  })
  registry.registerMetric({ ...durations, get } as unknown as Metric)

  return (method: string, route: string, outcome: Outcome, seconds: number): void => {
    const series = find(method, route)
    const { byOutcome, buckets } = series
    byOutcome.set(outcome, (byOutcome.get(outcome) ?? 0) + 1)
    let index = 0
    while (seconds > (bounds[index] ?? Infinity)) index++
    buckets[index] = (buckets[index] as number) + 1
    series.seconds += seconds
  }
}
