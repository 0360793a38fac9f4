// What counts to the limit of a card's day: one definition for what decides and for what is shown.
import {
  type Db,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../../database/statements/statement.ts'

const sums = { spentAmount: 'int8', spentOn: 'text?' } as const

/** The day of a card's last authorisation, and what counts to it. Read it with `spentOn`. */
export const cardDayColumns = sums
export const selectCardDay = fragment`spent_amount as "spentAmount", spent_on::text as "spentOn"`

/** What holds that expire give back to the day of their card. */
export const givenBack = fragment`sum(counted - captured) filter (where counted > captured)`

const cardDay = { id: 'uuid', ...sums } as const
export type CardDay = RowOf<typeof cardDay>

const readDays = statement(
  'ledger_read_card_days',
  ['uuid[]', 'timestamptz'],
  cardDay,
  sql`select c.id, c."spentAmount" - coalesce((
     select ${givenBack} from holds h
     where c.status <> 'cancelled' and h.account_id = c.account_id and h.status = 'active'
       and h.expires_at <= $2 and h.card_id = c.id and h.counted_on = c.spent_on
   ), 0)::int8 as "spentAmount", c."spentOn"
   from (
     select id, account_id, status, spent_on, ${selectCardDay} from cards where id = any($1)
   ) c`,
)
/**
 * The days of cards without the locks of their accounts. A batch expires what is due before it
 * decides: here that is left out of the sum.
 */
export const readCardDays = (db: Db, ids: readonly string[], at: number): Promise<CardDay[]> =>
  db.run(readDays, [[...ids], new Date(at)])
