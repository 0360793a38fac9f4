// Forms: fields with their errors beside them and in a summary (WCAG 2.2, 3.3.1).
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../language.ts'
import type { Submit } from '../submit.ts'
import { FailureNotice, Notice, useElementId } from './basic.tsx'

/** Messages by the field's name. */
export type Errors = Readonly<Record<string, string | undefined>>

type FieldProps = {
  name: string
  label: string
  value: string
  onInput: (value: string) => void
  hint?: string
  error?: string | undefined
  type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'search'
  autocomplete?: string
  inputMode?: 'decimal' | 'numeric' | 'text' | 'email' | 'tel'
  maxLength?: number
  /** Focused when the screen is shown, in place of its heading. */
  isFirst?: boolean
  options?: readonly Option[]
}

type Option = readonly [value: string, label: string, group?: string]

const Options = ({ of: options, chosen }: { of: readonly Option[]; chosen: string }) => (
  <>
    {options.map(([option, shown]) => (
      <option key={option} value={option} selected={option === chosen}>
        {shown}
      </option>
    ))}
  </>
)

/** A labelled input; with `options`, a list to choose from. */
export function Field({
  name,
  label,
  value,
  onInput,
  hint,
  error,
  options,
  isFirst = false,
  ...input
}: FieldProps) {
  const id = useElementId()
  const field = useRef<HTMLInputElement>(null)
  // Of two effects, that of the screen around runs later.
  useEffect(() => void (isFirst && queueMicrotask(() => field.current?.focus())), [])
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const common = {
    id,
    name,
    value,
    'aria-invalid': error !== undefined,
    'aria-describedby': described || undefined,
    'data-field': name,
  }
  const groups = [...new Set(options?.map(([, , group]) => group))]
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {options ? (
        <select {...common} onChange={(event) => onInput(event.currentTarget.value)}>
          {groups.map((group) => {
            const some = options.filter(([, , of]) => of === group)
            if (group === undefined) return <Options of={some} chosen={value} />
            return (
              <optgroup key={group} label={group}>
                <Options of={some} chosen={value} />
              </optgroup>
            )
          })}
        </select>
      ) : (
        <input
          {...(input as object)}
          ref={field}
          {...common}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** A field for a password, which can be shown. */
export function PasswordField(field: Omit<FieldProps, 'type' | 'options'>) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <Field {...field} type={isShown ? 'text' : 'password'} />
      <Check label={texts().password.show} checked={isShown} onChange={setShown} />
    </>
  )
}

/** Binds fields to the values of a form: `<Field {...of('name')} label={…} />`. */
export const bind =
  <V extends object>(values: V, change: (part: Partial<V>) => void, errors: Errors = {}) =>
  (name: keyof V & string) => ({
    name,
    value: values[name] as string,
    onInput: (text: string) => change({ [name]: text } as Partial<V>),
    error: errors[name],
    autocomplete: 'off',
  })

/** A message for each of these values that is blank. */
export const findBlank = <V extends object>(values: V, ...names: (keyof V & string)[]): Errors =>
  Object.fromEntries(
    names.map((name) => [
      name,
      String(values[name]).trim() === '' ? texts().form.required : undefined,
    ]),
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

type CheckProps = { label: string; checked: boolean; onChange: (checked: boolean) => void }

export function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  )
}

type Told = Pick<Submit<unknown>, 'state' | 'failure'>

/** Tells that a change was refused, or that its answer was lost. Refused fields tell themselves. */
export function Outcome({ of: { state, failure } }: { of: Told }) {
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
  of?: Told
  onSubmit: () => void
  children: ComponentChildren
}

/** The label of a field, or the legend of a group, before what is wrong with it. */
function labelOf(form: HTMLFormElement | null, name: string): string {
  const field = form?.querySelector<HTMLInputElement>(`[data-field="${name}"]`)
  const label = field?.labels?.[0] ?? field?.querySelector('legend')
  return label ? `${label.textContent}: ` : ''
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
  useEffect(() => {
    if (!signature || !isSubmitted.current) return
    isSubmitted.current = false
    summary.current?.focus()
  }, [signature, turn])
  return (
    <form
      ref={form}
      novalidate
      onSubmit={(event) => {
        event.preventDefault()
        isSubmitted.current = true
        setTurn((last) => last + 1)
        onSubmit()
      }}
      // Errors that come and go while somebody types do not take the focus.
      onInput={() => (isSubmitted.current = false)}
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

/**
 * What is wrong with a form: the page's own findings, or the fields that the API refused, each with
 * the message `invalid` has for it.
 */
export function errorsOf(submit: Told, own: Errors, invalid: Errors): Errors {
  if (hasErrors(own) || submit.state !== 'refused' || submit.failure?.code !== 'invalid_request')
    return own
  const t = texts()
  const fields = submit.failure.fields.length > 0 ? submit.failure.fields : ['']
  return Object.fromEntries(fields.map((field) => [field, invalid[field] ?? t.form.notAccepted]))
}
