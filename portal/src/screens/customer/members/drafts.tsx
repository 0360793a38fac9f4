// Payments that somebody prepared: each with all its terms, to be signed or cancelled.
import { useState } from 'preact/hooks'
import { type Pages, usePages, useRead } from '../../../calls/call.ts'
import { me } from '../../../calls/session.ts'
import { useListChanges } from '../../../calls/submit.ts'
import { accountName, UserText } from '../../../parts/accounts.tsx'
import { Badge, Button, Facts, groupIban, Iban, Notice } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import type { Account, List, Member, PaymentDraft } from '../../../state/types.ts'
import { colon, texts } from '../../../texts/language.ts'
import { formatMoney, Money } from '../../../texts/money.tsx'
import { formatTime } from '../../../texts/time.tsx'

/** An account that drafts are of, and the right of the person on it. */
export type DraftAccount = Pick<Account, 'id' | 'name' | 'currency' | 'iban'> & {
  /** Undefined: the person owns it. */
  ownerName: string | undefined
  ownerId?: string | undefined
  mayPay: boolean
  /** A member's own, for one payment and for a day: it signs nothing above them. */
  limits?: readonly (string | null)[]
}

const toUnits = (amount: string): bigint => BigInt(amount.replace('.', ''))

const payeeOf = ({ payee }: PaymentDraft): string =>
  payee?.name ?? (payee ? groupIban(payee.iban) : texts().drafts.gone)

/** The owner knows the members by their names, and each member the owner. */
function useMakerName({ accountId, madeBy }: PaymentDraft, account: DraftAccount | undefined) {
  const t = texts().drafts
  const isMine = madeBy === me.value?.id
  const isOwner = account !== undefined && account.ownerName === undefined
  const path = `/accounts/${accountId}/members?limit=100`
  const members = useRead<List<Member>>(isOwner && !isMine ? path : undefined)
  if (isMine) return t.you
  if (account?.ownerName !== undefined && madeBy === account.ownerId) return account.ownerName
  return members.data?.items.find(({ personId }) => personId === madeBy)?.name ?? t.other
}

type TermsProps = { of: PaymentDraft; account: DraftAccount | undefined }

function DraftTerms({ of: draft, account }: TermsProps) {
  const { drafts: t, entry } = texts()
  const { payee, reference, amount, currency, signedBy, signaturesNeeded, expiresAt } = draft
  const maker = useMakerName(draft, account)
  return (
    <Facts
      rows={[
        [t.amount, <Money amount={amount} currency={currency} />],
        [
          entry.from,
          account && (
            <>
              <UserText>
                {account.ownerName === undefined
                  ? accountName(account)
                  : texts().members.accountOf(account.ownerName)}
              </UserText>{' '}
              <Iban iban={account.iban} />
            </>
          ),
        ],
        [entry.to, <UserText>{payeeOf(draft)}</UserText>],
        ['IBAN', payee && <Iban iban={payee.iban} />],
        [entry.reference, reference === '' ? undefined : <UserText>{reference}</UserText>],
        [t.madeBy, <UserText>{maker}</UserText>],
        [t.signatures, t.signed(signedBy.length, signaturesNeeded)],
        [t.expires, formatTime(expiresAt)],
      ]}
    />
  )
}

function DraftText({ of: draft }: { of: PaymentDraft }) {
  const t = texts().drafts
  const { amount, currency, status, reference, signedBy, signaturesNeeded, createdAt } = draft
  const isWaiting = status === 'waiting'
  return (
    <div>
      <strong>
        <Money amount={amount} currency={currency} />
      </strong>{' '}
      <UserText>{payeeOf(draft)}</UserText>{' '}
      <Badge kind={status === 'paid' ? 'good' : 'plain'}>{t.statuses[status]}</Badge>
      <p class="quiet small">
        {[formatTime(createdAt), isWaiting ? t.signed(signedBy.length, signaturesNeeded) : '']
          .filter(Boolean)
          .join(' · ')}
        {reference !== '' && [' · ', <UserText>{reference}</UserText>]}
      </p>
    </div>
  )
}

type Props = {
  of: Pages<PaymentDraft>
  accounts: readonly DraftAccount[]
  none: string
  /** What was done before the list was shown. */
  begin?: string
}

export function Drafts({ of: list, accounts, none, begin = '' }: Props) {
  const t = texts().drafts
  const { told, change, ...changing } = useListChanges(list, begin)
  const [asked, setAsked] = useState<{ verb: 'sign' | 'cancel'; draft: PaymentDraft }>()
  const accountOf = ({ accountId }: PaymentDraft) => accounts.find(({ id }) => id === accountId)
  const close = () => setAsked(undefined)
  function confirm(): void {
    if (!asked) return
    const path = `/drafts/${asked.draft.id}`
    const part =
      asked.verb === 'sign'
        ? ({ method: 'POST', path: `${path}/sign`, isRepeatable: false } as const)
        : ({ method: 'DELETE', path } as const)
    close()
    void change(part, asked.verb === 'sign' ? t.hasSigned : t.cancelled)
  }
  const nameOf = (draft: PaymentDraft) =>
    `${formatMoney(draft.amount, draft.currency)}, ${payeeOf(draft)}`
  return (
    <>
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={none}>
        {(drafts) => (
          <Rows of={drafts}>
            {(draft) => {
              const isMine = draft.madeBy === me.value?.id
              const { mayPay = false, limits = [] } = accountOf(draft) ?? {}
              const isWithin = limits.every(
                (limit) => limit === null || toUnits(draft.amount) <= toUnits(limit),
              )
              const isWaiting = draft.status === 'waiting'
              const hasSigned = draft.signedBy.includes(me.value?.id ?? '')
              const act = (verb: 'sign' | 'cancel') => () => setAsked({ verb, draft })
              return (
                <>
                  <DraftText of={draft} />
                  {isWaiting && (
                    <div class="actions">
                      {mayPay && isWithin && !hasSigned && (!isMine || draft.signedBy[0]) && (
                        <Button
                          kind="primary"
                          label={`${t.sign}${colon()}${nameOf(draft)}`}
                          isBusy={changing.isBusy}
                          onClick={act('sign')}
                        >
                          {t.sign}
                        </Button>
                      )}
                      {(mayPay || isMine) && (
                        <Button
                          label={`${t.cancel}${colon()}${nameOf(draft)}`}
                          onClick={act('cancel')}
                        >
                          {t.cancel}
                        </Button>
                      )}
                    </div>
                  )}
                </>
              )
            }}
          </Rows>
        )}
      </Listed>
      {asked && (
        <Question
          title={asked.verb === 'sign' ? t.signTitle : t.cancelTitle}
          confirm={asked.verb === 'sign' ? t.sign : t.cancelForGood}
          kind={asked.verb === 'sign' ? 'primary' : 'danger'}
          keep={texts().common.back}
          onConfirm={confirm}
          onClose={close}
        >
          <DraftTerms of={asked.draft} account={accountOf(asked.draft)} />
        </Question>
      )}
    </>
  )
}

/** Those of one account, with what became of them. */
export function AccountDrafts({ account, begin = '' }: { account: DraftAccount; begin?: string }) {
  const t = texts().drafts
  const list = usePages<PaymentDraft>(`/accounts/${account.id}/drafts?limit=10`)
  return (
    <div class="column">
      <h3>{t.title}</h3>
      <Drafts of={list} accounts={[account]} none={t.none} begin={begin} />
    </div>
  )
}
