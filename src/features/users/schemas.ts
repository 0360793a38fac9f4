// The schema of a user, and the conversion of rows to it.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { type Role } from '../../gate/roles.ts'
import { UserId } from '../../domain/ids.ts'
import { Phone } from '../../domain/phone.ts'
import { searchPattern, textRule } from '../../domain/free-text.ts'
import {
  FamilyName,
  GivenName,
  named,
  nullable,
  oneOf,
  PostalAddress,
  RoleName,
  Time,
} from '../../domain/schema.ts'
import { languageCodes } from '../../domain/languages.ts'
import { ExternalId } from '../rail/schemas.ts'
import { statuses, type UserRow } from './sql.ts'

/** As clients write them: the canonical form is computed and judged afterwards. */
export const Username = Type.String({ minLength: 1, maxLength: 64, examples: ['ada'] })
export const Email = Type.String({
  minLength: 1,
  maxLength: 254,
  examples: ['ada@example.com'],
})

/** The characters of names, user names and usual e-mail addresses. */
export const Search = Type.String({
  pattern: searchPattern,
  description: `${textRule} Also \`@\` and \`_\`.`,
  minLength: 1,
  maxLength: 70,
  examples: ['oka'],
})

/** What a caller says. */
export const Spoken = Type.String({
  pattern: searchPattern,
  description:
    'A name in any order, each word of four letters from its beginning, or with one letter ' +
    'wrong or letters doubled or not; a telephone number of 6 digits or more, with its country ' +
    'or without; the last four digits of a card, alone or beside a name; the IBAN of an account; ' +
    `the beginning of a user name or an e-mail address. ${textRule} Also \`@\` and \`_\`.`,
  minLength: 1,
  maxLength: 70,
  examples: ['okafor ada'],
})

/** ISO 639-1. */
export const LanguageCode = oneOf(languageCodes)

export const Roles = Type.Array(RoleName, { minItems: 1, maxItems: 3, uniqueItems: true })

export const User = named('User', {
  id: UserId,
  username: Username,
  email: Email,
  givenName: GivenName,
  familyName: FamilyName,
  phone: nullable(Phone),
  address: nullable(PostalAddress),
  language: nullable(LanguageCode),
  roles: Roles,
  status: oneOf(statuses),
  invited: Type.Optional(
    Type.Boolean({ description: 'The person has set no password yet; absent if they have.' }),
  ),
  externalId: Type.Optional(ExternalId),
  createdAt: Time,
})

export const Me = named('Me', {
  ...User.properties,
  restricted: Type.Optional(
    Type.Boolean({
      description: 'Your session may only enrol a second factor; absent if it may do anything.',
    }),
  ),
})

export const toUser = ({ hasPassword, externalId, ...row }: UserRow): Static<typeof User> => ({
  ...row,
  language: row.language,
  roles: row.roles as Role[],
  status: row.status,
  ...(!hasPassword && { invited: true }),
  ...(externalId !== null && { externalId }),
  createdAt: rfc3339(row.createdAt.getTime()),
})
