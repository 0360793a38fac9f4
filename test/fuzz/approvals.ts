// Requests under four eyes for a run to decide about: of an administrator who is not of the cast,
// and of root, who withdraws them.
import { newId } from '../../src/domain/ids.ts'
import { people } from '../support/world.ts'
import { addItem, findItems, noUser, type Pool } from './pool.ts'

const [makerId, makerSessionId] = [newId(1), newId(2)]

async function addMaker({ bank: { sql } }: Pool): Promise<void> {
  await sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     values ($1, 'maker', 'maker@example.com', 'M', 'Aker', '{admin}', '2026-01-01')
     on conflict do nothing`,
    [makerId],
  )
  await sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     values ($1, $2, '2026-01-01', '2026-01-01', '2026-01-01') on conflict do nothing`,
    [makerSessionId, makerId],
  )
}

/** Each to freeze a card that there is. */
export async function newApprovals(pool: Pool): Promise<void> {
  const { bank } = pool
  await addMaker(pool)
  const cards = findItems(pool, 'card').filter(({ isGone }) => !isGone)
  for (const { id } of cards.slice(-6)) {
    for (const [maker, session] of [
      [makerId, makerSessionId],
      [people.root.id, newId(3)],
    ]) {
      const approval = newId(bank.clock.now())
      await bank.sql(
        `insert into approvals (id, operation, request, maker_id, maker_session_id, created_at,
           expires_at) values ($1, 'freezeCard', $2, $3, $4, $5, $6)`,
        [
          approval,
          JSON.stringify({ body: null, params: { id }, query: null }),
          maker,
          session,
          new Date(bank.clock.now()),
          new Date(bank.clock.now() + 24 * 3_600_000),
        ],
      )
      addItem(pool, { id: approval, resource: 'approval', ownerId: noUser })
    }
  }
}
