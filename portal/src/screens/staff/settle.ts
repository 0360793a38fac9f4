// Sends or ends payments to other banks one after the other, each until its outcome is known.
import { pauseFor, send } from '../../calls/call.ts'
import { Failure } from '../../state/failure.ts'
import { confirm } from '../../calls/confirming.ts'
import type { ReasonCode, Transfer } from '../../state/types.ts'

export type Verb = 'send' | 'settle' | 'return'

/** What is sent with it: why a payment is returned. */
export type EndingBody = { reasonCode?: ReasonCode }

export type Outcome =
  | { state: 'waiting' | 'sending' | 'checking' }
  /** As it was asked for; or before that by somebody else, perhaps in the other way. */
  | { state: 'done' | 'others'; status: Transfer['status'] }
  | { state: 'refused'; failure: Failure }

/** A longer wait ends the run: the rest can be done later. */
const waitSecondsMax = 60
const lostPauseSeconds = 2
const attemptsMax = 5

const wanted = { send: 'sent', settle: 'completed', return: 'returned' } as const

/**
 * Nothing that follows would be accepted either: the session has ended, the wait is long, or the
 * person did not confirm the payment.
 */
export class RunEnded extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.code)
    this.failure = failure
  }
}

const isLost = ({ code }: Failure): boolean =>
  code === 'offline' || code === 'outcome_unknown' || code === 'internal_error'

type Options = {
  body?: EndingBody
  tell: (outcome: Outcome) => void
  signal?: AbortSignal
}

/**
 * Ends one payment. When an answer was lost, the payment itself tells what became of it: the order
 * is sent again only while it is still open.
 */
export async function endPayment(
  { id }: Pick<Transfer, 'id'>,
  verb: Verb,
  { body, tell, signal }: Options,
): Promise<Outcome> {
  const read = () => send<Transfer>({ method: 'GET', path: `/transfers/${id}` })
  let [wasLost, isRead, attempts] = [false, false, 0]
  let last: Failure | undefined
  let confirmation: string | undefined
  for (;;) {
    signal?.throwIfAborted()
    tell({ state: wasLost ? 'checking' : 'sending' })
    try {
      if (isRead) {
        const { status } = await read()
        const isWanted = wasLost && status === wanted[verb]
        const isOpen = status === 'pending' || (status === 'sent' && verb !== 'send')
        if (!isOpen) return { state: isWanted ? 'done' : 'others', status }
        isRead = false
        if (last && attempts >= attemptsMax) return { state: 'refused', failure: last }
      }
      attempts++
      const path = `/admin/transfers/${id}/${verb}`
      // A payment is sent once, by whomever: its own identifier numbers the sending.
      const numbered = verb === 'send' ? { externalId: `sent-${id}` } : body
      const sent = { method: 'POST', path, body: numbered, confirmation } as const
      const { status } = await send<Transfer>(sent)
      return { state: 'done', status }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      const { code, status, challenge, waitSeconds = 1 } = thrown
      if (code === 'confirmation_required' && challenge) {
        confirmation = await confirm(challenge, signal)
        if (confirmation === undefined) throw new RunEnded(new Failure('unconfirmed'))
        continue
      }
      const isBusy = status === 429 || code === 'unavailable'
      if (status === 401 || waitSeconds > waitSecondsMax) throw new RunEnded(thrown)
      if (!isBusy && !isLost(thrown) && code !== 'illegal_transition') {
        return { state: 'refused', failure: thrown }
      }
      if (isLost(thrown)) wasLost = true
      if (!isBusy) [isRead, last] = [true, thrown]
      tell({ state: wasLost ? 'checking' : 'sending' })
      if (code !== 'illegal_transition') {
        await pauseFor(
          isLost(thrown) ? Math.max(lostPauseSeconds, waitSeconds) : waitSeconds,
          signal,
        )
      }
    }
  }
}
