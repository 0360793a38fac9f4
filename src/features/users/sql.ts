// Data of users.
import { violates } from '../../database/connections/failure.ts'
import { insertInto, updateIn } from '../../database/statements/rows.ts'
import {
  conditions,
  type Db,
  Fragment,
  fragment,
  listOf,
  one,
  pageBefore,
  type RowOf,
  select,
  snakeCase,
  sql,
  statement,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { lastId } from '../../domain/ids.ts'
import { languageCodes } from '../../domain/languages.ts'
import { refuse } from '../../domain/errors.ts'
import { externalIdOf, isNumberedBy } from '../../ledger/rows/made-resources.ts'
import { foldName } from '../../domain/folding.ts'
import { fold } from '../../domain/usernames.ts'

export const statuses = ['active', 'disabled'] as const
export type Status = (typeof statuses)[number]

const profile = {
  id: 'uuid',
  username: 'text',
  email: 'text',
  givenName: 'text',
  familyName: 'text',
  phone: 'text?',
  address: 'text?',
  language: wordOrNullOf(languageCodes),
  roles: 'text[]',
} as const
const stored = { ...profile, status: wordOf(statuses), createdAt: 'timestamptz' } as const
const user = { ...stored, externalId: 'text?', hasPassword: 'bool' } as const
export type UserRow = RowOf<typeof user>
const selectUser = fragment`${select(stored)}, ${externalIdOf(fragment`users.id`)},
   password_hash is not null as "hasPassword"`

const readUser = statement(
  'users_read',
  ['uuid'],
  user,
  sql`select ${selectUser} from users where id = $1`,
)
export const userById = (db: Db, id: string) => one(db, readUser, [id])

const readUsers = statement(
  'users_read_many',
  ['uuid[]'],
  user,
  sql`select ${selectUser} from users where id = any($1)`,
)
/** In the order of the identifiers. */
export async function usersByIds(db: Db, ids: readonly string[]): Promise<UserRow[]> {
  const rows = await db.run(readUsers, [[...ids]])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The filters of the list, in the order of the parameters. */
const filters = {
  username: ['text', 'username = $1'],
  email: ['text', 'email = $2'],
  // As an array: its members are looked up in the order of the list, and no more than a page.
  name: ['text', 'id = any(array(select people_named($3)))'],
  status: ['text', 'status = $4'],
  role: ['text', '$5 = any(roles)'],
  search: ['text', 'id = any(array(select people_found($10, $6)))'],
  externalId: ['text', isNumberedBy(fragment`$7`, fragment`$11`)],
} as const

/**
 * Filters that lead a statement of their own, in order of preference. The leading filter has an
 * index and is not optional: a plan that served every combination of filters would read all users.
 */
const leads = ['externalId', 'username', 'email', 'name', 'search'] as const
const listBy = (lead: (typeof leads)[number] | 'time') =>
  statement(
    `users_list_by_${snakeCase(lead)}`,
    [...Array<'text?'>(7).fill('text?'), 'uuid?', 'int4', 'text?', 'uuid?'] as const,
    user,
    [
      sql`select ${selectUser} from users where`,
      ...conditions(filters, lead),
      pageBefore(8).text,
    ].join(' '),
  )
const lists = {
  externalId: listBy('externalId'),
  username: listBy('username'),
  email: listBy('email'),
  name: listBy('name'),
  search: listBy('search'),
  time: listBy('time'),
}

/**
 * `name` matches the full name from the start of any of its words, folded; `search` also the start
 * of the user name and of the e-mail address, in their canonical forms.
 */
export type UserFilter = { [F in keyof typeof filters]?: string | undefined } & {
  /** Whose number `externalId` is; undefined: anybody's. */
  numberedBy?: string | undefined
}

const orNull = (text: string | undefined, toForm: (text: string) => string): string | null =>
  text === undefined ? null : toForm(text)

/** Newest first. User name and e-mail address are compared in their canonical forms. */
export function users(db: Db, filter: UserFilter, after: string | undefined, count: number) {
  const lead = leads.find((name) => filter[name] !== undefined) ?? 'time'
  return db.run(lists[lead], [
    filter.username ?? null,
    filter.email ?? null,
    orNull(filter.name, foldName),
    filter.status ?? null,
    filter.role ?? null,
    orNull(filter.search, fold),
    filter.externalId ?? null,
    after ?? null,
    count,
    orNull(filter.search, foldName),
    filter.numberedBy ?? null,
  ])
}

const listMade = listOf(
  'users_list_made',
  user,
  // As an array: no more than a page is read, in the order of the list.
  fragment`select ${selectUser} from users
   where id = any(array(
     select m.id from made_resources m
     where m.caller_id = $1 and m.kind = 'user'
       and m.id < coalesce($2::uuid, '${new Fragment(lastId)}')
     order by m.id desc limit $3::int4
   ))`,
)
const findMade = statement(
  'users_find_made',
  ['text', 'uuid'],
  user,
  [sql`select ${selectUser} from users where`, isNumberedBy(fragment`$1`, fragment`$2`)].join(' '),
)
/** The people that a caller has made, newest first. */
export const usersMadeBy = (
  db: Db,
  callerId: string,
  externalId: string | undefined,
  after: string | undefined,
  count: number,
): Promise<UserRow[]> =>
  externalId === undefined
    ? listMade(db, callerId, after, count)
    : db.run(findMade, [externalId, callerId])

const insertUser = insertInto(
  'users_insert',
  'users',
  { ...profile, passwordHash: 'text?', createdAt: 'timestamptz', foldedName: 'text' },
  { gives: stored },
)

const foldedNameOf = ({ givenName, familyName }: Pick<UserRow, 'givenName' | 'familyName'>) =>
  foldName(`${givenName} ${familyName}`)

export type NewUser = Omit<
  UserRow,
  'roles' | 'status' | 'createdAt' | 'hasPassword' | 'externalId'
> & {
  roles: string[]
  passwordHash: string | null
  now: number
}
/** Refuses with `already_exists` when the user name or the e-mail address is taken. */
export const addUser = (tx: Db, user: NewUser) =>
  refuseTaken(
    insertUser(tx, { ...user, createdAt: new Date(user.now), foldedName: foldedNameOf(user) }),
  )

const lockUser = statement(
  'users_lock',
  ['uuid'],
  { ...user, isErased: 'bool' },
  sql`select ${selectUser}, erased_at is not null as "isErased"
   from users where id = $1 for no key update`,
)
/** Waits for a login in progress, so that disabling a user also ends the session of that login. */
export const lockedUser = (tx: Db, id: string) => one(tx, lockUser, [id])

const { username: _, ...changed } = profile
const writeUser = updateIn('users_write', 'users', {
  ...changed,
  status: wordOf(statuses),
  foldedName: 'text',
  changedAt: 'timestamptz',
})
/**
 * The database keeps a former name, until `now`. Refuses with `already_exists` when the e-mail
 * address is taken.
 */
export const changeUser = (tx: Db, user: UserRow, now: number) =>
  refuseTaken(writeUser(tx, { ...user, foldedName: foldedNameOf(user), changedAt: new Date(now) }))

const writeLanguage = statement(
  'users_write_language',
  ['uuid', 'text'],
  user,
  sql`update users set language = $2 where id = $1 returning ${selectUser}`,
)
export const changeLanguage = (tx: Db, id: string, language: string) =>
  one(tx, writeLanguage, [id, language])

async function refuseTaken<R>(writing: Promise<R>): Promise<R> {
  try {
    return await writing
  } catch (thrown) {
    if (violates(thrown, 'users_username_key')) refuse('already_exists', { because: 'username' })
    if (violates(thrown, 'users_email_key')) refuse('already_exists', { because: 'email' })
    throw thrown
  }
}
