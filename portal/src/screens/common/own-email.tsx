// A customer's own e-mail address: another one is asked for here, and proved by a mailed link.
import { useState } from 'preact/hooks'
import { useRead } from '../../calls/call.ts'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import { Button, Loaded, Notice } from '../../parts/basic.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  Form,
  FormActions,
  Outcome,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import type { OwnEmail as Read } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatTime } from '../../texts/time.tsx'

const path = '/me/email'

type DialogProps = { onAsked: () => void; onClose: () => void }

function AskDialog({ onAsked, onClose }: DialogProps) {
  const t = texts().ownEmail
  const [typed, change] = useTyped({ email: '', currentPassword: '' })
  const [own, accept] = useErrors()
  const asking = useSubmit()
  const isTooMany = asking.failure?.code === 'limit_exceeded'
  const errors = errorsOf(asking, own, { email: t.unfit, currentPassword: t.wrongPassword })
  async function submit(): Promise<void> {
    if (!accept(findBlank(typed, 'email', 'currentPassword'))) return
    const body = { ...typed, email: typed.email.trim() }
    const done = await asking.submit({ method: 'POST', path, body, isRepeatable: false })
    if (done) onAsked()
    else change({ currentPassword: '' })
  }
  const field = bindFields(typed, change, errors)
  return (
    <Dialog title={t.ask} onClose={onClose}>
      <Form errors={errors} {...(!isTooMany && { of: asking })} onSubmit={() => void submit()}>
        {isTooMany && (
          <Notice kind="bad" role="alert">
            {t.tooMany}
          </Notice>
        )}
        <p class="quiet">{t.hint}</p>
        <Field
          {...field('email')}
          isFirst
          label={t.email}
          type="email"
          autocomplete="email"
          maxLength={254}
        />
        <Field
          {...field('currentPassword')}
          label={t.password}
          type="password"
          autocomplete="current-password"
        />
        <FormActions label={t.submit} isBusy={asking.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

export function OwnEmail() {
  const t = texts().ownEmail
  const read = useRead<Read>(path)
  const { told, change, ...changing } = useListChanges(read)
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="card narrow">
      <h2>{t.title}</h2>
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Loaded of={read} lines={2}>
        {({ email, next }) => (
          <div class="column">
            {next && (
              <Notice kind="info">
                <p>{t.next(next.email, formatTime(next.until), email)}</p>
                <Button
                  isBusy={changing.isBusy}
                  onClick={() => void change({ method: 'DELETE', path: `${path}/next` }, t.undone)}
                >
                  {t.withdraw}
                </Button>
              </Notice>
            )}
            <div class="actions">
              <Button onClick={() => setAsking(true)}>{t.ask}</Button>
            </div>
          </div>
        )}
      </Loaded>
      {isAsking && (
        <AskDialog
          onAsked={() => {
            setAsking(false)
            read.again()
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
