// Notes of owners on entries of their accounts. They stand beside the ledger, which has none of
// them.
import { type Db, one, select, sql, statement } from '../../database/statements/statement.ts'

const findEntry = statement(
  'entry_notes_find_entry',
  ['uuid', 'uuid'],
  { seq: 'int8' },
  `select case when from_account_id = $1 then from_seq else to_seq end as seq
   from transfers where id = $2 and $1 in (from_account_id, to_account_id)`,
)
/** The place of a transfer's entry in the account. */
export const seqOfEntry = async (db: Db, accountId: string, transferId: string) =>
  (await one(db, findEntry, [accountId, transferId]))?.seq

const write = statement(
  'entry_notes_write',
  ['uuid', 'int8', 'text'],
  `insert into entry_notes (account_id, seq, text) values ($1, $2, $3)
   on conflict (account_id, seq) do update set text = excluded.text`,
)
const remove = statement(
  'entry_notes_delete',
  ['uuid', 'int8'],
  'delete from entry_notes where account_id = $1 and seq = $2',
)
/** An empty text takes the note away. */
export const writeNote = (tx: Db, accountId: string, seq: bigint, text: string) =>
  text === '' ? tx.run(remove, [accountId, seq]) : tx.run(write, [accountId, seq, text])

const note = { seq: 'int8', text: 'text' } as const

const readRange = statement(
  'entry_notes_read',
  ['uuid', 'int8', 'int8'],
  note,
  sql`select ${select(note)} from entry_notes
   where account_id = $1 and seq >= $2 and seq < $3`,
)
/** The notes on the entries from `first` to before `before`, by the place of the entry. */
export async function notesIn(
  db: Db,
  { accountId, first, before }: { accountId: string; first: bigint; before: bigint },
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await db.run(readRange, [accountId, first, before])
  return new Map(rows.map(({ seq, text }) => [seq, text]))
}

const listOfAccount = statement(
  'entry_notes_list',
  ['uuid', 'int8', 'int8'],
  { seq: 'int8', transactionId: 'uuid?', text: 'text' },
  `select n.seq, e.transfer_id as "transactionId", n.text
   from entry_notes n left join entries e on e.account_id = n.account_id and e.seq = n.seq
   where n.account_id = $1 and n.seq > $2 order by n.seq limit $3`,
)
/**
 * A page of the notes on an account, the oldest entry first, from behind that place on. An entry in
 * an archive has its transaction there.
 */
export const entryNotesOf = (db: Db, accountId: string, after: bigint, count: number) =>
  db.run(listOfAccount, [accountId, after, BigInt(count)])
