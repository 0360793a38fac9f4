// Whom the identity provider means by a person of staff. Administrators link others and undo it.
import { useState } from 'preact/hooks'
import { nameOf } from '../../parts/accounts.tsx'
import { Button, Copyable, Facts, Loaded, Notice, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  Form,
  Outcome,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { useRead } from '../../calls/call.ts'
import { useSubmit } from '../../calls/submit.ts'
import { texts } from '../../texts/language.ts'
import { Time } from '../../texts/time.tsx'
import type { IssuerLink as Link, User } from '../../state/types.ts'

type Props = { user: User; link: Link; onChanged: () => void }

function Linked({ user, link, onChanged }: Props) {
  const t = texts().users.issuer
  const [isAsking, setAsking] = useState(false)
  const undoing = useSubmit()
  async function confirm(): Promise<void> {
    setAsking(false)
    const path = `/admin/users/${user.id}/issuer-link`
    if (await undoing.submit({ method: 'DELETE', path, isRepeatable: true })) onChanged()
  }
  return (
    <>
      <Outcome of={undoing} />
      <Facts
        rows={[
          [t.issuer, link.issuer],
          [t.subject, <Copyable text={link.subject ?? ''} name={t.subject} />],
          [t.since, link.linkedAt && <Time at={link.linkedAt} style="date" />],
        ]}
      />
      <div class="actions">
        <Button kind="danger" isBusy={undoing.isBusy} onClick={() => setAsking(true)}>
          {t.unlink}
        </Button>
      </div>
      {isAsking && (
        <Question
          title={t.unlink}
          confirm={t.unlink}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{t.askUnlink(nameOf(user))}</p>
        </Question>
      )}
    </>
  )
}

function NotLinked({ user, link, onChanged }: Props) {
  const t = texts().users.issuer
  const [typed, change] = useTyped({ subject: '' })
  const [own, accept] = useErrors()
  const [isAsking, setAsking] = useState(false)
  const linking = useSubmit<Link>()
  const taken = linking.failure?.code === 'already_exists' ? { subject: t.taken } : {}
  const errors = { ...errorsOf(linking, own, { subject: t.unfit }), ...taken }
  async function confirm(): Promise<void> {
    setAsking(false)
    const path = `/admin/users/${user.id}/issuer-link`
    const body = { subject: typed.subject.trim() }
    if (await linking.submit({ method: 'PUT', path, body, isRepeatable: true })) onChanged()
  }
  return (
    <>
      <p>{t.meaning(link.issuer)}</p>
      <Form
        errors={errors}
        {...(linking.failure?.code !== 'already_exists' && { of: linking })}
        onSubmit={() => {
          if (accept(findBlank(typed, 'subject'))) setAsking(true)
        }}
      >
        <Field
          {...bindFields(typed, change, errors)('subject')}
          label={t.subject}
          hint={t.subjectHint}
          maxLength={255}
        />
        <Button type="submit" isBusy={linking.isBusy}>
          {t.link}
        </Button>
      </Form>
      {isAsking && (
        <Question
          title={t.link}
          confirm={t.link}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{t.askLink(nameOf(user))}</p>
        </Question>
      )}
    </>
  )
}

export function IssuerLink({ user }: { user: User }) {
  const t = texts().users.issuer
  const read = useRead<Link>(`/admin/users/${user.id}/issuer-link`)
  const [told, setTold] = useState('')
  const onChanged = (text: string) => () => {
    setTold(text)
    read.again()
  }
  return (
    <Section title={t.title}>
      {told && <Notice kind="good">{told}</Notice>}
      <Loaded of={read}>
        {(link) =>
          link.subject === null ? (
            <NotLinked user={user} link={link} onChanged={onChanged(t.linked)} />
          ) : (
            <Linked user={user} link={link} onChanged={onChanged(t.unlinked)} />
          )
        }
      </Loaded>
    </Section>
  )
}
