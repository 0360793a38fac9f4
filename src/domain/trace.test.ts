import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentScope, parseTraceparent, runFor, runIn, runTraced, type Scope } from './trace.ts'

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
  [`00-${traceId}-${spanId}-01`],
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

/** A scope that tells what is done with it. */
function scopeOf(name: string, told: string[], isOpen = true): Scope {
  const scope: Scope = {
    traceId,
    spanId: name,
    isOpen: () => isOpen,
    within(span, work) {
      told.push(`${name} within ${span}`)
      return work()
    },
    linkedTo(others) {
      told.push(`${name} linked to ${others.map((other) => other.spanId).join(' ')}`)
      return scope
    },
    end() {},
  }
  return scope
}

test('work is traced in the scope that it runs in, and outside of one it just runs', async () => {
  const told: string[] = []
  assert.equal(await runTraced('work', async () => 'made'), 'made')
  assert.deepEqual(told, [])
  const scope = scopeOf('one', told)
  assert.equal(await runIn(scope, () => runTraced('work', async () => 'made')), 'made')
  assert.deepEqual(told, ['one within work'])
})

test('work that requests share runs in the scope of the first that is open, linked to the others', () => {
  const told: string[] = []
  const [one, two, ended] = [
    scopeOf('one', told),
    scopeOf('two', told),
    scopeOf('ended', told, false),
  ]
  const cases: [askers: Scope[], runsIn: string | undefined, links: string[]][] = [
    [[], undefined, []],
    [[ended], undefined, []],
    [[one], 'one', []],
    [[ended, one], 'one', []],
    [[one, two], 'one', ['one linked to two']],
    [[two, ended, one], 'two', ['two linked to one']],
  ]
  for (const [askers, runsIn, links] of cases) {
    // The scope of whichever request happens to begin the work is none of it.
    for (const outer of [undefined, scopeOf('outer', told)]) {
      told.length = 0
      const run = () => runFor(askers, () => currentScope()?.spanId)
      assert.equal(outer ? runIn(outer, run) : run(), runsIn)
      assert.deepEqual(told, links)
    }
  }
})
