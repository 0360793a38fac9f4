// `createClient`: the operations of the bank as methods, made from the table of operations.
import { ApiError } from './errors.ts'
import { type Login, type Bank, operations } from './generated.ts'
import { Feed, type FeedPage } from './feed.ts'
import { type Page, Pages } from './pages.ts'
import { type Attempt, type Kind, type Limits, repeatUntilKnown } from './repeat.ts'
import { createSession, type Session, toUnsent } from './session.ts'
import { type OutgoingRequest, createTransport, type Transport } from './transport.ts'
import type { CallOptions, ClientOptions, Clock, PaymentOptions } from './types.ts'

const deadlineSecondsByDefault = 60
const retryAfterSecondsByDefault = 30
const attemptSecondsByDefault = 30
/** The bank lets a read of its feed wait no longer. */
const feedWaitSecondsMax = 25
const feedPauseMs = 1000

type Operation = Pick<OutgoingRequest, 'method' | 'path' | 'answer'> & {
  takes: readonly ('token' | 'body' | 'query' | 'key' | 'externalId')[]
}
type Query = Readonly<Record<string, string | number | boolean | undefined>>
type Method = (...given: unknown[]) => unknown

/** The bank at `baseUrl`. Throws TypeError for a base URL that would send tokens in clear. */
export function createClient(options: ClientOptions): Bank {
  const limits: Limits = {
    clock: options.clock ?? systemClock,
    deadlineMs: 1000 * (options.deadlineSeconds ?? deadlineSecondsByDefault),
    retryAfterMsMax: 1000 * (options.retryAfterSecondsMax ?? retryAfterSecondsByDefault),
    attemptMs: 1000 * (options.attemptSeconds ?? attemptSecondsByDefault),
  }
  const send = createTransport(options)
  const session = createSession(options, send, limits)
  const tree: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    place(tree, name.split('.'), toMethod(operation, send, session, limits))
  }
  const bank = tree as Bank
  return options.token === undefined ? withSession(bank, session) : bank
}

/** The login and the logout of this client are those of its token store. */
function withSession(bank: Bank, session: Session): Bank {
  const { login, completeLogin, logout } = bank.auth
  /** A login of the device that is kept. */
  const open = async <B>(
    begin: (body: B, options?: CallOptions) => Promise<Login>,
    body: B,
    options?: CallOptions,
  ): Promise<Login> => {
    const { deviceToken } = await session.read()
    const opened = await begin({ ...(deviceToken && { deviceToken }), ...body }, options)
    await session.open(opened)
    return opened
  }
  return {
    ...bank,
    auth: {
      ...bank.auth,
      login: (body, options) => open(login, body, options),
      completeLogin: (body, options) => open(completeLogin, body, options),
      async logout(options?: CallOptions): Promise<void> {
        await logout(options).catch((thrown: unknown) => {
          // The session is over already.
          if (!(thrown instanceof ApiError && thrown.status === 401)) throw thrown
        })
        await session.forget()
      },
    },
  }
}

function place(tree: Record<string, unknown>, names: readonly string[], method: Method): void {
  const [name = '', ...rest] = names
  if (rest.length === 0) tree[name] = method
  else place((tree[name] ??= {}) as Record<string, unknown>, rest, method)
}

type Numbered = { externalId?: unknown }

/** Whether the body has an `externalId`, or each of its items. */
function hasNumbers(body: unknown): boolean {
  const { items, ...single } = (body ?? {}) as Numbered & { items?: readonly Numbered[] }
  return (items ?? [single]).every(({ externalId }) => externalId !== undefined)
}

function toMethod(
  { method, path, answer, takes }: Operation,
  send: Transport,
  session: Session,
  limits: Limits,
): Method {
  const parts = path.split('/')
  const idCount = parts.filter((part) => part.startsWith(':')).length

  return (...given) => {
    const ids = given.splice(0, idCount)
    const filled = parts.map((part) => (part.startsWith(':') ? toSegment(ids.shift()) : part))
    const required = takes.includes('body') ? given.shift() : undefined
    const query = takes.includes('query') ? (given.shift() as Query | undefined) : undefined
    const options = (given.shift() ?? {}) as PaymentOptions & { body?: unknown }
    const { signal, idempotencyKey, confirmation, body = required } = options
    const isNumbered = takes.includes('externalId') && hasNumbers(body)
    const isPayment = takes.includes('key') || isNumbered
    const kind: Kind = method === 'GET' ? 'read' : isPayment ? 'payment' : 'change'
    // Made once: every repeat of this call has the same key.
    const key = takes.includes('key') ? (idempotencyKey ?? crypto.randomUUID()) : undefined
    const call = <T>(more?: Query): Promise<T> => {
      const at = filled.join('/') + toSearch({ ...query, ...more })
      const asked = { method, path: at, answer, body, idempotencyKey: key, confirmation, signal }
      const once = (timeoutMs: number): Promise<Attempt<T>> =>
        takes.includes('token')
          ? sendWithToken<T>({ ...asked, timeoutMs }, send, session)
          : send<T>({ ...asked, timeoutMs })
      return repeatUntilKnown(once, { kind, idempotencyKey: key, signal }, limits)
    }
    if (answer === 'feed') {
      const waitSecondsMax = Math.floor(Math.min(limits.attemptMs, limits.deadlineMs) / 2000)
      return new Feed<unknown>(
        (after, wait) => call<FeedPage<unknown>>({ ...(after !== undefined && { after }), wait }),
        Math.min(feedWaitSecondsMax, waitSecondsMax),
        () => limits.clock.wait(feedPauseMs, signal),
      )
    }
    if (answer !== 'pages') return call()
    return new Pages<unknown>(async (cursor) => {
      const page = await call<{ items: unknown[]; nextCursor: string | null }>({
        ...(cursor !== undefined && { cursor }),
      })
      return { ...page, nextCursor: page.nextCursor ?? undefined } satisfies Page<unknown>
    })
  }
}

/** Sends; once more after a refresh when the token has expired, which the bank tells before all. */
async function sendWithToken<T>(
  asked: OutgoingRequest,
  send: Transport,
  session: Session,
): Promise<Attempt<T>> {
  try {
    const token = await session.token()
    const attempt = await send<T>({ ...asked, token })
    const isExpired = 'refused' in attempt && attempt.refused.code === 'token_expired'
    const renewed = isExpired && token !== undefined ? await session.renew(token) : undefined
    return renewed === undefined ? attempt : await send<T>({ ...asked, token: renewed })
  } catch (thrown) {
    if (thrown instanceof ApiError) return { refused: thrown }
    const unsent = toUnsent(thrown)
    if (unsent) return unsent
    throw thrown
  }
}

/** Throws TypeError for what would lead to another path. */
function toSegment(id: unknown): string {
  if (typeof id === 'string' && !['', '.', '..'].includes(id)) return encodeURIComponent(id)
  throw new TypeError('An identifier is missing')
}

function toSearch(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  const text = search.toString()
  return text && `?${text}`
}

const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, milliseconds)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    }),
}
