// The verification of payment lists: the lines of each are those that its owner has confirmed, each
// line that was made names its payment and no other one, and the list counts them all.
import {
  bareColumns,
  type Db,
  fragment,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { firstId, lastId } from '../../domain/ids.ts'
import { digestedLineColumns, digestedListColumns, openListDigest } from '../rules/list-digest.ts'
import { chooseOf, findFirstFlaw, newOf, rowsPerPage } from './verify-pages.ts'
import { type Since, sinceEver } from './verify-since.ts'

/** How many there are of what an order of a list has. */
const orderedParts = fragment`num_nonnulls(p.caller_id, p.session_id, p.is_program, p.ordered_at)`

/** Those that have not ended, are new since `$3`, or have ended since `$4`. */
const chosenLists = chooseOf(
  {
    columns: fragment`id, account_id, status, salt, caller_id, is_program, ended_at, line_count,
         total, ready_count, ready_total, made_count, made_total, refused_count, session_id,
         ordered_at`,
    from: fragment`payment_lists where id > $1`,
    key: fragment`id`,
  },
  fragment`(id >= $3 or ended_at is null or ended_at >= $4)`,
)

/**
 * Lists after one, each compared with what is in its lines, and with who may have ordered it: those
 * that have not ended, are new since `$3`, or have ended since `$4`.
 */
const readListPage = statement(
  'verify_read_list_page',
  ['uuid', 'int8', 'uuid', 'timestamptz'],
  { id: 'uuid', isCounted: 'bool', isEndRight: 'bool', isWhole: 'bool', isOrderRight: 'bool' },
  sql`select p.id,
     coalesce(s.count = p.line_count and s.last = p.line_count - 1 and s.total = p.total
       and s.ready = p.ready_count and s.ready_total = p.ready_total
       and s.made = p.made_count and s.made_total = p.made_total
       and s.refused = p.refused_count, false) as "isCounted",
     p.status <> 'executed' or p.ended_at is not distinct from s.at as "isEndRight",
     case p.status
       when 'checked' then ${orderedParts} = 0 and p.ended_at is null and s.tried = 0
       when 'ordered' then ${orderedParts} = 4 and p.ended_at is null and s.open > 0
       when 'executed' then ${orderedParts} = 4 and p.ended_at is not null and s.open = 0
       when 'cancelled' then p.ended_at is not null and s.tried = 0
       else false
     end and (p.salt is not null
       or s.texts = 0 and (p.ended_at is not null or coalesce(a.status = 'closed', false)))
       as "isWhole",
     p.caller_id is null or coalesce(
       p.is_program = exists (select from service_accounts where id = p.caller_id)
         and (p.is_program or p.caller_id = a.owner_id or exists (
           select from account_members m
           where m.account_id = p.account_id and m.person_id = p.caller_id
             and m.accepted_at is not null)), false) as "isOrderRight"
   from ${chosenLists} p
   left join accounts a on a.id = p.account_id
   cross join lateral (
     select count(*) as count, max(place) as last, sum(amount) as total,
       count(*) filter (where not is_refused_early) as ready,
       coalesce(sum(amount) filter (where not is_refused_early), 0) as ready_total,
       count(*) filter (where outcome = 'made') as made,
       coalesce(sum(amount) filter (where outcome = 'made'), 0) as made_total,
       count(*) filter (where outcome = 'refused') as refused,
       count(*) filter (where outcome is null) as open,
       count(*) filter (where outcome is not null and not is_refused_early) as tried,
       count(*) filter (where num_nonnulls(payee_name, payee_iban, end_to_end_id, block_id) > 0
         or reference <> '') as texts,
       max(at) as at
     from payment_list_lines where list_id = p.id
   ) s
   order by p.id`,
)

const { executeOn: _, ...plain } = digestedListColumns
const { earlyRefusal: __, ...ofLine } = digestedLineColumns
const lines = { ...ofLine, listId: 'uuid' } as const

/** Lines after one and up to a list, in the order of their primary key, with their payments. */
const readLinePage = statement(
  'verify_read_list_lines',
  ['uuid', 'int4', 'int8', 'uuid'],
  {
    ...plain,
    executeOn: 'text?',
    digest: 'bytea',
    ...lines,
    earlyRefusal: 'text?',
    isWhole: 'bool',
    isRightlyPaid: 'bool',
  },
  sql`select ${select(plain, 'p')}, p.execute_on::text as "executeOn", p.digest,
     ${select(lines, 'l')},
     case when l.is_refused_early then l.refusal end as "earlyRefusal",
     (l.outcome is null) = (l.at is null)
       and (l.outcome is not distinct from 'made') = (l.transfer_id is not null)
       and (l.outcome is not distinct from 'refused') = (l.refusal is not null)
       and (not l.is_refused_early or l.outcome is not distinct from 'refused')
       and (l.beneficiary_id is null or coalesce(
         b.account_id = p.account_id and coalesce(b.iban = l.payee_iban, true), false))
       and (l.is_refused_early or p.ordered_at is null
         or num_nonnulls(l.beneficiary_id, l.to_account_id) = 1)
       as "isWhole",
     l.outcome is distinct from 'made' or coalesce(
       t.kind = 'transfer' and t.amount = l.amount and t.from_account_id = p.account_id
         and t.created_at = l.at and t.caller_id = p.caller_id and t.session_id = p.session_id
         and t.beneficiary_id is not distinct from l.beneficiary_id
         and (l.to_account_id is null or t.to_account_id = l.to_account_id), false)
       as "isRightlyPaid"
   from (
     select ${bareColumns(lines)}, is_refused_early, refusal, outcome, transfer_id, at,
       beneficiary_id
     from payment_list_lines
     where (list_id, place) > ($1, $2) and list_id <= $4 order by list_id, place limit $3
   ) l
   join payment_lists p on p.id = l.list_id
   left join transfers t on t.id = l.transfer_id
   left join beneficiaries b on b.id = l.beneficiary_id
   order by l.list_id, l.place`,
)
type Line = RowOf<typeof readLinePage.gives>

function findListFlaw(list: RowOf<typeof readListPage.gives>): string | undefined {
  if (!list.isCounted) return `List ${list.id}: it does not count the lines that it has`
  if (!list.isWhole) return `List ${list.id}: it has what no list of its status has, or lacks it`
  if (!list.isOrderRight) return `List ${list.id}: who ordered it may not have`
  return list.isEndRight ? undefined : `List ${list.id}: its end is not that of its last line`
}

/** The first thing that is wrong with a list, in words; undefined: nothing. */
export async function findMismatchOfLists(db: Db, since: Since): Promise<string | undefined> {
  const ids: string[] = []
  const flaw = await findFirstFlaw(newOf(db, readListPage, since), (list) => {
    if (since !== sinceEver) ids.push(list.id)
    return findListFlaw(list)
  })
  if (flaw !== undefined) return flaw
  if (since === sinceEver) return findFlawOfLines(db, firstId, lastId)
  for (const id of ids) {
    const ofLines = await findFlawOfLines(db, id, id)
    if (ofLines !== undefined) return ofLines
  }
  return undefined
}

async function findFlawOfLines(db: Db, from: string, to: string): Promise<string | undefined> {
  let after = { listId: from, place: -1 }
  let walk: { list: Line; digest: ReturnType<typeof openListDigest> } | undefined
  // The digest of a list is complete when the lines of another one begin.
  const end = (): string | undefined => {
    if (!walk || walk.list.salt === null || walk.digest.end().equals(walk.list.digest))
      return undefined
    return `List ${walk.list.id}: its lines are not those that were confirmed`
  }
  // Ends at an empty page: each begins behind the last line of the one before.
  for (;;) {
    const page: Line[] = await db.run(readLinePage, [after.listId, after.place, rowsPerPage, to])
    for (const line of page) {
      if (walk?.list.listId !== line.listId) {
        const flaw = end()
        if (flaw !== undefined) return flaw
        walk = { list: line, digest: openListDigest(line) }
      }
      walk.digest.add(line)
      const name = `Line ${line.place} of list ${line.listId}`
      if (!line.isWhole) {
        return `${name}: it has what none of its kind has, or lacks it`
      }
      if (!line.isRightlyPaid) {
        return `${name}: the transfer that it names is missing, or is not its payment`
      }
    }
    const last = page.at(-1)
    if (!last) return end()
    after = last
  }
}
