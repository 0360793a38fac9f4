// The verification of what stays where entries have left for an archive: the heads from which the
// chains go on, and the terms of transfers whose entries are there.
import { hash } from 'node:crypto'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import {
  type Db,
  fragment,
  Fragment,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { digestLinks, joinTerms, readCommitment, termColumns } from '../rules/hash-chain.ts'
import { storedDetailColumns } from '../rules/movement.ts'
import { areKeptLinks, joinedLinksOf, type linkColumns, toLinks } from './links.ts'
import { allOf, findFirstFlaw, pagesOf } from './verify-pages.ts'

/** Archives follow each other, and each but the newest is whole. */
const readArchives = statement(
  'verify_read_archives',
  [],
  {
    isInOrder: 'bool',
    state: 'text?',
    kept: 'int8?',
    broughtBack: 'int8?',
    terms: 'int8',
    until: 'timestamptz?',
  },
  `select coalesce((
       select bool_and(a.id = a.place
         and (b.id is null or a.state = 'removed' and a.until < b.until))
       from (select id, until, state, row_number() over (order by id) as place from archives) a
       left join archives b on b.id = a.id + 1
     ), true) as "isInOrder", n.state, n.kept, n.brought_back as "broughtBack",
     (select count(*) from archived_terms) as terms, n.until
   from (select 1) always
   left join lateral (
     select state, kept, brought_back, until from archives order by id desc limit 1
   ) n on true`,
)

/** Heads behind an account, each with whether an entry is there that it says is in an archive. */
const readHeadPage = statement(
  'verify_read_archived_heads',
  ['uuid', 'int8'],
  { id: 'uuid', at: 'timestamptz', isOfAccount: 'bool', hasEntry: 'bool' },
  `select g.account_id as id, g.at, coalesce(a.last_seq >= g.seq, false) as "isOfAccount",
     exists (
       select from entries e where e.account_id = g.account_id and e.seq <= g.seq
     ) as "hasEntry"
   from (
     select account_id, seq, at from archived_heads where account_id > $1
     order by account_id limit $2
   ) g
   left join accounts a on a.id = g.account_id
   order by g.account_id`,
)

const digests = {
  terms: 'text',
  links: 'text?',
  sentLinks: 'text?',
  settledLinks: 'text?',
} as const
const kept = {
  ...digests,
  isMarked: 'bool',
  isSent: 'bool',
  own: 'text',
  sending: 'text',
  settling: 'text',
} as const
const ofKind = (kind: Fragment) => ({ transferId: fragment`k.transfer_id`, kind })
const sending = ofKind(fragment`case when k.sent_seq is not null then 'sending' end`)
const settling = ofKind(fragment`case when k.settled_seq is not null then 'settlement' end`)
/** Transfers behind one of which an archive has entries, with their terms as they were then. */
const readTermsPage = statement(
  'verify_read_archived_terms',
  ['uuid', 'int8'],
  {
    transferId: 'uuid',
    isThere: 'bool',
    ...kept,
    ...termColumns,
    ...storedDetailColumns,
    salt: 'text?',
    commitment: 'text?',
  },
  sql`select k.transfer_id as "transferId", t.id is not null as "isThere",
     encode(k.terms, 'hex') as terms, encode(k.links, 'hex') as links,
     encode(k.sent_links, 'hex') as "sentLinks", encode(k.settled_links, 'hex') as "settledLinks",
     (k.sent_seq is null or coalesce(k.sent_seq = t.sent_seq, false))
       and (k.settled_seq is null or coalesce(k.settled_seq = t.settled_seq, false))
       and (k.from_account_id, k.from_seq) = (t.from_account_id, t.from_seq)
       and (k.to_account_id, k.to_seq) = (t.to_account_id, t.to_seq)
       as "isMarked", t.sent_seq is not null as "isSent",
     to_jsonb(own)::text as own, to_jsonb(sending)::text as sending,
     to_jsonb(settling)::text as settling,
     ${select(termColumns, 't')}, ${select(storedDetailColumns, 'd')},
     encode(t.salt, 'hex') as salt, encode(t.commitment, 'hex') as commitment
   from (
     select transfer_id, from_account_id, to_account_id, from_seq, to_seq, terms, links, sent_seq,
       sent_links, settled_seq, settled_links
     from archived_terms where transfer_id > $1 order by transfer_id limit $2
   ) k
   left join transfers t on t.id = k.transfer_id
   left join transfer_details d on d.transfer_id = k.transfer_id
   ${joinedLinksOf(fragment`own`, ofKind(fragment`t.kind`))}
   ${joinedLinksOf(fragment`sending`, sending)}
   ${joinedLinksOf(fragment`settling`, settling)}
   order by k.transfer_id`,
)

/** While an archive is removed or restored, its rows come and go. */
const isEnded = (found: RowOf<typeof readArchives.gives> | undefined): boolean =>
  (found?.state ?? 'removed') === 'removed'

type Kept = RowOf<typeof readTermsPage.gives>

function digestOf(found: string, { callerId }: Kept): string | null {
  const links = toLinks({ ...(JSON.parse(found) as RowOf<typeof linkColumns>), callerId })
  return links ? digestLinks(links) : null
}

function findFlawOfTerms(row: Kept): string | undefined {
  const where = `Transfer ${row.transferId}`
  if (!row.isThere) return `${where}: it is missing, and an archive has its entries alone`
  const terms = hash('sha256', joinTerms(row, readCommitment(row, row)), 'hex')
  if (!row.isMarked || terms !== row.terms) {
    return `${where}: its terms are not those that an archive left`
  }
  const isLinked =
    areKeptLinks(row.links, digestOf(row.own, row), row.isSent) &&
    digestOf(row.sending, row) === row.sentLinks &&
    digestOf(row.settling, row) === row.settledLinks
  return isLinked ? undefined : `${where}: its numbers are not those that an archive left`
}

/** An identifier is made before its transfer is dated, by a clock that may be ahead. */
export const idAheadMs = dayMs + clockDifferenceMaxMs
const idAhead = new Fragment(`${idAheadMs} * interval '1 millisecond'`)

/** What says that transfers were brought back, with whether they were, or are in an archive. */
const readBackPage = statement(
  'verify_read_back_page',
  ['uuid', 'int8'],
  { transferId: 'uuid', isRight: 'bool', isArchived: 'bool' },
  sql`select w.transfer_id as "transferId",
     coalesce(b.reversal_of = w.transfer_id, false) and t.id is not null as "isRight",
     b.id is null and t.id is null and coalesce(
       greatest(w.transfer_id, w.by_transfer_id) < (
         select least_id_at(max(until) + ${idAhead}) from archives), false) as "isArchived"
   from (
     select transfer_id, by_transfer_id from brought_back
     where transfer_id > $1 order by transfer_id limit $2
   ) w
   left join transfers b on b.id = w.by_transfer_id
   left join transfers t on t.id = w.transfer_id
   order by w.transfer_id`,
)

/** The other direction is proven with each transfer that brings another one back. */
export async function findFlawOfBacks(db: Db): Promise<string | undefined> {
  const found = await one(db, readArchives, [])
  let archived = 0n
  for await (const page of pagesOf(db, readBackPage, ({ transferId }) => transferId)) {
    const wrong = page.find(({ isRight, isArchived }) => !isRight && !isArchived)
    if (wrong) return `Transfer ${wrong.transferId} is said to be brought back, and is not`
    archived += BigInt(page.filter(({ isRight }) => !isRight).length)
  }
  const isRight = !isEnded(found) || archived === (found?.broughtBack ?? 0n)
  return isRight
    ? undefined
    : `${archived} transfers in archives are said to be brought back, not ${found?.broughtBack}`
}

/** The first thing that is not as it has to be, in words, or undefined. */
export async function findFlawOfArchives(db: Db): Promise<string | undefined> {
  const found = await one(db, readArchives, [])
  if (!found) return undefined
  if (!found.isInOrder) return 'The archives do not follow each other'
  const flawOfHead = ({ id, at, isOfAccount, hasEntry }: RowOf<typeof readHeadPage.gives>) => {
    const where = `Account ${id}`
    if (!isOfAccount) return `${where}: it ends before its entries in an archive`
    if (hasEntry) return `${where}: it has entries that are in an archive`
    const isBefore = found.until !== null && at < found.until
    return isBefore ? undefined : `${where}: no archive goes up to its head`
  }
  const keptCount = found.state === null ? 0n : found.kept
  return (
    (await findFirstFlaw(allOf(db, readHeadPage), flawOfHead)) ??
    (await findFirstFlaw(
      async (after) =>
        (await allOf(db, readTermsPage)(after)).map((row) => ({ ...row, id: row.transferId })),
      findFlawOfTerms,
    )) ??
    (isEnded(found) && found.terms !== keptCount
      ? `${found.terms} transfers are kept beside archives, not ${keptCount}`
      : undefined)
  )
}
