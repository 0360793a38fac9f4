// The live sessions of a user, as the user and staff list them.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { SessionId, UserId } from '../../domain/ids.ts'
import { Name, named, nullable, Time, withExample } from '../../domain/schema.ts'
import {
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import type { Context } from '../../http/route.ts'

const session = {
  id: 'uuid',
  userId: 'uuid',
  device: 'text?',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
  endsAt: 'timestamptz',
} as const

const liveSessions = statement(
  'sessions_list',
  ['uuid', 'timestamptz', 'timestamptz', 'uuid?', 'int4'],
  session,
  sql`select ${select(session)} from current_sessions
   where user_id = $1 and ends_at > $2 and last_used_at > $3
     and ${pageBefore(4)}`,
)

const liveSession = statement(
  'sessions_find',
  ['uuid', 'timestamptz', 'timestamptz'],
  session,
  sql`select ${select(session)} from current_sessions
   where id = $1 and ends_at > $2 and last_used_at > $3`,
)

const common = {
  id: SessionId,
  device: nullable(withExample(Name, 'Firefox on Linux')),
  createdAt: Time,
  lastUsedAt: Time,
}

/** A session as staff see it. */
export const Session = named('UserSession', { ...common, userId: UserId, endsAt: Time })

/** A session as its user sees it. */
export const OwnSession = named('Session', { ...common, current: Type.Boolean() })

const toSession = ({
  createdAt,
  lastUsedAt,
  endsAt,
  ...row
}: RowOf<typeof session>): Static<typeof Session> => ({
  ...row,
  createdAt: rfc3339(createdAt.getTime()),
  lastUsedAt: rfc3339(lastUsedAt.getTime()),
  endsAt: rfc3339(endsAt.getTime()),
})

/** A session that ends later than the first instant and was used after the second is live. */
async function liveAfter({ now, service }: Pick<Context, 'now' | 'service'>) {
  // What is shown has the activity that this instance has not written yet.
  await service.sessions.flush()
  return [new Date(now), new Date(now - service.config.sessionIdle)] as const
}

/** A page of the live sessions of a user, newest first. */
export async function listSessions<I>(
  context: Pick<Context, 'db' | 'now' | 'service' | 'page'>,
  userId: string,
  toItem: (session: Static<typeof Session>) => I,
) {
  const times = await liveAfter(context)
  return context.page({
    fetch: (after, count) => context.db.run(liveSessions, [userId, ...times, after ?? null, count]),
    toItem: (row) => toItem(toSession(row)),
  })
}

/** A live session of anybody; undefined once it has ended. */
export async function findSession(
  context: Pick<Context, 'db' | 'now' | 'service'>,
  sessionId: string,
): Promise<Static<typeof Session> | undefined> {
  const times = await liveAfter(context)
  const row = await one(context.db, liveSession, [sessionId, ...times])
  return row && toSession(row)
}
