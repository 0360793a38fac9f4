// Another name for an account or a payee.
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { bindFields, findUnfit, Form, FormActions, useErrors, useTyped } from './form.tsx'
import { texts } from '../texts/language.ts'

type Props = {
  /** What it is called now; null: it has no name of its own. */
  name: string | null
  isBusy: boolean
  onSave: (name: string | null) => void
  onClose: () => void
}

export function RenameDialog({ name, isBusy, onSave, onClose }: Props) {
  const t = texts()
  const [typed, setTyped] = useTyped({ name: name ?? '' })
  const [errors, accept] = useErrors()
  function save(): void {
    if (accept(findUnfit(typed, 'name'))) onSave(typed.name.trim() || null)
  }
  return (
    <Dialog title={t.rename.action} onClose={onClose}>
      <Form errors={errors} onSubmit={save}>
        <Field
          {...bindFields(typed, setTyped, errors)('name')}
          isFirst
          label={t.rename.name}
          hint={t.rename.hint}
          maxLength={70}
        />
        <FormActions label={t.common.save} isBusy={isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
