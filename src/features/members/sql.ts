// Data of memberships: whom the owner of an account lets act on it, and until when.
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  type Fragment,
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
import { isRevoked } from '../../gate/live-sessions.ts'
import { enders, memberRights } from '../../gate/members.ts'

/** What the owner decides. */
const granted = {
  rights: wordOf(memberRights),
  perPayment: 'int8?',
  perDay: 'int8?',
  until: 'timestamptz?',
} as const
export type Granted = RowOf<typeof granted>

const columns = {
  id: 'uuid',
  accountId: 'uuid',
  personId: 'uuid?',
  username: 'text',
  ...granted,
  invitedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  acceptedAt: 'timestamptz?',
  endedAt: 'timestamptz?',
  endedBy: wordOrNullOf(enders),
} as const
const member = {
  ...columns,
  ownerId: 'uuid',
  iban: 'text',
  currency: currencyText,
  ownerName: 'text',
  /** Null before it is accepted, and once it is erased. */
  memberName: 'text?',
} as const
export type MemberRow = RowOf<typeof member>

const nameOf = (alias: Fragment): Fragment =>
  fragment`${alias}.given_name || ' ' || ${alias}.family_name`
const shown = fragment`select ${select(columns, 'm')}, a.owner_id as "ownerId", a.iban, a.currency,
     ${nameOf(fragment`o`)} as "ownerName",
     case when m.accepted_at is not null and p.erased_at is null
       then ${nameOf(fragment`p`)} end as "memberName"
   from account_members m
   join accounts a on a.id = m.account_id
   join users o on o.id = a.owner_id
   left join users p on p.id = m.person_id`

/** A name that no customer has is locked as one that a customer has: it takes as long. */
export const personOrNobody = ({ personId, id }: Pick<MemberRow, 'personId' | 'id'>): string =>
  personId ?? id

const readMember = statement('members_read', ['uuid'], member, sql`${shown} where m.id = $1`)
export const memberById = (db: Db, id: string) => one(db, readMember, [id])

const lockMember = statement(
  'members_lock',
  ['uuid'],
  member,
  sql`${shown} where m.id = $1 for no key update of m`,
)
export const lockedMember = (tx: Db, id: string) => one(tx, lockMember, [id])

/** Those of an account, ended ones included, newest first. */
export const membersOfAccount = listOf(
  'members_list_of_account',
  member,
  fragment`${shown} where m.account_id = $1`,
  'm.id',
)

/** Those of a person, newest first. */
export const allMembershipsOf = listOf(
  'members_list_of_person',
  member,
  fragment`${shown} where m.person_id = $1`,
  'm.id',
)
/** The same without those that have ended. */
export const membershipsOf = listOf(
  'members_list_open_of_person',
  member,
  fragment`${shown} where m.person_id = $1 and m.ended_at is null`,
  'm.id',
)

/** Whether its time is over by the second parameter. */
const isLapsed = fragment`(m.until <= $2 or m.accepted_at is null and m.expires_at <= $2)`
/**
 * Whether a session or signing key that sent the invitation, or changed it last, was revoked before
 * it was accepted.
 */
const isWithdrawn = fragment`(
     m.accepted_at is null and (
       ${isRevoked(fragment`m.inviter_session_id`, fragment`m.inviter_kid`)}
       or ${isRevoked(fragment`m.changer_session_id`, fragment`m.changer_kid`)}))`
const readWithdrawn = statement(
  'members_read_withdrawn',
  ['uuid'],
  { id: 'uuid' },
  sql`select m.id from account_members m where m.id = $1 and ${isWithdrawn}`,
)
/** Behind the lock of the account. */
export const isWithdrawnMember = async (tx: Db, id: string): Promise<boolean> =>
  (await tx.run(readWithdrawn, [id])).length > 0

/** `personId`: null for an invitation of a name that no customer had. */
const due = {
  id: 'uuid',
  accountId: 'uuid',
  personId: 'uuid?',
  acceptedAt: 'timestamptz?',
  endedAt: 'timestamptz',
  endedBy: wordOf(enders),
  ownerId: 'uuid',
} as const
/** A membership or an invitation that the service has ended. */
export type DueEnd = RowOf<typeof due>

