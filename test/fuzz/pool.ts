// The bank of a run as the generator knows it: who can ask, and what there is to be asked about.
import { newId, type Resource } from '../../src/domain/ids.ts'
import type { Currency } from '../../src/domain/money.ts'
import type { Route } from '../../src/http/route.ts'
import { findServiceGrant, type Role, type ServiceGrants } from '../../src/gate/roles.ts'
import type { Random } from '../support/random.ts'
import type { PersonName, World } from '../support/world.ts'

/** Somebody who asks, with a token that is good, or not. */
export type Caller = {
  name: string
  userId: string
  roles: readonly Role[]
  token: string | undefined
  /** The value of the session cookie on the portal; undefined: there is none. */
  cookie?: string
  isAlive: boolean
  /** Of a service account; its roles say only what it asks about. */
  grants?: ServiceGrants
}

/** A service account with its identifier. */
export type Program = Caller & { id: string; grants: ServiceGrants }

/** Whether a role or a grant of the caller's opens the route. */
export const mayAsk = ({ roles, grants }: Caller, route: Route): boolean => {
  if (grants) return findServiceGrant(route, grants) !== undefined
  const { access } = route
  return access !== 'public' && roles.some((role) => access[role] !== undefined)
}

/** A customer who may be logged out, disabled or lose his roles without harm to the run. */
export type Spare = Caller & {
  username: string
  password: string
  sessionId: string
  refreshToken: string
  deviceToken: string
  /** Of a link that was mailed to him. */
  resetToken: string
  /** Every other spare has one: then he logs in by `challengeId`. */
  factor?: SpareFactor
}

/** A second factor, an enrolment that is not finished, and what answers for both. */
export type SpareFactor = {
  id: string
  pendingId: string
  pendingCode(): string
  /** Of a request that waits to be confirmed, and the code that confirms it. */
  confirmationId: string
  code(): string
  challengeId: string
  recoveryCodes: string[]
}

/** A session that everybody tries to end and nobody may. */
export type Watched = { name: PersonName; sessionId: string; refreshToken: string; token: string }

export type Item = {
  id: string
  resource: Resource
  ownerId: string
  accountId?: string
  currency?: Currency
  isGone?: boolean
}

export type Cursor = { route: string; caller: string; path: string; cursor: string }

export type Pool = {
  bank: World
  random: Random
  cast: Record<PersonName, Caller>
  /** Service accounts: one of Ada's accounts, and one that does what staff do. */
  programs: { adas: Program; desk: Program }
  /** Callers whose token opens nothing. */
  strangers: Caller[]
  spares: Spare[]
  watched: Watched[]
  items: Map<Resource, Item[]>
  /** Whose an account, beneficiary, card or session is. */
  ownerOf: Map<string, string>
  cursors: Cursor[]
  keys: string[]
  /** IBANs anybody may know: those that beneficiaries are made with. */
  payable: string[]
  /** IBANs of customers that only they and staff may see, by owner. */
  ibans: Map<string, string>
  /** Tokens that were given out; no other answer may hold one. */
  secrets: Set<string>
  count: number
  /** Routes that are asked next, in an order that comes round to each as often. */
  deck: Route[]
}

/** One of the youngest mostly, since those have not met their end yet. */
const youngest = 8
const oldest = 400

export function addItem(pool: Pool, item: Item): void {
  const all = pool.items.get(item.resource) ?? []
  pool.items.set(item.resource, all)
  all.push(item)
  if (all.length > oldest) all.splice(youngest, all.length - oldest)
  if (item.resource !== 'transfer') pool.ownerOf.set(item.id, item.ownerId)
}

export function pickYoung<T>({ random }: Pick<Pool, 'random'>, all: readonly T[]): T | undefined {
  if (all.length === 0) return undefined
  return random.pick(random.chance(75) ? all.slice(-youngest) : all)
}

export function findItems(pool: Pool, resource: Resource, ownerId?: string): Item[] {
  const all = pool.items.get(resource) ?? []
  return ownerId === undefined ? all : all.filter((item) => item.ownerId === ownerId)
}

/** A different number each time it is asked for, for names that have to be new. */
export const countUp = (pool: Pool): number => ++pool.count

export const nobodysId = (): string => newId(Date.UTC(2026, 0, 1))
export const noUser = '00000000-0000-7000-8000-000000000000'
