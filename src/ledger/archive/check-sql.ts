// What the database has of the archives themselves, for the proof of a folder.
import { type Db, one, statement } from '../../database/statements/statement.ts'

const readBefore = statement(
  'archive_read_before',
  ['int4'],
  { until: 'timestamptz', digest: 'text' },
  `select until, encode(digest, 'hex') as digest from archives where id = $1 - 1`,
)
/** The archive before the one with that number. */
export const archiveBefore = (db: Db, id: number) => one(db, readBefore, [id])

/** How many accounts have a head from `$1` on and before `$2`. */
export const countHeads = statement(
  'archive_count_heads',
  ['timestamptz', 'timestamptz'],
  { count: 'int8' },
  'select count(*) as count from archived_heads where at >= $1 and at < $2',
)

export const countTerms = statement(
  'archive_count_terms',
  [],
  { count: 'int8' },
  'select count(*) as count from archived_terms',
)

export const readTerms = statement(
  'archive_read_terms',
  ['uuid[]'],
  {
    transferId: 'uuid',
    fromAccountId: 'uuid',
    toAccountId: 'uuid',
    fromSeq: 'int8',
    toSeq: 'int8',
    terms: 'text',
    links: 'text?',
    sentSeq: 'int8?',
    sentLinks: 'text?',
    settledSeq: 'int8?',
    settledLinks: 'text?',
  },
  `select transfer_id as "transferId", from_account_id as "fromAccountId",
     to_account_id as "toAccountId", from_seq as "fromSeq", to_seq as "toSeq",
     encode(terms, 'hex') as terms, encode(links, 'hex') as links, sent_seq as "sentSeq",
     encode(sent_links, 'hex') as "sentLinks", settled_seq as "settledSeq",
     encode(settled_links, 'hex') as "settledLinks"
   from archived_terms where transfer_id = any($1)`,
)

const readEvent = statement(
  'archive_read_event',
  ['text'],
  { detail: 'text' },
  `select detail from audit_events
   where action = 'archiveBooks' and outcome = 'success' and starts_with(detail, $1)
   order by id desc limit 1`,
)
/** The detail of the event of an archive; the newest, if it was restored and made again. */
export const detailOfArchive = (digest: string, until: string): string =>
  `${beginOf(until)} sha256 ${digest}`
const beginOf = (until: string): string => `until ${until},`
/** Undefined where the trail has it no more. */
export const readDetail = async (db: Db, until: string): Promise<string | undefined> =>
  (await one(db, readEvent, [beginOf(until)]))?.detail
