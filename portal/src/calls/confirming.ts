// Asks the person to confirm a risky request with a second factor; the shell shows the dialog.
import { cell } from '../state/cell.ts'
import type { Challenge } from '../state/types.ts'

export type ConfirmationProps = {
  challenge: Challenge
  /** Ends the dialog; without an argument nothing was confirmed. */
  settle: (challengeId?: string) => void
}

/** What is asked now, of one request at a time. */
export const askedConfirmation = cell<ConfirmationProps | undefined>(undefined)

/**
 * Shows the terms of a request and asks for a second factor.
 *
 * @returns the challenge, once it is confirmed; undefined when it was not, or `signal` ended it
 */
export async function confirm(
  challenge: Challenge,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (signal?.aborted) return undefined
  askedConfirmation.value?.settle()
  return new Promise((resolve) => {
    const asking: ConfirmationProps = {
      challenge,
      settle(challengeId) {
        if (askedConfirmation.value === asking) askedConfirmation.value = undefined
        resolve(challengeId)
      },
    }
    askedConfirmation.value = asking
    signal?.addEventListener('abort', () => asking.settle())
  })
}
