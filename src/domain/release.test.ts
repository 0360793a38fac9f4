import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAtLeast } from './release.ts'

test('a release is compared by its numbers, not by its letters', () => {
  for (const [later, earlier] of [
    ['0.2.0', '0.2.0'],
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.99.0'],
    ['0.2.1', '0.2.0'],
  ] as const) {
    assert.equal(isAtLeast(later, earlier), true, `${later} ${earlier}`)
    assert.equal(isAtLeast(earlier, later), later === earlier, `${earlier} ${later}`)
  }
})
