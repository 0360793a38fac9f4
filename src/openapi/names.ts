// Names for what the routes are about, derived from their paths: collections, operations, schemas.
// The API reference and the permission table call the same thing by the same name.
import type { TSchema } from 'typebox'
import * as ids from '../domain/ids.ts'
import { Iban } from '../domain/iban.ts'
import type { Node } from './examples.ts'
import { Phone } from '../domain/phone.ts'
import type { Route } from '../http/route.ts'
import * as blocks from '../domain/schema.ts'

const apiPrefix = /^\/api\/v1/

/** The words of a path, without prefix and parameters. */
const pathWords = (path: string): string[] =>
  path
    .replace(apiPrefix, '')
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))

/**
 * For each route the collection it is about: the last word of its path that somewhere holds things
 * (a list, or a word with an identifier behind it), else the first word; `system` outside the API.
 */
export function findCollections(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const holding = new Set<string>()
  for (const { path, reply, success } of routes) {
    for (const [, word] of path.matchAll(/\/([^/:]+)\/:/g)) holding.add(word as string)
    const last = pathWords(path).at(-1)
    if (isList(reply[success]) && last !== undefined) holding.add(last)
  }
  return new Map(
    routes.map((route) => {
      const words = pathWords(route.path)
      const collection = words.findLast((word) => holding.has(word)) ?? words[0] ?? 'system'
      return [route, apiPrefix.test(route.path) ? collection : 'system']
    }),
  )
}

const isList = (reply: TSchema | undefined): boolean => findItems(reply) !== undefined

const findItems = (reply: TSchema | undefined): Node | undefined => {
  const { properties } = (reply ?? {}) as Node
  return properties?.['nextCursor'] && properties['items']?.items
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const pascal = (words: readonly string[]): string =>
  words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map(capitalised)
    .join('')

const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/(?<=[^s])s$/, '')

/** The words of a path; one that a thing of it is picked from, or made in, in the singular. */
function namedWords({ method, path, success }: Route): string[] {
  const parts = path.replace(apiPrefix, '').split('/')
  const isCreation = method === 'POST' && success === 201
  return parts.flatMap((part, index) => {
    if (part === '' || part.startsWith(':')) return []
    return [(parts[index + 1]?.startsWith(':') ?? isCreation) ? singular(part) : part]
  })
}

export type Schemas = {
  /** The schema with a reference in place of everything that has a name. */
  refer(schema: TSchema): object
  /** By name, what is referred to. */
  named: Readonly<Record<string, object>>
}

/**
 * Names the building blocks after their exports, and what routes reply with after its title or else
 * their paths: the item of a list as one of it, everything else by all words. Equal schemas share
 * one name.
 */
export function createSchemas(routes: readonly Route[]): Schemas {
  const names = new Map<string, string>()
  const give = (schema: unknown, ...wanted: string[]): void => {
    const text = JSON.stringify(schema)
    const taken = new Set(names.values())
    const free = wanted.find((name) => !taken.has(name))
    if (free !== undefined && !names.has(text)) names.set(text, free)
  }
  for (const [name, block] of Object.entries({ ...ids, ...blocks, Iban, Phone })) {
    if ((block as Node).type === 'string') give(block, name)
  }
  for (const route of routes.toSorted(byClarity)) {
    const schema = route.reply[route.success] as TSchema
    const item = findItems(schema)
    const choices = replyNames(route, item ?? schema)
    if (item) give(item, ...choices)
    if ((schema as Node).type !== 'null')
      give(schema, ...choices.map((name) => (item ? `${name}List` : name)))
  }

  const refer = (node: unknown, isDefinition = false): unknown => {
    if (Array.isArray(node)) return node.map((each) => refer(each))
    if (typeof node !== 'object' || node === null) return node
    const name = names.get(JSON.stringify(node))
    if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, refer(value)]))
  }
  const definitions = [...names].map(([text, name]) => [name, refer(JSON.parse(text), true)])
  return {
    refer: (schema) => refer(schema) as object,
    named: Object.fromEntries(definitions) as Record<string, object>,
  }
}

/** What the reply, or the item of a list, could be called; the shortest first. */
function replyNames(route: Route, schema: TSchema | Node): string[] {
  const { title } = schema as Node
  const words = namedWords(route).filter((word) => word !== 'admin')
  if (isList(route.reply[route.success])) words.push(singular(words.pop() ?? ''))
  const shortest = isList(route.reply[route.success]) ? words.slice(-1) : words
  return [...(title === undefined ? [] : [title]), pascal(shortest), pascal(words)].concat(
    pascal(['admin', ...words]),
  )
}

/** Lists first: they know best what one of their things is called. */
const byClarity = (one: Route, other: Route): number =>
  (isList(one.reply[one.success]) ? 0 : 1) - (isList(other.reply[other.success]) ? 0 : 1)
