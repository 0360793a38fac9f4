import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../../test/support/world.ts'

test('a 404 or 405 compiles no regular expression', async (t) => {
  const { send } = await world(t)
  const ask = async () => {
    const replies = [await send('GET', '/nothing/here'), await send('DELETE', '/healthz')]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [404, 405],
    )
    assert.equal(replies[1]?.headers['allow'], 'GET, HEAD')
  }
  await ask()
  let compiled = 0
  const { RegExp } = globalThis
  t.after(() => (globalThis.RegExp = RegExp))
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, given) {
      compiled++
      return Reflect.construct<string[], RegExp>(target, given as string[])
    },
  })
  await ask()
  assert.equal(compiled, 0)
})
