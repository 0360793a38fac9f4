// Data of payment lists and their lines. A write locks the account first, as the ledger does for a
// line; the lease of the worker alone does not.
import { rowArrays } from '../../database/statements/arrays.ts'
import { violates } from '../../database/connections/failure.ts'
import { insertInto } from '../../database/statements/rows.ts'
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
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import type { Currency } from '../../domain/money.ts'
import {
  type DigestedLine,
  digestedLineColumns,
  digestedListColumns,
} from '../../ledger/rules/list-digest.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { addedAt } from '../beneficiaries/sql.ts'
import { lineRefusals } from './reasons.ts'

export const listStatuses = ['checked', 'ordered', 'executed', 'cancelled'] as const
export const lineOutcomes = ['made', 'refused'] as const

const { executeOn: _, ...digested } = digestedListColumns
const plain = {
  ...digested,
  digest: 'bytea',
  status: wordOf(listStatuses),
  madeCount: 'int4',
  madeTotal: 'int8',
  refusedCount: 'int4',
  callerId: 'uuid?',
  sessionId: 'uuid?',
  isProgram: 'bool?',
  orderedAt: 'timestamptz?',
  endedAt: 'timestamptz?',
  attempts: 'int4',
} as const
const list = { ...plain, executeOn: 'text?', currency: currencyText, iban: 'text' } as const
export type ListRow = RowOf<typeof list>

const columns = fragment`${select(plain, 'p')}, p.execute_on::text as "executeOn", a.currency,
   a.iban`
const joined = fragment`payment_lists p join accounts a on a.id = p.account_id`

const readList = statement(
  'lists_read',
  ['uuid'],
  list,
  sql`select ${columns} from ${joined} where p.id = $1`,
)
/** Refuses with `not_found`. */
export const listById = async (db: Db, id: string): Promise<ListRow> =>
  (await one(db, readList, [id])) ?? refuse('not_found')

/** Lists of an account, newest first. */
export const listsByAccount = listOf(
  'lists_list',
  list,
  fragment`select ${columns} from ${joined} where p.account_id = $1`,
  'p.id',
)

/** Lists of an account that are not paid yet. */
export const openListsMax = 50

const insertList = insertInto(
  'lists_insert',
  'payment_lists',
  { ...digestedListColumns, digest: 'bytea', refusedCount: 'int4' },
  {
    gives: { id: 'uuid' },
    more: { openMax: 'int4' },
    as: { executeOn: ':executeOn::text::date' },
    where: `(
     select count(*) from payment_lists
     where account_id = :accountId and status in ('checked', 'ordered')
   ) < :openMax::int4`,
  },
)

export type NewLine = DigestedLine & { beneficiaryId: string | null }

const lines = rowArrays<NewLine>(
  'l',
  {
    place: ['int4', ({ place }) => place],
    beneficiaryId: ['uuid', ({ beneficiaryId }) => beneficiaryId],
    toAccountId: ['uuid', ({ toAccountId }) => toAccountId],
    payeeName: ['text', ({ payeeName }) => payeeName],
    payeeIban: ['text', ({ payeeIban }) => payeeIban],
    reference: ['text', ({ reference }) => reference],
    endToEndId: ['text', ({ endToEndId }) => endToEndId],
    blockId: ['text', ({ blockId }) => blockId],
    amount: ['int8', ({ amount }) => amount],
    refusal: ['text', ({ earlyRefusal }) => earlyRefusal],
  },
  3,
)
const insertLines = statement(
  'lists_insert_lines',
  ['uuid', 'timestamptz', ...lines.takes],
  {},
  sql`insert into payment_list_lines (list_id, place, beneficiary_id, to_account_id, payee_name,
     payee_iban, reference, end_to_end_id, block_id, amount, is_refused_early, outcome, refusal, at)
   select $1, place, beneficiary_id, to_account_id, payee_name, payee_iban, reference,
     end_to_end_id, block_id, amount, refusal is not null,
     case when refusal is not null then 'refused' end, refusal,
     case when refusal is not null then $2::timestamptz end
   from ${lines.unnest}`,
)

type NewList = RowOf<typeof digestedListColumns> & { digest: Buffer; refusedCount: number }
/**
 * Adds a list with its lines, behind the lock of its account. False when the account has
 * {@link openListsMax}. Refuses with `already_exists` a number that the account has had.
 */
