// Payment drafts: read and written in the transaction of their transfers. The lock of its row keeps
// a draft from being paid, signed, cancelled or ended by two at once.
import { rowArrays } from '../../database/statements/arrays.ts'
import {
  type Db,
  fragment,
  type RowOf,
  select,
  sql,
  statement,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { isRevoked } from '../../gate/live-sessions.ts'
import { memberRights } from '../rules/signatures.ts'
import {
  type DraftPerson,
  type PaidDraft,
  type StandingDraft,
  standingDraftColumns,
} from '../rules/signatures.ts'
import { ifAny } from './transfers.ts'

const lockDraftRows = statement(
  'ledger_lock_drafts',
  ['uuid[]'],
  standingDraftColumns,
  sql`select ${select(standingDraftColumns)} from payment_drafts
   where id = any($1) order by id for no key update`,
)
type LockedDraft = RowOf<typeof standingDraftColumns>

/** In the order of their identifiers, behind the locks of their accounts. */
export const lockDrafts = (db: Db, ids: readonly string[]): Promise<LockedDraft[]> =>
  ifAny(ids, () => db.run(lockDraftRows, [[...ids]]))

/**
 * The owner of an account, who may pay, and its members: each with a right, its end and the most
 * that a payment may be; null: any amount.
 */
export const rightsOnAccounts = fragment`(
     select a.id as account_id, a.owner_id as person_id, 'pay' as rights,
       null::timestamptz as until, null::bigint as most
     from accounts a join users u on u.id = a.owner_id
     where u.status = 'active' and 'customer' = any (u.roles)
     union all
     select account_id, person_id, rights, until, least(per_payment, per_day) from standing_members
   )`

const person = {
  draftId: 'uuid',
  personId: 'uuid',
  isSignature: 'bool',
  isRevoked: 'bool',
} as const
const readPeople = statement(
  'ledger_read_draft_people',
  ['uuid[]', 'uuid[]'],
  { ...person, rights: wordOrNullOf(memberRights), until: 'timestamptz?', most: 'int8?' },
  sql`select ${select(person, 'w')}, r.rights, r.until, r.most
   from (
     select d.id as draft_id, d.account_id, asked.person_id,
       bool_or(asked.is_signature) as is_signature,
       bool_or(${isRevoked(fragment`asked.session_id`, fragment`asked.kid`)}) as is_revoked
     from payment_drafts d
     cross join lateral (
       select d.maker_id as person_id, false as is_signature, d.maker_session_id as session_id,
         d.maker_kid as kid
       union all
       select person_id, true, session_id, kid from draft_signatures where draft_id = d.id
       union all
       select signer_id, false, null, null
       from unnest($1::uuid[], $2::uuid[]) as s (draft_id, signer_id)
       where s.draft_id = d.id
     ) asked
     where d.id = any($1)
     group by d.id, d.account_id, asked.person_id
   ) w
   left join ${rightsOnAccounts} r on r.account_id = w.account_id and r.person_id = w.person_id`,
)
export type DraftPersonRow = RowOf<typeof readPeople.gives>
/** A signature of a draft that is under way, or a look at one. */
export type DraftSigner = { draftId: string; signerId: string }

/**
 * The makers of drafts, those that have signed them and those that sign them now. A statement
 * behind the locks: it sees what those waited for.
 */
export const readDraftPeople = (db: Db, asked: readonly DraftSigner[]): Promise<DraftPersonRow[]> =>
  ifAny(asked, () =>
    db.run(readPeople, [
      asked.map(({ draftId }) => draftId),
      asked.map(({ signerId }) => signerId),
    ]),
  )

/** The locked rows with what was read of their people. */
export function toStanding(
  rows: readonly LockedDraft[],
  people: readonly DraftPersonRow[],
): Map<string, StandingDraft> {
  return new Map(
    rows.map((row) => {
      const about = people.filter(({ draftId }) => draftId === row.id)
      const signedBy = about.flatMap(({ personId, isSignature }) => (isSignature ? personId : []))
      return [row.id, { ...row, signedBy, people: about satisfies readonly DraftPerson[] }]
    }),
  )
}

const paid = rowArrays<PaidDraft>('p', {
  id: ['uuid', ({ id }) => id],
  transferId: ['uuid', ({ transferId }) => transferId],
  signerId: ['uuid', ({ signerId }) => signerId],
  sessionId: ['uuid', ({ sessionId }) => sessionId],
  kid: ['text', ({ kid }) => kid],
  needed: ['int4', ({ needed }) => needed],
  mailId: ['uuid', ({ mailId }) => mailId],
  at: ['timestamptz', ({ at }) => at],
})
const writePaid = statement(
  'ledger_write_paid_drafts',
  paid.takes,
  sql`with paid as materialized (
     select id, transfer_id, signer_id, session_id, kid, needed, mail_id, at from ${paid.unnest}
   ), signed as (
     insert into draft_signatures (draft_id, person_id, session_id, kid, signed_at)
     select id, signer_id, session_id, kid, at from paid
   ), told as (
     insert into mails (id, kind, user_id, draft_id, created_at, due_at, expires_at)
     select p.mail_id, 'draft-paid', d.maker_id, p.id, p.at, p.at, p.at + interval '1 day'
     from paid p join payment_drafts d on d.id = p.id
     where not mail_is_unwanted(d.maker_id, 'draft-paid', p.at)
   )
   update payment_drafts d
   set status = 'paid', transfer_id = p.transfer_id, signatures_needed = p.needed, ended_at = p.at
   from paid p where d.id = p.id`,
)
/** In the transaction of the transfers. It waits for no lock: the batch has those of the drafts. */
export const writePaidDrafts = (db: Db, rows: readonly PaidDraft[]) =>
  db.run(writePaid, paid.values(rows))
