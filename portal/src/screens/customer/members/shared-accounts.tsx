// Accounts of others that the person may act on, and invitations to do so; nothing without any.
import { useState } from 'preact/hooks'
import { useRead } from '../../../calls/call.ts'
import { useListChanges } from '../../../calls/submit.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Badge, Button, groupIban, Notice, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Rows } from '../../../parts/list.tsx'
import { to } from '../../../state/paths.ts'
import type { List, Membership, PaymentDraft } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatTime } from '../../../texts/time.tsx'
import { describeRights } from './member-words.ts'

export const membershipsPath = '/me/memberships?limit=100'

function MembershipText({ of: membership }: { of: Membership }) {
  const t = texts().members
  const { ownerName, accountId, iban, status, expiresAt } = membership
  const name = <UserText>{t.accountOf(ownerName)}</UserText>
  return (
    <div>
      {status === 'active' && accountId ? (
        <a href={to('sharedAccount', { accountId })}>{name}</a>
      ) : (
        <strong>{name}</strong>
      )}{' '}
      {status !== 'active' && <Badge kind="warning">{t.statuses[status]}</Badge>}
      <p>{t.you(describeRights(membership))}</p>
      <p class="quiet small">
        {status === 'invited' ? t.waits(formatTime(expiresAt)) : iban && groupIban(iban)}
      </p>
    </div>
  )
}

export function SharedAccounts() {
  const t = texts().members
  const list = useRead<List<Membership>>(membershipsPath)
  const { told, change, ...changing } = useListChanges(list)
  const [left, setLeft] = useState<Membership>()
  const open = (list.data?.items ?? []).filter(({ status }) => status !== 'ended')
  const signatures = useRead<List<PaymentDraft>>('/me/signatures?limit=100')
  const waiting = signatures.data?.items.length ?? 0
  if (open.length + waiting === 0 && !told && !changing.failure) return null
  const accept = ({ id }: Membership) =>
    change({ method: 'POST', path: `/members/${id}/accept` }, t.accepted)
  const leave = ({ id, status }: Membership) =>
    change(
      { method: 'DELETE', path: `/members/${id}` },
      status === 'invited' ? t.declined : t.hasLeft,
    ).then(() => setLeft(undefined))
  return (
    <Section title={open.length === 0 && waiting > 0 ? texts().drafts.inbox : t.shared}>
      {waiting > 0 && (
        <p>
          <a href={to('signatures')}>{texts().drafts.waitingCount(waiting)}</a>
        </p>
      )}
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Rows of={open}>
        {(membership) => {
          const { status, ownerName } = membership
          const isInvited = status === 'invited'
          return (
            <>
              <MembershipText of={membership} />
              <div class="actions">
                {isInvited && (
                  <Button
                    kind="primary"
                    label={t.acceptOf(ownerName)}
                    isBusy={changing.isBusy}
                    onClick={() => void accept(membership)}
                  >
                    {t.accept}
                  </Button>
                )}
                <Button
                  label={isInvited ? t.declineOf(ownerName) : t.leaveOf(ownerName)}
                  onClick={() => setLeft(membership)}
                >
                  {isInvited ? t.decline : t.leave}
                </Button>
              </div>
            </>
          )
        }}
      </Rows>
      {left && (
        <Question
          title={
            left.status === 'invited' ? t.declineOf(left.ownerName) : t.leaveOf(left.ownerName)
          }
          confirm={left.status === 'invited' ? t.decline : t.leave}
          isBusy={changing.isBusy}
          onConfirm={() => void leave(left)}
          onClose={() => setLeft(undefined)}
        >
          <p>{t.leaveText}</p>
        </Question>
      )}
    </Section>
  )
}
