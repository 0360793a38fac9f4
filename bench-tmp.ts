import { Counter, Histogram, Registry } from 'prom-client'
import { createRequestMetrics } from './src/telemetry/request-metrics.ts'
const buckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const routes = Array.from({ length: 80 }, (_, i) => `/api/v1/things/:thingId/${i}`)
const N = 200_000
function bench(name: string, fn: (m: string, r: string, o: number, s: number) => void) {
  for (let i = 0; i < 20_000; i++) fn('GET', routes[i % 80]!, 200, 0.003)
  const cpu = process.cpuUsage()
  for (let i = 0; i < N; i++) fn(i & 1 ? 'GET' : 'POST', routes[i % 80]!, 200, (i % 50) / 10000)
  const u = process.cpuUsage(cpu)
  console.log(name, ((u.user + u.system) / N).toFixed(3), 'µs of processor time')
}
const own = createRequestMetrics(new Registry(), 'x_')
const registry = new Registry()
const c = new Counter({
  name: 'y_requests_total',
  help: 'x',
  labelNames: ['method', 'route', 'status', 'code'],
  registers: [registry],
})
const h = new Histogram({
  name: 'y_request_seconds',
  help: 'x',
  labelNames: ['method', 'route'],
  buckets,
  registers: [registry],
})
for (let k = 0; k < 3; k++) {
  bench('own', own as never)
  bench('library', (method, route, status, s) => {
    c.inc({ method, route, status })
    h.observe({ method, route }, s)
  })
  bench('library histogram alone', (method, route, status, s) => {
    h.observe({ method, route }, s)
  })
}
