// Forms: what is wrong is told beside the fields and in a summary (WCAG 2.2, 3.3.1).
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { colon, texts } from '../texts/language.ts'
import type { Submission } from '../state/failure.ts'
import { findUnfitSign, ibanSigns, textSigns } from '../texts/typed-text.ts'
import { Button, ButtonLink, FailureNotice, Notice } from './basic.tsx'
import { useSending } from './sending.ts'

/** Messages by the field's name. */
export type Errors = Readonly<Record<string, string | undefined>>

/** Binds fields to the values of a form: `<Field {...of('name')} label={…} />`. */
export const bindFields =
  <V extends object>(values: V, change: (part: Partial<V>) => void, errors: Errors = {}) =>
  (name: keyof V & string) => ({
    name,
    value: values[name] as string,
    onInput: (text: string) => change({ [name]: text } as Partial<V>),
    error: errors[name],
  })

/** A message for each of these values that is blank. */
export const findBlank = <V extends object>(values: V, ...names: (keyof V & string)[]): Errors =>
  Object.fromEntries(
    names.map((name) => [
      name,
      String(values[name]).trim() === '' ? texts().form.required : undefined,
    ]),
  )

/** Names the first sign that the API does not take in such a text; undefined: there is none. */
export function signError(text: string, fit = textSigns): string | undefined {
  const t = texts().form
  const sign = findUnfitSign(text, fit)
  if (sign === undefined) return undefined
  return t.badSign(sign) + (fit === ibanSigns ? '' : ` ${t.badText}`)
}

/** A message for each of these values that holds a sign which the API does not take. */
export const findUnfit = <V extends object>(values: V, ...names: (keyof V & string)[]): Errors =>
  Object.fromEntries(
    names.flatMap((name) => {
      const message = signError(String(values[name]))
      return message ? [[name, message]] : []
    }),
  )

export const hasErrors = (errors: Errors): boolean =>
  Object.values(errors).some((message) => message !== undefined)

/** What is typed into a form, and how a part of it changes. */
export function useTyped<V extends object>(initial: V): [V, (part: Partial<V>) => void] {
  const [values, setValues] = useState(initial)
  return [values, (part) => setValues((last) => ({ ...last, ...part }))]
}

/** What the page itself finds wrong; `accept` shows it, and tells whether there is nothing. */
export function useErrors(): [errors: Errors, accept: (found: Errors) => boolean] {
  const [errors, setErrors] = useState<Errors>({})
  const accept = (found: Errors) => {
    setErrors(found)
    return !hasErrors(found)
  }
  return [errors, accept]
}

/** Tells that a change was refused, or that its answer was lost. Refused fields tell themselves. */
export function Outcome({ of: { state, failure } }: { of: Submission }) {
  const t = texts().form
  if (state === 'unknown') {
    return (
      <Notice kind="warning" role="alert">
        {t.unknown}
      </Notice>
    )
  }
  if (state === 'checking') return <Notice kind="warning">{t.checking}</Notice>
  const isTold = state !== 'refused' || !failure || failure.code === 'invalid_request'
  return isTold ? null : <FailureNotice key={failure.requestId} failure={failure} />
}

type FormProps = {
  errors?: Errors
  /** The change that the form sends: its refusal is shown above the fields. */
  of?: Submission
  onSubmit: () => void
  children: ComponentChildren
}

/** The label of a field, or the legend of a group, before what is wrong with it. */
function labelOf(form: HTMLFormElement | null, name: string): string {
  const field = form?.querySelector<HTMLInputElement>(`[data-field="${name}"]`)
  const label = field?.labels?.[0] ?? field?.querySelector('legend')
  return label ? `${label.textContent}${colon()}` : ''
}

/** Its summary of errors is focused after a submit, and each error leads to its field. */
export function Form({ errors = {}, of: submit, onSubmit, children }: FormProps) {
  const t = texts()
  const form = useRef<HTMLFormElement>(null)
  const summary = useRef<HTMLDivElement>(null)
  const wrong = Object.entries(errors).filter(([, message]) => message !== undefined)
  const signature = wrong.join()
  const isSubmitted = useRef(false)
  const [turn, setTurn] = useState(0)
  const onSend = useSending(() => {
    isSubmitted.current = true
    setTurn((last) => last + 1)
    onSubmit()
  })
  useEffect(() => {
    if (!signature || !isSubmitted.current) return
    isSubmitted.current = false
    summary.current?.focus()
  }, [signature, turn])
  return (
    <form
      ref={form}
      novalidate
      onSubmit={onSend}
      // Errors that come and go while somebody types do not take the focus, nor do those that come
      // after somebody has gone on to another field. A dialog that gives the focus back tells none.
      onInput={() => (isSubmitted.current = false)}
      onFocusIn={({ relatedTarget }) => {
        if (relatedTarget) isSubmitted.current = false
      }}
    >
      {wrong.length > 0 && (
        <div class="notice bad" role="alert" tabIndex={-1} ref={summary}>
          <p>{t.form.summary(wrong.length)}</p>
          <ul>
            {wrong.map(([name, message]) => (
              <li key={name}>
                <button
                  type="button"
                  class="button link"
                  onClick={() =>
                    form.current?.querySelector<HTMLElement>(`[data-field="${name}"]`)?.focus()
                  }
                >
                  {labelOf(form.current, name)}
                  {message}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {submit && <Outcome of={submit} />}
      {children}
    </form>
  )
}

type FormActionsProps = {
  /** What the button says that sends the form. */
  label: string
  kind?: 'primary' | 'plain' | 'danger'
  isBusy?: boolean
  /** Primary where leaving is the safe choice. */
  cancelKind?: 'primary' | 'plain'
  /** Leaves the form unsent: what does so, or the address of another page. */
  cancel: (() => void) | string
}

/** The end of a form that can be left. */
export function FormActions({
  label,
  kind = 'primary',
  isBusy = false,
  cancelKind = 'plain',
  cancel,
}: FormActionsProps) {
  const t = texts().common
  return (
    <div class="actions">
      <Button kind={kind} type="submit" isBusy={isBusy}>
        {label}
      </Button>
      {typeof cancel === 'string' ? (
        <ButtonLink href={cancel} kind={cancelKind}>
          {t.cancel}
        </ButtonLink>
      ) : (
        <Button kind={cancelKind} onClick={cancel}>
          {t.cancel}
        </Button>
      )}
    </div>
  )
}

/**
 * What is wrong with a form: the page's own findings, or the fields that the API refused, each with
 * the message `invalid` has for it.
 */
export function errorsOf(submit: Submission, own: Errors, invalid: Errors): Errors {
  if (hasErrors(own) || submit.state !== 'refused' || submit.failure?.code !== 'invalid_request')
    return own
  const t = texts()
  const fields = submit.failure.fields.length > 0 ? submit.failure.fields : ['']
  return Object.fromEntries(fields.map((field) => [field, invalid[field] ?? t.form.notAccepted]))
}
