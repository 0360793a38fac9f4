// An account of somebody else, with what the person may do on it and nothing that would be refused.
import { useState } from 'preact/hooks'
import { readTogether, useRead } from '../../../calls/call.ts'
import { isStaff } from '../../../calls/session.ts'
import {
  accountName,
  AccountStatus,
  BlockNotice,
  canPay,
  UserText,
} from '../../../parts/accounts.tsx'
import { Button, ButtonLink, Facts, Iban, Loaded, Screen } from '../../../parts/basic.tsx'
import { Fold } from '../../../parts/fold.tsx'
import { Later } from '../../../parts/later.tsx'
import { hasMembers } from '../../../state/bank.ts'
import { Failure } from '../../../state/failure.ts'
import { to } from '../../../state/paths.ts'
import type { Account, List, Membership } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney, Money } from '../../../texts/money.tsx'
import { loadAside } from '../beside/aside-later.ts'
import { History } from '../history.tsx'
import { AccountDrafts } from './drafts.tsx'
import { describeRights } from './member-words.ts'
import { membershipsPath } from './shared-accounts.tsx'

/** The page of orders, to which they lead, is of own accounts alone. */
const noComing = { accounts: [], coming: { runs: [] } }

const loadDraftForm = () => import('./draft-form.tsx').then(({ DraftForm }) => DraftForm)

/** The account, and by which membership the person acts on it now. */
export function useSharedAccount(accountId: string) {
  const account = useRead<Account>(hasMembers ? `/accounts/${accountId}` : undefined)
  const memberships = useRead<List<Membership>>(hasMembers ? membershipsPath : undefined)
  const membership = memberships.data?.items.find(
    (one) => one.accountId === accountId && one.status === 'active',
  )
  const read = readTogether({ account, memberships })
  const isMissing = !hasMembers || (memberships.data !== undefined && membership === undefined)
  return {
    ...read,
    data: account.data && membership && { account: account.data, membership },
    failure: isMissing ? new Failure('not_found') : read.failure,
  }
}

type ActingProps = { by: Membership; of: Account; onPrepare: () => void }

/**
 * Who may pay uses the form of the owner, and prepares what is above a limit of theirs; the list of
 * accounts of staff has no own ones.
 */
function Acting({ by: { rights, perPayment, perDay }, of: { id }, onPrepare }: ActingProps) {
  const t = texts()
  if (rights === 'view') return null
  const pays = rights === 'pay' && !isStaff()
  return (
    <>
      {pays && (
        <ButtonLink href={`${to('transfer')}?from=${id}`} kind="primary">
          {t.account.pay}
        </ButtonLink>
      )}
      {(!pays || (perPayment ?? perDay) !== null) && (
        <Button kind={pays ? 'plain' : 'primary'} onClick={onPrepare}>
          {t.drafts.prepare}
        </Button>
      )}
    </>
  )
}

export function SharedAccount({ parameters }: { parameters: Record<string, string> }) {
  const t = texts()
  const read = useSharedAccount(parameters['accountId'] as string)
  const { account, membership } = read.data ?? {}
  const [isPreparing, setPreparing] = useState(false)
  const [turn, setTurn] = useState(0)
  const prepare = () => setPreparing(true)
  const lead = account && membership && (
    <>
      <p class="amount-large">
        <Money amount={account.balance} currency={account.currency} />
      </p>
      <p class="quiet small">
        <UserText>{t.members.accountOf(membership.ownerName)}</UserText>
        {' · '}
        {t.account.available(formatMoney(account.available, account.currency))}
      </p>
      <p>{t.members.you(describeRights(membership))}</p>
    </>
  )
  return (
    <Screen
      title={account ? accountName(account) : t.account.title}
      aside={account && <Iban iban={account.iban} />}
      lead={lead}
      actions={
        account &&
        membership &&
        canPay(account) && <Acting by={membership} of={account} onPrepare={prepare} />
      }
    >
      <Loaded of={read} lines={6}>
        {(found) => (
          <>
            {isPreparing && (
              <Later
                load={loadDraftForm}
                with={{
                  account: found.account,
                  onDone: () => {
                    setPreparing(false)
                    setTurn(turn + 1)
                  },
                  onClose: () => setPreparing(false),
                }}
              />
            )}
            <BlockNotice of={found.account} />
            <div class="split">
              <History account={found.account} accounts={[]} toEntry={() => undefined} />
              <section class="card" key={`${turn}`}>
                <AccountDrafts
                  account={{
                    ...found.account,
                    ownerName: found.membership.ownerName,
                    mayPay: found.membership.rights === 'pay',
                    limits: [found.membership.perPayment, found.membership.perDay],
                  }}
                  begin={turn > 0 ? t.drafts.sent : ''}
                />
              </section>
              <Later load={loadAside} with={{ of: found.account, ...noComing }} />
              <Fold title={t.account.details}>
                <Facts
                  rows={[
                    ['IBAN', <Iban iban={found.account.iban} />],
                    [t.account.holder, <UserText>{found.membership.ownerName}</UserText>],
                    [t.account.status, <AccountStatus of={found.account} />],
                  ]}
                />
              </Fold>
            </div>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
