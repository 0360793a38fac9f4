// Data of cards. Whoever writes holds the account first: no card changes while it is being frozen
// or closed.
import { type Db, one, type RowOf, statement } from '../../database/statement.ts'
import type { Code } from '../../domain/errors.ts'
import type { Kept } from './number.ts'

export const statuses = ['active', 'frozen', 'cancelled'] as const
export type Status = (typeof statuses)[number]

/** As whom somebody changes a card: its owner, or an administrator. */
export const actors = ['customer', 'admin'] as const
export type Actor = (typeof actors)[number]

const card = {
  id: 'uuid',
  account_id: 'uuid',
  last_four: 'text',
  expiry_month: 'int2',
  expiry_year: 'int2',
  nickname: 'text?',
  status: 'text',
  frozen_by: 'text?',
  created_at: 'timestamptz',
} as const
export type CardRow = RowOf<typeof card>

const readCard = statement(
  'cards_read',
  ['uuid'],
  card,
  `select c.id, c.account_id, c.last_four, c.expiry_month, c.expiry_year, c.nickname, c.status,
          c.frozen_by, c.created_at
   from cards c join accounts a on a.id = c.account_id
   where c.id = $1 and a.status <> 'closed'`,
)
/** Undefined when there is none, or its account is closed. */
export const cardById = (db: Db, id: string) => one(db, readCard, [id])

const listCards = statement(
  'cards_list',
  ['uuid', 'uuid?', 'int4'],
  card,
  `select id, account_id, last_four, expiry_month, expiry_year, nickname, status, frozen_by,
          created_at
   from cards
   where account_id = $1 and ($2::uuid is null or id < $2)
   order by id desc limit $3::int4`,
)
/** Those of an account, cancelled ones too, newest first. */
export const cardsByAccount = (
  db: Db,
  accountId: string,
  after: string | undefined,
  count: number,
) => db.run(listCards, [accountId, after ?? null, count])

const readAccount = statement(
  'cards_read_account',
  ['uuid'],
  { id: 'uuid' },
  `select id from accounts where id = $1 and kind = 'customer' and status <> 'closed'`,
)
export const isOpenAccount = async (db: Db, accountId: string): Promise<boolean> =>
  (await one(db, readAccount, [accountId])) !== undefined

const lockAccount = statement(
  'cards_lock_account',
  ['uuid'],
  { status: 'text' },
  `select status from accounts where id = $1 and kind = 'customer' for no key update`,
)
/** Holds the account also against others who issue a card: what they add is seen afterwards. */
export const lockedAccount = (tx: Db, accountId: string) => one(tx, lockAccount, [accountId])

const insertCard = statement(
  'cards_insert',
  ['uuid', 'uuid', 'text', 'bytea', 'int2', 'int2', 'text?', 'timestamptz', 'int8'],
  card,
  `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year, nickname,
                      created_at)
   select $1::uuid, $2::uuid, $3::text, $4::bytea, $5::int2, $6::int2, $7::text, $8::timestamptz
   where (select count(*) from cards where account_id = $2 and status <> 'cancelled') < $9::int8
   returning id, account_id, last_four, expiry_month, expiry_year, nickname, status, frozen_by,
             created_at`,
)
export type NewCard = {
  id: string
  accountId: string
  kept: Kept
  expiryMonth: number
  expiryYear: number
  nickname: string | null
  now: number
}
/** Undefined when the account has that many cards in use. Hold the account before. */
export const addCard = (tx: Db, card: NewCard, most: number) =>
  one(tx, insertCard, [
    card.id,
    card.accountId,
    card.kept.lastFour,
    card.kept.hmac,
    card.expiryMonth,
    card.expiryYear,
    card.nickname,
    new Date(card.now),
    BigInt(most),
  ])

/**
 * The one transition. It judges the card as it is under its lock, writes if nothing stands against
 * it, and says what came of it; every rule of a card's states is in this statement.
 *
 * A card that is frozen already stays its freezer's, unless an administrator freezes it too; while
 * an administrator's freeze holds, the customer cannot cancel the card. On a frozen account cards
 * only become stricter: the owner freezes them, an administrator freezes or cancels them.
 */
const changeCard = statement(
  'cards_change',
  ['uuid', 'text?', 'bool', 'text?', 'text'],
  { ...card, refusal: 'text?' },
  `with account as (
     select id, status from accounts
     where id = (select account_id from cards where id = $1) for share
   ), judged as (
     select c.id, c.account_id, c.last_four, c.expiry_month, c.expiry_year, c.created_at,
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
     update cards c set status = j.status, frozen_by = j.frozen_by, nickname = j.nickname
     from judged j where c.id = j.id and j.refusal is null and not j.is_over
   )
   select id, account_id, last_four, expiry_month, expiry_year, nickname, status, frozen_by,
          created_at, refusal
   from judged`,
)
export type Change = { status?: Status; nickname?: string | null }

/** The card as it is now, or why it stays as it was. Undefined when there is none. */
export async function writeChange(
  tx: Db,
  id: string,
  { status, nickname }: Change,
  actor: Actor,
): Promise<CardRow | Code | undefined> {
  const isRenamed = nickname !== undefined
  const row = await one(tx, changeCard, [id, status ?? null, isRenamed, nickname ?? null, actor])
  return (row?.refusal as Code | null | undefined) ?? row
}
