// Names in the API reference: the collection of a route, and the schemas that have a `title`.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from '../domain/type.ts'
import { AnyTime } from '../domain/date-range.ts'
import { uuidPattern } from '../domain/ids.ts'
import { Day, Time } from '../domain/schema.ts'
import type { SchemaNode } from '../domain/schema.ts'
import type { Route } from '../http/route.ts'

/** By collection, what it is: the tag of its operations and that tag's description. */
export const collections: Readonly<Record<string, string>> = {
  system: 'The service itself: whether it is alive and ready, and the public keys of its tokens.',
  auth: 'Login, second factors, confirmations, and the password of the caller.',
  sessions: 'Sessions: a login on one device, until it ends or is revoked.',
  me: 'The person that calls.',
  users: 'People: customers and staff.',
  'service-accounts': 'Programs that call the API with keys of their own, and their grants.',
  'incoming-payments': 'Payments that came from other banks.',
  accounts: 'Accounts, their settings, balances and statements; cash that staff pay in or out.',
  members: 'Customers whom the owner of an account lets act on it.',
  beneficiaries: 'Payees of an account, at this bank or another.',
  'payee-checks': "Comparisons of a payee's name with the holder's.",
  cards: 'Cards of an account, and what a processor asks for them.',
  'card-payments': 'Payments by card: reserved, captured, given back; and declined attempts.',
  chargebacks: 'Money of card payments that came back provisionally, until the scheme has decided.',
  disputes: 'What holders say is wrong with card payments.',
  'bank-accounts': "The bank's own accounts: the other side of what customers hold.",
  holds: 'Amounts of an account that are reserved, and how they are taken or given back.',
  calendar: 'The business days of the bank, and when a payment to another bank arrives.',
  orders: 'Payments that the bank makes on days of a rhythm.',
  drafts: 'Payments that one person prepares and others sign.',
  'payment-lists': 'Many payments that are checked whole, confirmed once, and paid each by itself.',
  payments: 'Payments, holds and refused payments over the whole bank, as staff look for them.',
  transfers: 'Movements of money between accounts, from the order to its end.',
  transactions: 'Entries of accounts: what a transfer did to one account.',
  approvals: 'Changes by staff that wait for a second person.',
  'audit-events': 'The audit trail: each change, each read by staff, each refusal.',
  events: 'The feed of what happened at the bank, in the order of commit.',
  webhooks: 'Addresses that events are delivered to, and these deliveries.',
  postings: 'Fees, interest and corrections that the bank books.',
  'trial-balance': 'What every account of the bank and all customers together hold at a time.',
  overview: 'The bank in a few totals.',
}

/** The collection a route is about: the last one in its path; outside the API by exception. */
export function findCollection({ path }: Pick<Route, 'path'>): string {
  if (path.startsWith('/portal/session')) return 'auth'
  if (!path.startsWith('/api/v1/')) return 'system'
  const collection = path.split('/').findLast((word) => Object.hasOwn(collections, word))
  if (collection === undefined) throw new Error(`${path} is in no collection of ${import.meta.url}`)
  return collection
}

/**
 * What a schema is part of: a request is closed, because an unknown word or key in it is refused.
 * An answer is open, because later releases may add words and fields.
 */
type Side = 'request' | 'answer'

export type Schemas = {
  /**
   * The schema of a request as it is written in the document: with a reference in place of all with
   * a title, and of each object inside, which is named after its place.
   *
   * @param name of the schema itself, if it has no title
   */
  referRequest(schema: object, name?: string): object
  /**
   * The same of an answer. All requests have to be referred to before: a schema that they have too,
   * but closed, is named `Answered…`.
   */
  referAnswer(schema: object, name?: string): object
  /** By title, every schema that was referred to so far. */
  named: Readonly<Record<string, object>>
}

