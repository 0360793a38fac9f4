// The API reference is read by generators of clients: it keeps to what all of them know.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnyTime } from '../domain/date-range.ts'
import { uuidPattern } from '../domain/ids.ts'
import { Time } from '../domain/schema.ts'
import { routes } from '../features/routes.ts'
import { openApiDocument } from './document.ts'
import type { SchemaNode } from '../domain/schema.ts'

type Document = {
  tags: { name: string; description: string }[]
  components: { schemas: Record<string, SchemaNode> }
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as Document

/** Every schema of the document, with the place where it stands; examples hold no schemas. */
function findSchemas(): [node: SchemaNode, place: string][] {
  const found: [SchemaNode, string][] = []
  const visit = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && typeof node.type === 'string') found.push([node as SchemaNode, place])
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'example' && key !== 'examples') visit(value, `${place}/${key}`)
    }
  }
  visit(document, '')
  return found
}

test('no pattern needs more than the regular expressions that every language has', () => {
  const patterns = findSchemas().flatMap(([{ pattern }]) => pattern ?? [])
  assert.ok(patterns.length > 20)
  const unfit = /\\[pPu]|\(\?(?!:)|\\[AbBzZ]/
  assert.deepEqual(
    patterns.filter((pattern) => unfit.test(pattern)),
    [],
  )
  const { Name } = document.components.schemas
  assert.match(Name?.description ?? '', /^Letters, marks and digits of any script/)
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
