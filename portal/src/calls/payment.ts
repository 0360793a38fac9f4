// A movement of money from its review until its outcome is known. It is kept in the tab together
// with its idempotency key: what is pressed twice, lost, reloaded or taken up again after a new
// sign-in of the same person is the same movement, and happens at most once.
import { useEffect, useState } from 'preact/hooks'
import { readDraft, storeDraft } from '../state/draft.ts'
import { type Submit, useSubmit } from './submit.ts'

export type Review<B> = {
  /** Where it is posted. */
  path: string
  body: B
  key: string
  /** When it was first sent, by the browser's clock; undefined while it surely has no effect. */
  sentAt?: number
  /** Where it is shown, once it was sent. */
  page?: string
  /** It was sent with a confirmation: until then a refusal tells that it had no effect. */
  isConfirmed?: boolean
}

/** The service keeps a key for 24 hours; after that a repeat would be a second movement. */
const repeatMsMax = 23 * 60 * 60 * 1000

export type Payment<B, R> = Omit<Submit<R>, 'submit'> & {
  /** Undefined until a review is opened. */
  review: Review<B> | undefined
  /** Whether it was sent, and what became of it is not known yet. */
  isOpen: boolean
  /** Whether it is too late to find out by a repeat. */
  isTooLate: boolean
  /** Whether it was refused for good: the same again needs a new review. */
  isRefused: boolean
  /** As `openReview`, on the same screen. */
  open(path: string, body: B): void
  /** Forgets the review; not to be called while its outcome is open. */
  close(): void
  /** Sends it, or sends it again; tells whether an answer was lost meanwhile. */
  confirm(): Promise<{ result: R; wasLost: boolean } | undefined>
}

/**
 * Begins a review and makes its key.
 *
 * @param name of the draft in which it is kept
 */
export function openReview<B>(name: string, path: string, body: B): Review<B> {
  const review = { path, body, key: crypto.randomUUID() }
  storeDraft(name, review)
  return review
}

export function usePayment<B, R>(name: string): Payment<B, R> {
  const read = () => readDraft(name) as Review<B> | undefined
  const [review, setReview] = useState(read)
  const { submit, ...sending } = useSubmit<R>()
  function keep(next: Review<B> | undefined): void {
    storeDraft(name, next)
    setReview(next)
  }
  const { sentAt } = review ?? {}
  const age = sentAt === undefined ? 0 : Date.now() - sentAt
  // An open outcome stays kept when the screen is left: it is told at the next visit.
  const [leaving] = useState(() => new AbortController())
  useEffect(() => () => leaving.abort(), [])

  async function confirm() {
    if (!review || sending.isBusy) return undefined
    const { path, body, key, sentAt: before, isConfirmed = false } = review
    const first = before ?? Date.now()
    const open = { ...review, sentAt: first, page: location.pathname + location.search }
    keep(open)
    const sent = { method: 'POST', path, body, key, isRepeatable: true, isConfirmed } as const
    const repeats = { isOpen: before !== undefined, repeatableUntil: first + repeatMsMax }
    const onConfirming = (isDone: boolean) => {
      if (leaving.signal.aborted || read()?.key !== key) return
      if (isDone) storeDraft(name, { ...open, isConfirmed: true })
      else if (!isConfirmed) storeDraft(name, { path, body, key })
    }
    const done = await submit({ ...sent, ...repeats, onConfirming }, ({ status }, isOpen) => {
      if (isOpen || read()?.key !== key) return
      // What the service keeps under the key, a refusal (409) or a request that waits for a second
      // person (202), would be its answer to every repeat.
      if ([202, 400, 404, 409].includes(status)) {
        if (!leaving.signal.aborted) storeDraft(name, undefined)
      } else keep({ path, body, key })
    })
    if (done && !leaving.signal.aborted) storeDraft(name, undefined)
    return leaving.signal.aborted ? undefined : done
  }

  return {
    ...sending,
    review,
    isOpen: sentAt !== undefined && sending.state !== 'refused' && sending.state !== 'done',
    isTooLate: age < 0 || age > repeatMsMax,
    isRefused: sentAt !== undefined && sending.state === 'refused',
    open(path, body) {
      sending.reset()
      setReview(openReview(name, path, body))
    },
    close() {
      sending.reset()
      keep(undefined)
    },
    confirm,
  }
}
