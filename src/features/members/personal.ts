// Memberships in what a person is given of the data about itself.
import { systemClock } from '../../domain/clock.ts'
import type { Db } from '../../database/statements/statement.ts'
import { readMembers } from '../../gate/members.ts'
import { toMember, toMembership } from './schemas.ts'
import { allMembershipsOf, type MemberRow, membersOfAccount } from './sql.ts'

const rowsPerPage = 500

async function readAll(
  fetch: (after: string | undefined, count: number) => Promise<MemberRow[]>,
): Promise<MemberRow[]> {
  const all: MemberRow[] = []
  // Ends at an empty page: each begins behind the last row of the one before.
  for (let after: string | undefined; ;) {
    const rows = await fetch(after, rowsPerPage)
    all.push(...rows)
    after = rows.at(-1)?.id
    if (after === undefined) return all
  }
}

const presentOn = (db: Db, accountId: string) => readMembers(db, systemClock(), [accountId])

/** The members of an account by the user names that its owner has written. */
async function* namedMembers(db: Db, accountIds: readonly string[], at: number) {
  for (const accountId of accountIds) {
    const present = await presentOn(db, accountId)
    const rows = await readAll((after, count) => membersOfAccount(db, accountId, after, count))
    for (const row of rows) {
      const { personId: _, name: __, ...named } = toMember(row, { at, present })
      yield named
    }
  }
}

async function* membershipsOf(db: Db, userId: string, at: number) {
  const rows = await readAll((after, count) => allMembershipsOf(db, userId, after, count))
  for (const row of rows) {
    yield toMembership(row, { at, present: await presentOn(db, row.accountId) })
  }
}

/** Who acts on the accounts of the person, and where the person acts for others. */
export const membersOfPerson = (
  db: Db,
  { userId, accountIds, at }: { userId: string; accountIds: readonly string[]; at: number },
) => ({
  members: namedMembers(db, accountIds, at),
  memberships: membershipsOf(db, userId, at),
})
