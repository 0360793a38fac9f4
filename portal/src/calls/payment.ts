// A movement of money as its form shows it.
import { useEffect } from 'preact/hooks'
import { cell } from '../state/cell.ts'
import type { Submission } from '../state/failure.ts'
import { isOpen, isTooLate, type Movement } from '../state/movement.ts'
import { approvalPage } from '../state/paths.ts'
import { navigate } from '../state/router.ts'
import {
  findMovement,
  forgetMovement,
  openReview,
  resumeMovements,
  sendMovement,
} from './movements.ts'

export type Payment<B, R> = Submission & {
  /** Undefined until a review is opened. */
  movement: Movement<B, R> | undefined
  /** Being sent, or its outcome being looked for. */
  isBusy: boolean
  /** Whether it was sent, and what became of it is not known yet. */
  isOpen: boolean
  /** Whether it is too late to find out by a repeat. */
  isTooLate: boolean
  /** Whether it was refused for good: the same again needs a new review. */
  isRefused: boolean
  /** Begins a review, and makes its key. */
  open(path: string, body: B): void
  /** Forgets the review; not to be called while its outcome is open. */
  close(): void
  /** Sends it, or goes on looking for its outcome. `more`: what its body says beside, when sent. */
  confirm(more?: Partial<B>): void
}

/** The forms that show their movement themselves. */
export const shownForms = cell<readonly string[]>([])

const submissionStates = {
  review: 'idle',
  sending: 'sending',
  made: 'done',
  refused: 'refused',
} as const

function toSubmission(movement: Movement | undefined): Submission {
  const { state = 'review', failure } = movement ?? {}
  const isStopped = failure !== undefined
  if (state === 'unknown') return { state: isStopped ? 'unknown' : 'checking', failure }
  return { state: isStopped ? 'refused' : submissionStates[state], failure }
}

/**
 * @param name of the form
 * @param onMade is told the outcome, also when an earlier page sent it
 */
export function usePayment<B, R>(
  name: string,
  onMade: (result: R, wasLost: boolean) => void,
): Payment<B, R> {
  const movement = findMovement(name) as Movement<B, R> | undefined
  useEffect(() => {
    const { code, location } = movement?.failure ?? {}
    if (code === 'approval_pending') navigate(approvalPage(location), { replace: true })
    if (movement?.state === 'made') onMade(movement.result as R, movement.wasLost ?? false)
  }, [movement?.state])
  useEffect(() => {
    shownForms.value = [...shownForms.value, name]
    resumeMovements()
    return () => {
      shownForms.value = shownForms.value.filter((shown) => shown !== name)
      const told = findMovement(name)
      if (told?.state === 'made' || told?.state === 'refused') forgetMovement(told)
    }
  }, [])
  const submission = toSubmission(movement)
  return {
    ...submission,
    movement,
    isBusy: submission.state === 'sending' || submission.state === 'checking',
    isOpen: movement !== undefined && isOpen(movement),
    isTooLate: movement !== undefined && isTooLate(movement, Date.now()),
    isRefused: movement?.state === 'refused',
    open: (path, body) => openReview(name, path, body),
    close: () => movement && forgetMovement(movement),
    confirm(more) {
      if (!movement) return
      const isNew = movement.state === 'review'
      sendMovement(isNew ? { ...movement, body: { ...movement.body, ...more } } : movement)
    },
  }
}
