// The people of the bank, newest first, by role, state and name.
import { UserText } from '../../parts/accounts.tsx'
import { ButtonLink, Empty, Loaded, More, Screen, Section } from '../../parts/basic.tsx'
import { FilterForm, useFilters } from '../../parts/filters.tsx'
import { Field } from '../../parts/form.tsx'
import { Table } from '../../parts/table.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { isAdmin } from '../../session.ts'
import { Time } from '../../time.tsx'
import type { User } from '../../types.ts'
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
          cell: ({ id, givenName, familyName }) => (
            <a href={to('staffCustomer', { userId: id })}>
              <UserText>{`${givenName} ${familyName}`}</UserText>
            </a>
          ),
        },
        { name: t.username, cell: ({ username }) => username },
        { name: t.email, cell: ({ email }) => email },
        { name: t.role, cell: roleNames },
        { name: t.status, cell: (user) => <UserStatus user={user} /> },
        { name: t.since, cell: ({ createdAt }) => <Time at={createdAt} style="date" /> },
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
        <FilterForm of={filters}>
          <Field
            name="search"
            label={t.users.search}
            type="search"
            value={filters.typed.search}
            onInput={(text) => filters.type({ search: text })}
            error={isWrong ? t.users.unfitSearch : undefined}
          />
          <Field
            name="role"
            label={t.users.role}
            value={filters.typed.role}
            onInput={(value) => filters.type({ role: value })}
            options={[...any, ...Object.entries(t.users.roles)]}
          />
          <Field
            name="status"
            label={t.users.status}
            value={filters.typed.status}
            onInput={(value) => filters.type({ status: value })}
            options={[...any, ...Object.entries(t.users.statuses)]}
          />
        </FilterForm>
        {!isWrong && (
          <Loaded of={{ ...list, data: list.items }} lines={8}>
            {(users) => (
              <>
                <p role="status" class="quiet">
                  {t.users.shown(users.length, list.more !== undefined)}
                </p>
                {users.length === 0 ? (
                  <Empty>
                    <p>{t.users.none}</p>
                  </Empty>
                ) : (
                  <UserTable users={users} />
                )}
              </>
            )}
          </Loaded>
        )}
        <More of={list} />
      </Section>
    </Screen>
  )
}
