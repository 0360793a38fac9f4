// The gate with a span for each of its two passes.
import { traced } from '../domain/trace.ts'
import type { Gate } from './gate.ts'

export const tracedGate = (gate: Gate): Gate => ({
  ...gate,
  admit: (route, credentials) => traced('gate.admit', () => gate.admit(route, credentials)),
  admitNamed: (route, admission, named) =>
    traced('gate.ownership', () => gate.admitNamed(route, admission, named)),
})
