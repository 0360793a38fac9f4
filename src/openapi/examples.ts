// Examples for the API reference, derived from the schemas, so that none is forgotten and none can
// go stale. Deterministic: the same schema under the same key always gives the same example.
import type { TSchema } from 'typebox'
import { resourceKey } from '../domain/ids.ts'

/** The part of JSON Schema that our schemas are written in. */
export type Node = {
  title?: string
  description?: string
  type?: string
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  anyOf?: Node[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  [resourceKey]?: string
}

/**
 * A value the schema admits; the key it stands under chooses among several. Throws when none is
 * known: the schema then needs `examples`.
 */
export function createExample(schema: TSchema | Node, key = ''): unknown {
  const node = schema as Node
  if (node.examples) return node.examples[0]
  if (node.const !== undefined) return node.const
  if (node.anyOf?.[0]) return createExample(node.anyOf[0], key)
  if (node.enum) return node.enum.includes(byKey[key]) ? byKey[key] : node.enum[0]
  if (node.type === 'object') return objectExample(node)
  if (node.type === 'array') return node.items ? [createExample(node.items, key)] : []
  if (node.type === 'boolean') return true
  if (node.type === 'null') return null
  const found = candidates(node, key).find((candidate) => fits(node, candidate))
  if (found !== undefined) return found
  throw new Error(`No example fits ${key || 'the schema'} ${JSON.stringify(node)}: add examples`)
}

/** Only what has to be there, if anything has to: optional keys may exclude each other. */
function objectExample({ properties = {}, required = [] }: Node): object {
  const keys = required.length > 0 ? required : Object.keys(properties)
  return Object.fromEntries(keys.map((key) => [key, createExample(properties[key] as Node, key)]))
}

const candidates = (node: Node, key: string): unknown[] => [
  ...(node[resourceKey] === undefined ? [] : [exampleId(node[resourceKey])]),
  ...(Object.hasOwn(byKey, key) ? [byKey[key]] : []),
  ...anywhere,
  ...(node.minimum === undefined ? [] : [node.minimum]),
]

/** The same resource has the same identifier in every example, and no two resources share one. */
const exampleId = (resource: string): string =>
  `01981f7e-4c00-7000-8000-${Buffer.from(resource).toString('hex').padEnd(12, '0').slice(0, 12)}`

function fits(node: Node, value: unknown): boolean {
  if (node.type === 'integer' || node.type === 'number') {
    if (typeof value !== 'number') return false
    return value >= (node.minimum ?? value) && value <= (node.maximum ?? value)
  }
  if (node.type !== 'string' || typeof value !== 'string') return false
  const { minLength = 0, maxLength = value.length, pattern = '' } = node
  const isAsLong = value.length >= minLength && value.length <= maxLength
  return isAsLong && new RegExp(pattern, 'u').test(value)
}

const time = '2026-01-31T09:30:00.000Z'
const phone = '+442079460000'
const iban = 'DE89370400440532013000'
const opaque = '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** What people read in an example; each is used only where the schema admits it. */
const byKey: Readonly<Record<string, unknown>> = {
  address: '12 Quay Street, Dublin',
  alg: 'EdDSA',
  amount: '25.00',
  available: '1520.75',
  balance: '1520.75',
  balanceAfter: '1495.75',
  counterparty: 'Ben Lindqvist',
  crv: 'Ed25519',
  currency: 'EUR',
  currentPassword: 'correct horse battery',
  cursor: opaque,
  dailyTransferLimit: '2500.00',
  device: 'Firefox on Linux',
  email: 'ada@example.com',
  expiresIn: 900,
  expiryMonth: 11,
  expiryYear: 2030,
  familyName: 'Okafor',
  givenName: 'Ada',
  iban,
  kid: '01981f7e-4c00-7000-8000-6b6579000000',
  kty: 'OKP',
  maskedNumber: '•••• •••• •••• 1234',
  name: 'Okafor household',
  newPassword: 'seven lean kine and a barn',
  nextCursor: opaque,
  nickname: 'Rent',
  overdraftLimit: '0.00',
  password: 'correct horse battery',
  phone,
  reason: 'Asked for by the holder',
  reference: 'Rent February',
  registeredPhone: phone,
  token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  use: 'sig',
  username: 'ada',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

/** One of every form our schemas know, plain text first. */
const anywhere: readonly unknown[] = [
  'Example',
  exampleId('example'),
  time,
  time.slice(0, 10),
  '25.00',
  '-25.00',
  iban,
  phone,
  opaque,
  '20',
  1,
]
