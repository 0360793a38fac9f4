// Telephone numbers: E.164 only, and only numbers that are valid in a numbering plan.
import { createRequire } from 'node:module'
import type * as Library from 'libphonenumber-js/max'
import { Type } from './type.ts'
import { invalid } from './errors.ts'

const load = createRequire(import.meta.url)
let library: typeof Library | undefined

/** The numbering plans, loaded with the first number: a start would take a twentieth longer. */
const plans = (): typeof Library => (library ??= load('libphonenumber-js/max') as typeof Library)

/** The form of a number; {@link checkPhone} checks its numbering plan. */
export const Phone = Type.String({
  title: 'Phone',
  pattern: '^\\+[1-9][0-9]{6,14}$',
  minLength: 8,
  maxLength: 16,
  description: 'Telephone number in E.164 form, such as +442079460000.',
  examples: ['+442079460000'],
})

/** Whether the number is valid in its country's plan, and in its E.164 form. */
export function isPhone(text: string): boolean {
  const parsed = plans().parsePhoneNumberFromString(text)
  return parsed !== undefined && parsed.isValid() && parsed.number === text
}

/** Refuses an invalid number with `invalid_request` at `path`; passes null and undefined. */
export function checkPhone(text: string | null | undefined, path: string): void {
  if (typeof text === 'string' && !isPhone(text)) invalid(path, 'is not a valid telephone number')
}
