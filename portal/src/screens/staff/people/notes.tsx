// What staff noted about a person or an account, and a form to note more. A note stays as it is.
import { useState } from 'preact/hooks'
import { UserText } from '../../../parts/accounts.tsx'
import { Button, Section } from '../../../parts/basic.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  Form,
  FormActions,
  signError,
  useTyped,
} from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { usePages } from '../../../calls/call.ts'
import { useSubmit } from '../../../calls/submit.ts'
import type { Note } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Time } from '../../../texts/time.tsx'

/** @param path of the person or the account, below `/admin` */
export function Notes({ path }: { path: string }) {
  const t = texts().notes
  const list = usePages<Note>(`${path}/notes?limit=20`)
  const [isAdding, setAdding] = useState(false)
  function onAdded(): void {
    setAdding(false)
    list.again()
  }
  return (
    <Section title={t.title} actions={<Button onClick={() => setAdding(true)}>{t.add}</Button>}>
      <Listed of={list} none={t.none}>
        {(notes) => <Rows of={notes}>{(note) => <NoteText of={note} />}</Rows>}
      </Listed>
      {isAdding && <Adding path={path} onAdded={onAdded} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const NoteText = ({ of: { text, writtenBy, createdAt, accountId } }: { of: Note }) => (
  <div>
    <p class="note-text">
      <UserText>{text}</UserText>
    </p>
    <p class="quiet small">
      <Time at={createdAt} /> · <UserText>{writtenBy.name ?? texts().common.none}</UserText>
      {accountId && ` · ${texts().notes.onAccount}`}
    </p>
  </div>
)

type AddingProps = { path: string; onAdded: () => void; onClose: () => void }

function Adding({ path, onAdded, onClose }: AddingProps) {
  const t = texts()
  const [typed, setTyped] = useTyped({ text: '' })
  const [isChecked, setChecked] = useState(false)
  const submit = useSubmit<Note>()
  const findError = (text: string) =>
    text.trim() === '' ? t.form.required : signError(text.replaceAll('\n', ' '))
  const own = { text: isChecked ? findError(typed.text) : undefined }
  const errors = errorsOf(submit, own, { text: t.notes.bad })
  async function send(): Promise<void> {
    setChecked(true)
    const text = typed.text.trim()
    if (findError(text)) return
    const body = { text }
    const change = { method: 'POST', path: `${path}/notes`, body, isRepeatable: false } as const
    if (await submit.submit(change)) onAdded()
  }
  return (
    <Dialog title={t.notes.add} onClose={onClose}>
      <Form errors={errors} of={submit} onSubmit={() => void send()}>
        <Field
          {...bindFields(typed, setTyped, errors)('text')}
          label={t.notes.text}
          hint={t.notes.hint}
          maxLength={2000}
          rows={6}
        />
        <FormActions label={t.notes.save} isBusy={submit.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
