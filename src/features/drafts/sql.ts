// Data of payment drafts. A write locks the account and then the draft, as the ledger does for the
// last signature; the sweep locks the draft alone.
import { insertInto } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  fragment,
  listOf,
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { checkResults } from '../../domain/payee-name.ts'
import { isRevoked } from '../../gate/live-sessions.ts'
import {
  lockDrafts,
  readDraftPeople,
  rightsOnAccounts,
  toStanding,
} from '../../ledger/rows/drafts.ts'
import { signatureColumns, type StandingDraft } from '../../ledger/rules/signatures.ts'

export const draftStatuses = ['waiting', 'paid', 'cancelled', 'expired', 'void'] as const

/** Drafts of an account that wait. */
export const draftsMax = 100

const terms = {
  id: 'uuid',
  accountId: 'uuid',
  makerId: 'uuid',
  makerSessionId: 'uuid?',
  makerKid: 'text?',
  beneficiaryId: 'uuid?',
  toAccountId: 'uuid?',
  amount: 'int8',
  reference: 'text',
  payeeResult: wordOrNullOf(checkResults),
  payeeAccepted: 'bool?',
  expiresAt: 'timestamptz',
  createdAt: 'timestamptz',
} as const
const plain = {
  ...terms,
  status: wordOf(draftStatuses),
  endedAt: 'timestamptz?',
  endedBy: 'uuid?',
  transferId: 'uuid?',
} as const
const draft = {
  ...plain,
  /** How many signatures a paid one needed. */
  paidBy: 'int2?',
  ...signatureColumns,
  currency: currencyText,
  payeeName: 'text?',
  payeeIban: 'text?',
  signedBy: 'uuid[]',
} as const
export type DraftRow = RowOf<typeof draft>

/** The payee is shown while it is not deleted. */
const columns = fragment`${select(plain, 'd')}, d.signatures_needed as "paidBy",
   ${select(signatureColumns, 'a')}, a.currency,
   b.name as "payeeName", coalesce(b.iban, t.iban) as "payeeIban",
   array(
     select person_id from draft_signatures s where s.draft_id = d.id order by signed_at
   ) as "signedBy"`
const joined = fragment`payment_drafts d
   join accounts a on a.id = d.account_id
   left join beneficiaries b on b.id = d.beneficiary_id
   left join accounts t on t.id = d.to_account_id`

const readDraft = statement(
  'drafts_read',
  ['uuid'],
  draft,
  sql`select ${columns} from ${joined} where d.id = $1`,
)
/** Refuses with `not_found`. */
export const draftById = async (db: Db, id: string): Promise<DraftRow> =>
  (await one(db, readDraft, [id])) ?? refuse('not_found')

/** Drafts of an account, newest first. */
export const draftsByAccount = listOf(
  'drafts_list',
  draft,
  fragment`select ${columns} from ${joined} where d.account_id = $1`,
  'd.id',
)

const rights = rightsOnAccounts
const listToSign = statement(
  'drafts_list_to_sign',
  ['uuid', 'uuid?', 'int4', 'timestamptz'],
  draft,
  sql`select ${columns} from ${rights} r
   join ${joined} on d.account_id = r.account_id
   where r.person_id = $1 and r.rights = 'pay' and (r.until is null or r.until > $4)
     and (r.most is null or r.most >= d.amount)
     and a.status <> 'closed' and d.status = 'waiting' and d.expires_at > $4
     and (d.maker_id <> $1
       or exists (select from draft_signatures s where s.draft_id = d.id))
     and not exists (select from draft_signatures s where s.draft_id = d.id and s.person_id = $1)
     and ${pageBefore(2, 'd.id')}`,
)
/** Those that wait for the signature of a person, on all accounts, newest first. */
export const draftsToSign = (
  db: Db,
  personId: string,
  { after, count, now }: { after: string | undefined; count: number; now: number },
) => db.run(listToSign, [personId, after ?? null, count, new Date(now)])

