// A form is read from its fields when it is sent. Password managers, and browsers that restore a
// page, fill fields without an event, so what a form has been told may be older than what is seen.
import { useEffect, useRef } from 'preact/hooks'

type Control = HTMLInputElement | HTMLSelectElement
/** A control of either kind, as a part draws it. */
type Held = HTMLInputElement & HTMLSelectElement

const isCheck = (control: Control): boolean => /^(checkbox|radio)$/.test(control.type)

/** What each field has told its form. */
const told = new WeakMap<Control, string | boolean>()

/** Notes what a field has told: the value that it was drawn with. */
export function useTold(value: string | boolean): { current: Held | null } {
  const control = useRef<Held>(null)
  useEffect(() => void (control.current && told.set(control.current, value)))
  return control
}

/** Lets each field tell what it has not told yet. */
function tellAll(form: HTMLFormElement): boolean {
  const untold = ([...form.elements] as Control[]).filter((control) => {
    const shown = isCheck(control) ? (control as HTMLInputElement).checked : control.value
    return told.has(control) && told.get(control) !== shown
  })
  for (const control of untold) {
    const isTyped = control instanceof HTMLInputElement && !isCheck(control)
    control.dispatchEvent(new Event(isTyped ? 'input' : 'change', { bubbles: true }))
  }
  return untold.length > 0
}

/** What a form does when it is sent: `send`, which knows all that its fields show. */
export function useSending(send: () => void): (event: SubmitEvent) => void {
  const latest = useRef(send)
  latest.current = send
  return (event) => {
    event.preventDefault()
    // What was told now is drawn before it is sent.
    if (tellAll(event.currentTarget as HTMLFormElement)) setTimeout(() => latest.current())
    else send()
  }
}
