// Erases the texts of transfers and of their entries (reference, name and IBAN of the counterparty)
// and their salt.
// Without the salt their commitment tells nothing. The chain stays whole. The details of a transfer
// go with its texts, by a trigger. So do the texts of holds that have ended, and the merchants of
// card payments, which no chain has.
import type { Database } from '../../database/connections/connect.ts'
import {
  type Db,
  fragment,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { firstId, idAt } from '../../domain/ids.ts'
import { joinedLinks, linkColumns, selectLinks, toLinks } from '../proof/links.ts'
import {
  commitTexts,
  entryHash,
  joinTerms,
  joinTexts,
  readAbouts,
  termColumns,
} from '../rules/hash-chain.ts'
import { storedDetailColumns } from '../rules/movement.ts'
import { eraseDraftTexts, eraseDraftTextsOf } from './draft-texts.ts'
import { eraseListNumbersOf, eraseListTexts, eraseListTextsOf } from './list-texts.ts'
import { eraseOrderTexts } from './order-texts.ts'

const rowsPerPage = 500n

/**
 * The bounds of identifiers are exclusive. Transfers without texts are listed too: to pass over
 * them in the database would take longer than a statement may, once enough are erased.
 */
const listBefore = statement(
  'erase_list_before',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { id: 'uuid', isKept: 'bool' },
  `select id, created_at >= $3 or salt is null or status in ('pending', 'sent') as "isKept"
   from transfers
   where id > $1 and id < $2 order by id limit $4`,
)

const countPending = statement(
  'erase_count_pending',
  ['timestamptz'],
  { count: 'int8' },
  `select count(*) from transfers where status in ('pending', 'sent') and created_at < $1`,
)

/** Names that people had before that time only. */
const eraseFormerNames = statement(
  'erase_former_names',
  ['timestamptz'],
  'delete from holder_names where until < $1',
)

/**
 * A page of standing orders from before that time: those all of whose days and changes were before
 * it, with their terms in the trail, and of all orders the terms that were replaced before it.
 */
const eraseOrders = statement(
  'erase_orders',
  ['uuid', 'uuid', 'timestamptz', 'int8', 'uuid'],
  { last: 'uuid' },
  `with page as materialized (
     select o.id, o.status = 'ended'
       and not exists (
         select from standing_order_runs r where r.order_id = o.id and r.at >= $3)
       and not exists (
         select from standing_order_changes c where c.order_id = o.id and c.at >= $3) as is_over
     from (
       select id, status from standing_orders where id > $1 and id < $2 order by id limit $4
     ) o
   ), erased as (
     update standing_orders o set reference = '' from page p
     where o.id = p.id and p.is_over and o.reference <> ''
   ), of_trail as (
     update standing_order_changes c
     set reference = null, payee_name = null, payee_iban = null, erasure_id = $5
     from page p
     where c.order_id = p.id and c.erasure_id is null and (p.is_over or exists (
       select from standing_order_changes later
       where later.order_id = c.order_id and later.version > c.version and later.at < $3))
   )
   select id as last from page order by id desc limit 1`,
)

/** A page of the standing orders of a closed account: their terms in the trail. */
const eraseOrderTrail = statement(
  'erase_order_trail',
  ['uuid', 'uuid', 'int8', 'uuid'],
  { last: 'uuid' },
  `with page as materialized (
     select id from standing_orders where account_id = $2 and id > $1 and status = 'ended'
     order by id limit $3
   ), of_trail as (
     update standing_order_changes c
     set reference = null, payee_name = null, payee_iban = null, erasure_id = $4
     from page p where c.order_id = p.id and c.erasure_id is null
   )
   select id as last from page order by id desc limit 1`,
)

/** The end of a statement that erases the texts of holds named `page`, of those that are due. */
const holdTexts = fragment`erased as (
     update holds h set reference = '' from page p where h.id = p.id and p.is_due
   )
   select id as last from page order by id desc limit 1`

/** A page of holds from before that time: those that have ended lose their text. */
const eraseHoldTexts = statement(
  'erase_hold_texts',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at < $3 and reference <> '' as is_due from holds
     where id > $1 and id < $2 order by id limit $4
   ), ${holdTexts}`,
)

const eraseHoldTextsOfAccount = statement(
  'erase_hold_texts_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at is not null and reference <> '' as is_due from holds
     where account_id = $2 and id > $1 order by id limit $3
   ), ${holdTexts}`,
)

/** The end of a statement that erases the merchants and disputes of what is named `page`. */
const merchants = fragment`erased as (
     update card_authorizations a
     set merchant_name = null, merchant_category = null, merchant_country = null
     from page where a.id = page.id and a.merchant_name is not null
   ), of_disputes as (
     -- Neither of one that waits, nor of one whose chargeback is open.
     update card_disputes d set text = null, closed_reason = null
     from page where d.payment_id = page.id and (d.closed_at is not null
       or exists (select from chargeback_ends where chargeback_id = d.chargeback_id))
   )
   select id as last from page order by id desc limit 1`

