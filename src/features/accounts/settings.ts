// Changing the settings of an account: what is named changes, the rest stays.
import type { Database } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { lockedAccount, type SettingsRow, writeSettings } from './sql.ts'

export type SettingsChange = {
  /** The currency the amounts are meant in; has to be that of the account. */
  currency?: Currency
  registeredPhone?: string | null
  dailyTransferLimit?: string | null
  overdraftLimit?: string
  alertsEnabled?: boolean
}

/**
 * Refuses with `not_found` when the account is closed or not there, `currency_mismatch`,
 * `invalid_request` for minor digits the currency does not have, and `limit_exceeded` for an
 * overdraft limit below what is overdrawn already.
 */
export async function changeSettings(
  db: Database,
  accountId: string,
  change: SettingsChange,
): Promise<SettingsRow> {
  return transaction(db, async (tx) => {
    const account = await lockedAccount(tx, accountId)
    if (!account || account.status === 'closed') refuse('not_found')
    if (change.currency !== undefined && change.currency !== account.currency) {
      refuse('currency_mismatch')
    }
    const changed = merged(account, change)
    await writeSettings(tx, changed)
    return changed
  })
}

function merged(account: SettingsRow, change: SettingsChange): SettingsRow {
  const { registeredPhone: phone, dailyTransferLimit: daily, overdraftLimit: overdraft } = change
  const inMinorUnits = (text: string, key: string): bigint =>
    parseAmount(text, account.currency as Currency) ??
    invalid(`/body/${key}`, `has more minor digits than ${account.currency}`)
  return {
    ...account,
    ...(phone !== undefined && { registered_phone: phone }),
    ...(daily !== undefined && {
      daily_transfer_limit: daily === null ? null : inMinorUnits(daily, 'dailyTransferLimit'),
    }),
    ...(overdraft !== undefined && { overdraft_limit: inMinorUnits(overdraft, 'overdraftLimit') }),
    ...(change.alertsEnabled !== undefined && { alerts_enabled: change.alertsEnabled }),
  }
}
