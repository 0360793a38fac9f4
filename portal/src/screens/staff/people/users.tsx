// The people of the bank, newest first, by role, state and name.
import { nameOf, UserText } from '../../../parts/accounts.tsx'
import { ButtonLink, Screen, Section } from '../../../parts/basic.tsx'
import { FilterForm, useFilters } from '../../../parts/filters.tsx'
import { Field } from '../../../parts/field.tsx'
import { bindFields, signError } from '../../../parts/form.tsx'
import { Listed } from '../../../parts/list.tsx'
import { Table } from '../../../parts/table.tsx'
import { usePages } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { to } from '../../../state/paths.ts'
import { isAdmin } from '../../../calls/session.ts'
import { Time } from '../../../texts/time.tsx'
import { searchSigns } from '../../../texts/typed-text.ts'
import type { User } from '../../../state/types.ts'
import { roleNames, UserStatus } from './user-fields.tsx'

function UserTable({ users }: { users: readonly User[] }) {
  const t = texts().users
  return (
    <Table
      caption={t.caption}
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        {
          name: t.name,
          isRowHeader: true,
          cell: (user) => (
            <a href={to('staffCustomer', { userId: user.id })}>
              <UserText>{nameOf(user)}</UserText>
            </a>
          ),
        },
        { name: t.username, cell: ({ username }) => username },
        { name: t.email, place: 'desk', cell: ({ email }) => email },
        { name: t.role, cell: roleNames },
        { name: t.status, place: 'end', cell: (user) => <UserStatus user={user} /> },
        {
          name: t.since,
          place: 'desk',
          cell: ({ createdAt }) => <Time at={createdAt} style="date" />,
        },
      ]}
    />
  )
}

export function Users() {
  const t = texts()
  const filters = useFilters(['search', 'role', 'status'])
  const list = usePages<User>(`/admin/users?limit=50${filters.query}`)
  const isWrong = list.failure?.code === 'invalid_request'
  const any = [['', t.users.any]] as const
  const unfit = signError(filters.applied.search, searchSigns) ?? t.form.badText
  const errors = { search: isWrong ? unfit : undefined }
  const field = bindFields(filters.typed, filters.type, errors)
  return (
    <Screen
      title={t.nav.users}
      actions={
        isAdmin() && (
          <ButtonLink href={to('userNew')} kind="primary">
            {t.users.create}
          </ButtonLink>
        )
      }
    >
      <Section title={t.users.find}>
        <FilterForm
          of={filters}
          search={<Field {...field('search')} label={t.users.search} type="search" isBare />}
        >
          <Field
            {...field('role')}
            label={t.users.role}
            options={[...any, ...Object.entries(t.users.roles)]}
          />
          <Field
            {...field('status')}
            label={t.users.status}
            options={[...any, ...Object.entries(t.users.statuses)]}
          />
        </FilterForm>
        {!isWrong && (
          <Listed of={list} none={t.users.none} lines={8}>
            {(users) => (
              <>
                <p role="status" class="quiet">
                  {t.users.shown(users.length, list.more !== undefined)}
                </p>
                <UserTable users={users} />
              </>
            )}
          </Listed>
        )}
      </Section>
    </Screen>
  )
}
