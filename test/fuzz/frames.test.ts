// A short run of frames with every `npm test`; `npm run fuzz -- --frames 20000` makes long ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../support/world.ts'
import { fuzzFrames } from './frames-run.ts'
import { seed } from '../support/random.ts'

test('whatever frames HTTP/2 clients send or leave unread, the service goes on for others', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const outcome = await fuzzFrames(await world(t), { seed, connections: 150 })
  assert.deepEqual(outcome.findings, [])
})
