// Data of cards. A write locks the account first, so that no card changes while its account is
// being frozen or closed.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import type { PlainCode } from '../../domain/errors.ts'
import type { StoredNumber } from './number.ts'

export const statuses = ['active', 'frozen', 'cancelled'] as const
export type Status = (typeof statuses)[number]

/** The part in which a caller changes a card: as its owner, or as an administrator. */
export const cardActors = ['customer', 'admin'] as const
export type Actor = (typeof cardActors)[number]

/** What a customer allows a card: limits in minor units, null for none, and the channels. */
const controls = {
  perPaymentLimit: 'int8?',
  perDayLimit: 'int8?',
  paysOnline: 'bool',
  paysAbroad: 'bool',
  paysContactless: 'bool',
  paysCash: 'bool',
} as const

const issued = {
  id: 'uuid',
  accountId: 'uuid',
  lastFour: 'text',
  expiryMonth: 'int2',
  expiryYear: 'int2',
  createdAt: 'timestamptz',
  nickname: 'text?',
} as const
const stored = {
  ...issued,
  status: wordOf(statuses),
  frozenBy: 'text?',
  frozenAt: 'timestamptz?',
  frozenById: 'uuid?',
  ...controls,
} as const
const card = { ...stored, currency: currencyText, freezerName: 'text?' } as const
export type CardRow = RowOf<typeof card>
export type Controls = RowOf<typeof controls>

const selectCard = fragment`select ${select(stored, 'c')}, a.currency, coalesce(
     (select given_name || ' ' || family_name from users where id = c.frozen_by_id),
     (select name from service_accounts where id = c.frozen_by_id)
   ) as "freezerName"
   from cards c join accounts a on a.id = c.account_id`

const readCard = statement(
  'cards_read',
  ['uuid'],
  card,
  sql`${selectCard} where c.id = $1 and a.status <> 'closed'`,
)
/** Undefined when there is none, or its account is closed. */
export const cardById = (db: Db, id: string) => one(db, readCard, [id])

/** Cards of an account, cancelled ones included. */
export const cardsByAccount = listOf(
  'cards_list',
  card,
  fragment`${selectCard} where c.account_id = $1`,
  'c.id',
)

const insertCard = insertInto(
  'cards_insert',
  'cards',
  { ...issued, numberHmac: 'bytea' },
  {
    more: { cardsMax: 'int4' },
    where: `(
     select count(*) from cards where account_id = :accountId and status <> 'cancelled'
   ) < :cardsMax::int4`,
  },
)
export type NewCard = Omit<RowOf<typeof issued>, 'lastFour'> & { number: StoredNumber }
/** Lock the account first. Undefined when it has `cardsMax` cards that are not cancelled. */
export async function addCard(
  tx: Db,
  { number: { lastFour, hmac: numberHmac }, ...card }: NewCard,
  cardsMax: number,
): Promise<CardRow | undefined> {
  await insertCard(tx, { ...card, lastFour, numberHmac, cardsMax })
  return cardById(tx, card.id)
}

/**
 * Every rule of a card's states is in this statement. It locks the card, decides whether the change
 * is allowed, writes it if so, and returns the code of the refusal.
 *
 * `frozen_by` keeps the first actor that froze the card, but an administrator replaces a customer.
 * A customer can neither unfreeze nor cancel a card that an administrator froze. While the account
 * is frozen, its owner can only freeze cards, and an administrator only freeze or cancel them.
 */
const changeCard = statement(
  'cards_change',
  ['uuid', 'text?', 'bool', 'text?', 'text', 'uuid', 'timestamptz'],
  { refusal: 'text?', was: 'text' },
  sql`with account as (
     select id, status from accounts
     where id = (select account_id from cards where id = $1) for share
   ), decided as (
     select c.id, c.status as was,
            case when $3 then $4::text else c.nickname end as nickname,
            coalesce($2::text, c.status) as status,
            $2 is null or ($2 = 'frozen' and c.frozen_by in ('admin', $5)) as is_as_frozen,
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
     update cards c
     set status = d.status, nickname = d.nickname,
       frozen_by = case when is_as_frozen then c.frozen_by when d.status = 'frozen' then $5 end,
       frozen_at = case when is_as_frozen then c.frozen_at when d.status = 'frozen' then $7 end,
       frozen_by_id =
         case when is_as_frozen then c.frozen_by_id when d.status = 'frozen' then $6 end
     from decided d where c.id = d.id and d.refusal is null and not d.is_over
   )
   select refusal, was from decided`,
)
export type Change = { status?: Status; nickname?: string | null }
/** Who changes a card, in which part, and when. */
export type Changer = { actor: Actor; actorId: string; now: number }

/**
 * The card after the change and its status before, or the code of the refusal. Undefined when there
 * is no card.
 */
export async function writeChange(
  tx: Db,
  id: string,
  { status, nickname }: Change,
  { actor, actorId, now }: Changer,
): Promise<{ card: CardRow; was: Status } | PlainCode | undefined> {
  const change = [status ?? null, nickname !== undefined, nickname ?? null] as const
  const row = await one(tx, changeCard, [id, ...change, actor, actorId, new Date(now)])
  if (row === undefined) return undefined
  if (row.refusal !== null) return row.refusal as PlainCode
  const card = await cardById(tx, id)
  return card && { card, was: row.was as Status }
}

/** The channels and limits of a new card: the defaults of the table. */
export const newControls: Controls = {
  perPaymentLimit: null,
  perDayLimit: null,
  paysOnline: true,
  paysAbroad: true,
  paysContactless: true,
  paysCash: true,
}

const updateControls = updateIn('cards_write_controls', 'cards', { id: 'uuid', ...controls })
/** Lock the account first. */
export const writeControls = (tx: Db, row: Controls & { id: string }) => updateControls(tx, row)
