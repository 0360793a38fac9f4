// The five people of every test: two customers, an agent, an admin, and a customer who is an agent.
import type { Role } from '../../src/gate/roles.ts'

export const password = 'seven lean kine and a barn'

type Person = {
  id: string
  username: string
  givenName: string
  familyName: string
  roles: Role[]
}

const person = (number: number, username: string, familyName: string, roles: Role[]): Person => ({
  id: `01940000-0000-7000-8000-00000000000${number}`,
  username,
  givenName: username.charAt(0).toUpperCase() + username.slice(1),
  familyName,
  roles,
})

export const people = {
  ada: person(1, 'ada', 'Okafor', ['customer']),
  ben: person(2, 'ben', 'Lindqvist', ['customer']),
  agnes: person(3, 'agnes', 'Moreau', ['support-agent']),
  root: person(4, 'root', 'Keeper', ['admin']),
  both: person(5, 'both', 'Hybrid', ['customer', 'support-agent']),
} as const

export type PersonName = keyof typeof people
