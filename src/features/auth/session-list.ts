// The live sessions of a user, as the user and staff list them.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { SessionId } from '../../domain/ids.ts'
import { Name, named, nullable, Time, withExample } from '../../domain/schema.ts'
import { pageBefore, select, sql, statement } from '../../database/statement.ts'
import type { Context } from '../../http/route.ts'

const session = {
  id: 'uuid',
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

const common = {
  id: SessionId,
  device: nullable(withExample(Name, 'Firefox on Linux')),
  createdAt: Time,
  lastUsedAt: Time,
}

/** A session as staff see it. */
export const Session = named('UserSession', { ...common, endsAt: Time })

/** A session as its user sees it. */
export const OwnSession = named('Session', { ...common, current: Type.Boolean() })

/** A page of the live sessions of a user, newest first. */
export async function listSessions<I>(
  { db, now, service, page }: Pick<Context, 'db' | 'now' | 'service' | 'page'>,
  userId: string,
  toItem: (session: Static<typeof Session>) => I,
) {
  // The list shows activity that this instance has not written yet.
  await service.sessions.flush()
  const times = [new Date(now), new Date(now - service.config.sessionIdle)] as const
  return page({
    fetch: (after, count) => db.run(liveSessions, [userId, ...times, after ?? null, count]),
    toItem: ({ createdAt, lastUsedAt, endsAt, ...row }) =>
      toItem({
        ...row,
        createdAt: rfc3339(createdAt.getTime()),
        lastUsedAt: rfc3339(lastUsedAt.getTime()),
        endsAt: rfc3339(endsAt.getTime()),
      }),
  })
}
