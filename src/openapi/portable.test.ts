// The API reference is read by generators of clients: it keeps to what all of them know.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnyTime } from '../domain/date-range.ts'
import { uuidPattern } from '../domain/ids.ts'
import { Time } from '../domain/schema.ts'
import { routes } from '../features/routes.ts'
import { openApiDocument } from './document.ts'
import { growingWordsKey } from './names.ts'
import type { SchemaNode } from '../domain/schema.ts'

type Operation = { parameters?: unknown; requestBody?: unknown; responses: unknown }
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, SchemaNode> }
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as Document

/** Every schema in a part of the document, with its place; examples hold no schemas. */
function findSchemas(part: unknown = document): [node: SchemaNode, place: string][] {
  const found: [SchemaNode, string][] = []
  const visit = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && typeof node.type === 'string') found.push([node as SchemaNode, place])
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'example' && key !== 'examples') visit(value, `${place}/${key}`)
    }
  }
  visit(part, '')
  return found
}

/** Every schema that a part refers to, at any depth, besides its own. */
function findAllOf(part: unknown): [node: SchemaNode, place: string][] {
  const parts = new Map<string, unknown>([['', part]])
  for (const [, each] of parts) {
    for (const [, reference = ''] of JSON.stringify(each).matchAll(/"#\/components\/([^"]+)"/g)) {
      const [kind = '', name = ''] = reference.split('/')
      if (kind !== 'examples') parts.set(reference, document.components[kind]?.[name])
    }
  }
  return [...parts].flatMap(([name, each]) =>
    findSchemas(each).map(([node, place]): [SchemaNode, string] => [node, name + place]),
  )
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

test('a text has its rule in words where other languages do not know its pattern', () => {
  const { Name } = document.components.schemas
  assert.equal(Name?.pattern, undefined)
  assert.match(Name?.description ?? '', /^Letters, marks and digits of any script/)
})

test('an answer is open for words and fields of later releases', () => {
  const found = findAllOf(operations.map(({ responses }) => responses))
  assert.ok(found.length > 500)
  for (const [{ enum: words, additionalProperties, oneOf, items, maxItems }, place] of found) {
    assert.deepEqual([words, additionalProperties, oneOf], [undefined, undefined, undefined], place)
    if (items && growingWordsKey in items) assert.ok((maxItems ?? Infinity) >= 100, place)
  }
  const growing = found.filter(([node]) => growingWordsKey in node)
  assert.ok(growing.length > 40)
  for (const [{ maxLength = 0, description = '', ...rest }, place] of growing) {
    const words = (rest as { [growingWordsKey]: string[] })[growingWordsKey]
    for (const word of words) {
      assert.ok(word.length <= maxLength && description.includes(`\`${word}\``), place)
    }
  }
})

test('a request is closed: its words and fields are those that are accepted', () => {
  const found = findAllOf(
    operations.map(({ parameters, requestBody }) => [parameters, requestBody]),
  )
  assert.ok(found.some(([{ enum: words }]) => words?.includes('EUR')))
  for (const [node, place] of found) {
    assert.ok(!(growingWordsKey in node), place)
    // The JSON of a passkey, which WebAuthn extends.
    if (node.properties && !node['x-open']) assert.equal(node.additionalProperties, false, place)
  }
})

test('what has members has a name, and so have words in a list', () => {
  const isNamed = (place: string): boolean => /^\/components\/schemas\/\w+$/.test(place)
  const nameless = findSchemas().filter(
    ([{ properties = {}, enum: words }, place]) =>
      (Object.keys(properties).length > 0 || (words && place.endsWith('/items'))) &&
      !isNamed(place),
  )
  assert.deepEqual(
    nameless.map(([, place]) => place),
    [],
  )
  const { Role, LoginUser, LoginBody } = document.components.schemas
  assert.ok(Role && LoginUser && LoginBody)
})

test('no two names meet in a client', () => {
  // No generator makes a type of an example.
  const { examples: _, ...kinds } = document.components
  const all = Object.values(kinds).flatMap((kind) => Object.keys(kind))
  const plain = all.map((name) => name.replace(/\W|_/g, '').toLowerCase())
  assert.deepEqual(
    all.filter((_name, index) => plain.indexOf(plain[index] as string) !== index),
    [],
  )
  const names = Object.keys(document.components.schemas)
  // Go makes a function `NewCard` for a type `Card`.
  assert.deepEqual(
    names.filter((name) => names.includes(`New${name}`)),
    [],
  )
  // And a constant for each word of a type that has words.
  const words = Object.values(document.components.schemas)
    .flatMap((schema) => schema.enum ?? [])
    .map((word) => String(word).toUpperCase().replace(/\W/g, '_'))
  assert.deepEqual(
    words.filter((word, index) => words.indexOf(word) !== index),
    [],
  )
})

test('a number, a time, a day and an identifier has its format, and no rule that it says', () => {
  const patterns = [uuidPattern, (Time as SchemaNode).pattern, (AnyTime as SchemaNode).pattern]
  for (const [{ type, format, pattern, minLength, maxLength, ...rest }, place] of findSchemas()) {
    if (type === 'integer') {
      const isSmall = (rest.minimum ?? 0) >= -(2 ** 31) && (rest.maximum ?? Infinity) < 2 ** 31
      assert.equal(format, isSmall ? 'int32' : 'int64', place)
    }
    assert.ok(!patterns.includes(pattern), place)
    if (['uuid', 'date', 'date-time'].includes(format ?? '')) {
      assert.deepEqual([pattern, minLength, maxLength], [undefined, undefined, undefined], place)
    }
  }
  const { AccountId, Time: time, AnyTime: any, Day } = document.components.schemas
  assert.deepEqual(
    [AccountId, time, any, Day].map((schema) => schema?.format),
    ['uuid', 'date-time', 'date-time', 'date'],
  )
})

test('every tag has a description', () => {
  for (const { name, description } of document.tags) assert.match(description, /\.$/, name)
})
