// The keys of service accounts. As with sessions, a key is read from the database on every request:
// a revocation, an expiry, a disabled account or other grants apply to the next one.
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { openAddress, rangeSet } from '../domain/address.ts'
import { BoundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock.ts'
import { createActivity } from './activity.ts'
import { serviceKeyPrefix } from '../domain/secret-forms.ts'
import type { Database } from '../database/connections/connect.ts'
import { answersOf } from '../database/connections/cork.ts'
import {
  type Db,
  type Fragment,
  fragment,
  type RowOf,
  sql,
  statement,
} from '../database/statements/statement.ts'
import { lockCallers, type CallersToLock } from './lock-callers.ts'
import type { ServiceIdentity } from './roles.ts'
import type { Session } from './sessions.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits to the base 62: 178 random bits. */
const randomLength = 30
const checksumLength = 6
const keyShape = new RegExp(`^${serviceKeyPrefix}([0-9A-Za-z]{30})([0-9A-Za-z]{6})$`)

/** The last use is written when the one that is known is this old. */
const useStepMs = 5 * 60_000
const flushIntervalMs = 1000

/** CRC-32 (ISO 3309, as in zlib) of the random digits, in six digits of base 62. */
function checksum(random: string): string {
  let [rest, text] = [crc32(random), '']
  for (let place = 0; place < checksumLength; place++) {
    text = `${digits[rest % digits.length]}${text}`
    rest = Math.floor(rest / digits.length)
  }
  return text
}

/** Each digit is as likely as any other. */
const randomDigits = (): string =>
  Array.from({ length: randomLength }, () => digits[randomInt(digits.length)]).join('')

/** A new key: `srk_`, 30 random digits of base 62 and the checksum of these. */
export function newKey(): string {
  const random = randomDigits()
  return `${serviceKeyPrefix}${random}${checksum(random)}`
}

/** What is stored of a key: SHA-256, hexadecimal. Undefined if the checksum is wrong. */
export function hashKey(key: string): string | undefined {
  const [, random, sum] = keyShape.exec(key) ?? []
  return random !== undefined && checksum(random) === sum ? hash('sha256', key) : undefined
}

const state = {
  keyId: 'uuid',
  accountId: 'uuid',
  name: 'text',
  isLive: 'bool',
  expiresAt: 'timestamptz?',
  lastUsedAt: 'timestamptz?',
  addresses: 'text[]',
  administrators: 'uuid[]',
  readsAll: 'bool',
  customerId: 'uuid?',
  payFrom: 'uuid[]',
  operations: 'text[]',
} as const
export type KeyState = RowOf<typeof state>

/** The accounts to pay from, also of people that are customers no more. */
const allSources = fragment`s.pay_from`
/** Row by row: a plan that joins reads all users where there are few. */
const validSources = fragment`array(
       select source.id from unnest(s.pay_from) as source (id)
       where (select u.status = 'active' and 'customer' = any (u.roles)
              from accounts a join users u on u.id = a.owner_id
              where a.id = source.id and a.kind = 'customer'))`

/** The grant on one customer's accounts holds only while that customer is one. */
const readState = (sources: Fragment) => fragment`
   k.id as "keyId", s.id as "accountId", s.name,
     s.status = 'active' and k.revoked_at is null as "isLive", s.expires_at as "expiresAt",
     k.last_used_at as "lastUsedAt", s.addresses, s.administrators, s.reads_all as "readsAll",
     (select u.id from users u
      where u.id = s.customer_id and u.status = 'active' and 'customer' = any (u.roles)
     ) as "customerId",
     ${sources} as "payFrom", s.operations
   from service_keys k join service_accounts s on s.id = k.service_account_id`

/**
 * By the SHA-256 of keys, in hexadecimal digits. The owner of an account to pay from is judged when
 * a payment names it.
 */
export const readKeysByHash = statement(
  'gate_read_keys_by_hash',
  ['text[]'],
  { id: 'text', ...state },
  sql`select encode(k.key_hash, 'hex') as id, ${readState(allSources)}
   where k.key_hash = any(array(select decode(hash, 'hex') from unnest($1::text[]) as hash))`,
)

/** The same by identifier, for a transaction that acts for a key. */
export const readKeys = statement(
  'gate_read_keys',
  ['uuid[]'],
  { id: 'uuid', ...state },
  sql`select k.id, ${readState(validSources)} where k.id = any($1)`,
)

/**
 * Never moves a time back, and never changes a key that has been revoked meanwhile. Locks them in
 * their order, as the revocation of all keys does.
 */
export const writeKeyUse = statement(
  'gate_write_key_use',
  ['uuid[]', 'timestamptz[]'],
  `with locked as materialized (
     select k.id, u.at from unnest($1::uuid[], $2::timestamptz[]) as u (id, at)
     join service_keys k on k.id = u.id
     where k.revoked_at is null order by k.id for no key update of k
   )
   update service_keys k set last_used_at = l.at from locked l
   where k.id = l.id and k.revoked_at is null
     and (k.last_used_at is null or k.last_used_at < l.at)`,
)

/** Whether neither a person nor time has ended it. */
export const isKeyLive = ({ isLive, expiresAt }: KeyState, now: number): boolean =>
  isLive && (expiresAt === null || now < expiresAt.getTime())

/** A service account in the place of a session, as its key was judged. */
export type ServiceSession = Session & { service: ServiceIdentity }

type UsedKey = Pick<ServiceIdentity, 'keyHash' | 'address'>

export type ServiceKeys = {
  /**
   * The service account of a key. Undefined when there is no such key, when it was revoked or has
   * expired, when the account is disabled, or when it is not used from that address.
   *
   * @param keyHash of {@link hashKey}
   */
  check(keyHash: string, address: string): Promise<ServiceSession | undefined>
  /** The same in a transaction, under these locks, one of which is that of its service account. */
  checkLocked(tx: Db, key: UsedKey, toLock: CallersToLock): Promise<ServiceSession | undefined>
  /** Notes an accepted request. Nothing waits for it, and few are written. */
  touch(session: ServiceSession): void
  /** Writes the uses not yet written. Also runs periodically. */
  flush(): Promise<void>
  close(): Promise<void>
  /** The memory of the ranges that are kept parsed. */
  cacheBytes(): number
}

export function createServiceKeys(db: Database, clock: Clock, cacheBytes: number): ServiceKeys {
  const activity = createActivity(db, writeKeyUse, flushIntervalMs)
  const ranges = createRanges(cacheBytes)

  function toService(
    row: KeyState | undefined,
    { keyHash, address }: UsedKey,
  ): ServiceSession | undefined {
    if (!row || !isKeyLive(row, clock.now()) || !ranges.isWithin(row.addresses, address))
      return undefined
    const { keyId, accountId, name, readsAll, customerId, lastUsedAt } = row
    return {
      userId: accountId,
      ownerId: customerId ?? accountId,
      sessionId: keyId,
      kid: null,
      username: name,
      roles: [],
      idleEndsAt: Infinity,
      hasFactor: false,
      hasIssuerFactor: false,
      isRestricted: false,
      service: {
        keyHash,
        address,
        readsAll,
        customerId,
        payFrom: row.payFrom as string[],
        operations: row.operations as string[],
        administrators: row.administrators as string[],
        lastUsedAt: lastUsedAt?.getTime() ?? 0,
      },
    }
  }

  return {
    async check(keyHash, address) {
      const [row] = await db.lookup(readKeysByHash, keyHash)
      return toService(row, { keyHash, address })
    },
    async checkLocked(tx, key, toLock) {
      const sent = [lockCallers(tx, toLock), tx.run(readKeysByHash, [[key.keyHash]])] as const
      const [, [row]] = await answersOf(sent)
      return toService(row, key)
    },
    touch({ sessionId, service }) {
      const now = clock.now()
      if (now - service.lastUsedAt >= useStepMs) activity.note(sessionId, now)
    },
    flush: activity.flush,
    close: activity.close,
    cacheBytes: ranges.bytes,
  }
}

type RangeSet = (address: string) => boolean

/** The size of a set with one range, and of each further range, as measured. */
const setBytes = 1200
const rangeBytes = 400

/** Whether an address is in one of the ranges; with none, all are. Parsed ranges are kept. */
function createRanges(bytesMax: number) {
  const sets = new BoundedCache<string, { isWithin: RangeSet; bytes: number }>(
    bytesMax,
    (_, { bytes }) => bytes,
  )
  return {
    bytes: () => sets.bytes,
    isWithin(ranges: readonly (string | null)[], address: string): boolean {
      if (ranges.length === 0) return true
      const name = ranges.join(' ')
      let set = sets.get(name)
      if (!set) {
        // What was stored was accepted; what is unusable all the same holds no address.
        const isWithin = rangeSet(ranges.map((range) => range ?? '')) ?? (() => false)
        set = { isWithin, bytes: setBytes + rangeBytes * ranges.length }
        sets.set(name, set)
      }
      return set.isWithin(openAddress(address))
    },
  }
}
