// The mails about memberships: queued for the owner of the account or the member, and what they
// tell.
import { insertInto } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  one,
  type RowOf,
  statement,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { enders, memberRights } from '../../gate/members.ts'
import { isDueNow, newMail, newMailColumns } from './sql.ts'

const insertOfMember = insertInto(
  'mail_insert_of_member',
  'mails',
  { ...newMailColumns, userId: 'uuid?', memberId: 'uuid' },
  { ...isDueNow, where: 'not mail_is_unwanted(:userId, :kind, :createdAt)' },
)
/** Queues the mail of an invitation in the same time, whether or not a customer has the name. */
export const queueInvited = (tx: Db, memberId: string, now: number) =>
  insertOfMember(tx, { ...newMail('member-invited', now), userId: null, memberId })

type Membership = { id: string; ownerId: string; personId: string | null }

/** Tells the owner who may act on the account from now on. */
export const queueJoined = (tx: Db, { id, ownerId }: Membership, now: number) =>
  insertOfMember(tx, { ...newMail('member-joined', now), userId: ownerId, memberId: id })

/** Tells the owner and the member. */
export async function queueMemberMails(
  tx: Db,
  kind: 'member-changed' | 'member-ended',
  { id: memberId, ownerId, personId }: Membership,
  now: number,
): Promise<void> {
  for (const userId of [ownerId, personId]) {
    if (userId !== null) await insertOfMember(tx, { ...newMail(kind, now), userId, memberId })
  }
}

const readOfMember = statement(
  'mail_read_member',
  ['uuid'],
  {
    rights: wordOf(memberRights),
    perPayment: 'int8?',
    perDay: 'int8?',
    currency: currencyText,
    iban: 'text',
    until: 'timestamptz?',
    endedAt: 'timestamptz?',
    endedBy: wordOrNullOf(enders),
    ownerName: 'text',
    memberName: 'text?',
  },
  `select m.rights, m.per_payment as "perPayment", m.per_day as "perDay", a.currency, a.iban,
     m.until, m.ended_at as "endedAt", m.ended_by as "endedBy",
     o.given_name || ' ' || o.family_name as "ownerName",
     case when p.erased_at is null then p.given_name || ' ' || p.family_name end as "memberName"
   from account_members m
   join accounts a on a.id = m.account_id
   join users o on o.id = a.owner_id
   left join users p on p.id = m.person_id
   where m.id = $1`,
)
/** What a customer may do on the account of another, or might. */
export type ToldMembership = RowOf<(typeof readOfMember)['gives']>
export const readMemberOf = (db: Db, id: string) => one(db, readOfMember, [id])
