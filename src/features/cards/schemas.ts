// Cards as the interface shows them, and how rows become that.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { AccountId, CardId } from '../../domain/ids.ts'
import { Name, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { masked } from './number.ts'
import { type Actor, actors, type CardRow, type Status, statuses } from './sql.ts'

export const Card = named('Card', {
  id: CardId,
  accountId: AccountId,
  maskedNumber: Type.String({
    pattern: '^(•••• ){3}[0-9]{4}$',
    maxLength: 19,
    description: 'The last four digits; there is nowhere to read the others.',
    examples: ['•••• •••• •••• 1234'],
  }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999, examples: [2030] }),
  nickname: nullable(Name),
  status: oneOf(statuses, { description: 'Cancelled is for good.' }),
  frozenBy: nullable(
    oneOf(actors, { description: 'What an administrator froze, only an administrator unfreezes.' }),
  ),
  createdAt: Time,
})

export const toCard = (row: CardRow): Static<typeof Card> => ({
  id: row.id,
  accountId: row.account_id,
  maskedNumber: masked(row.last_four),
  expiryMonth: row.expiry_month,
  expiryYear: row.expiry_year,
  nickname: row.nickname,
  status: row.status as Status,
  frozenBy: row.frozen_by as Actor | null,
  createdAt: rfc3339(row.created_at.getTime()),
})
