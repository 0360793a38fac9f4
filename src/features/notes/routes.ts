// Endpoints of notes: what staff write down about a customer, or about an account of one.
import { type Static, Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { AccountId, newId, NoteId, UserId } from '../../domain/ids.ts'
import { Actor } from '../accounts/schemas.ts'
import { closed, named, NoteText, Time } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { type Context, route } from '../../http/route.ts'
import {
  addNote,
  lockedSubject,
  type NoteRow,
  notesOfAccount,
  notesOfUser,
  type Subject,
  subjectOf,
} from './sql.ts'

const access = { 'support-agent': 'any', admin: 'any' } as const
const newNote = closed({ text: NoteText })

export const Note = named('Note', {
  id: NoteId,
  userId: UserId,
  accountId: Type.Optional(AccountId),
  writtenBy: Actor,
  text: NoteText,
  createdAt: Time,
})

export const toNote = (row: NoteRow): Static<typeof Note> => ({
  id: row.id,
  userId: row.userId,
  ...(row.accountId !== null && { accountId: row.accountId }),
  writtenBy: { id: row.authorId, name: row.authorName },
  text: row.text,
  createdAt: rfc3339(row.createdAt.getTime()),
})

/**
 * Staff neither read nor write what is noted about themselves: it may be what
 * the law forbids to tell (Directive (EU) 2015/849, Article 39).
 */
function requireOther<S extends { userId: string }>(found: S | undefined, callerId: string): S {
  if (!found) refuse('not_found')
  if (found.userId === callerId) refuse('forbidden', { because: 'a note about the caller' })
  return found
}

const reading = { access, service: 'operation', limit: 'read', query: closed(pageQuery) } as const
const noting = { access, limit: 'admin', body: newNote } as const

type Listing = Pick<Context<unknown, Static<typeof reading.query>>, 'db' | 'caller' | 'page'>

async function list({ db, caller, page }: Listing, subject: Subject) {
  requireOther(await subjectOf(db, subject), caller.userId)
  return page({
    fetch: (after, count) =>
      'userId' in subject
        ? notesOfUser(db, subject.userId, after, count)
        : notesOfAccount(db, subject.accountId, after, count),
    toItem: toNote,
  })
}

type Noting = Pick<Context<unknown, unknown, { text: string }>, 'db' | 'caller' | 'body' | 'now'>

const add = ({ db, caller, body, now }: Noting, subject: Subject) =>
  transaction(db, async (tx) => {
    const { userId, isErased } = requireOther(await lockedSubject(tx, subject), caller.userId)
    if (isErased) refuse('illegal_transition', { because: 'erased' })
    const accountId = 'accountId' in subject ? subject.accountId : null
    const made = { id: newId(now), createdAt: new Date(now), authorId: caller.userId }
    return toNote(await addNote(tx, { ...made, userId, accountId, text: body.text }))
  })

const ofUser = closed({ userId: UserId })
const ofAccount = closed({ accountId: AccountId })
// No program changes people, so none notes anything about one but by an account.
const example = { text: 'Called about a lost card. Identified by phone.' }
const rule = 'A note is never changed, and an export of personal data shows it.'

export const noteRoutes = [
  route({
    ...reading,
    method: 'GET',
    path: '/api/v1/admin/users/:userId/notes',
    operation: 'listUserNotes',
    summary: 'List what staff noted about a person and about the accounts of the person.',
    params: ofUser,
    reply: { 200: listSchema(Note) },
    refusals: ['not_found'],
    handle: async (context) => list(context, context.params),
  }),
  route({
    ...noting,
    method: 'POST',
    path: '/api/v1/admin/users/:userId/notes',
    operation: 'createUserNote',
    summary: `Note something about a person, for staff. ${rule}`,
    params: ofUser,
    reply: { 201: Note },
    refusals: ['not_found', 'illegal_transition'],
    example,
    handle: async (context) => add(context, context.params),
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/api/v1/admin/accounts/:accountId/notes',
    operation: 'listAccountNotes',
    summary: 'List what staff noted about an account.',
    params: ofAccount,
    reply: { 200: listSchema(Note) },
    refusals: ['not_found'],
    handle: async (context) => list(context, context.params),
  }),
  route({
    ...noting,
    service: 'operation',
    method: 'POST',
    path: '/api/v1/admin/accounts/:accountId/notes',
    operation: 'createAccountNote',
    summary: `Note something about an account, for staff. ${rule}`,
    params: ofAccount,
    reply: { 201: Note },
    refusals: ['not_found', 'illegal_transition'],
    example,
    handle: async (context) => add(context, context.params),
  }),
]
