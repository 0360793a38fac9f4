// A request before it goes over the wire: made of what its route declares, so that it can be bent.
import type { TSchema } from '../../src/domain/type.ts'
import type { SchemaNode } from '../../src/domain/schema.ts'
import { sessionCookie } from '../../src/gate/cookies.ts'
import type { Route } from '../../src/http/route.ts'
import type { Caller } from './pool.ts'

export type Mood = 'valid' | 'mutated' | 'hostile'
export type Via = 'http/1.1' | 'http/2' | 'raw'

export type Draft = {
  route: Route
  caller: Caller
  method: string
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
  /** As they are sent; a name may stand twice. */
  headers: [name: string, value: string][]
  /** Instead of the path made of `params`, instead of the query, instead of the body. */
  path?: string
  search?: string
  payload?: string | Buffer
  via: Via
  /** With the cookie, on the mount of the portal. */
  isOnPortal?: boolean
  mood: Mood
  /** What was bent. */
  bent: string
}

/** What goes over the wire. */
export type Sent = {
  method: string
  target: string
  headers: [name: string, value: string][]
  payload: Buffer | undefined
  via: Via
}

/** A place in a request that holds a value, and the schema it should fit. */
export type Place = {
  holder: Record<string, unknown>
  key: string
  schema: SchemaNode
  part: string
}

export function findPlaces({ route, params, query, body }: Draft): Place[] {
  const parts = [
    ['params', params, route.params],
    ['query', query, route.query],
    ['body', body, route.body],
  ] as const
  return parts.flatMap(([part, holder, schema]) =>
    Object.entries((schema?.properties ?? {}) as Record<string, TSchema>).flatMap(([key, each]) =>
      holder === undefined ? [] : [{ part, holder, key, schema: each }],
    ),
  )
}

export function toPath({ route, params, path }: Draft): string {
  if (path !== undefined) return path
  return route.path.replace(/:(\w+)/g, (_, name: string) => encoded(String(params[name])))
}

/** Percent-encoded; what is not well formed is replaced, since it cannot be encoded. */
export const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

function toSearch({ query, search }: Draft): string {
  if (search !== undefined) return search
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encoded(name)}=${encoded(toText(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** Where the portal reaches the API. */
export const portalMount = /^\/portal(?=\/api\/v1\/)/

/** What the portal's page does not send: the cookie is the credential, the browser names it. */
const ofBrowser = /^(authorization|cookie|origin|sec-fetch-.*)$/i

export const canBeOnPortal = (draft: Draft): boolean =>
  (draft.caller.cookie !== undefined || !draft.caller.isAlive) &&
  toPath(draft).startsWith('/api/v1/') &&
  !draft.headers.some(([name]) => ofBrowser.test(name))

export function toSent(draft: Draft): Sent {
  const { method, headers, payload, body, via, caller } = draft
  const bytes = payload ?? (body === undefined ? undefined : JSON.stringify(body))
  const has = (name: string) => headers.some(([each]) => each.toLowerCase() === name)
  const more: [string, string][] = []
  if (!has('host')) more.push(['host', 'bank.example'])
  if (draft.isOnPortal) {
    more.push(['sec-fetch-site', 'same-origin'])
    if (caller.cookie !== undefined) more.push(['cookie', `${sessionCookie}=${caller.cookie}`])
  } else if (caller.token !== undefined && !has('authorization')) {
    more.push(['authorization', `Bearer ${caller.token}`])
  }
  if (bytes !== undefined) {
    if (!has('content-type')) more.push(['content-type', 'application/json'])
    more.push(['content-length', String(Buffer.byteLength(bytes))])
  }
  return {
    method,
    target: (draft.isOnPortal ? '/portal' : '') + toPath(draft) + toSearch(draft),
    headers: [...more, ...headers],
    payload: bytes === undefined ? undefined : Buffer.from(bytes),
    via,
  }
}

/** A request as a person can repeat it; tokens and what is long are cut. */
export function told({ method, target, headers, payload, via }: Sent): string {
  const fields = headers.map(([name, value]) => `${name}: ${cut(value, 60)}`)
  const body = payload === undefined ? '' : `\n    ${cut(JSON.stringify(payload.toString()), 1500)}`
  return `${method} ${cut(target, 1000)} (${via})\n    ${fields.join('\n    ')}${body}`
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}… (${text.length})` : text
