// Stored requests: in one form, so that a repetition is recognised. Before a request is executed,
// the schemas of its route check it again.
import { canonicalJson } from '../../domain/json.ts'
import type { Identifier } from '../../domain/ids.ts'
import { amountPattern } from '../../domain/money.ts'
import type { SchemaNode } from '../../domain/schema.ts'
import type { Named } from '../../gate/ownership.ts'
import { isStaffChange, type Route } from '../../http/route.ts'
import { findIdentifiers, findSecrets } from '../../http/route-check.ts'
import { compile } from '../../http/validation.ts'

/** The parts of a request that decide what it does. */
export type StoredRequest = { params: unknown; query: unknown; body: unknown }

/** Parts that the route does not take are null, whatever the framework made of them. */
export const toText = (route: Route, { params, query, body }: StoredRequest): string =>
  canonicalJson({
    params: route.params ? params : null,
    query: route.query ? query : null,
    body: route.body ? body : null,
  })

/** Whether both ask for the same: `"25"` and `"25.00"` are one amount, as for the ledger. */
export function isSame(route: Route, one: string, other: string): boolean {
  const toTerms = (text: string): string => {
    const { body, ...rest } = fromText(text)
    return canonicalJson({
      ...rest,
      body: withShortAmounts(body, route.body ?? {}),
    })
  }
  return one === other || toTerms(one) === toTerms(other)
}

/** The body with each amount in its shortest form. */
function withShortAmounts(value: unknown, schema: SchemaNode): unknown {
  const { properties = {}, anyOf = [] } = schema
  if (typeof value === 'string') {
    const isAmount = [schema, ...anyOf].some(({ pattern }) => pattern === amountPattern)
    return isAmount && value.includes('.') ? value.replace(/\.?0+$/, '') : value
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, each]) => {
    const node = properties[name]
    return [name, node ? withShortAmounts(each, node) : each]
  })
  return Object.fromEntries(members)
}

export const fromText = (text: string): StoredRequest => JSON.parse(text) as StoredRequest

/** The path as the maker sent it. */
export function toPath({ path }: Pick<Route, 'path'>, { params, query }: StoredRequest): string {
  const values = (params ?? {}) as Record<string, string>
  const filled = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '')
  const search = new URLSearchParams((query ?? {}) as Record<string, string>).toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** Whether the route, as it is today, would still take the request. */
export const isValid = (route: Route, request: StoredRequest): boolean =>
  (['params', 'query', 'body'] as const).every((part) => {
    const schema = route[part]
    return schema ? compile(schema)(request[part]) : request[part] === null
  })

const read = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | null | undefined)?.[key],
    value,
  )

/** The identifiers that the request names, in the order path, query, body. */
export const findNamed = (route: Route, request: StoredRequest): Named[] =>
  findIdentifiers(route).flatMap(({ part, keys, resource }: Identifier) => {
    const id = read(request[part], keys)
    return typeof id === 'string' ? [{ resource, id }] : []
  })

/**
 * Whether its answer shows a secret. Then it cannot be approved: the checker would see the secret,
 * or it would have to be stored.
 */
export const showsSecret = ({ reply, success }: Route): boolean =>
  findSecrets(reply[success]).length > 0

/** Whether it can wait for a second person. */
export const isApprovable = (route: Route): boolean =>
  isStaffChange(route) && !route.decides && !route.each && !showsSecret(route)

/** The place of a secret that a body holds; undefined if it holds none. */
export const findSecretIn = (route: Route, body: unknown): string | undefined =>
  findSecrets(route.body)
    .find((keys) => read(body, keys) !== undefined)
    ?.join('/')
