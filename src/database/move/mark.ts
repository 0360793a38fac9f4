// A bank is in one database. `strongroom move` notes in the comment of the schema which one is not
// to be used: the new one until it is proven, and the former one from then on. A dump, a backup or
// a copy of the folder has the comment too.
import pg from 'pg'
import { StartupError } from '../../domain/startup-error.ts'
import { type Address, createClient, schemaName, serviceRole } from '../connections/connect.ts'

export type Mark =
  /** The new database: being filled from that bank, or filled and proven by that move. */
  | { state: 'filling'; bank: string }
  | { state: 'proven'; bank: string; move: string }
  /** The former one. */
  | { state: 'moved'; move: string; at: string; to: string }

/** Undefined: the bank is here, or there is none. */
export async function readMark(client: pg.ClientBase): Promise<Mark | undefined> {
  const { rows } = await client.query<{ mark: string | null }>(
    `select obj_description(to_regnamespace($1), 'pg_namespace') as mark`,
    [schemaName],
  )
  const text = rows[0]?.mark ?? ''
  return text.startsWith(prefix) ? (JSON.parse(text.slice(prefix.length)) as Mark) : undefined
}

const prefix = 'strongroom move '

export async function writeMark(client: pg.ClientBase, mark: Mark | undefined): Promise<void> {
  const text = mark === undefined ? 'null' : pg.escapeLiteral(`${prefix}${JSON.stringify(mark)}`)
  await client.query(`comment on schema ${schemaName} is ${text}`)
}

/**
 * Marks the former database, in the transaction of `client`. The service's role loses the schema:
 * an instance that runs, or one of an older release, which knows no mark, writes nothing either.
 */
export async function closeFormer(
  client: pg.ClientBase,
  mark: Extract<Mark, { state: 'moved' }>,
): Promise<void> {
  await client.query(`revoke usage on schema ${schemaName} from ${serviceRole}`)
  await writeMark(client, mark)
}

/** The contrary of {@link closeFormer}. */
export async function openFormer(client: pg.ClientBase): Promise<void> {
  await client.query('begin')
  await client.query(`grant usage on schema ${schemaName} to ${serviceRole}`)
  await writeMark(client, undefined)
  await client.query('commit')
}

/** Throws {@link StartupError} on a database that the bank has left, or is not in yet. */
export async function requireBankIsHere(address: Address): Promise<void> {
  const client = createClient(address, undefined)
  try {
    await client.connect()
    const mark = await readMark(client)
    if (mark !== undefined) throw new StartupError(explainMark(mark))
  } finally {
    await client.end()
  }
}

export function explainMark(mark: Mark): string {
  if (mark.state !== 'moved') {
    return 'This database is being filled by `strongroom move`: run that again until it is done.'
  }
  return (
    `The bank was moved to ${mark.to} at ${mark.at}. ` +
    'To use this database again, and not that one: `strongroom move --take-back`.'
  )
}
