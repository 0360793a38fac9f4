// Settings of an account: its owner and staff read them, an administrator changes them.
import { type Static, Type } from '../../domain/type.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Clock } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { parseAmount } from '../../domain/money.ts'
import { checkPhone, Phone } from '../../domain/phone.ts'
import { Amount, closed, Currency, nullable } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { queueAlert } from '../mail/sql.ts'
import { giveBackExpired } from './lifecycle.ts'
import { Settings, toSettings } from './schemas.ts'
import { type AccountRow, lockAccount, readAccount, requireOpen, writeSettings } from './sql.ts'

const params = closed({ accountId: AccountId })

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/settings',
  operation: 'getAccountSettings',
  summary: 'Read the settings of an account.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  params,
  reply: { 200: Settings },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ row }) {
    return toSettings(requireOpen(row))
  },
})

const SettingsChange = closed(
  {
    currency: Type.Optional(Currency),
    registeredPhone: Type.Optional(nullable(Phone)),
    dailyTransferLimit: Type.Optional(nullable(Amount)),
    overdraftLimit: Type.Optional(Amount),
    alertsEnabled: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
)
type SettingsChange = Static<typeof SettingsChange>

const change = route({
  method: 'PATCH',
  path: '/api/v1/accounts/:accountId/settings',
  operation: 'updateAccountSettings',
  summary: 'Change settings of an account. Settings that are left out stay as they are.',
  access: { admin: 'any' },
  service: 'operation',
  confirm: true,
  limit: 'sensitive',
  params,
  body: SettingsChange,
  reply: { 200: Settings },
  refusals: ['not_found', 'currency_mismatch', 'limit_exceeded'],
  example: { registeredPhone: '+442079460000', dailyTransferLimit: '2500', currency: 'EUR' },
  async handle({ params, body, db, service }) {
    checkPhone(body.registeredPhone, '/body/registeredPhone')
    return toSettings(await changeSettings(db, params.accountId, body, service.clock))
  },
})

/**
 * Refuses with `not_found` (missing or closed), `currency_mismatch` when `currency` is not that of
 * the account, `invalid_request` for minor digits that the currency does not have, and
 * `limit_exceeded` for an overdraft limit below the present overdraft with what is held.
 */
export async function changeSettings(
  db: Database,
  accountId: string,
  change: SettingsChange,
  clock: Clock,
): Promise<AccountRow> {
  return transaction(db, async (tx) => {
    const locked = requireOpen(await lockAccount(tx, accountId))
    const account = await giveBackExpired(tx, locked, clock)
    const { currency, dailyTransferLimit: daily, overdraftLimit: overdraft, ...rest } = change
    if (currency !== undefined && currency !== account.currency) refuse('currency_mismatch')
    const toUnits = (text: string, key: string): bigint =>
      parseAmount(text, account.currency) ??
      invalid(`/body/${key}`, `has more minor digits than ${account.currency}`)
    const changed = {
      ...account,
      ...rest,
      ...(daily !== undefined && {
        dailyTransferLimit: daily === null ? null : toUnits(daily, 'dailyTransferLimit'),
      }),
      ...(overdraft !== undefined && { overdraftLimit: toUnits(overdraft, 'overdraftLimit') }),
    }
    if (changed.registeredPhone !== account.registeredPhone) {
      await queueAlert(tx, 'phone-changed', account.ownerId, clock.now())
    }
    await writeSettings(tx, changed)
    return changed
  })
}

export const settingsRoutes = [read, change]
