// The example of a schema in the API reference, from the `examples` of its fields.
import type { TSchema } from '../domain/type.ts'
import type { SchemaNode } from '../domain/schema.ts'

/**
 * A value that the schema admits, with the required properties of each object; with all of them
 * when none is required.
 *
 * @param at the place of the schema
 * @param refuseMissing is called with the place of a field without an example
 */
export function createExample(
  schema: TSchema | SchemaNode,
  at = '',
  refuseMissing: (at: string) => never = fail,
): unknown {
  const node = schema as SchemaNode
  const { examples, const: constant, anyOf, enum: words, type, items, minimum } = node
  const known = [examples?.[0], constant, words?.[0]].find((value) => value !== undefined)
  if (known !== undefined) return known
  if (anyOf?.[0]) return createExample(anyOf[0], at, refuseMissing)
  if (type === 'object') {
    const { properties = {}, required = [] } = node
    const keys = required.length > 0 ? required : Object.keys(properties)
    const exampleOf = (key: string) =>
      createExample(properties[key] as SchemaNode, `${at}.${key}`, refuseMissing)
    return Object.fromEntries(keys.map((key) => [key, exampleOf(key)]))
  }
  if (type === 'array') return items ? [createExample(items, `${at}[]`, refuseMissing)] : []
  if (type === 'boolean') return true
  if (type === 'null') return null
  return minimum ?? refuseMissing(at)
}

const fail = (at: string): never => {
  throw new Error(`There is no example of ${at || 'the schema'}`)
}
