// Data of cards. A write locks the account first, so that no card changes while its account is
// being frozen or closed.
import {
  bare,
  type Db,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statement.ts'
import type { Code } from '../../domain/errors.ts'
import type { StoredNumber } from './number.ts'

export const statuses = ['active', 'frozen', 'cancelled'] as const
export type Status = (typeof statuses)[number]

/** The part in which a caller changes a card: as its owner, or as an administrator. */
export const actors = ['customer', 'admin'] as const
export type Actor = (typeof actors)[number]

/** Columns that never change. */
const fixed = {
  id: 'uuid',
  accountId: 'uuid',
  lastFour: 'text',
  expiryMonth: 'int2',
  expiryYear: 'int2',
  createdAt: 'timestamptz',
} as const
const card = { ...fixed, nickname: 'text?', status: 'text', frozenBy: 'text?' } as const
export type CardRow = RowOf<typeof card>

const readCard = statement(
  'cards_read',
  ['uuid'],
  card,
  sql`select ${select(card, 'c')} from cards c join accounts a on a.id = c.account_id
   where c.id = $1 and a.status <> 'closed'`,
)
/** Undefined when there is none, or its account is closed. */
export const cardById = (db: Db, id: string) => one(db, readCard, [id])

/** Cards of an account, cancelled ones included. */
export const cardsByAccount = listOf(
  'cards_list',
  card,
  fragment`select ${select(card)} from cards where account_id = $1`,
)

const insertCard = statement(
  'cards_insert',
  ['uuid', 'uuid', 'text', 'bytea', 'int2', 'int2', 'text?', 'timestamptz', 'int4'],
  card,
  sql`insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
                      nickname, created_at)
   select $1::uuid, $2::uuid, $3::text, $4::bytea, $5::int2, $6::int2, $7::text, $8::timestamptz
   where (select count(*) from cards where account_id = $2 and status <> 'cancelled') < $9::int4
   returning ${select(card)}`,
)
export type NewCardRow = Omit<CardRow, 'lastFour' | 'status' | 'frozenBy' | 'createdAt'> & {
  number: StoredNumber
  now: number
}
/** Lock the account first. Undefined when it has `cardsMax` cards that are not cancelled. */
export const addCard = (tx: Db, card: NewCardRow, cardsMax: number) =>
  one(tx, insertCard, [
    card.id,
    card.accountId,
    card.number.lastFour,
    card.number.hmac,
    card.expiryMonth,
    card.expiryYear,
    card.nickname,
    new Date(card.now),
    cardsMax,
  ])

/**
 * Every rule of a card's states is in this statement. It locks the card, decides whether the change
 * is allowed, writes it if so, and returns the card or the code of the refusal.
 *
 * `frozen_by` keeps the first actor that froze the card, but an administrator replaces a customer.
 * A customer can neither unfreeze nor cancel a card that an administrator froze. While the account
 * is frozen, its owner can only freeze cards, and an administrator only freeze or cancel them.
 */
const changeCard = statement(
  'cards_change',
  ['uuid', 'text?', 'bool', 'text?', 'text'],
  { ...card, refusal: 'text?' },
  sql`with account as (
     select id, status from accounts
     where id = (select account_id from cards where id = $1) for share
   ), decided as (
     select ${bare(fixed, 'c')},
            case when $3 then $4::text else c.nickname end as nickname,
            coalesce($2::text, c.status) as status,
            case
              when $2 is null then c.frozen_by
              when $2 = 'frozen' and $5::text = 'customer' then coalesce(c.frozen_by, $5)
              when $2 = 'frozen' then $5
            end as frozen_by,
            c.status = 'cancelled' as is_over,
            case
              when a.status = 'closed' then 'not_found'
              when c.status = 'cancelled' and ($2 is distinct from 'cancelled'
                or ($3 and c.nickname is distinct from $4)) then 'card_cancelled'
              when c.frozen_by = 'admin' and $2 = 'active' and $5 <> 'admin' then 'forbidden'
              when c.frozen_by = 'admin' and $2 = 'cancelled' and $5 <> 'admin'
                then 'illegal_transition'
              when a.status = 'frozen' and ($2 is null or $2 = 'active'
                or ($2 = 'cancelled' and $5 <> 'admin')
                or ($3 and c.nickname is distinct from $4)) then 'account_frozen'
            end as refusal
     from account a join cards c on c.account_id = a.id and c.id = $1
     for no key update of c
   ), changed as (
     update cards c set status = d.status, frozen_by = d.frozen_by, nickname = d.nickname
     from decided d where c.id = d.id and d.refusal is null and not d.is_over
   )
   select ${select(card)}, refusal from decided`,
)
export type Change = { status?: Status; nickname?: string | null }

/** The card after the change, or the code of the refusal. Undefined when there is no card. */
export async function writeChange(
  tx: Db,
  id: string,
  { status, nickname }: Change,
  actor: Actor,
): Promise<CardRow | Code | undefined> {
  const isRenamed = nickname !== undefined
  const row = await one(tx, changeCard, [id, status ?? null, isRenamed, nickname ?? null, actor])
  if (!row) return undefined
  const { refusal, ...card } = row
  return (refusal as Code | null) ?? card
}
