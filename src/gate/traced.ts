// The gate with a span for each of its two passes.
import { runTraced } from '../domain/trace.ts'
import type { Gate } from './gate.ts'

export const tracedGate = (gate: Gate): Gate => ({
  ...gate,
  admit: (...asked) => runTraced('gate.admit', () => gate.admit(...asked)),
  admitNamed: (...asked) => runTraced('gate.ownership', () => gate.admitNamed(...asked)),
})
