// What is refused before any route is looked up, field by field, at its bounds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProblem, headerBytesMax, headerFieldsMax, type Incoming } from './request-checks.ts'

type Field = readonly [name: string, value: string]
type Made = { url?: string; version?: number; isHttp2?: boolean }

/** A request as Node's parsers give it: of several fields of a name `headers` has the last. */
const problem = (fields: readonly Field[], { url = '/', version = 1, isHttp2 }: Made = {}) =>
  findProblem({
    url,
    httpVersionMajor: isHttp2 ? 2 : version,
    rawHeaders: fields.flat(),
    headers: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
    ...(isHttp2 && { stream: {} }),
  } as unknown as Incoming)

const host: Field = ['Host', 'bank.example']
const authority: Field = [':authority', 'bank.example']

test('a field that two readers could read differently is sent once', () => {
  const onceOnly = ['Accept', 'Authorization', 'Content-Encoding', 'Content-Length', 'Content-Type']
  for (const name of [...onceOnly, 'Idempotency-Key', 'Transfer-Encoding']) {
    const value = name === 'Transfer-Encoding' ? 'chunked' : 'x'
    assert.equal(problem([host, [name, value]]), undefined, name)
    const twice: Field[] = [
      [name, value],
      [name.toUpperCase(), value],
    ]
    assert.equal(problem([host, ...twice]), 'invalid_request', name)
    assert.equal(problem([...twice, host]), 'invalid_request', name)
    assert.equal(problem([twice[0] as Field, host, twice[1] as Field]), 'invalid_request', name)
  }
  assert.equal(problem([host, ['X-Forwarded-For', '1'], ['x-forwarded-for', '2']]), undefined)
})

test('a request names one host, in the form of a host', () => {
  assert.equal(problem([]), 'invalid_request')
  assert.equal(problem([host, host]), 'invalid_request')
  assert.equal(problem([authority], { isHttp2: true }), undefined)
  assert.equal(problem([authority, host], { isHttp2: true }), 'invalid_request')
  for (const name of ['bank.example:8443', '[::1]', '[::1]:1', 'BANK']) {
    assert.equal(problem([['host', name]]), undefined, name)
  }
  for (const name of ['', 'a b', 'a/b', 'a@b', 'a:', 'a:123456', 'a:x', '[::g]', 'a,b', 'a#b']) {
    assert.equal(problem([['host', name]]), 'invalid_request', name)
  }
})

test('header fields and targets have their bounds, to the last field and byte', () => {
  const fields = (count: number): Field[] =>
    Array.from({ length: count }, (_, index) => [`x-${index}`, 'x'])
  assert.deepEqual([headerFieldsMax, headerBytesMax], [100, 8192], 'as the contract has them')
  assert.equal(problem([host, ...fields(headerFieldsMax - 1)]), undefined)
  assert.equal(problem([host, ...fields(headerFieldsMax)]), 'headers_too_large')
  // The parser of HTTP/1.1 counts the bytes itself.
  const bytes = (count: number): Field[] => {
    const size = (field: Field) => field[0].length + field[1].length
    return [authority, ['x', 'x'.repeat(count - size(authority) - 1)]]
  }
  assert.equal(problem(bytes(headerBytesMax), { isHttp2: true }), undefined)
  assert.equal(problem(bytes(headerBytesMax + 1), { isHttp2: true }), 'headers_too_large')
  assert.equal(problem([host], { url: `/${'x'.repeat(headerBytesMax - 1)}` }), undefined)
  assert.equal(problem([host], { url: `/${'x'.repeat(headerBytesMax)}` }), 'uri_too_long')
})

test('a version that the parser of HTTP/1.1 does not speak, and a body without an end, are refused', () => {
  assert.equal(problem([host], { version: 2 }), 'invalid_request')
  assert.equal(problem([host, ['transfer-encoding', 'Chunked']]), undefined)
  assert.equal(problem([host, ['transfer-encoding', 'gzip, chunked']]), 'not_implemented')
  assert.equal(problem([host, ['transfer-encoding', 'chunked, gzip']]), 'invalid_request')
  assert.equal(problem([host, ['transfer-encoding', 'identity']]), 'invalid_request')
})