/** One that lapsed has ended at its time, also where it was withdrawn later. */
const endThose = (
  which: Fragment,
  { others = isWithdrawn, by = fragment`'revocation'` } = {},
): Fragment => fragment`update account_members m
   set ended_at = case when not coalesce(${isLapsed}, false) then $2
       when m.accepted_at is null then least(m.expires_at, m.until) else m.until end,
     ended_by = case when ${isLapsed} then 'time' else ${by} end
   from accounts a
   where ${which} and a.id = m.account_id and m.ended_at is null
     and (${isLapsed} or ${others})
   returning m.id, m.account_id as "accountId", m.person_id as "personId",
     m.accepted_at as "acceptedAt", m.ended_at as "endedAt", m.ended_by as "endedBy",
     a.owner_id as "ownerId"`

const endDueOfAccount = statement(
  'members_end_due_of_account',
  ['uuid', 'timestamptz'],
  due,
  sql`${endThose(fragment`m.account_id = $1`)}`,
)
/** Behind the lock of the account: ends what is over of its own accord. */
export const endDueMembersOf = (tx: Db, accountId: string, at: number): Promise<DueEnd[]> =>
  tx.run(endDueOfAccount, [accountId, new Date(at)])

const findDue = statement(
  'members_find_due',
  ['timestamptz'],
  { id: 'uuid', accountId: 'uuid', personId: 'uuid?' },
  sql`(select id, account_id as "accountId", person_id as "personId" from account_members
    where ended_at is null and accepted_at is not null and until <= $1
    order by until limit 20)
   union all
   (select id, account_id, person_id from account_members
    where ended_at is null and accepted_at is null and least(expires_at, until) <= $1
    order by least(expires_at, until) limit 20)
   union all
   (select m.id, m.account_id, m.person_id from account_members m
    where m.ended_at is null and ${isWithdrawn} limit 20)`,
)
/** Memberships and invitations whose time is over, and invitations that a revoked session sent. */
export const findDueMembers = (db: Db, at: number) => db.run(findDue, [new Date(at)])

const endDue = statement(
  'members_end_due',
  ['uuid[]', 'timestamptz'],
  due,
  sql`${endThose(fragment`m.id = any($1)`)}`,
)
/** Behind the locks of their people and accounts: ends those of them that are due still. */
export const endDueMembers = (tx: Db, ids: readonly string[], at: number) =>
  tx.run(endDue, [[...ids], new Date(at)])

const findAccountsOf = statement(
  'members_find_accounts_of_person',
  ['uuid'],
  { id: 'uuid' },
  `select distinct account_id as id from account_members where person_id = $1 and ended_at is null
   order by account_id`,
)
/** The accounts on which the person acts, or may come to act, in the order of their locks. */
export const accountsActedOn = (tx: Db, personId: string) => tx.run(findAccountsOf, [personId])

const endOfPerson = statement(
  'members_end_of_person',
  ['uuid', 'timestamptz'],
  due,
  sql`${endThose(fragment`m.person_id = $1`, {
    others: fragment`true`,
    by: fragment`'staff'`,
  })}`,
)
/** Behind the locks of the person and the accounts: all that the person may do, or might. */
export const endMembershipsOfPerson = (tx: Db, personId: string, at: number) =>
  tx.run(endOfPerson, [personId, new Date(at)])

const countOpen = statement(
  'members_count_open',
  ['uuid'],
  { count: 'int4' },
  `select count(*)::int4 as count from account_members where account_id = $1 and ended_at is null`,
)
export const countOpenMembers = async (tx: Db, accountId: string): Promise<number> =>
  (await one(tx, countOpen, [accountId]))?.count ?? 0

const added = {
  id: 'uuid',
  accountId: 'uuid',
  username: 'text',
  ...granted,
  invitedAt: 'timestamptz',
  inviterSessionId: 'uuid?',
  inviterKid: 'text?',
  expiresAt: 'timestamptz',
} as const
/**
 * The person is looked for in the same statement, whether or not there is one. Undefined when the
 * name is one of the account's open members already.
 */
export const addMember = insertInto('members_insert', 'account_members', added, {
  gives: { id: 'uuid' },
  as: {
    personId: `(
     select id from users
     where username = :username and status = 'active' and 'customer' = any (roles))`,
  },
  conflict: 'on conflict (account_id, username) where ended_at is null do nothing',
})

export const writeGranted = updateIn('members_write_granted', 'account_members', {
  id: 'uuid',
  ...granted,
  changerSessionId: 'uuid?',
  changerKid: 'text?',
})

export const writeAccepted = updateIn('members_write_accepted', 'account_members', {
  id: 'uuid',
  acceptedAt: 'timestamptz?',
})

export const writeEnded = updateIn('members_write_ended', 'account_members', {
  id: 'uuid',
  endedAt: 'timestamptz?',
  endedBy: wordOrNullOf(enders),
})
