// Entries of accounts, newest first: a sign and a word tell the direction.
import { texts } from '../texts/language.ts'
import { to } from '../state/paths.ts'
import { Time } from '../texts/time.tsx'
import type { Account, OwnTransaction, Transaction } from '../state/types.ts'
import { accountName, UserText } from './accounts.tsx'
import { type Column, moneyColumn, Table } from './table.tsx'

export const isOut = ({ amount }: Pick<Transaction, 'amount'>): boolean => amount.startsWith('-')

export const direction = (entry: Transaction): string =>
  isOut(entry) ? texts().entry.paid : texts().entry.received

/** The other side: an own account by its name; undefined where there is none to name. */
export function counterpartyName(
  { counterparty }: Transaction,
  accounts: readonly Account[],
): string | undefined {
  const own = accounts.find(({ iban }) => iban === counterparty?.iban)
  return own ? accountName(own) : (counterparty?.name ?? counterparty?.iban ?? undefined)
}

type Props = {
  caption: string
  entries: readonly OwnTransaction[]
  accounts: readonly Account[]
  /** Of one account: with the balance after each entry. Otherwise with the account's name. */
  isOneAccount?: boolean
  /** Where an entry leads; left out: to the customer's own page of it. */
  toEntry?: ToEntry
}

export type ToEntry = (entry: OwnTransaction) => string

const toOwn: ToEntry = ({ accountId, id }) => to('entry', { accountId, transactionId: id })

type DetailsProps = Required<Pick<Props, 'accounts' | 'toEntry'>> & { entry: OwnTransaction }

function Details({ entry, accounts, toEntry }: DetailsProps) {
  const t = texts().entry
  const { kind, reference } = entry
  const name = counterpartyName(entry, accounts)
  return (
    <div>
      <a href={toEntry(entry)}>
        <UserText>{name ?? t.kinds[kind]}</UserText>
      </a>
      <p class="quiet small">
        {direction(entry)}
        {name !== undefined && kind !== 'transfer' && ` · ${t.kinds[kind]}`}
        {reference !== '' && (
          <>
            {' · '}
            <UserText>{reference}</UserText>
          </>
        )}
      </p>
    </div>
  )
}

export function EntryTable({
  caption,
  entries,
  accounts,
  isOneAccount = false,
  toEntry = toOwn,
}: Props) {
  const t = texts().entry
  const last: Column<OwnTransaction> = isOneAccount
    ? moneyColumn(t.balanceAfter, ({ balanceAfter: amount, currency }) => ({ amount, currency }))
    : {
        name: t.account,
        cell({ accountId }) {
          const account = accounts.find(({ id }) => id === accountId)
          return account && <UserText>{accountName(account)}</UserText>
        },
      }
  const amount = moneyColumn<OwnTransaction>(t.amount, ({ amount: moved, currency }) => ({
    amount: moved,
    currency,
    signed: true,
  }))
  return (
    <Table
      caption={caption}
      rows={entries}
      keyOf={({ accountId, id }) => `${accountId} ${id}`}
      columns={[
        { name: t.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: t.details,
          isRowHeader: true,
          cell: (entry) => <Details entry={entry} accounts={accounts} toEntry={toEntry} />,
        },
        ...(isOneAccount ? [amount, last] : [last, amount]),
      ]}
    />
  )
}
