// Asks the person to confirm a risky request with a second factor. The dialog is loaded when it is
// first needed; the shell shows it.
import type { ComponentType } from 'preact'
import { cell } from '../state/cell.ts'
import { loadFactorParts } from '../pages/groups.ts'
import type { Challenge } from '../state/types.ts'

export type ConfirmationProps = {
  challenge: Challenge
  /** Ends the dialog; without an argument nothing was confirmed. */
  settle: (challengeId?: string) => void
}
type Asked = ConfirmationProps & { Dialog: ComponentType<ConfirmationProps> }

/** What is asked now, of one request at a time. */
export const asked = cell<Asked | undefined>(undefined)

/**
 * Shows the terms of a request and asks for a second factor.
 *
 * @returns the challenge, once it is confirmed; undefined when it was not, or `signal` ended it
 */
export async function confirm(
  challenge: Challenge,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  // A dialog that cannot be loaded confirms nothing.
  const parts = await loadFactorParts().catch(() => undefined)
  if (!parts || signal?.aborted) return undefined
  asked.value?.settle()
  return new Promise((resolve) => {
    const asking: Asked = {
      challenge,
      Dialog: parts.Confirmation,
      settle(challengeId) {
        if (asked.value === asking) asked.value = undefined
        resolve(challengeId)
      },
    }
    asked.value = asking
    signal?.addEventListener('abort', () => asking.settle())
  })
}
