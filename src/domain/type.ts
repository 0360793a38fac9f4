// The builders of schemas: JSON Schema with the types of TypeBox. Its own builders are 373 modules,
// which a start would load for these few lines; a test compares the two.
import type { Type as TypeBox } from 'typebox'

export type { Static, TObject, TProperties, TSchema } from 'typebox'

type Schema = object
type Properties = Record<string, Schema>

/** Marks a property that an object may lack. A copy of the schema does not have it. */
const optional = Symbol('optional')

const toOptional = (schema: Schema): Schema =>
  Object.defineProperty({ ...schema }, optional, { value: true })

function toObject(properties: Properties, options?: Schema) {
  const required = Object.keys(properties).filter((key) => !(optional in Object(properties[key])))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const toPartial = ({ properties }: { properties: Properties }) =>
  toObject(
    Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, toOptional(each)])),
  )

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Object: toObject,
  Optional: toOptional,
  Partial: toPartial,
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
