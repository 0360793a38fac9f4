// Examples for the API reference. A schema with a form of its own declares `examples`; plain text
// is shown by the key it stands under. Deterministic, and each is tested to fit its schema.
import type { TSchema } from 'typebox'
import type { resourceKey } from '../domain/ids.ts'

/** The part of JSON Schema that our schemas are written in. */
export type Node = {
  title?: string
  description?: string
  type?: string
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  anyOf?: Node[]
  oneOf?: Node[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  [resourceKey]?: string
}

/** A value the schema admits. Throws when none is known: the schema then needs `examples`. */
export function createExample(schema: TSchema | Node, key = ''): unknown {
  const { examples, const: constant, anyOf, enum: words, type, items, minimum } = schema as Node
  const known = [examples?.[0], constant, words?.[0]].find((value) => value !== undefined)
  if (known !== undefined) return known
  if (anyOf?.[0]) return createExample(anyOf[0], key)
  if (type === 'object') return objectExample(schema)
  if (type === 'array') return items ? [createExample(items, key)] : []
  if (type === 'boolean') return true
  if (type === 'null') return null
  const example = Object.hasOwn(byKey, key) ? byKey[key] : minimum
  if (example !== undefined) return example
  throw new Error(`No example is known for ${key || 'the schema'} ${JSON.stringify(schema)}`)
}

/** The required properties; all of them when none is required. */
function objectExample({ properties = {}, required = [] }: Node): object {
  const keys = required.length > 0 ? required : Object.keys(properties)
  return Object.fromEntries(keys.map((key) => [key, createExample(properties[key] as Node, key)]))
}

const byKey: Readonly<Record<string, string>> = {
  address: '12 Quay Street, Dublin',
  currentPassword: 'correct horse battery',
  description: 'Accounting',
  detail: 'Reported stolen',
  device: 'Firefox on Linux',
  email: 'ada@example.com',
  familyName: 'Okafor',
  givenName: 'Ada',
  iban: 'DE89370400440532013000',
  message: 'If a person has this e-mail address, a link is on its way there.',
  name: 'Okafor household',
  newPassword: 'seven lean kine and a barn',
  nextCursor: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  nickname: 'Rent',
  password: 'correct horse battery',
  reason: 'Asked for by the holder',
  reference: 'Rent February',
  token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  username: 'ada',
}
