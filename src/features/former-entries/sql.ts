// Data of former entries. An import adds them, an erasure deletes them: the service only reads.
import { currencyText, fragment, listOf, type RowOf } from '../../database/statements/statement.ts'

const shown = {
  id: 'uuid',
  accountId: 'uuid',
  bookedOn: 'text',
  amount: 'int8',
  currency: currencyText,
  counterpartyName: 'text?',
  counterpartyIban: 'text?',
  reference: 'text',
} as const
export type FormerEntryRow = RowOf<typeof shown>

/** The identifiers of an account's former entries are in the order of their days. */
export const formerEntriesOf = listOf(
  'former_entries_list',
  shown,
  fragment`select f.id, f.account_id as "accountId", f.booked_on::text as "bookedOn", f.amount,
     a.currency, f.counterparty_name as "counterpartyName",
     f.counterparty_iban as "counterpartyIban", f.reference
   from former_entries f join accounts a on a.id = f.account_id where f.account_id = $1`,
  'f.id',
)
