// A thread of its own: writes the bytes of heap that a kept token takes, the middle one of three
// measurements. What else is collected at that moment, such as compiled code, is not of the tokens.
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { tokenBytes } from '../../src/gate/token.ts'
import { setting, verifyAll } from './tokens.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const kept: unknown[] = []

async function measure(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    await setImmediate()
    collect()
  }
  return process.memoryUsage().heapUsed
}

async function measureOne(): Promise<number> {
  const count = 1500
  const { tokens, signMany } = setting({ room: count })
  const all = await signMany(count)
  await verifyAll(setting({ room: 0 }).tokens, all)
  const before = await measure()
  await verifyAll(tokens, all)
  const each = ((await measure()) - before) / all.length
  assert.equal(tokens.counts().bytes, all.length * tokenBytes)
  kept.push(tokens, all)
  return each
}

const measured = [await measureOne(), await measureOne(), await measureOne()]
process.stdout.write(String(measured.toSorted((one, other) => one - other)[1]))
