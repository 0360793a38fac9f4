// Members of an account: customers whom its owner lets act on it. Who may do what is decided here
// alone: for a request, in the transaction of a change, and for the list that the owner is shown.
import { beginReading } from '../database/background/clocks.ts'
import type { Lookups } from '../database/connections/lookup.ts'
import {
  type Db,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../database/statements/statement.ts'
import type { Clock } from '../domain/clock.ts'
import { refuse } from '../domain/errors.ts'

/** Each includes those before it. */
export const memberRights = ['view', 'prepare', 'pay'] as const
export type MemberRight = (typeof memberRights)[number]

export const includesRight = (given: MemberRight, needed: MemberRight): boolean =>
  memberRights.indexOf(given) >= memberRights.indexOf(needed)

/** By what a membership has ended; `revocation` ends invitations alone. */
export const enders = ['owner', 'member', 'staff', 'time', 'revocation'] as const
export type Ender = (typeof enders)[number]

const standing = {
  personId: 'uuid',
  ownerId: 'uuid',
  rights: wordOf(memberRights),
  /** In minor units; null: no limit of the member's own. */
  perPayment: 'int8?',
  perDay: 'int8?',
  until: 'timestamptz?',
  /** Payees that were added since then are not paid before: as of an owner who was recovered. */
  coolingSince: 'timestamptz?',
  coolsUntil: 'timestamptz?',
} as const
/** Who may act on an account now. */
export type Member = RowOf<typeof standing> & { accountId: string; membershipId: string }

const readStanding = statement(
  'gate_read_members',
  ['uuid[]'],
  { id: 'uuid', membershipId: 'uuid', ...standing, readAt: 'timestamptz' },
  sql`select m.account_id as id, m.id as "membershipId", ${select(standing, 'm')},
     clock_timestamp() as "readAt"
   from standing_members m where m.account_id = any($1)`,
)
type Row = RowOf<(typeof readStanding)['gives']>

/** The end of a membership holds from its millisecond on. */
export const isOver = (until: Date | null, at: number): boolean =>
  until !== null && at >= until.getTime()

export type Members = {
  /** Who may act on the account now; shared with all look-ups of the moment. */
  ofAccount(accountId: string): Promise<readonly Member[]>
  /**
   * The same of several accounts in a transaction. Behind the locks of a member and the owner it
   * stays so until the end of the transaction, but for `until`.
   */
  within(tx: Db, accountIds: readonly string[]): Promise<readonly Member[]>
}

const toPresent = (rows: readonly Row[], toTime: (reading: Date) => number): Member[] =>
  rows.flatMap(({ id: accountId, readAt, ...row }) =>
    isOver(row.until, toTime(readAt)) ? [] : [{ ...row, accountId }],
  )

/**
 * Reads them for a transaction that knows the time of the database itself, and gives those of a
 * time.
 */
export const readMembersIn = async (
  tx: Db,
  accountIds: readonly string[],
): Promise<(now: number) => readonly Member[]> => {
  const rows = await tx.run(readStanding, [[...accountIds]])
  return (now) => toPresent(rows, () => now)
}

/** Who may act on these accounts now. */
export async function readMembers(
  db: Db,
  clock: Clock,
  accountIds: readonly string[],
): Promise<readonly Member[]> {
  const toTime = beginReading(clock)
  return toPresent(await db.run(readStanding, [[...accountIds]]), toTime)
}

/** The guard; refuses while no account has members by the setting. */
export const requireOn = ({ members }: { members: Members | undefined }): Members =>
  members ?? refuse('not_found', { because: 'members are off' })

export function createMembers(db: Pick<Lookups, 'lookup'>, clock: Clock): Members {
  return {
    async ofAccount(accountId) {
      const toTime = beginReading(clock)
      return toPresent(await db.lookup(readStanding, accountId), toTime)
    },
    within: (tx, accountIds) => readMembers(tx, clock, accountIds),
  }
}

/** How a caller acts who does not own what a request names. */
export type ActingMember = {
  ownerId: string
  /** The accounts that hold what the request names. The right has to be had on each. */
  accountIds: readonly string[]
  right: MemberRight
}

/**
 * Whether a person has the right on an account of that owner now, as the owner or as a member.
 * Behind the locks of both people it stays so until the end of the transaction, but for `until`.
 *
 * @param members of the account, read behind these locks
 */
export const mayActOn = (
  personId: string,
  { ownerId, accountId, right }: { ownerId: string; accountId: string; right: MemberRight },
  members: readonly Member[],
): boolean =>
  personId === ownerId || mayAct(personId, { ownerId, accountIds: [accountId], right }, members)

/** Whether a person has the right on each of the accounts, which are that owner's. */
export const mayAct = (
  personId: string,
  { ownerId, accountIds, right }: ActingMember,
  members: readonly Member[],
): boolean =>
  accountIds.every((accountId) =>
    members.some(
      (member) =>
        member.accountId === accountId &&
        member.personId === personId &&
        member.ownerId === ownerId &&
        includesRight(member.rights, right),
    ),
  )
