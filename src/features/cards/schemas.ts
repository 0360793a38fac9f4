// Schemas of cards, and the conversion of rows.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { AccountId, CardId } from '../../domain/ids.ts'
import { named, Nickname, nullable, oneOf, Time } from '../../domain/schema.ts'
import { masked } from './number.ts'
import { type Actor, actors, type CardRow, type Status, statuses } from './sql.ts'

export const Card = named('Card', {
  id: CardId,
  accountId: AccountId,
  maskedNumber: Type.String({
    pattern: '^(•••• ){3}[0-9]{4}$',
    maxLength: 19,
    description: 'The last four digits; the service does not store the others.',
    examples: ['•••• •••• •••• 1234'],
  }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999, examples: [2030] }),
  nickname: nullable(Nickname),
  status: oneOf(statuses, { description: 'A cancelled card stays cancelled.' }),
  frozenBy: nullable(
    oneOf(actors, {
      description: 'Only an administrator unfreezes a card that an administrator froze.',
    }),
  ),
  createdAt: Time,
})

export const toCard = ({ lastFour, ...row }: CardRow): Static<typeof Card> => ({
  ...row,
  maskedNumber: masked(lastFour),
  status: row.status as Status,
  frozenBy: row.frozenBy as Actor | null,
  createdAt: rfc3339(row.createdAt.getTime()),
})
