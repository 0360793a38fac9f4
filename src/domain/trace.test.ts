import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceparent } from './trace.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test('a valid traceparent is read, also of a later version and with flags that are not known', () => {
  for (const [field, isSampled] of [
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`00-${traceId}-${spanId}-fe`, false],
    [`01-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-01-what the future brings`, true],
  ] as const) {
    assert.deepEqual(parseTraceparent(field), { traceId, spanId, isSampled }, field)
  }
})

const forged: unknown[] = [
  undefined,
  '',
  ['00', traceId],
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01-`,
  `00-${traceId}-${spanId}-01 `,
  ` 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01\n`,
  `ff-${traceId}-${spanId}-01`,
  `0-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `00-${traceId}-${spanId}0-01`,
  `00-${'g'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${spanId}-0x`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  `01-${traceId}-${spanId}-01more`,
]
for (const field of forged) {
  test(`ignored: ${JSON.stringify(field)}`, () => {
    assert.equal(parseTraceparent(field), undefined)
  })
}
