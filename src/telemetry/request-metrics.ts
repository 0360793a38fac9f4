// Counts and durations of answered requests, by route. The library makes a text of the labels for
// each observation, to find the series; this finds it by the route and the method.
import { Counter, type Metric, type Registry } from 'prom-client'

/** Upper bounds in seconds. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

type Series = {
  labels: { method: string; route: string }
  byStatus: Map<number, number>
  /** Durations up to each bound and above the one before; the last ones are above all bounds. */
  buckets: number[]
  seconds: number
}

const createSeries = (method: string, route: string): Series => ({
  labels: { method, route },
  byStatus: new Map(),
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
    help: 'Requests answered, by method, pattern of the route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, byStatus } of all()) {
        for (const [status, count] of byStatus) this.inc({ ...labels, status }, count)
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

  return (method: string, route: string, status: number, seconds: number): void => {
    const series = find(method, route)
    const { byStatus, buckets } = series
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    let index = 0
    while (seconds > (bounds[index] ?? Infinity)) index++
    buckets[index] = (buckets[index] as number) + 1
    series.seconds += seconds
  }
}
