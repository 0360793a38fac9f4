// Conversion of values to and from PostgreSQL: bigint for int8, and cheaper forms of the types that
// every request uses. The driver converts all other types.
import pg from 'pg'
import { LoggedError } from '../../domain/logged-error.ts'
import { currencies } from '../../domain/money.ts'

/**
 * PostgreSQL types as they appear in TypeScript. `int8` is bigint: money and sequences are exact.
 */
export type Scalars = {
  bool: boolean
  bpchar: string
  bytea: Buffer
  int2: number
  int4: number
  int8: bigint
  jsonb: unknown
  text: string
  timestamptz: Date
  uuid: string
  void: null
}
type Scalar = keyof Scalars
type Arrays = { [S in Scalar as `${S}[]`]: (Scalars[S] | null)[] }
type Plain = Scalars & Arrays
export type ColumnType = keyof Plain | `${keyof Plain}?`
export type ParameterType = ColumnType

declare const words: unique symbol
/** A column of text that holds one of some words: the schema or the program holds it to them. */
type WordColumn<W extends string, T extends 'text' | 'text?'> = T & { readonly [words]: W }

/** The type of a column that holds one of these words. */
export const wordOf: <W extends string>(words: readonly W[]) => WordColumn<W, 'text'> = () =>
  'text' as never
/** The same of a column that may be null. */
export const wordOrNullOf: <W extends string>(words: readonly W[]) => WordColumn<W, 'text?'> = () =>
  'text?' as never
export const currencyText = wordOf(currencies)

type Value<T> = T extends { readonly [words]: infer W }
  ? W | (T extends 'text?' ? null : never)
  : T extends `${infer P extends keyof Plain}?`
    ? Plain[P] | null
    : T extends keyof Plain
      ? Plain[T]
      : never

export type RowOf<G extends Columns> = { [C in keyof G]: Value<G[C]> }
export type ValuesOf<T extends readonly ParameterType[]> = {
  -readonly [I in keyof T]: Value<T[I]>
}
export type Columns = Record<string, ColumnType>

const timestamptz = 1184
const ofDriver = (oid: number) => pg.types.getTypeParser(oid) as (text: string) => unknown

/** How columns are read, by type. */
const readers: Partial<Record<ColumnType, (text: string) => unknown>> = {
  bool: (text) => text === 't',
  bytea: ofDriver(17),
  int2: Number,
  int4: Number,
  int8: BigInt,
  jsonb: JSON.parse,
  'text[]': parseTexts,
  timestamptz: parseTime,
  'uuid[]': ofDriver(2951),
}
/** Types whose columns are taken as the text they arrive as. */
const textTypes: readonly ColumnType[] = ['bpchar', 'text', 'uuid', 'void']

/**
 * Compiled from the names of the columns, which are constants: V8 makes an object of known members
 * faster than one that is filled by name.
 *
 * @returns makes a row of the texts of its columns; null is SQL's null
 */
export function createToRow<G extends Columns>(
  gives: G,
): (texts: readonly (string | null)[]) => RowOf<G> {
  const columns = Object.entries(gives).map(([name, type]) => {
    const base = type.replace(/\?$/, '') as ColumnType
    if (!readers[base] && !textTypes.includes(base))
      throw new LoggedError(`A column of type ${base}`)
    return { name: JSON.stringify(name), read: readers[base] }
  })
  const members = columns.map(({ name, read }, index) => {
    const text = `texts[${index}]`
    return `${name}: ${read ? `${text} === null ? null : read${index}(${text})` : text}`
  })
  const names = columns.map((_, index) => `read${index}`)
  // oxlint-disable-next-line typescript/no-implied-eval -- what is compiled is this program's own
  const compile = new Function(...names, `return (texts) => ({ ${members.join(', ')} })`)
  return compile(...columns.map(({ read }) => read)) as ReturnType<typeof createToRow<G>>
}

const withoutQuotes = /^\{[^{}"\\]+\}$/

/** Items that need no quotes, as most arrays have; the driver reads all others. */
function parseTexts(text: string): (string | null)[] {
  if (!withoutQuotes.test(text)) return ofDriver(1009)(text) as (string | null)[]
  const items = text.slice(1, -1).split(',')
  return items.map((item) => (item === 'NULL' ? null : item))
}

const usualTime = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/

/**
 * A time as connections in UTC print it: `2026-01-31 09:30:00.123+00`, cut to the millisecond. This
 * takes a third of the time of the driver's parser, which reads all other forms.
 */
function parseTime(text: string): Date {
  if (!usualTime.test(text)) return ofDriver(timestamptz)(text) as Date
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

/** One value. The driver would quote and escape every item of an array. */
function encodeOne(type: ParameterType | undefined, value: unknown): unknown {
  const text = type && Array.isArray(value) && items[type]
  if (!text) return value
  return `{${(value as never[]).map((item) => (item === null ? 'NULL' : text(item))).join(',')}}`
}

/** The values of a statement's parameters in the form that the driver takes. */
export const encode = (
  takes: readonly ParameterType[],
  values: readonly unknown[],
): readonly unknown[] => values.map((value, index) => encodeOne(takes[index], value))
