// Folds the names of people that are stored without a folded one: from before there was one, or
// from before the rule of the folding was changed.
import type pg from 'pg'
import { foldName } from '../../domain/folding.ts'

type Unfolded = { id: string; name: string }

/** Short transactions: a login or a change of a person waits for one of them at most. */
const batchSize = 500

/**
 * Folds a batch as the role of the service, which may change people; an owner of the schema and a
 * login of the service both can become it.
 *
 * @returns whether there may be more
 */
export async function foldBatch(client: pg.Client): Promise<boolean> {
  await client.query('begin; set local role strongroom_service')
  const { rows } = await client.query<Unfolded>(
    `select id, given_name || ' ' || family_name as name from strongroom.users
     where folded_name is null order by id limit $1 for no key update`,
    [batchSize],
  )
  await client.query(
    `update strongroom.users u set folded_name = f.folded_name
     from unnest($1::uuid[], $2::text[]) as f (id, folded_name) where u.id = f.id`,
    [rows.map(({ id }) => id), rows.map(({ name }) => foldName(name))],
  )
  await client.query('commit')
  return rows.length === batchSize
}
