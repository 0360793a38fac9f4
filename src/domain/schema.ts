// Building blocks of request and response schemas: bounded, and closed to unknown keys.
import { type TProperties, Type } from 'typebox'
import { amountPattern, currencies } from './money.ts'

/** An object that refuses unknown keys, against mass assignment (CWE-915). */
export const closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** One of the given words. */
export const oneOf = <const W extends readonly string[]>(words: W, options: object = {}) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options })

/** The schema, or null. */
export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/**
 * Letters, marks and digits of any script, space and the SEPA punctuation (EPC217-08): no markup,
 * no control and no bidirectional-control characters, so stored text is inert wherever it is shown.
 */
const freeText = "^[\\p{L}\\p{M}\\p{Nd} /?:().,'+&#-]*$"
const text = (minLength: number, maxLength: number) =>
  Type.String({ pattern: freeText, minLength, maxLength })

export const Text = text(1, 140)
export const OptionalText = text(0, 140)
export const Name = text(1, 70)

export const Currency = oneOf(currencies, { description: 'ISO 4217 code.' })

/** An amount in a request: positive or zero; its currency bounds the minor digits. */
export const Amount = Type.String({
  pattern: amountPattern,
  minLength: 1,
  maxLength: 19,
  description: 'Decimal string, at most the minor digits of the currency.',
})

/** An amount in a response: may be negative. */
export const SignedAmount = Type.String({
  pattern: '^-?[0-9]{1,19}(\\.[0-9]{1,3})?$',
  maxLength: 24,
})

export const Time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  minLength: 24,
  maxLength: 24,
  description: 'RFC 3339, UTC, milliseconds.',
})

/** The reply with status 204. */
export const Nothing = Type.Null()
