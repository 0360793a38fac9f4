// Counts and durations of answered requests, by route.
import { type Code, errorStatus } from '../domain/errors.ts'
import { Counter, Histogram, type Registry } from 'prom-client'

/** The status of an answer, or the code of the refusal that it was. */
export type Outcome = number | Code

/** Adds both metrics to the registry. Returns the function that counts an answered request. */
export function createRequestMetrics(registry: Registry, prefix: string) {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests answered, by method, pattern of the route, status and code of the refusal.',
    labelNames: ['method', 'route', 'status', 'code'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: `${prefix}request_seconds`,
    help: 'From the arrival of the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [registry],
  })
  return (method: string, route: string, outcome: Outcome, seconds: number): void => {
    const isRefused = typeof outcome !== 'number'
    const status = isRefused ? errorStatus(outcome) : outcome
    requests.inc({ method, route, status, ...(isRefused && { code: outcome }) })
    durations.observe({ method, route }, seconds)
  }
}
