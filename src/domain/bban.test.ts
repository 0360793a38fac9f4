// National account numbers of many countries, against the rules of another author.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import { type GermanMethod, germanMarks, germanMethods } from './check-digits.ts'
import { codeProblem, isOfBank, leastCode, numbersOf, toPattern } from './bban.ts'
import { countFreeDigits, newIban, toIban } from './iban.ts'

type Example = [country: string, prefix: string, digits: string, iban: string, check?: GermanMethod]
const examples = JSON.parse(
  readFileSync(new URL('../../test/ibans/examples.json', import.meta.url), 'utf8'),
) as Example[]

test('the numbers of 33 countries, and of German banks by their method, have the check digits that another library gives them', () => {
  for (const [country, prefix, digits, iban, check] of examples) {
    const bank = { country, prefix, check }
    assert.equal(countFreeDigits(bank), digits.length, iban)
    assert.equal(toIban(bank, digits), iban, check)
    assert.ok(isOfBank(bank, iban))
    assert.equal(leastCode(iban).slice(0, 2), country)
  }
  assert.equal(new Set(examples.map(([country]) => country)).size, 33)
  const methods = new Set(examples.map(([, , , , check]) => check).filter((each) => each))
  assert.deepEqual(methods, new Set(germanMarks))
})

test('new numbers of a German bank have the check digit of its method', () => {
  for (const check of germanMarks) {
    for (let turn = 0; turn < 100; turn++) {
      const iban = newIban({ country: 'DE', prefix: '37040044', check }) ?? assert.fail(check)
      assert.ok(isValidIBAN(iban), iban)
      assert.equal(germanMethods[check].fill(iban.slice(4)), iban.slice(4), check)
    }
  }
})

/** A code of each country whose numbers are made, and that the library above does not check. */
const others = {
  AD: '00012030',
  AE: '033',
  AL: '21211009',
  AZ: 'NABZ',
  BG: 'BNBG9661',
  BH: 'BMAG',
  BY: 'NBRB3600',
  CR: '0152',
  CY: '00200128',
  DO: 'BAGR',
  EG: '00190005',
  FO: '6460',
  GE: 'NB',
  GI: 'NWBK',
  GL: '6471',
  GT: 'TRAJ0102',
  HR: '1001005',
  HU: '1177301',
  IL: '010800',
  IQ: 'NBIQ850',
  JO: 'CBJO0010',
  KW: 'CBKU',
  KZ: '125',
  LB: '0999',
  LC: 'HEMM',
  LI: '08810',
  LY: '002048',
  MD: 'AG',
  MN: '1234',
  MT: 'MALT01100',
  NI: 'BAPR',
  OM: '018',
  PK: 'SCBL',
  PS: 'PALS',
  QA: 'DOHB',
  SA: '80',
  SD: '21',
  SO: '1000001',
  SV: 'CENR',
  TR: '000610',
  UA: '322313',
  VA: '001',
  VG: 'VPVG',
  XK: '1212',
  YE: 'CBYE0001',
}

test('every new number of every country is valid, of its bank, and another one each time', () => {
  const codes = [
    ...examples.map(([country, prefix]) => [country, prefix]),
    ...Object.entries(others),
  ]
  for (const [country = '', prefix = ''] of new Map(
    codes.map((code) => [code.join('/'), code]),
  ).values()) {
    const bank = { country, prefix }
    const pattern = new RegExp(`^${toPattern(bank).replaceAll('_', '.').replace('%', '.*')}$`)
    const made = Array.from({ length: 200 }, () => newIban(bank) ?? assert.fail(country))
    for (const iban of made) {
      assert.ok(isValidIBAN(iban), iban)
      assert.ok(isOfBank(bank, iban), iban)
      assert.match(iban, pattern)
    }
    assert.ok(new Set(made).size > 190, country)
  }
})

test('the examples of the register of ISO 13616 come of their digits', () => {
  for (const [iban, prefix, digits] of [
    ['HR1210010051863000160', '1001005', '186300016'],
    ['XK051212012345678906', '1212', '0123456789'],
    ['ES9121000418450200051332', '21000418', '0200051332'],
    // Each sum is 12: a check digit of 10 is written as 1.
    ['ES4100000002110000000002', '00000002', '0000000002'],
    // A letter counts as its place behind the digits: A is 10.
    ['MK07250AZ1234567847', '250AZ', '12345678'],
    ['FR1420041010050500013M02606', '2004101005', '0500013M026'],
    ['IT60X0542811101000000123456', '0542811101', '000000123456'],
    ['NO9386011117947', '8601', '111794'],
    ['CZ6508000000192000145399', '0800', '00001200014539'],
    ['BE68539007547034', '539', '0075470'],
    ['PL61109010140000071219812874', '10901014', '0000071219812874'],
    ['FI2112345600000785', '123', '4560000078'],
  ] as const) {
    assert.equal(toIban({ country: iban.slice(0, 2), prefix }, digits), iban)
  }
})

test('a code of an unknown country, of a wrong length or form, or with a wrong check digit makes no numbers', () => {
  for (const [country, prefix, reason] of [
    ['ZZ', '1234', /no IBAN/],
    ['US', '1234', /no IBAN/],
    ['DE', '3704004', /8 to 15 characters/],
    ['DE', '3704004405320130', /8 to 15 characters/],
    ['GB', '601613', /10 to 15 characters/],
    ['GB', '6016130000', /character that numbers of GB/],
    ['NL', 'AB1A', /character that numbers of NL/],
    ['FR', '20041', /10 to/],
    ['PL', '10901015', /check digit that does not fit/],
    ['HR', '1001004', /check digit that does not fit/],
    ['ES', '2100041845', /check digit that does not fit/],
    // Every number has a check digit of 10, or a form that is another one's.
    ['SK', '1710153045', /check digit that does not fit/],
    ['CZ', '0100153045', /check digit that does not fit/],
    ['NO', '123400', /check digit that does not fit/],
    ['SE', '500', /SE, whose check digits are not known/],
    ['IS', '0159', /IS, whose check digits are not known/],
    ['BR', '00360305', /BR, whose check digits are not known/],
    ['MU', 'BOMM01', /MU, whose check digits are not known/],
  ] as const) {
    const found = numbersOf({ country, prefix })
    assert.match(typeof found === 'string' ? found : '', reason, `${country}/${prefix}`)
  }
  // Numbers that a sponsor hands out need no rule.
  assert.equal(codeProblem({ country: 'IS', prefix: '0159' }), undefined)
})
