// The token of each request: a fixed one, or that of a person's session, which is refreshed when it
// has expired, by one request at a time.
import { NotReachedError } from './errors.ts'
import type { Login } from './generated.ts'
import { type Attempt, type Limits, repeatUntilKnown } from './repeat.ts'
import type { Transport } from './transport.ts'
import type { ClientOptions, StoredTokens, TokenStore } from './types.ts'

/** A lost answer of a refresh is asked for again for so long: after 10 s the session would end. */
const refreshMsMax = 8000
const refreshAttemptMs = 4000

export type Session = {
  /** The token of the next request; undefined without a login. Throws what a refresh ends with. */
  token(): Promise<string | undefined>
  /** Another token than the one that was refused as expired; undefined if there is none. */
  renew(expired: string): Promise<string | undefined>
  read(): Promise<StoredTokens>
  open(login: Login): Promise<void>
  forget(): Promise<void>
}

type Tokens = Pick<Login, 'token' | 'refreshToken' | 'sessionId' | 'expiresIn'>

/** Tokens are gone when the program ends. */
function memoryStore(): TokenStore {
  let kept: StoredTokens = {}
  return { read: () => kept, write: (tokens) => void (kept = tokens) }
}

export function createSession(options: ClientOptions, send: Transport, limits: Limits): Session {
  const { token: fixed, tokens: store = memoryStore() } = options
  const { clock } = limits
  let refreshing: Promise<void> | undefined

  const read = async (): Promise<StoredTokens> => store.read()

  async function write({ token, refreshToken, sessionId, expiresIn }: Tokens, rest: StoredTokens) {
    const expiresAt = clock.now() + expiresIn * 1000
    await store.write({ ...rest, session: { token, refreshToken, sessionId, expiresAt } })
  }

  const refresh = async (expired: string): Promise<void> => {
    const stored = await read()
    // Another call, or another program with the same store, was first.
    if (stored.session?.token !== expired) return
    const { refreshToken } = stored.session
    const ask = (timeoutMs: number): Promise<Attempt<Tokens>> =>
      send({
        method: 'POST',
        path: '/api/v1/auth/refresh',
        answer: 'value',
        body: { refreshToken },
        timeoutMs,
      })
    const refreshLimits = { ...limits, deadlineMs: refreshMsMax, attemptMs: refreshAttemptMs }
    await write(await repeatUntilKnown(ask, { kind: 'read' }, refreshLimits), stored)
  }

  async function renew(expired: string): Promise<string | undefined> {
    if (fixed !== undefined) return undefined
    await (refreshing ??= refresh(expired).finally(() => (refreshing = undefined)))
    const { session } = await read()
    return session?.token === expired ? undefined : session?.token
  }

  return {
    read,
    renew,
    async token() {
      if (fixed !== undefined) return fixed
      const { session } = await read()
      return session && session.expiresAt <= clock.now() ? renew(session.token) : session?.token
    },
    async open(login) {
      const { deviceToken } = login
      await write(login, { deviceToken })
    },
    async forget() {
      const { session: _ended, ...rest } = await read()
      await store.write(rest)
    },
  }
}

/** A refresh that did not reach the bank: the request that needed it was not sent. */
export const toUnsent = (thrown: unknown): Attempt<never> | undefined =>
  thrown instanceof NotReachedError
    ? { lost: thrown, isCertain: true, isPointless: false }
    : undefined
