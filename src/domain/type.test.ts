import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './type.ts'

type Builders = typeof Type

const options = { title: 'Title', 'x-mark': true }

const samples = {
  Array: ({ Array, Null }) => Array(Null(), { maxItems: 3 }),
  Boolean: ({ Boolean }) => Boolean(options),
  Integer: ({ Integer }) => Integer({ minimum: 1 }),
  Null: ({ Null }) => Null(),
  Object: ({ Object, String, Integer, Optional }) =>
    Object(
      { first: String(), second: Optional(Integer()), third: Object({}) },
      { additionalProperties: false },
    ),
  Optional: ({ Object, Optional, Boolean }) => {
    const flag = Optional(Boolean(options))
    // A copy is not optional: so it is in `withExample`.
    return Object({ once: flag, twice: Optional(flag), copied: { ...flag } })
  },
  Partial: ({ Object, Partial, String, Integer, Optional }) => {
    const some = Partial(Object({ first: String(), second: Optional(Integer()) }, options))
    return Object({ ...some.properties, some })
  },
  String: ({ String }) => String({ ...options, pattern: '^a$' }),
  Union: ({ Union, String, Null }) => Union([String(), Null()], options),
  Unsafe: ({ Unsafe, Object }) => Object({ word: Unsafe({ type: 'string', enum: ['a'] }) }),
} satisfies Record<keyof Builders, (builders: Builders) => object>

for (const [name, make] of Object.entries(samples)) {
  test(`a schema of Type.${name} is the one that TypeBox builds, to the byte`, () => {
    assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(TypeBox)))
  })
}
