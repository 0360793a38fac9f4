// A person as the interface shows one, and how a row becomes that.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import type { SessionRow } from '../../gate/live-sessions.ts'
import { type Role, roles } from '../../gate/roles.ts'
import { SessionId, UserId } from '../../domain/ids.ts'
import { Phone } from '../../domain/phone.ts'
import { Name, named, nullable, oneOf, OptionalText, Time } from '../../domain/schema.ts'
import type { UserRow } from './sql.ts'

export const statuses = ['active', 'disabled'] as const
export type Status = (typeof statuses)[number]

/** As a client writes them: folded to one canonical form, which is then judged. */
export const Username = Type.String({ minLength: 1, maxLength: 64 })
export const Email = Type.String({ minLength: 1, maxLength: 254 })

/** Bounded only; what a new one must be is the policy of `service.passwords`. */
export const Password = Type.String({ minLength: 1, maxLength: 512 })

export const Roles = Type.Array(oneOf(roles), { minItems: 1, maxItems: 3, uniqueItems: true })

export const User = named('User', {
  id: UserId,
  username: Username,
  email: Email,
  givenName: Name,
  familyName: Name,
  phone: nullable(Phone),
  address: nullable(OptionalText),
  roles: Roles,
  status: oneOf(statuses),
  createdAt: Time,
})

export const toUser = (row: UserRow): Static<typeof User> => ({
  id: row.id,
  username: row.username,
  email: row.email,
  givenName: row.given_name,
  familyName: row.family_name,
  phone: row.phone,
  address: row.address,
  roles: row.roles as Role[],
  status: row.status as Status,
  createdAt: rfc3339(row.created_at.getTime()),
})

export const Session = named('UserSession', {
  id: SessionId,
  device: nullable(Name),
  createdAt: Time,
  lastUsedAt: Time,
  endsAt: Time,
})

export const toSession = (row: SessionRow): Static<typeof Session> => ({
  id: row.id,
  device: row.device,
  createdAt: rfc3339(row.created_at.getTime()),
  lastUsedAt: rfc3339(row.last_used_at.getTime()),
  endsAt: rfc3339(row.ends_at.getTime()),
})
