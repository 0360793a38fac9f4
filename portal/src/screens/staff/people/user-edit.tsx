// Changes a person's contact data and roles, and disables or enables the login. For administrators.
import { useEffect, useState } from 'preact/hooks'
import { nameOf, UserText } from '../../../parts/accounts.tsx'
import { Button, Loaded, Notice, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { useRead } from '../../../calls/call.ts'
import { errorsOf, Form, Outcome, useErrors, useTyped } from '../../../parts/form.tsx'
import { colon, texts } from '../../../texts/language.ts'
import { hasIssuer, hasSecondFactors, isAdmin, me } from '../../../calls/session.ts'
import { type Submit, useSubmit } from '../../../calls/submit.ts'
import type { AuditEvent, List, User } from '../../../state/types.ts'
import { IssuerLink } from '../../common/issuer-link.tsx'
import {
  findMissing,
  type Person,
  PersonFields,
  toBody,
  toPerson,
  unfitFields,
} from './user-fields.tsx'
import { UserStatus } from './user-fields.tsx'

type Props = { user: User; onChanged: (user: User) => void }

/** Only what differs is sent: other fields may have been changed elsewhere meanwhile. */
function findChanges(user: User, person: Person): Record<string, unknown> {
  const before = toBody(toPerson(user)) as Record<string, unknown>
  const now = Object.entries(toBody({ ...person, roles: person.roles.toSorted() }))
  before['roles'] = user.roles.toSorted()
  return Object.fromEntries(
    now.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}

const change = (user: User, body: unknown) =>
  ({ method: 'PATCH', path: `/admin/users/${user.id}`, body, isRepeatable: true }) as const

/** An administrator takes that role, or the login, neither from oneself nor from the last one. */
const LastAdmin = ({ of: { failure } }: { of: Submit<unknown> }) =>
  failure?.code === 'illegal_transition' ? (
    <Notice kind="bad" role="alert">
      {texts().users.lastAdmin}
    </Notice>
  ) : null

function Contact({ user, onChanged }: Props) {
  const t = texts()
  const [person, setPerson] = useTyped(toPerson(user))
  const [own, accept] = useErrors()
  const [isSame, setSame] = useState(false)
  const saving = useSubmit<User>()
  useEffect(() => {
    if (saving.failure?.code === 'already_exists') accept({ email: t.users.emailTaken })
  }, [saving.failure])
  const errors = errorsOf(saving, own, unfitFields())
  async function submit(): Promise<void> {
    // What was just saved is read again, and may still be on its way.
    const changes = findChanges(saving.result ?? user, person)
    const isNothing = Object.keys(changes).length === 0
    setSame(isNothing)
    if (!accept(findMissing(person)) || isNothing) return
    const done = await saving.submit(change(user, changes))
    if (done) onChanged(done.result)
  }
  const isTold = own['email'] !== undefined || saving.failure?.code === 'illegal_transition'
  return (
    <Section title={t.users.edit}>
      {isSame && <Notice>{t.users.nothingChanged}</Notice>}
      {saving.state === 'done' && !isSame && <Notice kind="good">{t.users.saved}</Notice>}
      <LastAdmin of={saving} />
      <Form errors={errors} {...(!isTold && { of: saving })} onSubmit={() => void submit()}>
        <PersonFields value={person} onChange={setPerson} errors={errors} />
        {person.email !== user.email && <Notice kind="warning">{t.users.newEmail}</Notice>}
        <Button kind="primary" type="submit" isBusy={saving.isBusy}>
          {t.common.save}
        </Button>
      </Form>
    </Section>
  )
}

function Login({ user, onChanged }: Props) {
  const t = texts()
  const [isAsking, setAsking] = useState(false)
  const switching = useSubmit<User>()
  const isActive = user.status === 'active'
  const verb = isActive ? t.users.disable : t.users.enable
  async function confirm(): Promise<void> {
    setAsking(false)
    const body = { status: isActive ? 'disabled' : 'active' }
    const done = await switching.submit(change(user, body))
    if (done) onChanged(done.result)
  }
  const { failure } = switching
  return (
    <Section title={t.users.login} actions={<UserStatus user={user} />}>
      {switching.result && (
        <Notice kind="good">
          {switching.result.status === 'active' ? t.users.enabled : t.users.disabled}
        </Notice>
      )}
      <LastAdmin of={switching} />
      {failure?.code !== 'illegal_transition' && <Outcome of={switching} />}
      <p>{isActive ? t.users.activeMeaning : t.users.disabledMeaning}</p>
      <div class="actions">
        <Button
          kind={isActive ? 'danger' : 'plain'}
          isBusy={switching.isBusy}
          onClick={() => setAsking(true)}
        >
          {verb}
        </Button>
      </div>
      {isAsking && (
        <Question
          title={verb}
          kind={isActive ? 'danger' : 'primary'}
          confirm={verb}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{t.users.ask(nameOf(user), isActive)}</p>
        </Question>
      )}
    </Section>
  )
}

/** Lets a person who has lost the second factor replace it; not for oneself. */
function SecondFactor({ user }: Pick<Props, 'user'>) {
  const t = texts().users
  const [isAsking, setAsking] = useState(false)
  const mailing = useSubmit()
  async function confirm(): Promise<void> {
    setAsking(false)
    const path = `/admin/users/${user.id}/factor-reset`
    await mailing.submit({ method: 'POST', path, isRepeatable: true })
  }
  const hasNone = mailing.failure?.code === 'illegal_transition'
  return (
    <Section title={t.secondFactor}>
      {mailing.state === 'done' && <Notice kind="good">{t.factorLinkSent(user.email)}</Notice>}
      {hasNone ? (
        <Notice kind="bad" role="alert">
          {t.noFactor}
        </Notice>
      ) : (
        <Outcome of={mailing} />
      )}
      <p>{t.secondFactorMeaning}</p>
      <div class="actions">
        <Button kind="danger" isBusy={mailing.isBusy} onClick={() => setAsking(true)}>
          {t.sendFactorLink}
        </Button>
      </div>
      {isAsking && (
        <Question
          title={t.sendFactorLink}
          confirm={t.sendFactorLink}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{t.askFactorLink(nameOf(user))}</p>
        </Question>
      )}
    </Section>
  )
}

/** Invites a person once more, or mails a link by which a password is reset. */
function PasswordLink({ user }: Pick<Props, 'user'>) {
  const t = texts().users
  const words = user.invited ? t.invite : t.resetPassword
  const [isAsking, setAsking] = useState(false)
  const mailing = useSubmit()
  async function confirm(): Promise<void> {
    setAsking(false)
    const path = `/admin/users/${user.id}/password-link`
    await mailing.submit({ method: 'POST', path, isRepeatable: true })
  }
  const isTooMany = mailing.failure?.code === 'limit_exceeded'
  return (
    <Section title={words.title}>
      {mailing.state === 'done' && <Notice kind="good">{words.sent(user.email)}</Notice>}
      {isTooMany ? (
        <Notice kind="bad" role="alert">
          {t.tooManyLinks}
        </Notice>
      ) : (
        <Outcome of={mailing} />
      )}
      <p>{words.text}</p>
      <div class="actions">
        <Button isBusy={mailing.isBusy} onClick={() => setAsking(true)}>
          {words.send}
        </Button>
      </div>
      {isAsking && (
        <Question
          title={words.send}
          kind="primary"
          confirm={words.send}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{words.ask(nameOf(user), user.email)}</p>
        </Question>
      )}
    </Section>
  )
}

const isActiveAdmin = ({ status, roles }: User) => status === 'active' && roles.includes('admin')

/** The keys that were recorded when this person stopped being an administrator. */
function KnownKeys({ user }: Pick<Props, 'user'>) {
  const t = texts().users
  const filter = `target=${user.id}&action=knownServiceKey`
  const read = useRead<List<AuditEvent>>(`/admin/audit-events?${filter}&limit=21`)
  const accounts = useRead<List<{ id: string; name: string }>>('/admin/service-accounts?limit=100')
  /** `key of account`; the trail holds no names. */
  const withName = (detail: string): string => {
    const named = accounts.data?.items.find(({ id }) => detail.endsWith(` of ${id}`))
    return named ? `${named.name}${colon()}${detail}` : detail
  }
  return (
    <Section title={t.knownKeys}>
      <Loaded of={read}>
        {({ items }) => {
          // Those of an earlier time are older.
          const now = items.filter(({ requestId }) => requestId === items[0]?.requestId)
          if (now.length === 0) return <p class="quiet">{t.noKnownKeys}</p>
          return (
            <Notice kind="warning">
              <p>{t.knownKeysMeaning}</p>
              <ul>
                {now.toReversed().map(({ id, detail }) => (
                  <li key={id}>
                    <UserText>{withName(detail ?? '')}</UserText>
                  </li>
                ))}
              </ul>
            </Notice>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** An administrator links others alone to the identity provider; customers sign in here alone. */
const isOtherStaff = ({ id, roles, status }: User): boolean =>
  id !== me.value?.id && status === 'active' && roles.some((role) => role !== 'customer')

/** `onChanged` is given the person as changed; its caller reads again what it shows. */
export function UserEdit(props: Props) {
  const [wasAdmin] = useState(isActiveAdmin(props.user))
  if (!isAdmin()) return null
  return (
    <>
      <Contact {...props} />
      {props.user.status === 'active' && <PasswordLink user={props.user} />}
      <Login {...props} />
      {wasAdmin && !isActiveAdmin(props.user) && <KnownKeys user={props.user} />}
      {hasSecondFactors && props.user.id !== me.value?.id && <SecondFactor user={props.user} />}
      {hasIssuer && isOtherStaff(props.user) && <IssuerLink user={props.user} />}
    </>
  )
}
