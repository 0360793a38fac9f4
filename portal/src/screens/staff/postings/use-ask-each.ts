// Where each posting takes a second person, the bank takes no batch: each is asked for by itself.
// Its number stands for its request, so the same again asks for nothing twice.
import { useEffect, useRef, useState } from 'preact/hooks'
import { sendUntilKnown } from '../../../calls/submit.ts'
import { Failure } from '../../../state/failure.ts'
import type { Transfer } from '../../../state/types.ts'
import type { PostingItem } from './posting-rows.ts'

/** What became of a posting: booked, refused, or waiting for a second person. */
export type RowOutcome = {
  transfer?: Transfer | undefined
  error?: { code: Failure['code']; location?: string | undefined } | undefined
}

/** The refusal of this posting, not of all that follow. */
const isOfOne = ({ status, code }: Failure): boolean =>
  code === 'approval_pending' || [400, 403, 404, 409].includes(status)

export function useAskEach() {
  const [outcomes, setOutcomes] = useState<RowOutcome[]>()
  const [done, setDone] = useState(0)
  const [isAsking, setAsking] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])

  async function askFor(item: PostingItem, signal: AbortSignal): Promise<RowOutcome> {
    const change = {
      method: 'POST',
      path: '/admin/postings',
      body: item,
      isRepeatable: true,
    } as const
    try {
      return { transfer: await sendUntilKnown<Transfer>(change, () => undefined, signal) }
    } catch (thrown) {
      if (thrown instanceof Failure && isOfOne(thrown)) return { error: thrown }
      throw thrown
    }
  }
  async function ask(items: readonly PostingItem[]): Promise<void> {
    const { signal } = leaving.current
    setFailure(undefined)
    setAsking(true)
    const found: RowOutcome[] = []
    try {
      for (const item of items) {
        setDone(found.length)
        found.push(await askFor(item, signal))
      }
      setOutcomes(found)
    } catch (thrown) {
      if (signal.aborted) return
      if (!(thrown instanceof Failure)) throw thrown
      setFailure(thrown)
    }
    setAsking(false)
  }
  return { outcomes, done, isAsking, failure, ask, forget: () => setOutcomes(undefined) }
}
