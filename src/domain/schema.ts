// Building blocks of request and response schemas: bounded, and closed to unknown keys. A `title`
// names a schema in the API reference; its `examples` are shown there, and a route is refused that
// would show a field without one.
import { type TProperties, type TSchema, Type } from './type.ts'
import { notePattern, optionalTextPattern, textPattern, textRule } from './free-text.ts'
import type { foreignKey, Resource, resourceKey } from './ids.ts'
import { amountPattern, currencies } from './money.ts'
import { roles } from './roles.ts'

/**
 * The schema key of a secret: a password in a request, or a key that one answer shows. No request
 * with one is stored, no digest is made of it, and an operation that answers with one cannot wait
 * for a second person. False for what only its name makes look like a secret.
 */
export const secretKey = 'x-secret'

/** The schema key of a text that must hold no card number of such; see `holdsCardNumber`. */
export const noCardNumberKey = 'x-no-card-number'

/** The part of JSON Schema that our schemas are written in. */
export type SchemaNode = {
  title?: string
  description?: string
  type?: string
  properties?: Record<string, SchemaNode>
  required?: string[]
  additionalProperties?: unknown
  items?: SchemaNode
  maxItems?: number
  anyOf?: SchemaNode[]
  oneOf?: SchemaNode[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  [resourceKey]?: Resource
  [foreignKey]?: true
  [openKey]?: true
  [secretKey]?: boolean
}

/** The schema with the example of one field in the API reference. */
export const withExample = <S extends TSchema>(schema: S, example: string): S => ({
  ...schema,
  examples: [example],
})

/** An object that refuses unknown keys, against mass assignment (CWE-915). */
export const closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The schema key of an object that ignores the members that it does not know. */
export const openKey = 'x-open'

/**
 * An object whose unknown members are ignored, for JSON that a standard defines, extends and wants
 * read so. Its members are used by name, and the whole is stored nowhere.
 *
 * @param options with the reason as its description
 */
export const open = <P extends TProperties>(
  properties: P,
  options: { title?: string; description: string },
) => Type.Object(properties, { additionalProperties: true, [openKey]: true, ...options })

/** A closed object with a name in the API reference. */
export const named = <P extends TProperties>(title: string, properties: P) =>
  closed(properties, { title })

/** One of the given words. */
export const oneOf = <const W extends readonly string[]>(words: W, options: object = {}) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options })

/** The schema, or null. */
export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const text = (title: string, minLength: number, maxLength: number, options: object = {}) =>
  Type.String({
    title,
    pattern: minLength > 0 ? textPattern : optionalTextPattern,
    minLength,
    maxLength,
    description: textRule,
    ...options,
  })

export const Text = text('Text', 1, 140)
export const OptionalText = text('OptionalText', 0, 140)
export const Name = text('Name', 1, 70, { examples: ['Okafor household'] })
export const GivenName = withExample(Name, 'Ada')
export const FamilyName = withExample(Name, 'Okafor')
/** The name of a payee or a card, for its customer alone. */
export const Nickname = withExample(Name, 'Rent')
/** The address of a person, in one line. */
export const PostalAddress = withExample(OptionalText, '12 Quay Street, Dublin')

/** Why staff do something: it goes into the audit trail, which is never changed. */
export const Reason = text('Reason', 1, 140, {
  description: `${textRule} Without a card number: 13 to 19 digits that pass the Luhn formula.`,
  examples: ['Asked for by the holder'],
  [noCardNumberKey]: 'any',
})

/** What staff write down about a customer, in several lines. */
export const NoteText = Type.String({
  title: 'NoteText',
  pattern: notePattern,
  minLength: 1,
  maxLength: 2000,
  description: `${textRule} Also line feeds. Without a card number.`,
  examples: ['Called about a lost card. Identified by phone.'],
  [noCardNumberKey]: 'any',
})

export const Currency = oneOf(currencies, {
  title: 'Currency',
  description: 'ISO 4217 code.',
  examples: ['EUR'],
})

export const RoleName = oneOf(roles, { title: 'Role' })

/** An amount in a request: positive or zero; its currency bounds the minor digits. */
export const Amount = Type.String({
  title: 'Amount',
  pattern: amountPattern,
  minLength: 1,
  maxLength: 19,
  description: 'Decimal string, at most the minor digits of the currency.',
  examples: ['25.00'],
})

/** An amount in a response: may be negative. */
export const SignedAmount = Type.String({
  title: 'SignedAmount',
  pattern: '^-?[0-9]{1,19}(\\.[0-9]{1,3})?$',
  maxLength: 24,
  examples: ['1520.75'],
})

/** A number of rows, exact for every table that there can be. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const Time = Type.String({
  title: 'Time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  minLength: 24,
  maxLength: 24,
  description: 'RFC 3339, UTC, milliseconds.',
  examples: ['2026-01-31T09:30:00.000Z'],
})

const day = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  minLength: 10,
  maxLength: 10,
  examples: ['2026-01-31'],
}
export const Day = Type.String({ title: 'Day', ...day, description: 'A day of the bank.' })
/** A day that says what happens on it. */
export const dayOf = (description: string) => Type.String({ ...day, description })

/** The reply with status 204. */
export const Nothing = Type.Null()
