// The examples of a reference as a later release could answer them: each place of a word once with
// a word that is new there, and each answer once with a field more in every object.

type Schema = {
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  'x-extensible-enum'?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
}
type Content = { schema?: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }
type Reply = { $ref?: string; content?: Record<string, Content> }
export type Reference = {
  paths: Record<string, Record<string, { responses: Record<string, Reply> }>>
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> }
}

export const newWord = 'word_of_tomorrow'

export type Answer = {
  /** The name of its schema. */
  model: string
  body: unknown
  /** Where the new word is; absent: the answer has new fields. */
  place?: string
}

type Place = readonly (string | number)[]

/** A copy of a value with another one at a place. */
function replaced(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) return by
  const inner = replaced((value as Record<string, unknown>)[first], rest, by)
  return Object.assign(Array.isArray(value) ? [...value] : { ...(value as object) }, {
    [first]: inner,
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every object of a value with a field more. */
function withNewFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewFields)
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, each]) => [name, withNewFields(each)])
  return { ...Object.fromEntries(fields), fieldOfTomorrow: newWord }
}

/** Each answer of one name once: lists hold what is read alone too. */
export function answersOfTomorrow(reference: Reference): Answer[] {
  const { schemas, examples } = reference.components
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema

  /** The places of words in a value of the schema. */
  const findWords = (node: Schema, value: unknown, at: Place): Place[] => {
    const schema = resolve(node)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return choices.flatMap((choice) => findWords(choice, value, at))
    if (schema.enum ?? schema['x-extensible-enum']) return [at]
    if (schema.items && Array.isArray(value)) {
      // A list of words has one more at its end.
      const ends = resolve(schema.items)
      const isOfWords = ends.enum ?? ends['x-extensible-enum']
      const index = isOfWords ? value.length : 0
      return isOfWords || value.length > 0
        ? findWords(schema.items, value[index], [...at, index])
        : []
    }
    if (!schema.properties || !isObject(value)) return []
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      name in value ? findWords(property, value[name], [...at, name]) : [],
    )
  }

  const found = new Map<string, Answer[]>()
  const add = (schema: Schema | undefined, body: unknown): void => {
    const model = schema?.$ref?.split('/').at(-1)
    if (!schema || model === undefined || found.has(model) || model === 'Error') return
    found.set(model, answersOf(schema, model, body))
  }
  const answersOf = (schema: Schema, model: string, body: unknown): Answer[] => [
    { model, body: withNewFields(body) },
    ...findWords(schema, body, []).map((at) => ({
      model,
      place: `${model}.${at.join('.')}`,
      body: replaced(body, at, newWord),
    })),
  ]
  for (const methods of Object.values(reference.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const json = content?.['application/json']
        if (status.startsWith('2') && json) add(json.schema, json.example)
      }
    }
  }
  const errors = ['invalid_request', 'confirmation_required', 'limit_exceeded']
    .map((code) => examples[code]?.value)
    .filter((value) => value !== undefined)
  const ofErrors = errors.flatMap((body) =>
    answersOf({ $ref: '#/components/schemas/Error' }, 'Error', body),
  )
  return [...found.values(), ofErrors].flat()
}
