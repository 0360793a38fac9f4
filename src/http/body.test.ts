// What a request may carry, judged before any parser reads it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { hasContent, keepKnown, readQuery, requireContent } from './body.ts'

type Headers = Record<string, string>
const request = (headers: Headers, endsAfterHeaders?: boolean): FastifyRequest => {
  const stream = endsAfterHeaders === undefined ? undefined : { endAfterHeaders: endsAfterHeaders }
  return { headers, raw: { stream } } as unknown as FastifyRequest
}
type Takes = Parameters<typeof requireContent>[1]
const isTaken = (given: FastifyRequest, takes: Takes = {}): boolean => {
  try {
    requireContent(given, takes)
    return true
  } catch (thrown) {
    assert.equal((thrown as { code?: string }).code, 'unsupported_media_type')
    return false
  }
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const xml = 'application/xml'
const length = { 'content-length': '2' }

test('each media type is taken where the route takes it, in UTF-8 alone', () => {
  const takers: [takes: Takes, types: string[]][] = [
    [{}, [json]],
    [{ form: true }, [json, form]],
    [{ xml: {} }, [json, xml]],
    [{ form: true, xml: {} }, [json, form, xml]],
  ]
  const spellings = (type: string) => [
    type,
    type.toUpperCase(),
    `${type};charset=utf-8`,
    `${type} ; charset="UTF-8" `,
  ]
  const wrong = (type: string) => [
    `${type}; charset=latin1`,
    `${type};charset=utf-8;charset=utf-16`,
    `${type}x`,
    `x${type}`,
    `${type}; boundary=x`,
  ]
  for (const [takes, types] of takers) {
    for (const type of [json, form, xml, 'text/plain', 'multipart/form-data', '']) {
      for (const text of spellings(type)) {
        const given = request({ ...length, 'content-type': text })
        assert.equal(isTaken(given, takes), types.includes(type), text)
      }
      for (const text of wrong(type)) {
        assert.ok(!isTaken(request({ ...length, 'content-type': text }), takes), text)
      }
    }
    assert.ok(!isTaken(request(length), takes), 'without a type')
  }
})

test('a body has no content coding', () => {
  const given = (coding: string) =>
    request({ ...length, 'content-type': json, 'content-encoding': coding })
  assert.ok(isTaken(given('identity')))
  for (const coding of ['gzip', 'br', 'deflate', 'identity, gzip', '']) {
    assert.ok(!isTaken(given(coding)), coding)
  }
})

test('what is not there has no type, however the version of HTTP announces a body', () => {
  const plain = { 'content-type': 'text/plain' }
  const cases: [what: string, headers: Headers, ends: boolean | undefined, hasBody: boolean][] = [
    ['no field', {}, undefined, false],
    ['a length of nothing', { 'content-length': '0' }, undefined, false],
    ['a length', length, undefined, true],
    ['a transfer coding', { 'transfer-encoding': 'chunked' }, undefined, true],
    ['HTTP/2 that ends', {}, true, false],
    ['HTTP/2 that goes on', {}, false, true],
    ['HTTP/2 with a length of nothing', { 'content-length': '0' }, false, false],
  ]
  for (const [what, headers, ends, hasBody] of cases) {
    const given = request({ ...headers, ...plain }, ends)
    assert.equal(isTaken(given), !hasBody, what)
    // The framework would look for a parser of that type.
    assert.equal('content-type' in given.headers, hasBody, what)
    const coded = request({ ...headers, ...plain, 'content-encoding': 'gzip' }, ends)
    assert.equal(isTaken(coded), !hasBody, what)
    assert.equal(isTaken(request(headers, ends)), !hasBody, what)
  }
})

test('of a form the known parameters are kept, and JSON stays as it is', () => {
  const kept = (type: string | undefined, body: unknown) => {
    const given = { headers: type === undefined ? {} : { 'content-type': type }, body }
    keepKnown(given as unknown as FastifyRequest, ['token', 'hint'])
    return given.body
  }
  assert.deepEqual(kept(form, { token: 'x', other: 'y' }), { token: 'x' })
  assert.deepEqual(kept(`${form}; charset=utf-8`, { hint: 'h', token: 'x' }), {
    hint: 'h',
    token: 'x',
  })
  assert.deepEqual(kept(form, undefined), {})
  assert.deepEqual(kept(json, { token: 'x', other: 'y' }), { token: 'x', other: 'y' })
  assert.equal(kept(undefined, undefined), undefined)
})

test('an empty object is no content, and everything else is', () => {
  for (const empty of [undefined, {}]) assert.equal(hasContent(empty), false)
  for (const body of [null, 0, '', false, [], [1], { a: undefined }, Buffer.from('x')]) {
    assert.equal(hasContent(body), true, JSON.stringify(body))
  }
})

test('a query is read in UTF-8, never repaired, and a parameter that is sent twice is a list', () => {
  const read = (text: string) => ({ ...readQuery(text) })
  assert.deepEqual(read('a=1&b=%C3%A4&c=x+y&d'), { a: '1', b: 'ä', c: 'x y', d: '' })
  assert.deepEqual(read('a=1&a=2'), { a: ['1', '2'] })
  assert.deepEqual(read(''), {})
  for (const text of ['a=%ff', 'a=%', 'a=%C3', 'a=1&b=%zz']) {
    assert.deepEqual(read(text), { '%': '' }, text)
  }
  const many = Array.from({ length: 1500 }, (_, at) => `k${at}=`).join('&')
  assert.equal(Object.keys(readQuery(many)).length, 1500)
})
