// Validates requests and writes answers by their schemas. An error names the place, never the value
// that was sent.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import { Refusal } from '../domain/errors.ts'
import { type CardNumbers, containsCardNumber } from '../domain/card-number.ts'
import { withoutMarkup } from './error-response.ts'
import { foreignKey, resourceKey } from '../domain/ids.ts'
import { noCardNumberKey, openKey, secretKey } from '../domain/schema.ts'

// No coercion and no repair: what was sent is what is validated.
const ajv = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  keywords: [resourceKey, foreignKey, secretKey, openKey],
})
ajv.addKeyword({
  keyword: noCardNumberKey,
  type: 'string',
  errors: false,
  validate: (of: CardNumbers, text: string) => !containsCardNumber(text, of),
})

/**
 * Caches by schema text: many routes share schemas. Fastify's own compilers have no such cache.
 * What is made of a schema is made when it is first used: a start would take 0.2 s of the
 * processor more.
 */
function cached<R>(compile: (schema: object) => R): (schema: object) => () => R {
  const compiled = new Map<string, () => R>()
  // Tests start many services in a process, with the same schemas.
  const known = new WeakMap<object, () => R>()
  return (schema) => {
    const former = known.get(schema)
    if (former !== undefined) return former
    const text = JSON.stringify(schema)
    let made: R | undefined
    const result = compiled.get(text) ?? (() => (made ??= compile(schema)))
    compiled.set(text, result)
    known.set(schema, result)
    return result
  }
}

/** The pattern of an identifier holds no shorter text; the library would count its characters. */
function withoutMinLength(this: object, key: string, value: unknown): unknown {
  return key === 'minLength' && Object.hasOwn(this, resourceKey) ? undefined : value
}

const validatorOf = cached<ValidateFunction>((schema) =>
  ajv.compile(JSON.parse(JSON.stringify(schema, withoutMinLength)) as object),
)

/** Whether a value is valid; when it is not, `errors` says why. */
export type Validate = {
  (value: unknown): boolean
  errors: ErrorObject[] | null
}

export function compile(schema: object): Validate {
  const validator = validatorOf(schema)
  const validate = (value: unknown): boolean => {
    const found = validator()
    const isValid = found(value)
    described.errors = found.errors ?? null
    return isValid
  }
  const described: Validate = Object.assign(validate, { errors: null })
  return described
}

/** A union with null in the form that the serializer writes without validating the value. */
const asNullable = (_: string, schema: { anyOf?: { type?: string }[] } | null): unknown => {
  const [other, none, ...more] = schema?.anyOf ?? []
  const isNullable = none?.type === 'null' && more.length === 0
  return isNullable ? { ...other, nullable: true } : schema
}

const serializerOf = cached((schema) => {
  const stringify = fastJson(JSON.parse(JSON.stringify(schema), asNullable) as object)
  return (value: unknown) => withoutMarkup(stringify(value))
})

/** Writes an answer as JSON with the members that its schema names and no others. */
export function createSerializer(schema: object): (value: unknown) => string {
  const serializer = serializerOf(schema)
  return (value) => serializer()(value)
}

const pathLengthMax = 64

/** @param part `body`, `querystring` or `params` */
export function toInvalidRequest(
  errors: readonly Pick<ErrorObject, 'instancePath' | 'keyword' | 'params'>[],
  part: string,
): Refusal {
  const root = part === 'querystring' ? '/query' : `/${part}`
  const details = errors.slice(0, 1).map(({ instancePath, keyword, params }) => {
    const key = (params['additionalProperty'] ?? params['missingProperty']) as string | undefined
    const path = root + instancePath + (key === undefined ? '' : `/${key}`)
    return { path: cut(path), message: messages[keyword] ?? 'is not valid' }
  })
  return new Refusal('invalid_request', { details })
}

/** Leaves no half of a surrogate pair at the end: a strict reader would refuse the whole answer. */
const cut = (path: string): string => path.slice(0, pathLengthMax).replace(/[\ud800-\udbff]$/, '')

const messages: Record<string, string> = {
  additionalProperties: 'is not known here',
  anyOf: 'is not of an accepted form',
  enum: 'is not one of the accepted words',
  maxItems: 'has too many items',
  maxLength: 'is too long',
  minItems: 'has too few items',
  minLength: 'is too short',
  minProperties: 'is empty',
  pattern: 'is not of the accepted form',
  required: 'is missing',
  type: 'is not of the accepted type',
  [noCardNumberKey]: 'holds what looks like a card number',
}
