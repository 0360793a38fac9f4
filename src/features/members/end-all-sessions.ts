// The end of all sessions of a person in a request, with the events of what ends by it.
import type { Db } from '../../database/statements/statement.ts'
import { endSessionsOfUser } from '../../gate/live-sessions.ts'
import type { Context } from '../../http/route.ts'

type Ending = {
  /** Who ends them, by identifier: the person, or one of staff. */
  by: string
  now: number
  /** The session that stays. */
  keep?: string
} & Pick<Context, 'record'>

/**
 * Ends all sessions of a person as `endSessionsOfUser` does. Each invitation that is withdrawn has
 * its event, and no mail: it has let no person do anything.
 */
export async function endAllSessions(
  tx: Db,
  userId: string,
  { by, now, keep, record }: Ending,
): Promise<void> {
  const withdrawn = await endSessionsOfUser(tx, userId, {
    now,
    by: by === userId ? 'owner' : 'staff',
    ...(keep !== undefined && { keep }),
  })
  for (const { id, accountId } of withdrawn) {
    await record(tx, { action: 'endMember', actorId: by, target: accountId, detail: id })
  }
}