export function createSchemas(): Schemas {
  const named: Record<string, object> = {}
  const ofRequests = new Set<string>()
  const refer = (node: SchemaNode, place: string, side: Side): object => {
    const { title = isNamed(node) ? place : undefined } = node
    const plain = Object.fromEntries(
      Object.entries(toPortable(node, side)).map(([key, value]) => [
        key,
        within(key, value, title ?? place, side),
      ]),
    )
    if (title === undefined) return plain
    const isTaken = ofRequests.has(title) && !isDeepStrictEqual(named[title], plain)
    const name = isTaken && side === 'answer' ? `Answered${title}` : title
    if (!isDeepStrictEqual((named[name] ??= plain), plain)) {
      throw new Error(`Two different schemas have the title ${name}`)
    }
    if (side === 'request') ofRequests.add(title)
    return { $ref: `#/components/schemas/${name}` }
  }
  /** The value of a keyword, with its own schemas referred to. */
  const within = (key: string, value: unknown, place: string, side: Side): unknown => {
    if (key === 'items')
      return refer(value as SchemaNode, place.replace(/ies$/, 'y').replace(/s$/, ''), side)
    if (key === 'anyOf' || key === 'oneOf') {
      return (value as SchemaNode[]).map((option) => refer(option, place, side))
    }
    if (key !== 'properties') return value
    const properties = Object.entries(value as Record<string, SchemaNode>)
    return Object.fromEntries(
      properties.map(([name, property]) => [
        name,
        refer(property, place + capitalized(name), side),
      ]),
    )
  }
  return {
    referRequest: (schema, name = '') => refer(schema, name, 'request'),
    referAnswer: (schema, name = '') => refer(schema, name, 'answer'),
    named,
  }
}

/** With a great first letter, as types are named. */
export const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** What a generator makes a type of, and would name by a number. */
const isNamed = ({ properties = {} }: SchemaNode): boolean => Object.keys(properties).length > 0

const patternOf = (schema: TSchema): string => (schema as SchemaNode).pattern as string

/** The formats of OpenAPI that say what a pattern of ours says: a client has types for them. */
const formats: Readonly<Record<string, string>> = {
  [uuidPattern]: 'uuid',
  [patternOf(Time)]: 'date-time',
  [patternOf(AnyTime)]: 'date-time',
  [patternOf(Day)]: 'date',
}

/** What not every library of regular expressions knows: properties, look-around, `\u`. */
const unportable = /\\[pPu]|\(\?[=!<]/

/** The keyword of words to which later releases may add. Generators of clients make it a text. */
export const growingWordsKey = 'x-extensible-enum'

/** No later release answers a longer word, or a list of more words. */
const maxWordLength = 64
const maxWords = 100

/**
 * The schema of an answer, open for what later releases add. `enum`, also within `anyOf`, becomes a
 * type that refuses a new word in the clients of most generators, so the words are an extension.
 */
function toOpen(node: SchemaNode): SchemaNode {
  const { enum: words, additionalProperties, maxItems, ...rest } = node
  if (words) {
    const known = words.map((word) => `\`${String(word)}\``).join(', ')
    const text = `Known words: ${known}. Later releases may add others.`
    const description = rest.description === undefined ? text : `${rest.description} ${text}`
    const open = { [growingWordsKey]: words, maxLength: maxWordLength, description }
    return { ...rest, ...open }
  }
  return {
    ...rest,
    ...(maxItems !== undefined && {
      maxItems: rest.items?.enum ? Math.max(maxItems, maxWords) : maxItems,
    }),
    ...(additionalProperties !== undefined &&
      additionalProperties !== false && { additionalProperties }),
  }
}

/**
 * The schema without what is for this service alone: its title, its examples, and patterns that
 * other languages do not know or that a format says. The rule is in the description then.
 */
function toPortable(node: SchemaNode, side: Side): SchemaNode {
  const { title: _, examples: __, ...rest } = side === 'answer' ? toOpen(node) : node
  if (rest.type === 'integer') {
    const { minimum = -Infinity, maximum = Infinity } = rest
    const isSmall = minimum >= -(2 ** 31) && maximum < 2 ** 31
    return { ...rest, format: isSmall ? 'int32' : 'int64' }
  }
  const { pattern, minLength, maxLength, ...open } = rest
  if (pattern === undefined) return rest
  const format = formats[pattern]
  if (format !== undefined) return { ...open, format }
  if (!unportable.test(pattern)) return rest
  if (open.description === undefined) throw new Error(`No description says ${pattern}`)
  return { ...open, ...(minLength !== undefined && { minLength }), ...(maxLength && { maxLength }) }
}
