// What the storms rely on: a seed repeats its faults, and the texts of the seeded defects are still
// in the sources.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withBug } from './bug-hooks.ts'
import { bugs } from './bug-table.ts'
import { type Fault, kinds, scheduleOf } from './nemesis.ts'

test('a seed repeats its faults, each kind once per round', () => {
  const first = (seed: number): Fault[] => {
    const schedule = scheduleOf(seed)
    return Array.from({ length: 2 * kinds.length }, () => schedule.next().value as Fault)
  }
  assert.deepEqual(first(1), first(1))
  assert.notDeepEqual(first(1), first(2))
  const round = first(3).slice(0, kinds.length)
  assert.deepEqual(round.map(({ kind }) => kind).toSorted(), kinds.toSorted())
})

test('every known defect still has its place in the sources', () => {
  for (const [name, { changes }] of Object.entries(bugs)) {
    for (const { file } of changes) withBug(name, file)
  }
})
