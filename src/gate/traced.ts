// The gate with a span for each of its two passes.
import { runTraced } from '../domain/trace.ts'
import type { Gate } from './gate.ts'

export const tracedGate = (gate: Gate): Gate => ({
  ...gate,
  admit: (route, credentials) => runTraced('gate.admit', () => gate.admit(route, credentials)),
  admitNamed: (route, admission, named) =>
    runTraced('gate.ownership', () => gate.admitNamed(route, admission, named)),
})