export async function addList(tx: Db, row: NewList, all: readonly NewLine[]): Promise<boolean> {
  try {
    if (!(await insertList(tx, { ...row, openMax: openListsMax }))) return false
  } catch (thrown) {
    if (violates(thrown, 'payment_lists_message_key')) {
      refuse('already_exists', { because: 'message' })
    }
    throw thrown
  }
  await tx.run(insertLines, [row.id, row.createdAt, ...lines.values(all)] as never)
  return true
}

const { earlyRefusal: __, ...ofLine } = digestedLineColumns
const stored = {
  ...ofLine,
  beneficiaryId: 'uuid?',
  outcome: wordOrNullOf(lineOutcomes),
  refusal: wordOrNullOf(lineRefusals),
  transferId: 'uuid?',
  at: 'timestamptz?',
} as const
const line = { ...stored, earlyRefusal: 'text?' } as const
export type LineRow = RowOf<typeof line>
const lineColumns = fragment`${select(stored)},
   case when is_refused_early then refusal end as "earlyRefusal"`

const readLinesOf = statement(
  'lists_read_lines',
  ['uuid', 'int4', 'int4', 'text?'],
  line,
  sql`select ${lineColumns} from payment_list_lines
   where list_id = $1 and place > $2
     and ($4::text is null or coalesce(outcome, 'ready') = $4)
   order by place limit $3::int4`,
)
/** Lines behind that place, in their order; those of a status alone, if one is given. */
export const linesOf = (
  db: Db,
  id: string,
  { after, count, status }: { after: number; count: number; status?: string | undefined },
): Promise<LineRow[]> => db.run(readLinesOf, [id, after, count, status ?? null])

