// One question to a shared store for the address and the caller of a request. It is asked before
// the caller is authenticated, so only for one that this instance last saw alive. What was charged
// to a caller that is refused after all is given back before the refusal is sent.
import { hash } from 'node:crypto'
import { BoundedCache } from '../domain/bounded-cache.ts'
import { serviceKeyPrefix } from '../domain/secret-forms.ts'
import { type Authenticated, type Credential, readToken } from './authenticate.ts'
import { readCookie, sessionCookie } from './cookies.ts'
import type { Charged, LimitClass, Limits } from './limits.ts'
import { hashKey } from './service-keys.ts'
import type { Claims, Tokens } from './token.ts'

/** A request as its head shows it: the class of its route, and what it authenticates with. */
export type Expected = { limit: LimitClass; credential: Credential }

/** What was decided for the caller, together with the address. */
export type Ahead = {
  /** The claims of its token; undefined if it used a key or a cookie. */
  claims: Claims | undefined
  isOf(caller: Authenticated): boolean
  /** The charge, or the refusal, as `Limits.take` gives it. */
  charge(): Charged
  /** Undoes the charge of a caller that was not admitted, who is not asked for ahead again. */
  giveBack(): Promise<void>
}

export type Arrived = Charged & { ahead?: Ahead }

type KnownCaller = { userId: string; isService: boolean; by: Claims | string }

/** The size of one key or handle: its hash and an identifier, with what the map adds. */
const callerBytes = 300
const callersBytesMax = 4_000_000

export type AheadLimits = {
  /** Charges the address and the caller; undefined if the caller is not known. */
  take(address: [LimitClass, string], expected: Expected): Promise<Arrived> | undefined
  /**
   * From now on the caller is known.
   *
   * @param claims of its token; undefined if it used a key or a cookie
   */
  saw(caller: Authenticated, credential: Credential, claims: Claims | undefined): void
}

/** Undefined where limits are counted in the process: two questions cost no more than one. */
export function createAhead(limits: Limits, tokens: Tokens): AheadLimits | undefined {
  const { takeBoth } = limits
  if (!takeBoth) return undefined
  // Claims are those of the cache of tokens, and leave memory with it.
  const tokensAlive = new WeakSet<Claims>()
  // By the SHA-256 of a key, or of the handle in a cookie.
  const alive = new BoundedCache<string, string>(callersBytesMax, () => callerBytes)

  function recognize(credential: Credential): KnownCaller | undefined {
    let by: string
    let isService = false
    if ('cookie' in credential) by = hashHandle(credential.cookie)
    else {
      const token = readToken(credential.authorization ?? '')
      isService = token.startsWith(serviceKeyPrefix)
      if (!isService) {
        const claims = tokens.known(token)
        if (!claims || !tokensAlive.has(claims)) return undefined
        return { userId: claims.userId, isService, by: claims }
      }
      by = hashKey(token) ?? ''
    }
    const userId = alive.get(by) ?? ''
    return userId === '' ? undefined : { userId, isService, by }
  }

  const forget = (by: Claims | string): void =>
    typeof by === 'string' ? alive.set(by, '') : void tokensAlive.delete(by)

  return {
    take(address, { limit, credential }) {
      const known = recognize(credential)
      if (!known) return undefined
      const { userId, isService, by } = known
      const both = takeBoth(address, [isService ? 'service' : limit, userId])
      return both.then(({ first, second, giveBack }) => {
        const ahead: Ahead = {
          claims: typeof by === 'string' ? undefined : by,
          isOf: (caller) =>
            caller.userId === userId && (caller.service !== undefined) === isService,
          charge: second,
          giveBack() {
            forget(by)
            return giveBack()
          },
        }
        return { ...first, ahead }
      })
    },
    saw(caller, credential, claims) {
      if (claims) tokensAlive.add(claims)
      else if (caller.service) alive.set(caller.service.keyHash, caller.userId)
      else if ('cookie' in credential) alive.set(hashHandle(credential.cookie), caller.userId)
    },
  }
}

/** Empty if the field holds no handle. */
function hashHandle(field: string | undefined): string {
  const handle = readCookie(field, sessionCookie) ?? ''
  return handle === '' ? '' : hash('sha256', handle)
}
