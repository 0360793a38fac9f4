// What the customer has noted on an entry, for herself alone: shown, written and taken away.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button } from '../../parts/basic.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findUnfit,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { useSubmit } from '../../calls/submit.ts'
import type { Transaction } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'

type Props = { accountId: string; of: Transaction }

export function EntryNote({ accountId, of: { id, note = '' } }: Props) {
  const t = texts().entryNote
  const [text, setText] = useState(note)
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      {text !== '' && <UserText>{text}</UserText>}{' '}
      <span class="no-print">
        <Button kind="link" onClick={() => setAsked(true)}>
          {text === '' ? t.add : t.change}
        </Button>
      </span>
      {isAsked && (
        <NoteDialog
          path={`/accounts/${accountId}/transactions/${id}/note`}
          text={text}
          onDone={(saved) => {
            setText(saved)
            setAsked(false)
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

type DialogProps = {
  path: string
  text: string
  onDone: (text: string) => void
  onClose: () => void
}

function NoteDialog({ path, text, onDone, onClose }: DialogProps) {
  const t = texts().entryNote
  const [typed, setTyped] = useTyped({ text })
  const [own, accept] = useErrors()
  const saving = useSubmit()
  const errors = errorsOf(saving, own, { text: t.badText })
  async function save(): Promise<void> {
    if (!accept(findUnfit(typed, 'text'))) return
    const body = { text: typed.text.trim() }
    if (await saving.submit({ method: 'PUT', path, body, isRepeatable: true })) onDone(body.text)
  }
  return (
    <Dialog title={t.title} onClose={onClose}>
      <Form errors={errors} of={saving} onSubmit={() => void save()}>
        <Field
          {...bindFields(typed, setTyped, errors)('text')}
          isFirst
          label={t.title}
          hint={t.hint}
          maxLength={140}
        />
        <FormActions label={texts().common.save} isBusy={saving.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
