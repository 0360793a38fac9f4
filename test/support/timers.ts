import type { TestContext } from 'node:test'

type Api = 'setTimeout' | 'setInterval' | 'setImmediate'

/**
 * Timers that pass only by `t.mock.timers.tick()`. Clearing one of them after the test does
 * nothing: in Node.js 24, it would remove a timer of the next test that mocks timers.
 */
export function mockTimers(t: TestContext, ...apis: readonly Api[]): void {
  t.mock.timers.enable({ apis: [...apis] })
  const made: { priorityQueuePosition?: number | undefined }[] = []
  for (const api of apis) {
    const mocked = globalThis[api] as (...given: unknown[]) => object
    const noted = (...given: unknown[]): object => {
      const timer = mocked(...given)
      made.push(timer)
      return timer
    }
    Object.assign(globalThis, { [api]: noted })
  }
  t.after(() => {
    // What later hooks close may set timers, too.
    t.mock.timers.reset()
    for (const timer of made) timer.priorityQueuePosition = undefined
  })
}
