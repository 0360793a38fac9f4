// Which of the offered media types a client gets (RFC 9110 section 12.5.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMediaType } from './accept.ts'

const offered = { json: 'application/json', csv: 'text/csv', pdf: 'application/pdf' }

test('a client gets what it weighs most, by the most specific range, and the first of equals', () => {
  for (const [accept, expected] of [
    [undefined, 'json'],
    ['', 'json'],
    ['  ', 'json'],
    ['*/*', 'json'],
    ['text/*', 'csv'],
    ['TEXT/CSV ; header=present', 'csv'],
    ['text/csv, application/pdf', 'csv'],
    ['application/pdf, text/csv;q=0.999', 'pdf'],
    ['application/*;q=0.5, application/json;q=0.4', 'pdf'],
    ['*/*, application/json;q=0', 'csv'],
    ['text/csv;q=0.001', 'csv'],
    ['text/csv;q=0', undefined],
    ['text/csv;q=0.000, */*;q=0', undefined],
    ['image/png', undefined],
    ['text', undefined],
    // What is malformed accepts nothing.
    ['text/csv;q=1.1', undefined],
    ['text/csv;q=0.0001', undefined],
    ['text/csv;q=x', undefined],
    ['text/csv;q=', undefined],
    ['text/csv;q=2, application/pdf;q=1.000', 'pdf'],
  ] as const) {
    assert.equal(chooseMediaType(accept, offered), expected, accept)
  }
})
