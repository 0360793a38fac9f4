// What a text finds among the entries of an account, and how much one search may compare.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchFor } from './entry-search.ts'

type Entry = Parameters<NonNullable<ReturnType<typeof searchFor>>>[0]

const entry: Entry = {
  seq: 1n,
  reference: 'Rent for June',
  counterpartyName: 'Zoë Müller',
  counterpartyIban: 'DE89370400440532013000',
  amount: -6490n,
}
const finds = (text: string, more: Partial<Entry> = {}) =>
  searchFor(text, 'EUR')?.({ ...entry, ...more })

test('a text finds an entry by a part of its reference, its counterparty or its note', () => {
  for (const [text, expected, more] of [
    ['rent', true],
    [' RENT FOR ', true],
    ['rentfor', false],
    ['muller', true],
    ['ZOE', true],
    ['zoe', false, { counterpartyName: null }],
    ['holiday', false],
    ['holiday', true, { note: 'For the Holidays' }],
    ['de89', true],
    ['0532 0130', true],
    ['3000', true],
    ['130', false],
    ['3000', false, { counterpartyIban: null }],
    ['de88', false],
    ['DE89370400440532013000', true],
  ] as [string, boolean, Partial<Entry>?][]) {
    assert.equal(finds(text, more), expected, text)
  }
  for (const text of ['', '  ', '\u0301']) assert.equal(searchFor(text, 'EUR'), undefined)
})

test('an amount is found as people write it, with and without its sign', () => {
  for (const [text, expected, amount = -6490n] of [
    ['64.90', true],
    ['64,90', true],
    ['64.90', true, 6490n],
    ['-64.90', true],
    ['+ 64,90', true],
    ['64.9', true],
    ['64.91', false],
    ['-64.90', true, 6490n],
    ['1,234.50', true, 123_450n],
    ['1.234,50', true, 123_450n],
    ['1 234,50', true, 123_450n],
    ['1234.5', true, 123_450n],
    ['1.234.567', true, 123_456_700n],
    ['1,234,50', false, 123_450n],
    ['1.234', true, 123_400n],
  ] as [string, boolean, bigint?][]) {
    const none = { reference: '', counterpartyName: null, counterpartyIban: null }
    assert.equal(finds(text, { ...none, amount }), expected, `${text} ${amount}`)
  }
})

test('a search stops once it has folded half a million letters that are not ASCII', () => {
  const long = (length: number, letter = 'ü') => ({ ...entry, reference: letter.repeat(length) })
  for (const [length, letter, next] of [
    [249_999, 'ü', false],
    [250_000, 'ü', undefined],
    [600_000, 'u', false],
  ] as const) {
    const matches = searchFor('x', 'EUR')
    const only = { counterpartyName: null, counterpartyIban: null }
    assert.equal(matches?.({ ...long(length, letter), ...only }), false)
    assert.equal(matches?.({ ...entry, ...only }), next, `${length}`)
  }
})
