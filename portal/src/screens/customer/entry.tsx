// One entry of an account: both sides of the payment, to keep and to print.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { AccountLink, canPay, nameOf, UserText } from '../../parts/accounts.tsx'
import { useAccount } from '../../calls/own-accounts.ts'
import {
  ButtonLink,
  Copyable,
  Facts,
  Iban,
  Loaded,
  Screen,
  Section,
  useElementId,
} from '../../parts/basic.tsx'
import { counterpartyName, direction, isOut } from '../../parts/entries.tsx'
import { readTogether, useRead } from '../../calls/call.ts'
import { Later } from '../../parts/later.tsx'
import { loadTexts, texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { me } from '../../calls/session.ts'
import { Time } from '../../texts/time.tsx'
import type { Account, Transaction, Transfer } from '../../state/types.ts'
import { LateCardEntry } from '../common/disputes/late-card-entry.tsx'
import { ReceiptFile } from '../common/receipt-file.tsx'
import { CancelPayment, PaymentState } from './payment-state.tsx'
import { PrintButton } from './print.tsx'

async function loadNote() {
  const [{ EntryNote }] = await Promise.all([import('./entry-note.tsx'), loadTexts('entryNote')])
  return EntryNote
}

const isOwnPayment = (entry: Transaction): boolean => entry.kind === 'transfer' && isOut(entry)

type Sides = { entry: Transaction; account: Account; all: readonly Account[] }

function Other({ entry, all }: Omit<Sides, 'account'>) {
  const t = texts().paymentState
  const name = counterpartyName(entry, all)
  const iban = entry.counterparty?.iban ?? undefined
  // Only the other side of a payment may have been erased; cash is from and to the bank.
  if (!name) return <>{entry.kind === 'transfer' ? t.erased : t.bank}</>
  return (
    <>
      <UserText>{name}</UserText>
      {iban && iban !== name && (
        <div>
          <Iban iban={iban} />
        </div>
      )}
    </>
  )
}

/** What is needed to ask about it: folded away on a screen, and there on paper. */
function Numbers({ id }: { id: string }) {
  const t = texts().entry
  const own = useElementId()
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <button
        type="button"
        class="button link"
        aria-expanded={isOpen}
        aria-controls={own}
        onClick={() => setOpen(!isOpen)}
      >
        {t.details}
      </button>
      <div class="on-paper" id={own} hidden={!isOpen}>
        <Facts rows={[[t.id, <Copyable text={id} name={t.id} />]]} />
      </div>
    </div>
  )
}

type FacetsProps = Sides & {
  /** The transfer of the payer's entry. */
  transfer?: Transfer | undefined
  /** Reads the transfer again. */
  again: () => void
}

/** On an account of somebody else, a person cancels own payments alone. */
const mayCancel = ({ madeBy }: Transfer, { membership }: Account): boolean =>
  !membership || (membership.rights === 'pay' && madeBy === me.value?.id)

/** What is kept and printed of a payment, and what can still be done with it. */
export function Facets({ entry, account, all, transfer, again }: FacetsProps) {
  const t = texts().entry
  const { id, kind, currency, balanceAfter, reference, createdAt } = entry
  const own: ComponentChildren = (
    <>
      {!account.membership && me.value && [<UserText>{nameOf(me.value)}</UserText>, ', ']}
      <AccountLink account={account} />
      <div>
        <Iban iban={account.iban} />
      </div>
    </>
  )
  const other = <Other entry={entry} all={all} />
  const [from, target] = isOut(entry) ? [own, other] : [other, own]
  return (
    <Section title={t.kinds[kind]}>
      <div>
        <p class="quiet">{direction(entry)}</p>
        <p class="amount-large">
          <Money amount={entry.amount} currency={currency} signed />
        </p>
      </div>
      {transfer && <PaymentState transfer={transfer} accountId={account.id} />}
      <Facts
        rows={[
          [t.from, from],
          [t.to, target],
          [t.reference, reference === '' ? undefined : <UserText>{reference}</UserText>],
          [t.note, <Later load={loadNote} with={{ accountId: account.id, of: entry }} isQuiet />],
          [t.time, <Time at={createdAt} style="exact" />],
          [t.balanceAfter, <Money amount={balanceAfter} currency={currency} />],
        ]}
      />
      <Numbers id={id} />
      {transfer && mayCancel(transfer, account) && (
        <CancelPayment transfer={transfer} again={again} />
      )}
      {!account.membership && <LateCardEntry entry={entry} />}
    </Section>
  )
}

export function Entry({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().entry
  const [accountId, id] = [parameters['accountId'], parameters['transactionId']] as [string, string]
  const account = useAccount(accountId)
  const entry = useRead<Transaction>(`/accounts/${accountId}/transactions/${id}`)
  // The payer reads the transfer itself, which has a status.
  const isOwn = entry.data !== undefined && isOwnPayment(entry.data)
  const transfer = useRead<Transfer>(isOwn ? `/transfers/${id}` : undefined)
  const actions = account.data && entry.data && (
    <>
      {isOwn && canPay(account.data.account) && (
        <ButtonLink href={`${to('transfer')}?from=${accountId}&again=${id}`}>
          {texts().paymentState.again}
        </ButtonLink>
      )}
      <PrintButton />
      {isOwn && <ReceiptFile transferId={id} />}
    </>
  )
  const read = readTogether({ entry, account, ...(isOwn && { transfer }) })
  return (
    <Screen title={t.title} actions={actions}>
      <Loaded of={read} lines={8}>
        {({ account: own, ...shown }) => (
          <Facets {...own} {...shown} again={() => transfer.again()} />
        )}
      </Loaded>
    </Screen>
  )
}
