// How service accounts are made and changed: what they may be granted, and how many keys they have.
import { openAddress, parseRange } from '../../domain/address.ts'
import { parseInstant } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Db } from '../../database/statements/statement.ts'
import { hashKey, newKey } from '../../gate/service-keys.ts'
import type { Grants } from './schemas.ts'
import {
  addKey,
  addServiceAccount,
  areOpen,
  isCustomer,
  lockServiceAccount,
  serviceAccountById,
  type ServiceAccountTerms,
  type Status,
  writeServiceAccount,
} from './sql.ts'
import { LoggedError } from '../../domain/logged-error.ts'

/** The fields as a request has them; one that is left out keeps its value. */
export type Change = {
  name?: string
  status?: Status
  grants?: Grants
  addresses?: string[]
  expiresAt?: string | null
}

/** Who changes it, when, and which operations there are to grant. */
export type Issuer = { userId: string; now: number; operations: ReadonlySet<string> }

type Key = { id: string; key: string; now: number }

/**
 * Makes a service account with its first key, which is not stored: this is the only time that it
 * can be shown. Refuses with `invalid_request` what cannot be granted.
 */
export async function createServiceAccount(
  tx: Db,
  change: Change & { name: string; grants: Grants },
  issuer: Issuer,
) {
  const id = newId(issuer.now)
  const empty = { readsAll: false, customerId: null, payFrom: [], operations: [], addresses: [] }
  const fresh = { id, name: change.name, status: 'active' as const, ...empty, expiresAt: null }
  const terms = await toTerms(tx, { ...fresh, administrators: [] }, change, issuer)
  await addServiceAccount(tx, terms, issuer.now)
  const { key } = await issueKey(tx, id, issuer)
  const row = await serviceAccountById(tx, id)
  if (!row) throw new LoggedError('An insert gave no row')
  return { ...row, key }
}

/** Changes what is given of it. Refuses with `not_found` or `invalid_request`. */
export async function changeServiceAccount(tx: Db, id: string, change: Change, issuer: Issuer) {
  const before = (await lockServiceAccount(tx, id)) ?? refuse('not_found')
  await writeServiceAccount(tx, await toTerms(tx, before, change, issuer))
  return (await serviceAccountById(tx, id)) ?? refuse('not_found')
}

/** Refuses with `not_found`, or with `limit_exceeded` when it has two live keys. */
export async function addServiceKey(tx: Db, id: string, issuer: Issuer): Promise<Key> {
  const before = (await lockServiceAccount(tx, id)) ?? refuse('not_found')
  await writeServiceAccount(tx, await toTerms(tx, before, {}, issuer))
  return issueKey(tx, id, issuer)
}

async function issueKey(
  tx: Db,
  accountId: string,
  { now, userId: issuedBy }: Issuer,
): Promise<Key> {
  const key = newKey()
  const id = newId(now)
  const hash = Buffer.from(hashKey(key) ?? '', 'hex')
  if (!(await addKey(tx, { id, accountId, hash, now, issuedBy }))) refuse('limit_exceeded')
  return { id, key, now }
}

/** The row after a change. An administrator who was ever involved stays one who was. */
async function toTerms(
  tx: Db,
  before: ServiceAccountTerms,
  change: Change,
  issuer: Issuer,
): Promise<ServiceAccountTerms> {
  const { name, status, grants, addresses, expiresAt } = change
  const { userId } = issuer
  return {
    ...before,
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(grants && (await toGranted(tx, grants, issuer))),
    ...(addresses && { addresses: addresses.map(requireRange) }),
    ...(expiresAt !== undefined && { expiresAt: toEnd(expiresAt, issuer.now) }),
    administrators: [...new Set([...before.administrators, userId])],
  }
}

async function toGranted(
  tx: Db,
  { readAccounts, payFrom, operations }: Grants,
  issuer: Issuer,
): Promise<Pick<ServiceAccountTerms, 'readsAll' | 'customerId' | 'payFrom' | 'operations'>> {
  const readsAll = readAccounts === 'all'
  const customerId = readsAll ? null : readAccounts
  if (customerId !== null && !(await isCustomer(tx, customerId))) {
    invalid('/body/grants/readAccounts', 'names no active customer')
  }
  if (!(await areOpen(tx, payFrom))) invalid('/body/grants/payFrom', 'names no open account')
  const unknown = operations.findIndex((name) => !issuer.operations.has(name))
  if (unknown !== -1) {
    invalid(`/body/grants/operations/${unknown}`, 'is no operation that can be granted')
  }
  return { readsAll, customerId, payFrom, operations }
}

/** IPv4 is written as IPv4: in the form of IPv6 it would match no address. */
function requireRange(text: string, index: number): string {
  const range = parseRange(text)
  const isOpen = range && openAddress(range.address) === range.address
  const path = `/body/addresses/${index}`
  if (!isOpen) invalid(path, 'is no IPv4 or IPv6 address or CIDR range')
  return range.bits === 0 ? invalid(path, 'holds all addresses') : text
}

function toEnd(text: string | null, now: number): Date | null {
  if (text === null) return null
  const end = parseInstant(text, '/body/expiresAt')
  return end > now ? new Date(end) : invalid('/body/expiresAt', 'is not in the future')
}
