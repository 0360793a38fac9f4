// Endpoints of an account's settings: its people read them, only an administrator writes them.
import { Type } from 'typebox'
import { refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { checkPhone, Phone } from '../../domain/phone.ts'
import { route } from '../../http/route.ts'
import { Amount, closed, Currency, nullable } from '../../domain/schema.ts'
import { Settings, toSettings } from './schemas.ts'
import { changeSettings } from './settings.ts'
import { settingsById } from './sql.ts'

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/settings',
  operation: 'getAccountSettings',
  summary: 'Read the settings of an account.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ accountId: AccountId }),
  reply: { 200: Settings },
  refusals: ['not_found'],
  async handle({ params, db }) {
    const settings = await settingsById(db, params.accountId)
    if (!settings || settings.status === 'closed') refuse('not_found')
    return toSettings(settings)
  },
})

const change = route({
  method: 'PATCH',
  path: '/api/v1/accounts/:accountId/settings',
  operation: 'updateAccountSettings',
  summary: 'Change settings of an account; what is left out stays as it is.',
  access: { admin: 'any' },
  limit: 'sensitive',
  params: closed({ accountId: AccountId }),
  body: closed(
    {
      currency: Type.Optional(Currency),
      registeredPhone: Type.Optional(nullable(Phone)),
      dailyTransferLimit: Type.Optional(nullable(Amount)),
      overdraftLimit: Type.Optional(Amount),
      alertsEnabled: Type.Optional(Type.Boolean()),
    },
    { minProperties: 1 },
  ),
  reply: { 200: Settings },
  refusals: ['not_found', 'currency_mismatch', 'limit_exceeded'],
  example: { registeredPhone: '+442079460000', dailyTransferLimit: '2500', currency: 'EUR' },
  async handle({ params, body, db }) {
    checkPhone(body.registeredPhone, '/body/registeredPhone')
    return toSettings(await changeSettings(db, params.accountId, body))
  },
})

export const settingsRoutes = [read, change]