const readSentFrom = statement(
  'lists_read_sent_elsewhere',
  ['uuid[]', 'uuid'],
  { id: 'uuid', createdAt: 'timestamptz' },
  `select id, created_at as "createdAt" from transfers
   where id = any($1) and to_account_id = $2 and status <> 'cancelled'`,
)
/** When those of the lines' payments were made that go to another bank, by their identifiers. */
export async function sentElsewhere(
  db: Db,
  lines: readonly LineRow[],
  currency: Currency,
): Promise<ReadonlyMap<string, Date>> {
  const ids = lines.flatMap(({ transferId }) => transferId ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db.run(readSentFrom, [ids, bankAccount('clearing', currency)])
  return new Map(rows.map(({ id, createdAt }) => [id, createdAt]))
}

const readLargest = statement(
  'lists_read_largest',
  ['uuid'],
  { payeeName: 'text?', payeeIban: 'text?', amount: 'int8' },
  `select payee_name as "payeeName", payee_iban as "payeeIban", amount from payment_list_lines
   where list_id = $1 and not is_refused_early order by amount desc, place limit 3`,
)
/** The three lines with the largest amounts, of those that are to be paid. */
export const largestOf = (db: Db, id: string) => db.run(readLargest, [id])

const payee = {
  iban: 'text',
  beneficiaryId: 'uuid?',
  name: 'text?',
  status: 'text?',
  payeeResult: 'text?',
  targetId: 'uuid?',
  targetOwnerId: 'uuid?',
  targetCurrency: 'text?',
  targetStatus: 'text?',
} as const
/** What the bank knows of an IBAN: the payee of the account, and the account here that has it. */
export type PayeeRow = RowOf<typeof payee>

const readPayees = statement(
  'lists_read_payees',
  ['uuid', 'text[]'],
  payee,
  `select asked.iban, b.id as "beneficiaryId", b.name, b.status, b.payee_result as "payeeResult",
     t.id as "targetId", t.owner_id as "targetOwnerId", t.currency as "targetCurrency",
     t.status as "targetStatus"
   from unnest($2::text[]) as asked (iban)
   left join beneficiaries b
     on b.account_id = $1 and b.iban = asked.iban and b.status <> 'deleted'
   left join accounts t on t.iban = asked.iban and t.kind = 'customer'`,
)
export const payeesOf = (tx: Db, accountId: string, ibans: readonly string[]) =>
  tx.run(readPayees, [accountId, [...ibans]])

const readNamed = statement(
  'lists_read_beneficiaries',
  ['uuid', 'uuid[]'],
  { id: 'uuid', iban: 'text' },
  `select id, iban from beneficiaries
   where account_id = $1 and id = any($2) and status <> 'deleted'`,
)
export const beneficiariesOf = (tx: Db, accountId: string, ids: readonly string[]) =>
  tx.run(readNamed, [accountId, [...ids]])

const findUnknown = statement(
  'lists_find_unknown',
  ['uuid', 'uuid'],
  { iban: 'text', name: 'text' },
  `select distinct on (l.payee_iban) l.payee_iban as iban, l.payee_name as name
   from payment_list_lines l
   where l.list_id = $1 and l.outcome is null and l.beneficiary_id is null
     and l.to_account_id is null and not exists (
       select from beneficiaries b
       where b.account_id = $2 and b.iban = l.payee_iban and b.status <> 'deleted')
   order by l.payee_iban, l.place`,
)
/** The payees of a list whom its account does not have yet. */
export const unknownPayeesOf = (tx: Db, { id, accountId }: ListRow) =>
  tx.run(findUnknown, [id, accountId])

const insertPayees = statement(
  'lists_insert_beneficiaries',
  ['uuid', 'timestamptz', 'uuid[]', 'text[]', 'text[]'],
  {},
  sql`insert into beneficiaries (id, account_id, name, iban, nickname, trusted, created_at)
   select id, $1, name, iban, null, false, ${addedAt(fragment`$2`, fragment`$1`)}
   from unnest($3::uuid[], $4::text[], $5::text[]) as p (id, name, iban)`,
)
const linkPayees = statement(
  'lists_link_beneficiaries',
  ['uuid', 'uuid'],
  {},
  `update payment_list_lines l set beneficiary_id = b.id
   from beneficiaries b
   where l.list_id = $1 and l.outcome is null and l.beneficiary_id is null
     and l.to_account_id is null
     and b.account_id = $2 and b.iban = l.payee_iban and b.status <> 'deleted'`,
)
type NewPayee = { id: string; name: string; iban: string }
/** Adds payees to the account, and gives each line without one the payee of its IBAN. */
export async function addPayees(
  tx: Db,
  { id, accountId }: ListRow,
  payees: readonly NewPayee[],
  at: number,
): Promise<void> {
  await tx.run(insertPayees, [
    accountId,
    new Date(at),
    payees.map((each) => each.id),
    payees.map(({ name }) => name),
    payees.map(({ iban }) => iban),
  ])
  await tx.run(linkPayees, [id, accountId])
}

const writeOrdered = statement(
  'lists_write_ordered',
  ['uuid', 'uuid', 'uuid', 'bool', 'timestamptz'],
  {},
  `update payment_lists
   set status = 'ordered', caller_id = $2, session_id = $3, is_program = $4, ordered_at = $5
   where id = $1`,
)
type Orderer = { callerId: string; sessionId: string; isProgram: boolean; at: number }
export const orderList = (tx: Db, id: string, by: Orderer) =>
  tx.run(writeOrdered, [id, by.callerId, by.sessionId, by.isProgram, new Date(by.at)])

/** What erases the texts of the lines of the lists named `ended`. */
const eraseEnded = fragment`update payment_list_lines l
   set payee_name = null, payee_iban = null, reference = '', end_to_end_id = null, block_id = null
   from ended where l.list_id = ended.id`

const writeCancelled = statement(
  'lists_write_cancelled',
  ['uuid', 'timestamptz'],
  {},
  sql`with ended as (
     update payment_lists set status = 'cancelled', ended_at = $2, salt = null
     where id = $1 returning id
   ) ${eraseEnded}`,
)
/** A list that is not paid keeps no texts. */
export const cancelList = (tx: Db, id: string, at: number) =>
  tx.run(writeCancelled, [id, new Date(at)])

const cancelForgotten = statement(
  'lists_cancel_forgotten',
  ['timestamptz', 'timestamptz'],
  { id: 'uuid' },
  sql`with old as materialized (
     select p.id, p.account_id from payment_lists p
     where p.status = 'checked' and p.created_at <= $2 order by p.created_at limit 10
   ), held as materialized (
     select old.id from old join accounts a on a.id = old.account_id
     for no key update of a skip locked
   ), ended as (
     update payment_lists p set status = 'cancelled', ended_at = $1, salt = null
     from held where p.id = held.id and p.status = 'checked'
     returning p.id
   ), erased as (
     ${eraseEnded} returning 1
   )
   select id from ended`,
)
/** Cancels lists that were checked before that time and never ordered. */
export const cancelForgottenLists = (db: Db, now: number, before: number) =>
  db.run(cancelForgotten, [new Date(now), new Date(before)])
