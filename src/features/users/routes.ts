// Endpoints of users: your own record, and those of others for staff.
import { Type } from 'typebox'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { newId, UserId } from '../../domain/ids.ts'
import { normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import { checkPhone, Phone } from '../../domain/phone.ts'
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
import { resetFactors } from './factor-reset.ts'
import { issuerLinkRoutes } from './issuer-link.ts'
import { mailPasswordLink } from './password-link.ts'
import { Email, LanguageCode, Me, Roles, Search, toUser, User, Username } from './schemas.ts'
import { sessionRoutes } from './session-routes.ts'
import { changeLanguage, statuses, userById, users } from './sql.ts'

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

const create = route({
  method: 'POST',
  path: '/api/v1/admin/users',
  operation: 'createUser',
  summary: 'Create a person. Without a password, an invitation to set one is sent.',
  access: { admin: 'any' },
  confirm: true,
  limit: 'admin',
  body: closed({ username: Username, ...fields, password: Type.Optional(Password) }),
  reply: { 201: User },
  refusals: ['already_exists'],
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
    const { body, db, now, service } = context
    const username = usernameAt(body.username, '/body/username')
    const email = emailAt(body.email, '/body/email')
    checkPhone(body.phone, '/body/phone')
    const { password, phone = null, address = null, language = null, ...rest } = body
    if (password !== undefined) service.passwords.check(password, username, '/body/password')
    const person = { ...rest, username, email, phone, address, language }
    const add = (passwordHash: string | null) =>
      transaction(db, (tx) => createUser(tx, { id: newId(now), ...person, passwordHash, now }))
    const user = await (password === undefined
      ? add(null)
      : hashingChange(context, async () => add(await service.passwords.hash(password))))
    return new Answer(toUser(user), { location: `/api/v1/admin/users/${user.id}` })
  },
})

const list = route({
  method: 'GET',
  path: '/api/v1/admin/users',
  operation: 'listUsers',
  summary:
    'List people, newest first. The name filter matches from the start of any word of a name; ' +
    'search also from the start of the user name or e-mail address.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  query: closed({
    ...pageQuery,
    username: Type.Optional(Username),
    email: Type.Optional(Email),
    name: Type.Optional(Name),
    search: Type.Optional(Search),
    status: Type.Optional(oneOf(statuses)),
    role: Type.Optional(RoleName),
  }),
  reply: { 200: listSchema(User) },
  async handle({ query, db, page }) {
    const username = query.username && usernameAt(query.username, '/query/username')
    const email = query.email && emailAt(query.email, '/query/email')
    const filter = { ...query, username, email }
    return page({
      fetch: (after, count) => users(db, filter, after, count),
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
  create,
  list,
  read,
  change,
  mailPasswordLink,
  resetFactors,
  ...issuerLinkRoutes,
  ...sessionRoutes,
]
