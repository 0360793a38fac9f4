// Data of notes. They are added and read: the service has no right to change or delete one.
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'

const note = {
  id: 'uuid',
  userId: 'uuid',
  accountId: 'uuid?',
  authorId: 'uuid',
  text: 'text',
  createdAt: 'timestamptz',
} as const
const shown = { ...note, authorName: 'text?' } as const
export type NoteRow = RowOf<typeof shown>

const insertNote = insertInto('notes_insert', 'staff_notes', note)

const selectNote = fragment`select ${select(note, 'n')}, coalesce(
     (select given_name || ' ' || family_name from users where id = n.author_id),
     (select name from service_accounts where id = n.author_id)
   ) as "authorName"
   from staff_notes n`

const readNote = statement('notes_read', ['uuid'], shown, sql`${selectNote} where n.id = $1`)

export async function addNote(tx: Db, row: RowOf<typeof note>): Promise<NoteRow> {
  await insertNote(tx, row)
  return (await one(tx, readNote, [row.id])) as NoteRow
}

/** On a customer and on the accounts of the customer. */
export const notesOfUser = listOf(
  'notes_list_of_user',
  shown,
  fragment`${selectNote} where n.user_id = $1`,
  'n.id',
)

export const notesOfAccount = listOf(
  'notes_list_of_account',
  shown,
  fragment`${selectNote} where n.account_id = $1`,
  'n.id',
)

/** A customer, or an account of one. */
export type Subject = { userId: string } | { accountId: string }

const subject = { userId: 'uuid', isErased: 'bool' } as const
const selectSubject = fragment`select u.id as "userId", u.erased_at is not null as "isErased"
   from users u
   where u.id = $1
      or u.id = (select owner_id from accounts where id = $2 and kind = 'customer')`
const readSubject = statement(
  'notes_read_subject',
  ['uuid?', 'uuid?'],
  subject,
  sql`${selectSubject}`,
)
/** An erasure locks the person against this: a note is deleted by it, or refused behind it. */
const lockSubject = statement(
  'notes_lock_subject',
  ['uuid?', 'uuid?'],
  subject,
  sql`${selectSubject} for key share of u`,
)
const find = (read: typeof readSubject) => (db: Db, about: Subject) =>
  one(db, read, 'userId' in about ? [about.userId, null] : [null, about.accountId])

/** Whom a note is about. */
export const subjectOf = find(readSubject)
/** The same until the transaction ends. */
export const lockedSubject = find(lockSubject)
