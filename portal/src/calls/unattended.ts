// Reads that no person asked for. They are no activity: the session ends as if they were not.
import { unattended } from './call.ts'

/**
 * What a person does that may make the page read: also by voice, by the browser's buttons, or by
 * the gesture that leaves a dialog.
 */
const inputs = ['click', 'keydown', 'input', 'popstate', 'cancel'] as const
/** Nothing moves on a screen, and no read is unattended, so soon after the person did something. */
const calmMs = 3000
/** The person has opened the page that loads this. */
let inputAt = performance.now()

// Before what answers the event, which may read.
for (const input of inputs) {
  addEventListener(input, attend, { capture: true })
}

function attend(): void {
  inputAt = performance.now()
  unattended.isOn = false
}

/** Whether the person has done nothing for a while. */
export const isCalm = (): boolean => performance.now() - inputAt >= calmMs

/** Once it is calm, reads are unattended until the person does something. */
export const goOnUnattended = (): void => void (unattended.isOn = isCalm())
