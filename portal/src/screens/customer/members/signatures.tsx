// What waits for the person's signature, on own accounts and those of others.
import { usePages, useRead } from '../../../calls/call.ts'
import { isOwn, useActedAccounts } from '../../../calls/own-accounts.ts'
import { FailureNotice, Screen, Section } from '../../../parts/basic.tsx'
import { hasMembers } from '../../../state/bank.ts'
import { Failure } from '../../../state/failure.ts'
import { readQuery } from '../../../state/router.ts'
import type { List, Membership, PaymentDraft } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { type DraftAccount, Drafts } from './drafts.tsx'
import { membershipsPath } from './shared-accounts.tsx'

function Inbox() {
  const t = texts().drafts
  const acted = useActedAccounts().data ?? []
  const memberships = useRead<List<Membership>>(membershipsPath)
  const list = usePages<PaymentDraft>('/me/signatures?limit=25')
  const accounts: DraftAccount[] = [
    ...acted.filter(isOwn).map((account) => ({ ...account, ownerName: undefined, mayPay: true })),
    ...(memberships.data?.items ?? []).flatMap(({ accountId, iban, ...one }) =>
      accountId && iban && one.status === 'active'
        ? {
            ...one,
            id: accountId,
            iban,
            name: null,
            mayPay: one.rights === 'pay',
            ownerId: acted.find(({ id }) => id === accountId)?.ownerId,
          }
        : [],
    ),
  ]
  return (
    <Screen title={t.inbox}>
      <Section title={t.waiting}>
        <Drafts
          of={list}
          accounts={accounts}
          none={t.noneWaits}
          begin={readQuery().has('sent') ? t.sent : ''}
        />
      </Section>
    </Screen>
  )
}

export function Signatures() {
  if (hasMembers) return <Inbox />
  return (
    <Screen title={texts().drafts.inbox}>
      <FailureNotice failure={new Failure('not_found')} />
    </Screen>
  )
}
