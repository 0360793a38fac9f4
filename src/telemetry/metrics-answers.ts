// Counts and times answers. Every request passes here, so it only adds to plain numbers; what
// Prometheus reads is made of them when it asks.
import { Counter, type Metric, type Registry } from 'prom-client'

const bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** The answers of one method of one route. */
type Tally = {
  byStatus: Map<number, number>
  /** How many took up to each bound and more than the one before; the last: longer than all. */
  within: number[]
  seconds: number
}

/** @returns to be told of every answer; `route` is its pattern, undefined when no route answers */
export function answersIn(
  registry: Registry,
  prefix: string,
): (method: string, route: string | undefined, status: number, seconds: number) => void {
  const tallies = new Map<string, Map<string, Tally>>()

  function findTally(method: string, route: string): Tally {
    const methods = tallies.get(route) ?? new Map<string, Tally>()
    const tally = methods.get(method) ?? {
      byStatus: new Map(),
      within: Array<number>(bounds.length + 1).fill(0),
      seconds: 0,
    }
    tallies.set(route, methods.set(method, tally))
    return tally
  }

  const all = () =>
    [...tallies].flatMap(([route, methods]) =>
      [...methods].map(([method, tally]) => ({ labels: { method, route }, tally })),
    )

  const requests: Counter<'method' | 'route' | 'status'> = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests answered, by method, pattern of the route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      requests.reset()
      for (const { labels, tally } of all()) {
        for (const [status, count] of tally.byStatus) requests.inc({ ...labels, status }, count)
      }
    },
  })
  const name = `${prefix}request_seconds`
  const help = 'From the arrival of the head of a request to the end of its answer.'
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: all().flatMap(({ labels, tally }) => toSeries(name, labels, tally)),
  })
  // Prom-client's own histogram can be added to only, at fifteen times the cost.
  registry.registerMetric({ name, get } as unknown as Metric)

  return (method, route, status, seconds) => {
    // No route, no method: a stranger does not choose labels.
    const [of, by] = route === undefined ? ['none', 'none'] : [route, method]
    const tally = tallies.get(of)?.get(by) ?? findTally(by, of)
    tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1)
    tally.seconds += seconds
    let place = 0
    while (place < bounds.length && seconds > (bounds[place] as number)) place++
    tally.within[place] = (tally.within[place] as number) + 1
  }
}

/** A histogram as Prometheus has it: how many took up to each bound, all smaller ones included. */
function toSeries(name: string, labels: Record<string, string>, { within, seconds }: Tally) {
  let count = 0
  const buckets = within.map((more, place) => {
    count += more
    const le = bounds[place] === undefined ? '+Inf' : String(bounds[place])
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
