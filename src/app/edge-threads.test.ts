import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { watchPings } from './edge-threads.ts'
import { mockTimers } from '../../test/support/timers.ts'

/** Turns of five seconds. Pings are answered at once, or when a pause is over. */
function watched(t: TestContext) {
  mockTimers(t, 'setInterval')
  const state = { silences: 0, pings: 0 }
  let pause = Promise.resolve()
  const ping = () => {
    state.pings++
    return pause
  }
  const stop = watchPings(ping, () => void state.silences++)
  async function turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) {
      t.mock.timers.tick(5000)
      await setImmediate()
    }
  }
  const hang = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    pause = promise
    return resolve
  }
  return { state, stop, turns, hang }
}

test('a thread that answers its pings is left alone, also after a pause of 20 s', async (t) => {
  const { state, turns, hang } = watched(t)
  await turns(10)
  for (let pause = 0; pause < 3; pause++) {
    const goOn = hang()
    await turns(4)
    goOn()
    await setImmediate()
    await turns(1)
  }
  assert.deepEqual(state, { silences: 0, pings: 25 })
})

test('a thread that leaves four pings unanswered has hung, which is told once', async (t) => {
  const { state, turns, hang } = watched(t)
  await turns(3)
  hang()
  await turns(4)
  assert.equal(state.silences, 0)
  await turns(1)
  assert.equal(state.silences, 1)
  await turns(10)
  assert.deepEqual(state, { silences: 1, pings: 7 })
})

test('the pings of a thread that has ended end, and a refused one is no answer', async (t) => {
  mockTimers(t, 'setInterval')
  let [silences, pings] = [0, 0]
  const refuse = async () => {
    pings++
    throw new Error('the channel is closed')
  }
  const stop = watchPings(refuse, () => void silences++)
  for (let turn = 0; turn < 4; turn++) t.mock.timers.tick(5000)
  assert.deepEqual([silences, pings], [0, 4])
  stop()
  t.mock.timers.tick(60_000)
  assert.deepEqual([silences, pings], [0, 4])
})
