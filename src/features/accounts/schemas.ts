// Accounts as the interface shows them, and how rows become that.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, UserId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { Phone } from '../../domain/phone.ts'
import {
  Amount,
  closed,
  Currency,
  Name,
  named,
  nullable,
  oneOf,
  OptionalText,
} from '../../domain/schema.ts'
import { SignedAmount, Time } from '../../domain/schema.ts'
import type { AccountRow, DetailsRow, SettingsRow } from './sql.ts'

export const statuses = ['active', 'frozen', 'closed'] as const
export type Status = (typeof statuses)[number]

const account = {
  id: AccountId,
  ownerId: UserId,
  iban: Iban,
  currency: Currency,
  name: nullable(Name),
  status: oneOf(statuses),
  balance: SignedAmount,
  available: Amount,
  createdAt: Time,
}

export const Account = named('Account', account)

export const toAccount = (row: AccountRow): Static<typeof Account> => {
  const currency = row.currency as CurrencyCode
  return {
    id: row.id,
    ownerId: row.owner_id,
    iban: row.iban,
    currency,
    name: row.name,
    status: row.status as Status,
    balance: formatAmount(row.balance, currency),
    available: formatAmount(availableAmount(row), currency),
    createdAt: rfc3339(row.created_at.getTime()),
  }
}

/** What could leave the account at this moment, in minor units: nothing unless it is active. */
const availableAmount = ({ status, balance, overdraft_limit: overdraft }: AccountRow): bigint =>
  status === 'active' ? balance + overdraft : 0n

export const Details = named('AccountDetails', {
  ...account,
  registeredPhone: nullable(Phone),
  holder: closed({
    userId: UserId,
    givenName: Name,
    familyName: Name,
    email: Type.String({ maxLength: 254 }),
    phone: nullable(Phone),
    address: nullable(OptionalText),
  }),
})

export const toDetails = (row: DetailsRow): Static<typeof Details> => ({
  ...toAccount(row),
  registeredPhone: row.registered_phone,
  holder: {
    userId: row.owner_id,
    givenName: row.given_name,
    familyName: row.family_name,
    email: row.email,
    phone: row.phone,
    address: row.address,
  },
})

export const Settings = named('AccountSettings', {
  currency: Currency,
  registeredPhone: nullable(Phone),
  dailyTransferLimit: nullable(Amount),
  overdraftLimit: Amount,
  alertsEnabled: Type.Boolean(),
})

export const toSettings = (row: SettingsRow): Static<typeof Settings> => {
  const currency = row.currency as CurrencyCode
  const daily = row.daily_transfer_limit
  return {
    currency,
    registeredPhone: row.registered_phone,
    dailyTransferLimit: daily === null ? null : formatAmount(daily, currency),
    overdraftLimit: formatAmount(row.overdraft_limit, currency),
    alertsEnabled: row.alerts_enabled,
  }
}