/** A page of what processors asked for cards before that time: it loses its merchant. */
const eraseMerchants = statement(
  'erase_merchants',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id from card_authorizations where id > $1 and id < $2 order by id limit $3
   ), ${merchants}`,
)

const eraseMerchantsOfAccount = statement(
  'erase_merchants_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id from card_authorizations where account_id = $2 and id > $1 order by id limit $3
   ), ${merchants}`,
)

/** Erases page by page, each in a transaction and behind the last identifier of the one before. */
async function inPages(
  db: Database,
  erase: (tx: Db, after: string) => Promise<{ last: string }[]>,
): Promise<void> {
  let after: string | undefined = firstId
  while (after !== undefined) {
    const from: string = after
    const [page] = await transaction(db, (tx) => erase(tx, from))
    after = page?.last
  }
}

/**
 * Erases the texts of all transfers from before that time, those of standing orders and holds that
 * ended before it, and former names of people. Transfers on their way to another bank keep theirs:
 * they were neither settled nor returned yet.
 *
 * @param erasureId the audit event that is the record of it
 */
export async function eraseBefore(
  db: Database,
  before: number,
  erasureId: string,
): Promise<{ erased: number; pending: bigint }> {
  const [end, time] = [idAt(before), new Date(before)]
  const erased = await erasePages(db, erasureId, (last?: { id: string; isKept: boolean }) =>
    db.run(listBefore, [last?.id ?? firstId, end, time, rowsPerPage]),
  )
  await inPages(db, (tx, after) => tx.run(eraseHoldTexts, [after, end, time, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseMerchants, [after, end, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseOrders, [after, end, time, rowsPerPage, erasureId]))
  await inPages(db, (tx, after) => eraseListTexts(tx, after, { end, time }))
  await inPages(db, (tx, after) => eraseDraftTexts(tx, after, { end, time, size: rowsPerPage }))
  await transaction(db, (tx) => tx.run(eraseFormerNames, [time]))
  const pending = await one(db, countPending, [time])
  return { erased, pending: pending?.count ?? 0n }
}

const listOfAccount = statement(
  'erase_list_of_account',
  ['uuid', 'int8', 'int8'],
  { seq: 'int8', id: 'uuid' },
  `select seq, transfer_id as id
   from entries where account_id = $1 and seq > $2 order by seq limit $3`,
)

/**
 * Erases the texts of all transfers from and to an account, of what brought them back, and of its
 * holds and standing orders that have ended. Those of standing orders only if it is closed.
 */
export async function eraseOfAccount(
  db: Database,
  accountId: string,
  erasureId: string,
): Promise<number> {
  await inPages(db, (tx, after) => tx.run(eraseHoldTextsOfAccount, [after, accountId, rowsPerPage]))
  await inPages(db, (tx, after) => tx.run(eraseMerchantsOfAccount, [after, accountId, rowsPerPage]))
  while (await transaction(db, (tx) => eraseOrderTexts(tx, accountId)));
  await inPages(db, (tx, after) =>
    tx.run(eraseOrderTrail, [after, accountId, rowsPerPage, erasureId]),
  )
  await inPages(db, (tx, after) => eraseListTextsOf(tx, after, accountId))
  await inPages(db, (tx, after) => eraseDraftTextsOf(tx, after, accountId, rowsPerPage))
  await transaction(db, (tx) => eraseListNumbersOf(tx, accountId))
  return erasePages(
    db,
    erasureId,
    (last?: { seq: bigint; id: string }) =>
      db.run(listOfAccount, [accountId, last?.seq ?? 0n, rowsPerPage]),
    async (tx, ids) => [...ids, ...(await tx.run(listBacks, [ids])).map(({ id }) => id)],
  )
}

/**
 * What came back of transfers: a return or a refund repeats the texts of its payment, and lies in
 * suspense when the account was closed by then.
 */
const listBacks = statement(
  'erase_list_backs',
  ['uuid[]'],
  { id: 'uuid' },
  `select id from transfers where reversal_of = any($1)
   union
   select back.id from hold_captures c cross join lateral (
     select transfer_id as id from card_refunds where payment_id = c.hold_id
     union all
     select unnest(array[b.transfer_id, e.transfer_id]) from card_chargebacks b
     left join chargeback_ends e on e.chargeback_id = b.transfer_id
     where b.payment_id = c.hold_id
   ) back
   where c.transfer_id = any($1) and back.id is not null`,
)

/** Behind it, a batch that repeats their texts has committed, or finds them erased. */
const lockPage = statement(
  'erase_lock',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from transfers where id = any($1) order by id for no key update',
)

/**
 * @param list gives the transfers after the last one of the page before
 * @param extend adds others that go with them, once they are locked
 */
async function erasePages<Row extends { id: string; isKept?: boolean }>(
  db: Database,
  erasureId: string,
  list: (last?: Row) => Promise<Row[]>,
  extend = async (_: Db, ids: string[]): Promise<string[]> => ids,
): Promise<number> {
  let erased = 0
  for (let page = await list(); page.length > 0; page = await list(page.at(-1))) {
    const ids = page.flatMap(({ id, isKept }) => (isKept === true ? [] : id))
    if (ids.length === 0) continue
    erased += await transaction(db, async (tx) => {
      await tx.run(lockPage, [ids])
      return erasePage(tx, await extend(tx, ids), erasureId)
    })
  }
  return erased
}

/** Transfers with texts, each with both of its entries. */
const readErasable = statement(
  'erase_read',
  ['uuid[]'],
  {
    ...termColumns,
    ...storedDetailColumns,
    salt: 'text',
    accountId: 'uuid',
    seq: 'int8',
    entryAmount: 'int8',
    balanceAfter: 'int8',
    hash: 'text',
    previousHash: 'text',
    textsInChain: 'bool',
    ...linkColumns,
    ownReference: 'text?',
    ownName: 'text?',
    ownIban: 'text?',
  },
  sql`select ${select(termColumns, 't')}, ${select(storedDetailColumns, 'd')},
     encode(t.salt, 'hex') as salt,
     e.account_id as "accountId", e.seq, e.amount as "entryAmount",
     e.balance_after as "balanceAfter", encode(e.hash, 'hex') as hash,
     coalesce(encode(p.hash, 'hex'), repeat('0', 64)) as "previousHash",
     e.texts_in_chain as "textsInChain", ${selectLinks}, e.reference as "ownReference",
     e.counterparty_name as "ownName", e.counterparty_iban as "ownIban"
   from transfers t
   cross join lateral (
     values (t.from_account_id, t.from_seq), (t.to_account_id, t.to_seq)
   ) as place (account_id, seq)
   join entries e on e.account_id = place.account_id and e.seq = place.seq
   left join entries p on p.account_id = e.account_id and p.seq = e.seq - 1
   left join transfer_details d on d.transfer_id = t.id
   ${joinedLinks}
   where t.id = any($1) and t.salt is not null and t.status not in ('pending', 'sent')`,
)

/** Only the owner may run this. Of each transfer there are two rows, one for each entry. */
const eraseTexts = statement(
  'erase_texts',
  ['uuid[]', 'bytea[]', 'uuid[]', 'int8[]', 'bytea[]', 'uuid'],
  { id: 'uuid' },
  `with asked as (
     select id, commitment, account_id, seq, own_commitment
     from unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::int8[], $5::bytea[])
       as e (id, commitment, account_id, seq, own_commitment)
   ), of_entries as (
     update entries e
     set reference = '', counterparty_name = null, counterparty_iban = null,
         commitment = a.own_commitment
     from asked a
     -- Another erasure may have been first: this one waited for it.
     where e.account_id = a.account_id and e.seq = a.seq and e.commitment is null
   )
   update transfers t
   set salt = null, commitment = e.commitment, erasure_id = $6, reference = '',
       counterparty_name = null, counterparty_iban = null
   from (select distinct id, commitment from asked) e
   where t.id = e.id and t.salt is not null
   returning t.id`,
)

type Erasable = RowOf<typeof readErasable.gives>

/** Proves the texts before they are erased: texts that were changed are evidence, and stay. */
async function erasePage(tx: Db, ids: readonly string[], erasureId: string): Promise<number> {
  const rows = await tx.run(readErasable, [[...ids]])
  const proven = rows.map(prove)
  const erased = await tx.run(eraseTexts, [
    rows.map(({ id }) => id),
    proven.map(({ commitment }) => Buffer.from(commitment, 'hex')),
    rows.map(({ accountId }) => accountId),
    rows.map(({ seq }) => seq),
    proven.map(({ own }) => (own === undefined ? null : Buffer.from(own, 'hex'))),
    erasureId,
  ])
  return erased.length
}

/** The commitments to the texts of a transfer, and to those of one of its entries if it has any. */
function prove(row: Erasable): { commitment: string; own: string | undefined } {
  const { salt, ownReference, ownName, ownIban } = row
  const commitment = commitTexts(salt, row, row)
  const terms = joinTerms(row, commitment)
  const texts = {
    reference: ownReference ?? '',
    counterpartyName: ownName,
    counterpartyIban: ownIban,
  }
  const own = row.textsInChain ? commitTexts(salt, texts) : undefined
  const about = own === undefined ? terms : joinTexts(terms, own)
  const entry = { ...row, amount: row.entryAmount }
  const isInChain = (each: string): boolean => entryHash(row.previousHash, entry, each) === row.hash
  if (!readAbouts(about, toLinks(row)).some(isInChain)) {
    throw new Error(`Transfer ${row.id} is not what its chain holds; run \`strongroom verify\`.`)
  }
  return { commitment, own }
}
