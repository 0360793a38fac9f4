// The endpoint of former entries: what the bank of before booked in an account that was imported.
import type { Static } from '../../domain/type.ts'
import { refuse } from '../../domain/errors.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, FormerEntryId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  closed,
  Currency,
  Day,
  Name,
  named,
  nullable,
  oneOf,
  OptionalText,
  SignedAmount,
  withExample,
} from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { route } from '../../http/route.ts'
import { readCustomersAccount } from '../movements/sql.ts'
import { type FormerEntryRow, formerEntriesOf } from './sql.ts'

const FormerEntry = named('FormerEntry', {
  id: FormerEntryId,
  accountId: AccountId,
  bookedBy: oneOf(['former_bank'], {
    description: 'It is no part of the books of this bank: no balance and no statement has it.',
  }),
  bookedOn: Day,
  amount: SignedAmount,
  currency: Currency,
  counterpartyName: nullable(Name),
  counterpartyIban: nullable(Iban),
  reference: withExample(OptionalText, 'Rent February'),
})

export const toFormerEntry = (row: FormerEntryRow): Static<typeof FormerEntry> => ({
  id: row.id,
  accountId: row.accountId,
  bookedBy: 'former_bank',
  bookedOn: row.bookedOn,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  counterpartyName: row.counterpartyName,
  counterpartyIban: row.counterpartyIban,
  reference: row.reference,
})

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/former-entries',
  operation: 'listFormerEntries',
  summary:
    'List what the former bank of an imported account booked there, newest first. None of it is ' +
    'part of the books of this bank, of a balance or of a statement.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'read',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: closed(pageQuery),
  reply: { 200: listSchema(FormerEntry) },
  row: readCustomersAccount,
  async handle({ row, db, page }) {
    const { id: accountId } = row ?? refuse('not_found')
    return page({
      fetch: (after, count) => formerEntriesOf(db, accountId, after, count),
      toItem: toFormerEntry,
    })
  },
})

export const formerEntryRoutes = [list]
