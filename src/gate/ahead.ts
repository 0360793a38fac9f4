// One question to a shared store for the address and the caller of a request. It is asked before
// the caller is authenticated, so only for one that this instance last saw alive. What was charged
// to a caller that is refused after all is given back before the refusal is sent.
import { BoundedCache } from '../domain/bounded-cache.ts'
import { serviceKeyPrefix } from '../domain/secret-forms.ts'
import { type Authenticated, readToken } from './authenticate.ts'
import type { Charged, LimitClass, Limits } from './limits.ts'
import { hashKey } from './service-keys.ts'
import type { Claims, Tokens } from './token.ts'

/** A request as its head shows it: the class of its route, and its `Authorization` field. */
export type Expected = { limit: LimitClass; authorization: string | undefined }

/** What was decided for the caller, together with the address. */
export type Ahead = {
  isOf(caller: Authenticated): boolean
  /** The charge, or the refusal, as `Limits.take` gives it. */
  charge(): Charged
  /** Undoes the charge of a caller that was not admitted, who is not asked for ahead again. */
  giveBack(): Promise<void>
}

export type Arrived = Charged & { ahead?: Ahead }

type KnownCaller = { userId: string; isService: boolean; by: Claims | string }

/** Of one key: its hash and an identifier, with what the map adds. */
const keyBytes = 300
const keyBytesMax = 4_000_000

export type AheadLimits = {
  /** Charges the address and the caller; undefined if the caller is not known. */
  take(address: [LimitClass, string], expected: Expected): Promise<Arrived> | undefined
  /** From now on the caller is known. @param claims of its token; undefined if it used a key */
  saw(caller: Authenticated, claims: Claims | undefined): void
}

/** Undefined where limits are counted in the process: two questions cost no more than one. */
export function createAhead(limits: Limits, tokens: Tokens): AheadLimits | undefined {
  const { takeBoth } = limits
  if (!takeBoth) return undefined
  // Claims are those of the cache of tokens, and leave memory with it.
  const tokensAlive = new WeakSet<Claims>()
  const keysAlive = new BoundedCache<string, string>(keyBytesMax, () => keyBytes)

  function recognize(authorization: string | undefined): KnownCaller | undefined {
    const token = authorization === undefined ? '' : readToken(authorization)
    if (!token.startsWith(serviceKeyPrefix)) {
      const by = tokens.known(token)
      return by && tokensAlive.has(by) ? { userId: by.userId, isService: false, by } : undefined
    }
    const by = hashKey(token) ?? ''
    const userId = keysAlive.get(by) ?? ''
    return userId === '' ? undefined : { userId, isService: true, by }
  }

  const forget = (by: Claims | string): void =>
    typeof by === 'string' ? keysAlive.set(by, '') : void tokensAlive.delete(by)

  return {
    take(address, { limit, authorization }) {
      const known = recognize(authorization)
      if (!known) return undefined
      const { userId, isService, by } = known
      const both = takeBoth(address, [isService ? 'service' : limit, userId])
      return both.then(({ first, second, giveBack }) => {
        const ahead: Ahead = {
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
    saw(caller, claims) {
      if (claims) tokensAlive.add(claims)
      else if (caller.service) keysAlive.set(caller.service.keyHash, caller.userId)
    },
  }
}