const insertDraft = insertInto('drafts_insert', 'payment_drafts', terms, {
  gives: { id: 'uuid' },
  more: { mostOpen: 'int4' },
  where: `(
     select count(*) from payment_drafts where account_id = :accountId and status = 'waiting'
   ) < :mostOpen::int4`,
})
/** Behind the lock of its account. False when that has {@link draftsMax}. */
export const addDraft = async (tx: Db, row: RowOf<typeof terms>): Promise<boolean> =>
  (await insertDraft(tx, { ...row, mostOpen: draftsMax })) !== undefined

const signature = {
  draftId: 'uuid',
  personId: 'uuid',
  sessionId: 'uuid',
  kid: 'text?',
  signedAt: 'timestamptz',
} as const
/** Behind the lock of the draft. */
export const addSignature = insertInto('drafts_insert_signature', 'draft_signatures', signature)

const writeExpiry = statement(
  'drafts_write_expiry',
  ['uuid', 'timestamptz'],
  'update payment_drafts set expires_at = least(expires_at, $2) where id = $1',
)
export const expireBy = (tx: Db, id: string, at: number) => tx.run(writeExpiry, [id, new Date(at)])

/** A draft behind its lock, as its signer finds it. */
export async function lockStanding(
  tx: Db,
  id: string,
  signerId: string,
): Promise<StandingDraft | undefined> {
  const rows = await lockDrafts(tx, [id])
  return toStanding(rows, await readDraftPeople(tx, [{ draftId: id, signerId }])).get(id)
}

const writeCancelled = statement(
  'drafts_write_cancelled',
  ['uuid', 'uuid', 'timestamptz'],
  `update payment_drafts set status = 'cancelled', ended_by = $2, ended_at = $3, reference = ''
   where id = $1`,
)
/** A draft that is not paid keeps no text. */
export const cancelDraft = (tx: Db, id: string, by: string, at: number) =>
  tx.run(writeCancelled, [id, by, new Date(at)])

const payers = statement(
  'drafts_read_payers',
  ['uuid', 'int8', 'timestamptz'],
  { id: 'uuid' },
  sql`select r.person_id as id from ${rights} r
   where r.account_id = $1 and r.rights = 'pay' and (r.most is null or r.most >= $2)
     and (r.until is null or r.until > $3)
   order by r.person_id`,
)
/** The people that may pay so much from an account. */
export const payersOf = async (
  tx: Db,
  accountId: string,
  amount: bigint,
  now: number,
): Promise<string[]> =>
  (await tx.run(payers, [accountId, amount, new Date(now)])).map(({ id }) => id)

const endDue = statement(
  'drafts_end_due',
  ['timestamptz'],
  { id: 'uuid', makerId: 'uuid', signedBy: 'uuid[]' },
  sql`with found as materialized (
     select d.id, d.expires_at <= $1 as is_expired from payment_drafts d
     where d.status = 'waiting' and (d.expires_at <= $1 or not exists (
       select from ${rights} r join accounts a on a.id = r.account_id and a.status <> 'closed'
       where r.account_id = d.account_id and r.person_id = d.maker_id
         and r.rights in ('prepare', 'pay') and (r.until is null or r.until > $1)
     ) or ${isRevoked(fragment`d.maker_session_id`, fragment`d.maker_kid`)} or exists (
       select from draft_signatures g where g.draft_id = d.id and (
         ${isRevoked(fragment`g.session_id`, fragment`g.kid`)} or not exists (
           select from ${rights} r
           where r.account_id = d.account_id and r.person_id = g.person_id
             and r.rights = 'pay' and (r.most is null or r.most >= d.amount)
             and (r.until is null or r.until > $1)))
     ))
     order by d.expires_at, d.id limit 50 for update of d skip locked
   )
   update payment_drafts d
   set status = case when f.is_expired then 'expired' else 'void' end, ended_at = $1,
     reference = ''
   from found f where d.id = f.id
   returning d.id, d.maker_id as "makerId",
     array(select person_id from draft_signatures s where s.draft_id = d.id) as "signedBy"`,
)
/**
 * Ends drafts whose time is over, and those whose maker or signer may not any more, or whose
 * session or signing key was revoked: the ledger refuses these at once.
 */
export const endDueDrafts = (db: Db, now: number) => db.run(endDue, [new Date(now)])
