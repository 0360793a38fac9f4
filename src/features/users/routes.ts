// Endpoints of users: your own record, and those of others for staff.
import { Type } from '../../domain/type.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { newId, UserId } from '../../domain/ids.ts'
import { normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import { checkPhone, Phone } from '../../domain/phone.ts'
import { onceNumbered } from '../../http/once-numbered.ts'
import { addMade } from '../../ledger/rows/made-resources.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { Caller } from '../../gate/roles.ts'
import { ExternalId } from '../rail/schemas.ts'
import { Answer, route } from '../../http/route.ts'
import {
  closed,
  FamilyName,
  GivenName,
  Name,
  nullable,
  oneOf,
  PostalAddress,
  RoleName,
} from '../../domain/schema.ts'
import { hashingChange } from '../credentials/own-hashes.ts'
import { Password } from '../credentials/passwords.ts'
import { applyChange, createUser } from './change.ts'
import { emailRoutes } from './email-routes.ts'
import { resetFactors } from './factor-reset.ts'
import { issuerLinkRoutes } from './issuer-link.ts'
import { mailPasswordLink } from './password-link.ts'
import {
  Email,
  LanguageCode,
  Me,
  Roles,
  Search,
  Spoken,
  toUser,
  User,
  Username,
} from './schemas.ts'
import { sessionRoutes } from './session-routes.ts'
import { findPeople } from './find.ts'
import { toLook } from './spoken.ts'
import { changeLanguage, statuses, userById, type UserRow, users, usersMadeBy } from './sql.ts'

const usernameAt = (text: string, path: string): string =>
  normaliseUsername(text) ?? invalid(path, 'is not a user name')

const emailAt = (text: string, path: string): string =>
  normaliseEmail(text) ?? invalid(path, 'is not an e-mail address')

/** The fields that a user is created with and that can be changed later. */
const fields = {
  email: Email,
  givenName: GivenName,
  familyName: FamilyName,
  phone: Type.Optional(nullable(Phone)),
  address: Type.Optional(nullable(PostalAddress)),
  language: Type.Optional(LanguageCode),
  roles: Roles,
}

const readSelf = route({
  method: 'GET',
  path: '/api/v1/me',
  operation: 'getMe',
  summary: 'Read your own user record.',
  access: { customer: 'self', 'support-agent': 'self', admin: 'self' },
  limit: 'read',
  restricted: true,
  reply: { 200: Me },
  async handle({ caller, db }) {
    const user = toUser((await userById(db, caller.userId)) ?? refuse('unauthenticated'))
    return { ...user, ...(caller.isRestricted && { restricted: true }) }
  },
})

const changeSelf = route({
  method: 'PATCH',
  path: '/api/v1/me',
  operation: 'updateMe',
  summary: 'Choose the language of your mails and pages.',
  access: { customer: 'self', 'support-agent': 'self', admin: 'self' },
  limit: 'sensitive',
  body: closed({ language: LanguageCode }),
  reply: { 200: User },
  example: { language: 'de' },
  async handle({ caller, body, db }) {
    const { userId } = caller
    const changed = await transaction(
      db,
      async (tx) => (await changeLanguage(tx, userId, body.language)) ?? refuse('unauthenticated'),
    )
    return toUser(changed)
  },
})

/** A program makes no staff, and never learns a password. Also not by an approved request. */
function requireInvitedCustomer({
  caller,
  body,
}: {
  caller: Caller
  body: { roles: readonly string[]; password?: string }
}): void {
  if (caller.roles.length > 0) return
  const { roles, password } = body
  if (password !== undefined || roles.length !== 1 || roles[0] !== 'customer') {
    refuse('forbidden', { because: 'a program invites customers' })
  }
}

const toAnswer = ({ row, isReplayed }: { row: UserRow; isReplayed: boolean }) =>
  new Answer(toUser(row), {
    location: `/api/v1/admin/users/${row.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })

const create = route({
  method: 'POST',
  path: '/api/v1/admin/users',
  operation: 'createUser',
  summary:
    'Create a person. Without a password, an invitation to set one is sent. A program creates ' +
    'customers, and each by an invitation. With a password there is no `externalId`.',
  access: { admin: 'any' },
  service: 'operation',
  confirm: true,
  limit: 'admin',
  body: closed({
    username: Username,
    ...fields,
    password: Type.Optional(Password),
    externalId: Type.Optional(ExternalId),
  }),
  reply: { 201: User },
  refusals: ['already_exists', 'idempotency_key_reused'],
  admits: requireInvitedCustomer,
  example: {
    username: 'clara',
    email: 'clara@example.com',
    givenName: 'Clara',
    familyName: 'Haskil',
    phone: '+442079460000',
    address: '12 Quay Street, Dublin',
    roles: ['customer'],
  },
  async handle(context) {
    const { body, caller, db, now, service } = context
    const username = usernameAt(body.username, '/body/username')
    const email = emailAt(body.email, '/body/email')
    checkPhone(body.phone, '/body/phone')
    const { password, externalId, phone = null, address = null, language = null, ...rest } = body
    if (password !== undefined) service.passwords.check(password, username, '/body/password')
    const person = { ...rest, username, email, phone, address, language }
    const row = { id: newId(now), kind: 'user', callerId: caller.userId } as const
    const make = (tx: Db, passwordHash: string | null = null) =>
      createUser(tx, { id: row.id, ...person, passwordHash, now })
    if (externalId !== undefined) {
      if (password !== undefined) invalid('/body/password', 'is not numbered; leave it out')
      const terms = { ...person, roles: rest.roles.toSorted() }
      const made = await onceNumbered(db, {
        ...row,
        externalId,
        operation: 'createUser',
        terms,
        make: async (tx) => ({ ...(await make(tx)), externalId }),
        readAgain: userById,
      })
      return toAnswer(made)
    }
    const add = (passwordHash: string | null) =>
      transaction(db, async (tx) => {
        await addMade(tx, { ...row, salt: null })
        return make(tx, passwordHash)
      })
    const user = await (password === undefined
      ? add(null)
      : hashingChange(context, async () => add(await service.passwords.hash(password))))
    return toAnswer({ row: user, isReplayed: false })
  },
})

const list = route({
  method: 'GET',
  path: '/api/v1/admin/users',
  operation: 'listUsers',
  summary:
    'List people, newest first. The name filter matches from the start of any word of a name; ' +
    'search also from the start of the user name or e-mail address. ' +
    '`q` takes what a caller says, and lists the best first.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  query: closed({
    ...pageQuery,
    username: Type.Optional(Username),
    email: Type.Optional(Email),
    name: Type.Optional(Name),
    search: Type.Optional(Search),
    q: Type.Optional(Spoken),
    status: Type.Optional(oneOf(statuses)),
    role: Type.Optional(RoleName),
    externalId: Type.Optional(ExternalId),
  }),
  reply: { 200: listSchema(User) },
  async handle({ query, caller, db, page }) {
    const username = query.username && usernameAt(query.username, '/query/username')
    const email = query.email && emailAt(query.email, '/query/email')
    const { q, status, role } = query
    if (q !== undefined) {
      const others = ['username', 'email', 'name', 'search', 'externalId'] as const
      if (others.some((name) => query[name] !== undefined)) {
        invalid('/query/q', 'stands with `status` and `role` alone')
      }
      const look = toLook(q)
      return page({
        fetch: async (after, count) =>
          look ? findPeople(db, look, { status, role }, after, count) : [],
        toItem: toUser,
      })
    }
    const numberedBy = caller.service && caller.userId
    const filter = { ...query, username, email, numberedBy }
    return page({
      fetch: (after, count) => users(db, filter, after, count),
      toItem: toUser,
    })
  },
})

const listMade = route({
  method: 'GET',
  path: '/api/v1/admin/users/made',
  operation: 'listMadeUsers',
  summary:
    'List the people that the caller has created, newest first. For a program that may not see ' +
    'all people.',
  access: { admin: 'any' },
  service: 'operation',
  limit: 'read',
  query: closed({ ...pageQuery, externalId: Type.Optional(ExternalId) }),
  reply: { 200: listSchema(User) },
  async handle({ query: { externalId }, caller, db, page }) {
    return page({
      fetch: (after, count) => usersMadeBy(db, caller.userId, externalId, after, count),
      toItem: toUser,
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/admin/users/:userId',
  operation: 'getUser',
  summary: 'Read a person.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  params: closed({ userId: UserId }),
  reply: { 200: User },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toUser((await userById(db, params.userId)) ?? refuse('not_found'))
  },
})

const change = route({
  method: 'PATCH',
  path: '/api/v1/admin/users/:userId',
  operation: 'updateUser',
  summary:
    'Change a person: contact data, roles or status. ' +
    'Another e-mail address or status voids mailed links.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  params: closed({ userId: UserId }),
  body: closed(Type.Partial(Type.Object({ ...fields, status: oneOf(statuses) })).properties, {
    minProperties: 1,
  }),
  reply: { 200: User },
  refusals: ['not_found', 'already_exists', 'illegal_transition'],
  example: { roles: ['customer'], status: 'active' },
  async handle({ params, body, caller, db, now, service, record }) {
    checkPhone(body.phone, '/body/phone')
    const { email, ...rest } = body
    const canonical = email === undefined ? {} : { email: emailAt(email, '/body/email') }
    const { secondFactor } = service.config
    const subject = { userId: params.userId, by: caller.userId, now, secondFactor, record }
    return toUser(await applyChange(db, subject, { ...rest, ...canonical }))
  },
})

export const userRoutes = [
  readSelf,
  changeSelf,
  ...emailRoutes,
  create,
  list,
  listMade,
  read,
  change,
  mailPasswordLink,
  resetFactors,
  ...issuerLinkRoutes,
  ...sessionRoutes,
]
