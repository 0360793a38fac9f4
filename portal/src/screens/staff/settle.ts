// Sends or ends payments to other banks, each until its outcome is known: many are sent or settled
// together, all else is done one after the other.
import { pauseFor, readOnce, send } from '../../calls/call.ts'
import { Failure } from '../../state/failure.ts'
import { confirm } from '../../calls/confirming.ts'
import { sendUntilKnown } from '../../calls/submit.ts'
import type { ReasonCode, Transfer, TransferOutcomes } from '../../state/types.ts'

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

/** What one request does to many payments. */
export type ManyVerb = Exclude<Verb, 'return'>

/** A payment is sent and settled once: its own identifier numbers both. */
const toNumber = (verb: ManyVerb, id: string): string => `${wanted[verb]}-${id}`

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
        if (!isOpenFor(verb, status)) return { state: isWanted ? 'done' : 'others', status }
        isRead = false
        if (last && attempts >= attemptsMax) return { state: 'refused', failure: last }
      }
      attempts++
      const path = `/admin/transfers/${id}/${verb}`
      const numbered = verb === 'send' ? { externalId: toNumber(verb, id) } : body
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

/** As many as one request takes. */
const itemsMax = 1000

/** Whether the same item may have another outcome later. */
const isPassing = (code: Failure['code']): boolean =>
  ['unavailable', 'outcome_unknown', 'internal_error', 'request_in_progress'].includes(code)

type ManyOptions = {
  tell: (id: string, outcome: Outcome) => void
  signal: AbortSignal
}

/**
 * Sends or settles many payments together, with one confirmation. A repeat after a lost answer does
 * nothing twice. False: nothing was done, since each of them takes a second person.
 */
export async function moveMany(
  payments: readonly Transfer[],
  verb: ManyVerb,
  { tell, signal }: ManyOptions,
): Promise<boolean> {
  let left = payments.map(({ id }) => id)
  for (let attempt = 1; left.length > 0; attempt++) {
    const ids = left.slice(0, itemsMax)
    const tellAll = (state: 'sending' | 'checking') => ids.forEach((id) => tell(id, { state }))
    tellAll('sending')
    const answer = await askTogether(ids, verb, { onLost: () => tellAll('checking'), signal })
    if (!answer) return false
    const passing: string[] = []
    for (const { id, transfer, error } of answer.results) {
      if (transfer) tell(id, { state: 'done', status: transfer.status })
      else if (error && isPassing(error.code) && attempt < attemptsMax) passing.push(id)
      else if (error) tell(id, await explainRefusal(id, verb, new Failure(error.code), signal))
    }
    left = [...passing, ...left.slice(itemsMax)]
    if (passing.length > 0) await pauseFor(lostPauseSeconds, signal)
  }
  return true
}

/** Undefined: each of them takes a second person. */
async function askTogether(
  ids: readonly string[],
  verb: ManyVerb,
  { onLost, signal }: { onLost: () => void; signal: AbortSignal },
) {
  const items = ids.map((id) => ({ id, externalId: toNumber(verb, id) }))
  const asked = { method: 'POST', path: `/admin/transfers/${verb}`, body: { items } } as const
  try {
    return await sendUntilKnown<TransferOutcomes>({ ...asked, isRepeatable: true }, onLost, signal)
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    if (thrown.code === 'forbidden') return undefined
    throw new RunEnded(thrown)
  }
}

/** Whether it can still be done to a payment in that state. */
const isOpenFor = (verb: Verb, status: Transfer['status']): boolean =>
  status === 'pending' || (status === 'sent' && verb !== 'send')

/**
 * What was not open any more had been sent or ended by somebody else, or by this run where its
 * outcome was not told.
 */
async function explainRefusal(
  id: string,
  verb: ManyVerb,
  failure: Failure,
  signal: AbortSignal,
): Promise<Outcome> {
  const isUnknown = isPassing(failure.code)
  if (!isUnknown && failure.code !== 'illegal_transition') return { state: 'refused', failure }
  const { status } = await readOnce<Transfer>(`/transfers/${id}`, signal)
  if (isOpenFor(verb, status)) return { state: 'refused', failure }
  return { state: isUnknown && status === wanted[verb] ? 'done' : 'others', status }
}
