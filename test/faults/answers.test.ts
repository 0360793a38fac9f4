import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../support/client.ts'
import { timed } from './answers.ts'

const blockMs = 300

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const blocks: Record<string, () => void> = {
  computes() {
    for (const end = cpuMs() + blockMs; cpuMs() < end;);
  },
  // As a busy machine does: no processor for this process.
  waits: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs),
}

test('what a service computes is time of its answer, and what a busy machine held it up is not', async () => {
  const measure = async (what: string): Promise<number> => {
    const reply = new Promise<Reply>((resolve) =>
      setImmediate(() => {
        blocks[what]?.()
        resolve({} as Reply)
      }),
    )
    return (await timed(reply)).ms
  }
  const [computed, waited] = [await measure('computes'), await measure('waits')]
  // To a millisecond, as the two clocks are read one behind the other.
  assert.ok(computed > blockMs - 1, `${computed} ms`)
  assert.ok(waited < blockMs / 2, `${waited} ms`)
})
