// Conversion of values to and from PostgreSQL: bigint for int8, and cheaper forms of the types that
// every request uses. The driver converts all other types.
import pg from 'pg'
import type { ColumnType, ParameterType, Statement, ValuesOf } from './statement.ts'

const int8 = 20
const timestamptz = 1184
const int8Array = 1016

/** How result columns are read, by the identifier of their type. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && oid === int8) return BigInt
    if (format !== 'binary' && oid === timestamptz) return parseTime
    if (format !== 'binary' && oid === int8Array) return parseInt8Array
    return pg.types.getTypeParser(oid, format)
  },
}

const parseInt8Array = (text: string): (bigint | null)[] =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((item) => (item === 'NULL' ? null : BigInt(item)))

const usualTime = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/

/**
 * A time as connections in UTC print it: `2026-01-31 09:30:00.123+00`, cut to the millisecond. This
 * takes a third of the time of the driver's parser, which reads all other forms.
 */
function parseTime(text: string): Date {
  if (!usualTime.test(text)) return pg.types.getTypeParser(timestamptz)(text) as Date
  const at = (from: number, to: number) => digits(text, from, to)
  const milliseconds = digits(text.slice(20, -3).padEnd(3, '0'), 0, 3)
  const [hours, minutes, seconds] = [at(11, 13), at(14, 16), at(17, 19)]
  const [year, month, day] = [at(0, 4), at(5, 7) - 1, at(8, 10)]
  return new Date(Date.UTC(year, month, day, hours, minutes, seconds, milliseconds))
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let index = from; index < to; index++) value = value * 10 + text.charCodeAt(index) - 48
  return value
}

/**
 * Items of arrays as text that needs no quotes, by type. Text that could be read as more than one
 * item is refused.
 */
const items: Partial<Record<ParameterType, (item: never) => string>> = {
  'int8[]': (item: bigint) => item.toString(),
  'timestamptz[]': (item: Date) => item.toISOString(),
  'uuid[]'(item: string) {
    // Two identifiers are longer, and PostgreSQL accepts nothing else of this length.
    if (item.length !== 36) throw new TypeError('Not an identifier')
    return item
  },
}

/** The driver would quote and escape every item of an array. */
const encode = (type: ParameterType, value: unknown): unknown => {
  const text = Array.isArray(value) && items[type]
  if (!text) return value
  return `{${(value as never[]).map((item) => (item === null ? 'NULL' : text(item))).join(',')}}`
}

/** A statement with its values, for the driver. The values of its rows come as arrays. */
export function toQuery<T extends readonly ParameterType[], G extends Record<string, ColumnType>>(
  { name, text, takes }: Statement<T, G>,
  values: ValuesOf<T>,
): pg.QueryArrayConfig {
  const parameters = (values as readonly unknown[]).map((value, index) =>
    encode(takes[index] as ParameterType, value),
  )
  return { name, text, values: parameters, rowMode: 'array' }
}
