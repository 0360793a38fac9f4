// A migration of a large table that runs piece by piece, outside a transaction: payments and reads
// go on while it builds an index or fills a column. It may take hours, and may be interrupted.
import type pg from 'pg'
import { toStored } from './migrations.ts'

/** The first line of such a file. */
const mark = '-- piece by piece\n'

export const isPiecemeal = (text: string): boolean => text.startsWith(mark)

/** A body in `$$` has semicolons of its own. */
export const toPieces = (text: string): string[] =>
  text
    .replace(/(^| )--.*$/gm, '')
    .match(/(?:\$\$[^]*?\$\$|[^;$])+;/g)
    ?.map((each) => each.trim()) ?? []

const built = /^create (?:unique )?index concurrently if not exists (\w+) /

/**
 * Runs the statements of the file one by one. The file runs again from its first statement when it
 * was interrupted: each of them does nothing where it is done already.
 */
export async function runPiecemeal(client: pg.Client, name: string, text: string): Promise<void> {
  // No time-out: none of these statements has others wait behind its own wait.
  await client.query('set lock_timeout = 0')
  for (const piece of toPieces(text)) {
    const index = built.exec(piece)?.[1]
    if (index !== undefined) await dropInvalid(client, index)
    await client.query(piece)
  }
  await client.query(toStored(name))
}

/** An interrupted build leaves an index that no read uses, and that each write pays for. */
async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  if (rows.length > 0) await client.query(`drop index concurrently ${index}`)
}
