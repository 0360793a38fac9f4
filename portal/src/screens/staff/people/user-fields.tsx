// Roles and status of a person in words, and the fields that are given at the creation and can be
// changed later.
import { useState } from 'preact/hooks'
import { Badge } from '../../../parts/basic.tsx'
import { Check, Field } from '../../../parts/field.tsx'
import { bindFields, type Errors, findBlank, findUnfit } from '../../../parts/form.tsx'
import { type Language, languages } from '../../../../../src/domain/languages.ts'
import { colon, texts } from '../../../texts/language.ts'
import type { Role, User } from '../../../state/types.ts'

export const roleNames = ({ roles }: Pick<User, 'roles'>): string =>
  roles.map((role) => texts().users.roles[role]).join(', ')

/** The usual state in plain text; an invited person has no password yet. */
export function UserStatus({ user: { status, invited } }: { user: User }) {
  const t = texts().users
  const shown = invited && status === 'active' ? t.isInvited : t.statuses[status]
  return shown === t.statuses.active ? <>{shown}</> : <Badge kind="warning">{shown}</Badge>
}

export type Person = {
  givenName: string
  familyName: string
  email: string
  phone: string
  address: string
  /** The language of mails and files; empty: the person's first page tells it. */
  language: Language | ''
  roles: Role[]
}

export const toPerson = (user: User): Person => ({
  givenName: user.givenName,
  familyName: user.familyName,
  email: user.email,
  phone: user.phone ?? '',
  address: user.address ?? '',
  language: user.language ?? '',
  roles: [...user.roles],
})

/** As the API takes it: a telephone number or address that is left out is null. */
export const toBody = ({ phone, address, language, ...person }: Person) => ({
  ...person,
  givenName: person.givenName.trim(),
  familyName: person.familyName.trim(),
  phone: phone.replace(/[\s()/-]/g, '') || null,
  address: address.trim() || null,
  ...(language && { language }),
})

/** What has to be filled in and is not, or holds a sign that is not taken. */
export function findMissing(person: Person): Errors {
  const rolesMissing = person.roles.length === 0 ? texts().users.rolesMissing : undefined
  return {
    ...findBlank(person, 'givenName', 'familyName', 'email'),
    ...findUnfit(person, 'givenName', 'familyName', 'address'),
    roles: rolesMissing,
  }
}

/** The message for each field that the API may refuse. */
export function unfitFields(): Errors {
  const t = texts().users
  const { badText } = texts().form
  return {
    givenName: badText,
    familyName: badText,
    address: badText,
    email: t.unfitEmail,
    phone: t.unfitPhone,
  }
}

type Props = { value: Person; onChange: (change: Partial<Person>) => void; errors: Errors }

export function PersonFields({ value, onChange, errors }: Props) {
  const t = texts().users
  const of = bindFields(value, onChange, errors)
  const { roles } = value
  // A language that is chosen becomes another one, never none.
  const [hasNone] = useState(value.language === '')
  const none = hasNone ? [['', t.ownLanguage] as const] : []
  return (
    <>
      <Field {...of('givenName')} label={t.givenName} maxLength={70} />
      <Field {...of('familyName')} label={t.familyName} maxLength={70} />
      <Field {...of('email')} label={t.email} type="email" maxLength={254} />
      <Field {...of('phone')} label={t.phone} hint={t.phoneHint} type="tel" maxLength={30} />
      <Field {...of('address')} label={t.address} maxLength={140} />
      <Field
        {...of('language')}
        label={t.language}
        options={[...none, ...Object.entries(languages)]}
      />
      <fieldset
        data-field="roles"
        tabIndex={-1}
        aria-describedby={errors['roles'] && 'roles-error'}
      >
        <legend>{t.rolesLegend}</legend>
        {(Object.keys(t.roles) as Role[]).map((role) => (
          <Check
            key={role}
            label={`${t.roles[role]}${colon()}${t.roleMeanings[role]}`}
            checked={roles.includes(role)}
            onChange={(checked) => {
              const others = roles.filter((other) => other !== role)
              onChange({ roles: checked ? [...others, role] : others })
            }}
          />
        ))}
        {errors['roles'] && (
          <p class="error" id="roles-error">
            {errors['roles']}
          </p>
        )}
      </fieldset>
    </>
  )
}
