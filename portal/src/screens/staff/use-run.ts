// A run over several payments: what became of each, and how the run stands.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Failure } from '../../state/failure.ts'
import type { Transfer } from '../../state/types.ts'
import {
  type EndingBody,
  endPayment,
  type Outcome,
  moveMany,
  RunEnded,
  type Verb,
} from './settle.ts'

export type Run = {
  /** The outcome of each payment since the list was read. */
  outcomes: ReadonlyMap<string, Outcome>
  /** The payments of the latest run. */
  payments: readonly Transfer[]
  isRunning: boolean
  /** Why the rest was not done. */
  failure: Failure | undefined
  start: (verb: Verb, payments: readonly Transfer[], body?: EndingBody) => Promise<void>
  /** Ends the run after the present payment; undefined: all are done together. */
  stop: (() => void) | undefined
  clear: () => void
}

/** Whether nothing is left to do for the payment. */
export const isEnded = (outcome: Outcome | undefined): boolean =>
  outcome?.state === 'done' || outcome?.state === 'others'

const ends: ReadonlySet<Outcome['state']> = new Set(['done', 'others', 'refused'])
const nothing: ReadonlyMap<string, Outcome> = new Map()

export function useRun(): Run {
  const [payments, setPayments] = useState<readonly Transfer[]>([])
  const [outcomes, setOutcomes] = useState(nothing)
  const [isRunning, setRunning] = useState(false)
  const [isTogether, setTogether] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const isStopping = useRef(false)
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])

  async function start(verb: Verb, chosen: readonly Transfer[], body?: EndingBody): Promise<void> {
    const { signal } = leaving.current
    const tell = (id: string, outcome: Outcome) =>
      setOutcomes((last) => new Map(last).set(id, outcome))
    isStopping.current = false
    setPayments(chosen)
    setFailure(undefined)
    setRunning(true)
    for (const { id } of chosen) tell(id, { state: 'waiting' })
    const together = chosen.length > 1 && verb !== 'return' ? verb : undefined
    setTogether(together !== undefined)
    try {
      const areDone = together && (await moveMany(chosen, together, { tell, signal }))
      setTogether(false)
      for (const payment of areDone ? [] : chosen) {
        if (isStopping.current || signal.aborted) break
        const { id } = payment
        const options = {
          tell: (outcome: Outcome) => tell(id, outcome),
          signal,
          ...(body && { body }),
        }
        tell(id, await endPayment(payment, verb, options))
      }
    } catch (thrown) {
      if (signal.aborted) return
      if (!(thrown instanceof RunEnded)) throw thrown
      setFailure(thrown.failure)
    }
    // What is left was not tried, or has to wait.
    setOutcomes((last) => new Map([...last].filter(([, { state }]) => ends.has(state))))
    setRunning(false)
  }
  return {
    outcomes,
    payments,
    isRunning,
    failure,
    start,
    stop: isTogether ? undefined : () => void (isStopping.current = true),
    clear: () => {
      setOutcomes(nothing)
      setPayments([])
      setFailure(undefined)
    },
  }
}
