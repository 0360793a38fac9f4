// A release that knows no archives would tell balances of zero where entries have left: it may
// neither be connected nor start beside one.
import type pg from 'pg'
import { applicationName } from '../../database/connections/connect.ts'
import { type Db, statement } from '../../database/statements/statement.ts'
import { oldestRelease, release } from '../../domain/release.ts'
import { StartupError } from '../../domain/startup-error.ts'

const raise = `update strongroom.migrations set oldest_release = $1 where name = '0180_archives'`
const findOther = `select application_name as name from pg_stat_activity
  where datname = current_database() and application_name like 'strongroom%'
    and application_name <> $1 limit 1`

/**
 * From here on no release before this one starts. Refuses where another one is connected. Locks
 * nothing: a start that reads `migrations` before this is connected soon, and is found by a later
 * {@link requireNoOtherRelease}.
 */
export async function refuseOlder(client: pg.Client): Promise<void> {
  await client.query(raise, [release])
  await requireNoOtherRelease(client)
}

export async function requireNoOtherRelease(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(findOther, [applicationName])
  const [other] = rows
  if (!other) return
  throw new StartupError(`${other.name} is connected: replace it by ${release} before an archive.`)
}

const lower = statement(
  'archive_lower_release',
  ['text'],
  `update migrations set oldest_release = $1
   where name = '0180_archives' and not exists (select from archives)`,
)
/** The contrary, where no archive is left. */
export const allowOlder = (tx: Db) => tx.run(lower, [oldestRelease])
