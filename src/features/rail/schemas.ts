// What programs that carry payments to and from other banks (rails) send.
import { Type } from '../../domain/type.ts'
import { foreignKey } from '../../domain/ids.ts'
import { noCardNumberKey } from '../../domain/schema.ts'

const numberRule =
  'How the caller numbers this: unique for ever among those of the caller. Visible ASCII and ' +
  'space, without a card number: digits that begin and are as many as those of a card scheme, ' +
  'and pass the Luhn formula. The same again with the same body is answered as the first time, ' +
  'with another body 422 `idempotency_key_reused`.'

/** Numbers what a caller orders, for ever. Compared as it is, byte by byte. */
export const ExternalId = Type.String({
  title: 'ExternalId',
  pattern: '^[\\x20-\\x7e]+$',
  minLength: 1,
  maxLength: 140,
  description: numberRule,
  examples: ['2026-01-31-000017'],
  [foreignKey]: true,
  [noCardNumberKey]: 'schemes',
})

/** Longer than what any payment scheme carries. */
const railTextMax = 10_000

/** A text of another bank: any characters. It is mapped, not refused. */
export const railText = (title: string, example: string, max: number) =>
  Type.String({
    title,
    maxLength: railTextMax,
    description:
      'Any text. What is no character of `Text` is shown as the nearest one, and what is longer ' +
      `than ${max} is cut and ends in \`...\`; the text as it came is kept. Of a card number the ` +
      'last four digits are shown and kept.',
    examples: [example],
    [foreignKey]: true,
  })
