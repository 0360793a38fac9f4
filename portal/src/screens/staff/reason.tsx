// A change by staff that needs a reason, which the audit trail keeps.
import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, errorsOf, Form, FormActions, signError, useTyped } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import type { Submit } from '../../calls/submit.ts'

/** What is wrong with a reason, before it is sent. */
export const reasonError = (typed: string): string | undefined =>
  typed.trim() === '' ? texts().form.required : signError(typed)

type FieldProps = Omit<ComponentProps<typeof Field>, 'label' | 'maxLength'>

export const Reason = (field: FieldProps) => (
  <Field {...field} label={texts().cash.reason} maxLength={140} />
)

type Props = {
  title: string
  text: string
  label: string
  /** Where the reason is shown. */
  hint: string
  of: Submit<unknown>
  onSubmit: (reason: string) => void
  onClose: () => void
}

export function ReasonDialog({ title, text, label, hint, of: submit, onSubmit, onClose }: Props) {
  const t = texts()
  const [typed, change] = useTyped({ reason: '' })
  const { reason } = typed
  const [isChecked, setChecked] = useState(false)
  const own = { reason: isChecked ? reasonError(reason) : undefined }
  const errors = errorsOf(submit, own, { reason: t.cash.badReason })
  function send(): void {
    setChecked(true)
    if (!reasonError(reason)) onSubmit(reason.trim())
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Form errors={errors} of={submit} onSubmit={send}>
        <Reason {...bindFields(typed, change, errors)('reason')} hint={hint} />
        <FormActions label={label} isBusy={submit.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
