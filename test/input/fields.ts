// What clients may send, field by field, read off the routes themselves: a new field is tested
// without a line of test.
import type { SchemaNode } from '../../src/domain/schema.ts'
import type { Role } from '../../src/gate/roles.ts'
import type { Route } from '../../src/http/route.ts'
import { Iban } from '../../src/domain/iban.ts'
import { routes } from '../../src/features/routes.ts'
import { OptionalText, Text } from '../../src/domain/schema.ts'
import type { PersonName } from '../support/world.ts'

const personByRole: readonly (readonly [Role, PersonName])[] = [
  ['customer', 'ada'],
  ['admin', 'root'],
  ['support-agent', 'agnes'],
]

/** A person who may use the route; everyone may use a public one. */
export const personForRoute = ({ access }: Route): PersonName =>
  personByRole.find(([role]) => access === 'public' || access[role] !== undefined)?.[1] ?? 'root'

export type Field = { route: Route; key: string; node: SchemaNode }

const findFields = (part: 'body' | 'query'): Field[] =>
  routes.flatMap((route) =>
    Object.entries((route[part]?.properties ?? {}) as Record<string, SchemaNode>).map(
      ([key, node]) => ({
        route,
        key,
        node,
      }),
    ),
  )

export const bodyFields = findFields('body')
export const queryFields = findFields('query')

const choices = (node: SchemaNode): SchemaNode[] => node.anyOf ?? [node]

const fieldsLike = ({ pattern: wanted }: SchemaNode): Field[] =>
  bodyFields.filter(
    // The answer of an issuer is refused before its text is stored: issuer/attacks.test.ts.
    ({ route, node }) =>
      route.operation !== 'completeIssuerLogin' &&
      choices(node).some(({ pattern }) => pattern === wanted),
  )

/** The fields of free text that must say something. */
export const requiredTextFields = fieldsLike(Text)

/** The fields that take free text. */
export const textFields = [...requiredTextFields, ...fieldsLike(OptionalText)]

/** The fields that are an IBAN. */
export const ibanFields = fieldsLike(Iban)

/** How many characters a field of free text takes at most. */
export const lengthMax = ({ node }: Field): number =>
  Math.max(...choices(node).map(({ maxLength = 0 }) => maxLength))

const jsonType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** A word that occurs nowhere else, so that an answer which repeats it is found. */
export const canary = 'kanarie'

/** Values of another type that a lenient reader would coerce to the field's type. */
export function wrongValues({ node }: Field, good: unknown): unknown[] {
  const taken = new Set(choices(node).map(({ type }) => type ?? 'string'))
  const offers = [
    9_876_543_210,
    0,
    12.5,
    true,
    false,
    'true',
    '9876543210',
    '',
    canary,
    null,
    [good],
    [canary],
    [],
    { [canary]: good },
    {},
  ]
  return offers.filter((value) => !taken.has(jsonType(value)))
}

/** Lists with one item of a wrong type, for the fields that are lists. */
export const wrongItems = ({ node }: Field): unknown[][] =>
  node.items === undefined ? [] : [[[canary]], [9_876_543_210], [null], [{ [canary]: 1 }], [true]]
