// Names in the API reference: the collection of a route, and the schemas that have a `title`.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import type { Node } from './examples.ts'
import type { Route } from '../http/route.ts'

const collections = [
  'auth',
  'sessions',
  'me',
  'users',
  'service-accounts',
  'accounts',
  'beneficiaries',
  'cards',
  'transfers',
  'transactions',
  'approvals',
  'audit-events',
  'events',
  'webhooks',
  'overview',
]

/** The collection a route is about: the last one in its path; outside the API by exception. */
export function findCollection({ path }: Pick<Route, 'path'>): string {
  if (path.startsWith('/portal/session')) return 'auth'
  if (!path.startsWith('/api/v1/')) return 'system'
  const collection = path.split('/').findLast((word) => collections.includes(word))
  if (collection === undefined) throw new Error(`${path} is in no collection of ${import.meta.url}`)
  return collection
}

export type Schemas = {
  /** The schema as it is written in the document: with a reference in place of all with a title. */
  refer(schema: TSchema): object
  /** By title, every schema that was referred to so far. */
  named: Readonly<Record<string, object>>
}

export function createSchemas(): Schemas {
  const named: Record<string, object> = {}
  const refer = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(refer)
    if (typeof node !== 'object' || node === null) return node
    const keywords = Object.entries(node).filter((entry) => !isAnnotation(entry))
    const plain = Object.fromEntries(keywords.map(([key, value]) => [key, refer(value)]))
    const { title } = node as Node
    if (typeof title !== 'string') return plain
    if (!isDeepStrictEqual((named[title] ??= plain), plain)) {
      throw new Error(`Two different schemas have the title ${title}`)
    }
    return { $ref: `#/components/schemas/${title}` }
  }
  return { refer: (schema) => refer(schema) as object, named }
}

/** Whether it is not shown with the schema. In a list of properties, `title` holds a schema. */
const isAnnotation = ([key, value]: [string, unknown]): boolean =>
  (key === 'title' && typeof value === 'string') || (key === 'examples' && Array.isArray(value))
