// Calls of the API with the browser's session. A cookie that no script can read is the credential.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Failure, type RefusedBody } from '../state/failure.ts'
import { keepForBack, readForBack } from '../state/router.ts'
import type { Code, List } from '../state/types.ts'
import { mustEnrol, noteActivity, sessionEnded } from './session.ts'

/** Where the portal finds the API. */
export const apiBase = '/portal/api/v1'

async function toFailure(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => ({}))) as RefusedBody & { code?: Code }
  return new Failure(body.code ?? 'internal_error', response, body)
}

export type Sent = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`, with its query; or a whole path below `/portal/`. */
  path: string
  /** JSON; or a file, which is sent as it is. */
  body?: unknown
  key?: string
  /** The challenge by which the person confirmed this very request. */
  confirmation?: string | undefined
  signal?: AbortSignal
  /** What a read was at its first attempt; otherwise `unattended` tells. */
  isUnattended?: boolean
}

/**
 * Whether reads are consequences of the page's own looks: since the last one the person has done
 * nothing. The bank then counts no activity.
 */
export const unattended = { isOn: false }

/** One request, sent once. Throws a `Failure` unless it was successful. */
export async function request({
  method,
  path,
  body,
  key,
  confirmation,
  signal,
  isUnattended = unattended.isOn && method === 'GET',
}: Sent): Promise<Response> {
  const url = path.startsWith('/portal/') ? path : apiBase + path
  const headers = new Headers()
  const isFile = body instanceof Blob
  if (body !== undefined) headers.set('content-type', isFile ? body.type : 'application/json')
  if (key !== undefined) headers.set('idempotency-key', key)
  if (confirmation !== undefined) headers.set('confirmation', confirmation)
  if (isUnattended) headers.set('unattended', '?1')
  const options: RequestInit = { method, headers, cache: 'no-store', redirect: 'error' }
  if (body !== undefined) options.body = isFile ? body : JSON.stringify(body)
  if (signal) options.signal = signal
  const response = await readWhole(fetch(url, options), signal)
  if (response.ok) {
    if (!isUnattended) noteActivity()
    return response
  }
  const failure = await toFailure(response)
  const isOfSignIn = ['invalid_credentials', 'issuer_refused', 'second_factor_required'].includes(
    failure.code,
  )
  if (failure.status === 401 && !isOfSignIn) sessionEnded(failure.code)
  if (failure.code === 'factor_enrolment_required') mustEnrol.value = true
  throw failure
}

/** What came whole; a cut connection is a `Failure`. */
export async function readWhole<T>(coming: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await coming
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw new Failure('offline')
  }
}

/** One request, and its answer as JSON. Throws a `Failure`. */
export async function send<T>(sent: Sent): Promise<T> {
  const response = await request(sent)
  // Nothing has changed yet: the answer names the approval in place of the change.
  const isHeld = response.headers.get('location')?.startsWith('/api/v1/admin/approvals/')
  if (response.status === 202 && isHeld) throw new Failure('approval_pending', response)
  if (response.status === 204) return undefined as T
  return readWhole(response.json() as Promise<T>, sent.signal)
}

/** Rejects when `signal` ends it, also one that ended before. */
export const pauseFor = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })

/** A read waits that long for its turn by itself; after that the page says what is wrong. */
const readWaitSecondsMax = 10
const readAttempts = 4

export function readOnce<T>(path: string, signal: AbortSignal): Promise<T> {
  const isUnattended = unattended.isOn
  return retryRead(() => send<T>({ method: 'GET', path, signal, isUnattended }), signal)
}

/** Reads again while the bank is out of reach, or asks to wait for a moment. */
export async function retryRead<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (thrown) {
      const isWaiting = thrown instanceof Failure && [0, 429, 503].includes(thrown.status)
      const waitSeconds = (thrown as Partial<Failure>).waitSeconds ?? 1
      if (!isWaiting || attempt === readAttempts || waitSeconds > readWaitSecondsMax) throw thrown
      await pauseFor(waitSeconds, signal)
    }
  }
}

type Shared = { answer: Promise<unknown>; users: number; controller: AbortController }
const underWay = new Map<string, Shared>()

function begin(path: string): Shared {
  const controller = new AbortController()
  const answer = readOnce(path, controller.signal).finally(() => forget(path, shared))
  const shared = { answer, users: 0, controller }
  underWay.set(path, shared)
  return shared
}

function forget(path: string, shared: Shared): void {
  if (underWay.get(path) === shared) underWay.delete(path)
}

/** Equal reads at the same time are one request; it is aborted when no screen waits for it. */
function share<T>(path: string): { answer: Promise<T>; leave: () => void } {
  const shared = underWay.get(path) ?? begin(path)
  shared.users++
  const leave = () => {
    if (--shared.users > 0) return
    forget(path, shared)
    shared.controller.abort()
  }
  return { answer: shared.answer as Promise<T>, leave }
}

export type Read<T> = {
  /** The last answer; it stays while it is read again. */
  data: T | undefined
  failure: Failure | undefined
  isLoading: boolean
  /** Reads again, after a change or a failure. */
  again: () => void
}

/** A read of a screen: its last answer, and what shows a newer one in place of it. */
export type ShownRead = { path: string; data?: unknown; show: (data: unknown) => void }
export const shownReads = new Set<ShownRead>()

/** What the API answers on `path`; nothing is asked while it is undefined. */
export function useRead<T>(path: string | undefined): Read<T> {
  type State = { path?: string | undefined; data?: T; failure?: Failure }
  const [state, setState] = useState<State>({})
  const [turn, setTurn] = useState(0)
  const [isLoading, setLoading] = useState(path !== undefined)
  useEffect(() => {
    if (path === undefined) return
    setLoading(true)
    const { answer, leave } = share<T>(path)
    const settle = (next: State) => {
      if (!shownReads.has(shown)) return
      shown.data = next.data
      setState(next)
      setLoading(false)
    }
    const shown: ShownRead = { path, show: (data) => settle({ path, data: data as T }) }
    shownReads.add(shown)
    answer.then(shown.show, (thrown: unknown) => settle({ path, failure: thrown as Failure }))
    return () => {
      shownReads.delete(shown)
      leave()
    }
  }, [path, turn])
  const isPresent = state.path === path
  return {
    data: isPresent ? state.data : undefined,
    failure: isPresent ? state.failure : undefined,
    isLoading,
    again: () => setTurn((last) => last + 1),
  }
}

type Data<R> = R extends Read<infer T> ? T : never

/** Several reads as one, whose data is there when all of it is. */
export function readTogether<R extends Record<string, Read<unknown>>>(
  reads: R,
): Read<{ [N in keyof R]: Data<R[N]> }> {
  const named = Object.entries(reads)
  const failed = named.filter(([, { failure }]) => failure)
  const isWhole = named.every(([, { data }]) => data !== undefined)
  const data = Object.fromEntries(named.map(([name, read]) => [name, read.data]))
  return {
    data: isWhole ? (data as { [N in keyof R]: Data<R[N]> }) : undefined,
    failure: failed[0]?.[1].failure,
    isLoading: named.some(([, { isLoading }]) => isLoading),
    again: () => (failed.length > 0 ? failed : named).forEach(([, read]) => read.again()),
  }
}

export type Pages<I> = Read<I[]> & {
  /** Reads the next page; undefined on the last. */
  more: (() => void) | undefined
}

/** First pages behind which more was asked for. */
export const continued = new WeakSet<object>()

/** So many items are read at once at most. */
const limitMax = 100

/** With a page as long as what was shown before, so that the way back takes one read. */
const withLimit = (path: string, count: number): string =>
  path.replace(/\blimit=(\d+)/, (_, limit: string) => {
    return `limit=${Math.min(limitMax, Math.max(Number(limit), count))}`
  })

/**
 * A list, page by page. `path` has a limit and no cursor. Back on a page it has as many rows as it
 * had when the person left.
 */
export function usePages<I>(path: string | undefined): Pages<I> {
  const count = useMemo(() => (path && readForBack(path)) || 0, [path])
  const first = useRead<List<I>>(path && withLimit(path, count))
  type Rest = { of?: List<I> | undefined; items: I[]; cursor: string | null }
  const [rest, setRest] = useState<Rest>({ items: [], cursor: null })
  const [isLoading, setLoading] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const isPresent = rest.of === first.data
  const cursor = isPresent ? rest.cursor : first.data?.nextCursor
  const data = first.data && [...first.data.items, ...(isPresent ? rest.items : [])]
  async function more(): Promise<void> {
    // It has the cursor.
    continued.add(first.data as object)
    setLoading(true)
    setFailure(undefined)
    const next = `${path}${path?.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor ?? '')}`
    const { answer } = share<List<I>>(next)
    try {
      const page = await answer
      const items = [...(isPresent ? rest.items : []), ...page.items]
      setRest({ of: first.data, items, cursor: page.nextCursor })
      if (path) keepForBack(path, (first.data?.items.length ?? 0) + items.length)
    } catch (thrown) {
      setFailure(thrown as Failure)
    }
    setLoading(false)
  }
  const isShort = data !== undefined && data.length < count && Boolean(cursor)
  useEffect(() => {
    if (isShort && !failure) void more()
  }, [isShort, data?.length])
  return {
    data,
    failure: first.failure ?? failure,
    isLoading: first.isLoading || isLoading,
    again: first.again,
    more: cursor ? () => void more() : undefined,
  }
}
