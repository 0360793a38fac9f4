// Finds what a document of the interface has lost against an earlier one: operations, fields of
// answers, accepted inputs. An addition is no loss, unless requests of before lack it.

type Json = { readonly [name: string]: unknown }
/** OpenAPI 3.1, as far as the generated document uses it. */
export type Interface = { paths: Record<string, Json>; components: Json }

const child = (node: unknown, name: string): Json => ((node as Json)?.[name] ?? {}) as Json
const list = (node: unknown, name: string): readonly unknown[] =>
  ((node as Json)?.[name] as readonly unknown[] | undefined) ?? []

function resolve(node: unknown, document: Interface): Json {
  const reference = (node as Json)?.['$ref']
  if (typeof reference !== 'string') return node as Json
  const found = reference.slice(2).split('/').reduce<unknown>(child, document)
  return resolve(found, document)
}

type Side = 'answer' | 'input'
type Pair = {
  before: Interface
  now: Interface
  lost: string[]
  /** Schemas that have lost nothing against those: most are met many times. */
  sound: Record<Side, WeakMap<Json, WeakSet<Json>>>
}
const upperBounds = ['maxLength', 'maximum', 'maxItems']
const lowerBounds = ['minLength', 'minimum', 'minItems', 'minProperties']
/** What an input has to be, besides its bounds: a later version may only take it away. */
const rules = ['pattern', 'format', 'uniqueItems']

function compareInput(before: Json, now: Json, at: string, lost: string[]): void {
  for (const name of list(now, 'required')) {
    if (!list(before, 'required').includes(name)) lost.push(`${at}: ${String(name)} is required`)
  }
  for (const value of now['enum'] === undefined ? [] : list(before, 'enum')) {
    if (!list(now, 'enum').includes(value)) lost.push(`${at}: ${String(value)} is refused`)
  }
  for (const name of rules) {
    if (now[name] !== undefined && now[name] !== before[name]) lost.push(`${at}: another ${name}`)
  }
  const isNarrower = (name: string, isBeyond: (was: number, is: number) => boolean) => {
    const is = now[name] as number | undefined
    const was = before[name] as number | undefined
    return is !== undefined && (was === undefined || isBeyond(was, is))
  }
  for (const name of upperBounds) {
    if (isNarrower(name, (was, is) => is < was)) lost.push(`${at}: a lower ${name}`)
  }
  for (const name of lowerBounds) {
    if (isNarrower(name, (was, is) => is > was)) lost.push(`${at}: a higher ${name}`)
  }
}

function compareSchemas(one: unknown, other: unknown, at: string, side: Side, pair: Pair): void {
  const [before, now] = [resolve(one, pair.before), resolve(other, pair.now)]
  const known = pair.sound[side].get(before) ?? new WeakSet()
  if (known.has(now)) return
  const count = pair.lost.length
  compareResolved(before, now, at, side, pair)
  if (pair.lost.length === count) pair.sound[side].set(before, known.add(now))
}

function compareResolved(before: Json, now: Json, at: string, side: Side, pair: Pair): void {
  const { lost } = pair
  // An answer may have more kinds than before; each kind of before is still one of them.
  const choices = [...list(before, 'anyOf'), ...list(before, 'oneOf')]
  if (choices.length > 0) {
    const left = [...list(now, 'anyOf'), ...list(now, 'oneOf'), now]
    for (const [index, choice] of choices.entries()) {
      const isThere = left.some((each) => {
        const trial: Pair = { ...pair, lost: [] }
        compareSchemas(choice, each, at, side, trial)
        return trial.lost.length === 0
      })
      if (!isThere) lost.push(`${at}: choice ${index}`)
    }
    return
  }
  const kinds = [...list(now, 'anyOf'), ...list(now, 'oneOf')]
  if (kinds.length > 0 && side === 'input') {
    const isTaken = kinds.some((each) => {
      const trial: Pair = { ...pair, lost: [] }
      compareSchemas(before, each, at, side, trial)
      return trial.lost.length === 0
    })
    if (!isTaken) lost.push(`${at}: none of the choices takes it`)
    return
  }
  if (JSON.stringify(before['type']) !== JSON.stringify(now['type'])) lost.push(`${at}: its type`)
  for (const [name, schema] of Object.entries(child(before, 'properties'))) {
    const later = child(now, 'properties')[name]
    if (later === undefined) lost.push(`${at}.${name}`)
    else compareSchemas(schema, later, `${at}.${name}`, side, pair)
  }
  if (before['items']) compareSchemas(before['items'], now['items'] ?? {}, `${at}[]`, side, pair)
  if (side === 'input') return compareInput(before, now, at, lost)
  for (const name of list(before, 'required')) {
    if (!list(now, 'required').includes(name)) lost.push(`${at}.${String(name)} may be absent`)
  }
}

function compareContents(one: unknown, other: unknown, at: string, side: Side, pair: Pair): void {
  const [before, now] = [resolve(one, pair.before), resolve(other, pair.now)]
  for (const [type, { schema }] of Object.entries(child(before, 'content')) as [string, Json][]) {
    const later = child(now, 'content')[type] as Json | undefined
    if (!later) pair.lost.push(`${at}: ${type}`)
    else if (schema) compareSchemas(schema, later['schema'], at, side, pair)
  }
  for (const name of Object.keys(child(before, 'headers'))) {
    if (child(now, 'headers')[name] === undefined) pair.lost.push(`${at}: the header ${name}`)
  }
}

function compareParameters(one: Json, other: Json, at: string, pair: Pair): void {
  const key = (parameter: unknown) => {
    const { in: place, name } = parameter as { in: string; name: string }
    return `${place} ${name}`
  }
  const before = new Map(list(one, 'parameters').map((each) => [key(each), each as Json]))
  const now = new Map(list(other, 'parameters').map((each) => [key(each), each as Json]))
  for (const [name, parameter] of before) {
    const later = now.get(name)
    if (!later) pair.lost.push(`${at}: ${name}`)
    else compareSchemas(parameter['schema'], later['schema'], `${at}: ${name}`, 'input', pair)
  }
  for (const [name, { required }] of now) {
    const isNew = required === true && before.get(name)?.['required'] !== true
    if (isNew) pair.lost.push(`${at}: ${name} is required`)
  }
}

/** Each loss in words. */
export function findLost(before: Interface, now: Interface): string[] {
  const lost: string[] = []
  const sound = { answer: new WeakMap(), input: new WeakMap() }
  const pair: Pair = { before, now, lost, sound }
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods) as [string, Json][]) {
      const at = `${method.toUpperCase()} ${path}`
      const later = child(now.paths, path)[method] as Json | undefined
      if (!later) {
        lost.push(at)
        continue
      }
      if (operation['operationId'] !== later['operationId']) lost.push(`${at}: its operationId`)
      compareParameters(operation, later, at, pair)
      const body = operation['requestBody']
      if (body) compareContents(body, later['requestBody'], `${at} body`, 'input', pair)
      if (!body && child(later, 'requestBody')['required']) lost.push(`${at}: a body is required`)
      for (const [status, answer] of Object.entries(child(operation, 'responses'))) {
        const isSuccess = status.startsWith('2')
        const answered = child(later, 'responses')[status]
        if (isSuccess && !answered) lost.push(`${at} ${status}`)
        if (answered) compareContents(answer, answered, `${at} ${status}`, 'answer', pair)
      }
    }
  }
  return lost
}
