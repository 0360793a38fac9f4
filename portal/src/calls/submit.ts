// Changes. Nothing counts as done before the API has answered so, and a lost answer is looked for.
import { useEffect, useRef, useState } from 'preact/hooks'
import { pauseFor, send, type Sent } from './call.ts'
import { storeDraft } from '../state/draft.ts'
import { approvalPage } from '../state/paths.ts'
import { navigate } from '../state/router.ts'
import { Failure, type Submission, type SubmitState } from '../state/failure.ts'
import { confirm } from './confirming.ts'
import { sessionSignal } from './session.ts'

export type Change = Omit<Sent, 'signal' | 'method'> & {
  method: Exclude<Sent['method'], 'GET'>
  /**
   * Whether the request may be sent again when its answer was lost: it has an idempotency key, or
   * it has the same result twice. Otherwise the page says that the outcome is unknown.
   */
  isRepeatable: boolean
  /** It was sent before, and the outcome of that is open. */
  isOpen?: boolean
  /** It was sent before with a confirmation. */
  isConfirmed?: boolean
  /** Told before the person is asked to confirm it, and when that is done: before it is sent. */
  onConfirming?: (isConfirmed: boolean) => void | Promise<void>
  /** The draft of what is sent: it goes once that waits for a second person. */
  draft?: string
  /** When a repeat would not be the same any more, by the browser's clock. */
  repeatableUntil?: number
}

export type Submit<R> = Submission & {
  /** Being sent, or its outcome being looked for. */
  isBusy: boolean
  result: R | undefined
  /** Gives the answer; undefined when it was refused. A second call meanwhile does nothing. */
  submit(change: Change): Promise<{ result: R } | undefined>
  reset(): void
}

/** A wait up to that long is waited for without a word; a longer one is told. */
const silentWaitSeconds = 3
const lostPauseSeconds = [1, 2, 4, 8]

/**
 * Sends until the outcome is known, or until `signal` ends the repeats. `onLost` is told that an
 * answer was lost.
 */
export async function sendUntilKnown<R>(
  { onConfirming, ...change }: Change,
  onLost: () => void,
  signal?: AbortSignal,
): Promise<R> {
  const { isRepeatable, isOpen: wasOpen = false, repeatableUntil = Infinity, ...sent } = change
  let { isConfirmed = false, confirmation } = sent
  let [lost, waited] = [wasOpen ? 1 : 0, 0]
  for (;;) {
    // Nothing is sent again in the name of the next person.
    signal?.throwIfAborted()
    try {
      return await send<R>({ ...sent, confirmation })
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      const { code, status, challenge, waitSeconds = 0 } = thrown
      if (code === 'confirmation_required' && challenge) {
        void onConfirming?.(false)
        confirmation = await confirm(challenge, signal)
        // An earlier one that was confirmed may have taken effect after all.
        if (confirmation === undefined) throw isConfirmed ? thrown : new Failure('unconfirmed')
        isConfirmed = true
        await onConfirming?.(true)
        continue
      }
      const isOpen = isUnknown(thrown) || code === 'request_in_progress'
      const isBusy = status === 429 || code === 'unavailable'
      // What is gone already, perhaps by an attempt whose answer was lost, is deleted.
      if (code === 'not_found' && sent.method === 'DELETE') return undefined as R
      if (isOpen && !isRepeatable) throw thrown
      if (isOpen || (isBusy && lost > 0)) {
        // The outcome of an attempt is open: only an answer ends this.
        onLost()
        const least = lostPauseSeconds[Math.min(lost++, lostPauseSeconds.length - 1)] as number
        await pauseFor(Math.max(least, waitSeconds), signal)
        // Read after the pause: the computer may have slept meanwhile.
        if (Date.now() > repeatableUntil) throw thrown
      } else if (isBusy && waitSeconds <= silentWaitSeconds && waited++ < 3) {
        await pauseFor(waitSeconds || 1, signal)
      } else throw thrown
    }
  }
}

/** As `AbortSignal.any`, which not all browsers have that the page is built for. */
function whicheverEnds(...signals: readonly AbortSignal[]): AbortSignal {
  const ending = new AbortController()
  for (const signal of signals) {
    const end = () => ending.abort(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  }
  return ending.signal
}

/** Whether the change may have taken effect although no success was answered. */
const isUnknown = ({ code }: Failure): boolean =>
  code === 'offline' || code === 'outcome_unknown' || code === 'internal_error'

/**
 * How a change ends without a success: it surely has no effect, or that is not known.
 *
 * @param wasLost the answer of an attempt before was lost
 */
export const toEndState = (failure: Failure, wasLost: boolean): 'unknown' | 'refused' =>
  isUnknown(failure) || (wasLost && !isOutcome(failure)) ? 'unknown' : 'refused'

/** Whether the refusal tells that no attempt before took effect either. */
const isOutcome = ({ code, status }: Failure): boolean =>
  code === 'unconfirmed' || [400, 404, 409].includes(status)

export function useSubmit<R = unknown>(): Submit<R> {
  type State = { state: SubmitState; failure?: Failure; result?: R }
  const [now, setNow] = useState<State>({ state: 'idle' })
  const isSending = useRef(false)
  const [leaving] = useState(() => new AbortController())
  useEffect(() => () => leaving.abort(), [])
  const set = (next: State) => leaving.signal.aborted || setNow(next)

  async function submit(change: Change) {
    if (isSending.current) return undefined
    isSending.current = true
    let wasLost = false
    set({ state: 'sending' })
    const onLost = () => {
      wasLost = true
      set({ state: 'checking' })
    }
    try {
      const signal = whicheverEnds(leaving.signal, sessionSignal())
      const result = await sendUntilKnown<R>(change, onLost, signal)
      set({ state: 'done', result })
      return { result }
    } catch (thrown) {
      if (!(thrown instanceof Failure)) {
        // The screen was left, or the session ended.
        if (thrown instanceof DOMException && thrown.name === 'AbortError') return undefined
        throw thrown
      }
      if (thrown.code === 'approval_pending') {
        if (change.draft) storeDraft(change.draft, undefined)
        if (!leaving.signal.aborted) navigate(approvalPage(thrown.location), { replace: true })
        return undefined
      }
      set({ state: toEndState(thrown, wasLost), failure: thrown })
      return undefined
    } finally {
      isSending.current = false
    }
  }
  return {
    state: now.state,
    isBusy: now.state === 'sending' || now.state === 'checking',
    failure: now.failure,
    result: now.result,
    submit,
    reset: () => set({ state: 'idle' }),
  }
}

/**
 * Changes of what a list shows: each is told when it is done, and the list is read again.
 *
 * @param begin what is told before the first change
 */
export function useListChanges(list: { again: () => void }, begin = '') {
  const { submit, ...changing } = useSubmit()
  const [told, setTold] = useState(begin)
  const last = useRef<Promise<void>>(Promise.resolve())
  type Part = Pick<Change, 'method' | 'path' | 'body'> & { isRepeatable?: boolean }
  async function changeAfter(before: Promise<void>, part: Part, done: string): Promise<void> {
    await before
    setTold('')
    if (await submit({ isRepeatable: true, ...part })) setTold(done)
    list.again()
  }
  // A switch that is set while another is on its way is not lost: it has its turn.
  const change = (part: Part, done: string): Promise<void> =>
    (last.current = changeAfter(last.current, part, done))
  /** For a change that another form has made. */
  const tell = (done: string): void => {
    setTold(done)
    list.again()
  }
  return { ...changing, told, change, tell }
}
