// Reads that no person asked for. They are no activity: the session ends as if they were not.
import { unattended } from './call.ts'

/**
 * What a person does that may make the page read: also by voice, by the browser's buttons, or by
 * the gesture that leaves a dialog.
 */
const inputs = ['click', 'keydown', 'input', 'popstate', 'cancel'] as const
let inputAt = -Infinity

// Before what answers the event, which may read.
for (const input of inputs) {
  addEventListener(input, attend, { capture: true })
}

function attend(): void {
  inputAt = performance.now()
  unattended.isOn = false
}

/** From now on reads are unattended, until the person does something. */
export const goOnUnattended = (): void => void (unattended.isOn = true)

/** How long the person has done nothing. */
export const msSinceInput = (): number => performance.now() - inputAt
