// Creates a person, who is invited by mail or is given a password.
import { useEffect, useState } from 'preact/hooks'
import { nameOf } from '../../../parts/accounts.tsx'
import { Button, ButtonLink, Notice, Screen } from '../../../parts/basic.tsx'
import { Check, Field } from '../../../parts/field.tsx'
import {
  bindFields,
  type Errors,
  errorsOf,
  findBlank,
  Form,
  FormActions,
  hasErrors,
  useErrors,
} from '../../../parts/form.tsx'
import { PasswordField } from '../../../parts/password-field.tsx'
import { send } from '../../../calls/call.ts'
import { useDraft } from '../../../state/draft.ts'
import { texts } from '../../../texts/language.ts'
import { passwordError } from '../../../texts/password.ts'
import { to } from '../../../state/paths.ts'
import { useSubmit } from '../../../calls/submit.ts'
import type { List, User } from '../../../state/types.ts'
import { findMissing, type Person, PersonFields, toBody, unfitFields } from './user-fields.tsx'

type NewPerson = Person & { username: string; access: 'invitation' | 'password' }

const emptyPerson: NewPerson = {
  username: '',
  givenName: '',
  familyName: '',
  email: '',
  phone: '',
  address: '',
  language: '',
  roles: ['customer'],
  access: 'invitation',
}

const isTaken = async (query: string): Promise<boolean> => {
  const path = `/admin/users?${query}`
  const found = await send<List<User>>({ method: 'GET', path }).catch(() => undefined)
  return (found?.items.length ?? 0) > 0
}

/** Which of both is in use: the API tells only that one is. */
async function findTaken({ username, email }: NewPerson): Promise<Errors> {
  const t = texts().users
  const [hasName, hasEmail] = await Promise.all([
    isTaken(new URLSearchParams({ username }).toString()),
    isTaken(new URLSearchParams({ email }).toString()),
  ])
  return {
    username: hasName ? t.usernameTaken : undefined,
    email: hasEmail ? t.emailTaken : undefined,
  }
}

function Created({ user, isInvited, again }: { user: User; isInvited: boolean; again(): void }) {
  const t = texts().users
  const name = nameOf(user)
  return (
    <Screen title={t.created}>
      <Notice kind="good">
        <p>{isInvited ? t.invited(name, user.email) : t.withPassword(name)}</p>
      </Notice>
      <div class="actions">
        <ButtonLink href={to('staffCustomer', { userId: user.id })} kind="primary">
          {t.toPerson}
        </ButtonLink>
        <Button onClick={again}>{t.another}</Button>
      </div>
    </Screen>
  )
}

/** How the person gets in. A password is never kept as part of the draft. */
function Access({ value, onChange, password, onPassword, error }: AccessProps) {
  const t = texts()
  return (
    <>
      <fieldset>
        <legend>{t.users.access}</legend>
        {(['invitation', 'password'] as const).map((way) => (
          <Check
            key={way}
            oneOf="access"
            label={t.users.ways[way]}
            checked={value === way}
            onChange={(isChosen) => isChosen && onChange(way)}
          />
        ))}
      </fieldset>
      {value === 'password' && (
        <PasswordField
          name="password"
          label={t.password.label}
          hint={t.password.rules}
          autocomplete="new-password"
          value={password}
          onInput={onPassword}
          error={error}
        />
      )}
    </>
  )
}
type AccessProps = {
  value: NewPerson['access']
  onChange: (way: NewPerson['access']) => void
  password: string
  onPassword: (password: string) => void
  error: string | undefined
}

export function UserNew() {
  const t = texts()
  const [person, change, clear] = useDraft<NewPerson>('userNew', emptyPerson)
  const [password, setPassword] = useState('')
  const [own, accept] = useErrors()
  const [wasInvited, setWasInvited] = useState(false)
  const creating = useSubmit<User>()
  const { username, access, ...rest } = person
  const isInvited = access === 'invitation'
  const errors = errorsOf(creating, own, {
    ...unfitFields(),
    username: t.users.unfitUsername,
    password: t.password.common,
  })
  async function submit(): Promise<void> {
    const missing = {
      ...findBlank(person, 'username'),
      ...findMissing(person),
      ...(!isInvited && { password: passwordError(password, username.trim().toLowerCase()) }),
    }
    if (!accept(missing)) return
    const body = { username: username.trim(), ...toBody(rest), ...(!isInvited && { password }) }
    const sent = { method: 'POST', path: '/admin/users', body, isRepeatable: false } as const
    if (await creating.submit({ ...sent, draft: 'userNew' })) {
      setWasInvited(isInvited)
      setPassword('')
      clear()
    }
  }
  useEffect(() => {
    if (creating.failure?.code === 'already_exists') void findTaken(person).then(accept)
  }, [creating.failure])
  if (creating.result) {
    return <Created user={creating.result} isInvited={wasInvited} again={creating.reset} />
  }
  return (
    <Screen title={t.users.create}>
      <div class="card narrow">
        <Form
          errors={errors}
          {...(!hasErrors(own) && { of: creating })}
          onSubmit={() => void submit()}
        >
          <Field
            {...bindFields(person, change, errors)('username')}
            label={t.users.username}
            hint={t.users.usernameRules}
            maxLength={64}
          />
          <PersonFields value={rest} onChange={change} errors={errors} />
          <Access
            value={access}
            onChange={(way) => change({ access: way })}
            password={password}
            onPassword={setPassword}
            error={errors['password']}
          />
          {creating.state === 'unknown' && (
            <a href={`${to('users')}?${new URLSearchParams({ search: username })}`}>
              {t.users.lookFor(username)}
            </a>
          )}
          <FormActions label={t.users.create} isBusy={creating.isBusy} cancel={to('users')} />
        </Form>
      </div>
    </Screen>
  )
}
