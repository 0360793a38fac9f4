// Erases the references of payment drafts that were paid. Others lose theirs when they end.
import { type Db, fragment, sql, statement } from '../../database/statements/statement.ts'

/** What follows the drafts named `page`: those that are due lose their text. */
const draftTexts = fragment`erased as (
     update payment_drafts d set reference = '' from page
     where d.id = page.id and page.is_due and d.reference <> ''
   )
   select id as last from page order by id desc limit 1`

const eraseDrafts = statement(
  'erase_drafts',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, coalesce(ended_at < $3, false) as is_due from payment_drafts
     where id > $1 and id < $2 order by id limit $4
   ), ${draftTexts}`,
)
/** A page behind that draft of those from before that time. */
export const eraseDraftTexts = (
  tx: Db,
  after: string,
  { end, time, size }: { end: string; time: Date; size: bigint },
): Promise<{ last: string }[]> => tx.run(eraseDrafts, [after, end, time, size])

const eraseDraftsOfAccount = statement(
  'erase_drafts_of_account',
  ['uuid', 'uuid', 'int8'],
  { last: 'uuid' },
  sql`with page as materialized (
     select id, ended_at is not null as is_due from payment_drafts
     where account_id = $2 and id > $1 order by id limit $3
   ), ${draftTexts}`,
)
/** The same of an account. */
export const eraseDraftTextsOf = (
  tx: Db,
  after: string,
  accountId: string,
  size: bigint,
): Promise<{ last: string }[]> => tx.run(eraseDraftsOfAccount, [after, accountId, size])
