// Fields of forms: each with its label, its hint and its error (WCAG 2.2, 3.3.1).
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts/language.ts'
import { toPlainLines } from '../texts/typed-text.ts'
import { useElementId } from './basic.tsx'
import { useTold } from './sending.ts'

export type FieldProps = {
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
  /** The length of a text of several lines. */
  rows?: number
  /** Its label stands in the field itself, and for screen readers. */
  isBare?: boolean
  /** Focused when the screen is shown, in place of its heading. */
  isFirst?: boolean
  /** Given as it was typed, as each password is; also while it is shown. */
  isSecret?: boolean
  options?: readonly Option[]
}

type Option = readonly [value: string, label: string, group?: string]

type Choice = {
  options: readonly Option[]
  value: string
  onInput: (value: string) => void
  field: ReturnType<typeof useTold>
}

/** A list, in groups where its options name them. */
function Select({ options, value, onInput, field, ...common }: Choice) {
  const groups = [...new Set(options.map(([, , group]) => group))]
  return (
    <select
      {...common}
      ref={field}
      value={value}
      onChange={(event) => onInput(event.currentTarget.value)}
    >
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
  )
}

const Options = ({ of: options, chosen }: { of: readonly Option[]; chosen: string }) => (
  <>
    {options.map(([option, shown]) => (
      <option key={option} value={option} selected={option === chosen}>
        {shown}
      </option>
    ))}
  </>
)

/**
 * What an input holds, in plain signs, which it then shows. The caret stays behind the same sign.
 *
 * @param isEnd whether nothing more is typed now: then no letter follows a joiner at the end
 */
function takePlain(input: HTMLInputElement, isEnd = false): string {
  const { value, selectionStart } = input
  const plain = toPlainLines(value).replace(isEnd ? /[\u200c\u200d]$/ : '', '')
  if (plain === value) return plain
  input.value = plain
  // A field for an e-mail address tells no caret.
  if (selectionStart === null) return plain
  const caret = toPlainLines(value.slice(0, selectionStart)).length
  input.setSelectionRange(caret, caret)
  return plain
}

/** Whether a browser silently cuts what is typed or pasted, since the field holds no more. */
function isTooMuch({ currentTarget, data, inputType }: InputEvent): boolean {
  const { value, maxLength, selectionStart, selectionEnd } = currentTarget as HTMLInputElement
  const kept = value.length - ((selectionEnd ?? 0) - (selectionStart ?? 0))
  const isTyped = inputType !== 'insertCompositionText'
  return isTyped && maxLength >= 0 && kept + (data?.length ?? 0) > maxLength
}

/** A labelled input, which gives what is typed in plain signs; with `options`, a list. */
export function Field({
  name,
  label,
  value,
  onInput,
  hint,
  error,
  options,
  isBare = false,
  isFirst = false,
  isSecret = false,
  autocomplete = 'off',
  ...input
}: FieldProps) {
  const id = useElementId()
  const field = useTold(value)
  const [isCut, setCut] = useState(false)
  // The effect of the screen around runs later than this one.
  useEffect(() => void (isFirst && queueMicrotask(() => field.current?.focus())), [])
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const common = {
    id,
    name,
    value,
    autocomplete,
    'aria-invalid': error !== undefined,
    'aria-describedby': described || undefined,
    'data-field': name,
  }
  const takeWhole = (event: { currentTarget: HTMLInputElement; type: string }) =>
    onInput(takePlain(event.currentTarget, event.type === 'change'))
  // What both have in common is all that is used of them.
  const Input = (input.rows === undefined ? 'input' : 'textarea') as 'input'
  const isAsTyped = isSecret || input.type === 'password'
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={id} class={isBare ? 'unseen' : undefined}>
        {label}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {options ? (
        <Select {...common} field={field} options={options} onInput={onInput} />
      ) : (
        <Input
          {...(input as object)}
          {...common}
          ref={field}
          placeholder={isBare ? label : undefined}
          onBeforeInput={(event: InputEvent) => setCut(isTooMuch(event))}
          onInput={({ currentTarget, isComposing }) =>
            // What is being composed, such as ´ before é, is not changed meanwhile.
            onInput(isAsTyped || isComposing ? currentTarget.value : takePlain(currentTarget))
          }
          {...(!isAsTyped && { onCompositionEnd: takeWhole, onChange: takeWhole })}
        />
      )}
      {isCut && (
        <p class="hint" role="status">
          {texts().form.cut(input.maxLength as number)}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type CheckProps = {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  /** One of several, of which one is checked: the name of all. */
  oneOf?: string
  /** It holds at once, without a form. */
  role?: 'switch'
}

export function Check({ label, checked, onChange, oneOf, role }: CheckProps) {
  const field = useTold(checked)
  return (
    <label class="check">
      <input
        ref={field}
        type={oneOf ? 'radio' : 'checkbox'}
        {...({ role } as object)}
        name={oneOf}
        autocomplete="off"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  )
}
