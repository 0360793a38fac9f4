import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from './errors.ts'
import { checkPhone, isPhone } from './phone.ts'

test('numbers that a numbering plan has are accepted in E.164 form', () => {
  for (const number of ['+442079460000', '+4915112345678', '+12025550123', '+390236618300']) {
    assert.ok(isPhone(number), number)
  }
})

test('numbers that cannot exist, or are written in another way, are refused', () => {
  const wrong = [
    '+1202555', // too short for its plan
    '+999123456789', // no such country
    '+44020794600000', // the national zero left in
    '02079460000',
    '00442079460000',
    '+44 20 7946 0000',
    '+442079460000;ext=1',
    '+４４２０７９４６００００',
    '+',
    '',
  ]
  for (const number of wrong) assert.ok(!isPhone(number), number)
})

test('the refusal names the path and never the number', () => {
  assert.throws(
    () => checkPhone('+1202555', '/body/phone'),
    (thrown: Refusal) => {
      assert.equal(thrown.code, 'invalid_request')
      assert.equal(thrown.options.details?.[0]?.path, '/body/phone')
      assert.doesNotMatch(JSON.stringify(thrown.options.details), /1202555/)
      return true
    },
  )
  checkPhone(null, '/body/phone')
  checkPhone(undefined, '/body/phone')
})
