// The service accounts of the bank, newest first.
import { UserText } from '../../parts/accounts.tsx'
import { Badge, ButtonLink } from '../../parts/basic.tsx'
import { Listed } from '../../parts/list.tsx'
import { Table } from '../../parts/table.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { isAdmin } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import type { ServiceAccount } from '../../state/types.ts'
import { ProgramsScreen } from './programs-screen.tsx'

/** Its state, told by the reason for which it may not call. */
export function ProgramStatus({ of }: { of: Pick<ServiceAccount, 'status' | 'expiresAt'> }) {
  const t = texts().programs
  const isOver = of.expiresAt !== null && Date.parse(of.expiresAt) <= Date.now()
  if (of.status === 'active' && !isOver) return <Badge kind="good">{t.statuses.active}</Badge>
  return <Badge kind="warning">{isOver ? t.expired : t.statuses.disabled}</Badge>
}

export const readsOf = ({ readAccounts }: ServiceAccount['grants']): string => {
  const t = texts().programs.reads
  return readAccounts === null ? t.none : readAccounts === 'all' ? t.all : t.one
}

export function ServiceAccounts() {
  const t = texts().programs
  const list = usePages<ServiceAccount>('/admin/service-accounts?limit=50')
  return (
    <ProgramsScreen
      of="programs"
      actions={
        isAdmin() && (
          <ButtonLink href={to('serviceAccountNew')} kind="primary">
            {t.create}
          </ButtonLink>
        )
      }
    >
      <section class="card">
        <p class="quiet">{t.meaning}</p>
        <Listed of={list} none={t.none} lines={6}>
          {(programs) => (
            <Table
              caption={t.caption}
              rows={programs}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: t.name,
                  isRowHeader: true,
                  cell: ({ id, name }) => (
                    <a href={to('staffServiceAccount', { serviceAccountId: id })}>
                      <UserText>{name}</UserText>
                    </a>
                  ),
                },
                { name: t.status, cell: (of) => <ProgramStatus of={of} />, place: 'end' },
                { name: t.readAccounts, cell: ({ grants }) => readsOf(grants), place: 'desk' },
                {
                  name: t.payFrom,
                  isNumber: true,
                  cell: ({ grants }) => String(grants.payFrom.length),
                },
                {
                  name: t.operations,
                  isNumber: true,
                  cell: ({ grants }) => String(grants.operations.length),
                },
                { name: t.keys, isNumber: true, cell: ({ keys }) => String(keys.length) },
                { name: t.since, cell: ({ createdAt }) => <Time at={createdAt} style="date" /> },
              ]}
            />
          )}
        </Listed>
      </section>
    </ProgramsScreen>
  )
}
