// One process of the run: it takes one test file after the other until none is left.
import { AsyncResource } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { watchLeftovers } from './leftovers.ts'

let isOver = false
after(() => {
  isOver = true
})
// A test may end the process with code 0 before all tests have run.
process.once('exit', () => {
  if (!isOver) process.exitCode = 1
})

type AfterHook = (...given: unknown[]) => unknown

/**
 * The runner keeps the hooks of tests that are over, and by them the banks that they closed: with
 * each test a process would have more to search for garbage. So a hook is let go when it has run.
 */
function letGoOfHooks(context: { after: (hook: AfterHook, options?: object) => void }): void {
  const { after: keep } = context
  context.after = function (hook, options) {
    let left: AfterHook | undefined = hook
    const run: AfterHook = (...given) => {
      const once = left
      left = undefined
      return once?.(...given)
    }
    keep.call(this, run, options)
  }
}

/** What is imported here declares tests of the process, not parts of the test that imports it. */
const root = new AsyncResource('files')

/**
 * Runs the files that no other process has taken.
 *
 * @param files their URLs, in the order in which they are taken
 * @param folder has a file for each of them that was taken
 * @param endTimeoutMs how long the process may take to end behind its last test
 */
export function runFiles(files: readonly string[], folder: string, endTimeoutMs: number): void {
  after(() => {
    // A test that timed out may leave handles that keep the process alive.
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join()
      process.stderr.write(`the process does not end: ${open}\n`)
      process.exit(1)
    }, endTimeoutMs).unref()
  })
  const left = [...files.entries()]
  const isFree = ([index]: [number, string]): boolean => {
    try {
      writeFileSync(path.join(folder, `${index}.taken`), '', { flag: 'wx' })
      return true
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw thrown
    }
  }
  // Its tests begin after the file is read, and the next file is read after they have ended:
  // reading takes the processor for long enough to disturb those that are about time.
  let last = ''
  const removeLeftovers = watchLeftovers()
  function readNext(): void {
    void test('the next file is read', async (t) => {
      const { signal } = t
      if (!last) letGoOfHooks(Object.getPrototypeOf(t))
      try {
        removeLeftovers(last)
      } finally {
        await readOne(signal)
      }
    })
  }
  async function readOne(signal: AbortSignal): Promise<void> {
    const taken = left.splice(0, 1 + left.findIndex(isFree)).at(-1)
    if (!taken) return
    last = taken[1]
    const report = () => process.stderr.write(`not read in time: ${taken[1]}\n`)
    signal.addEventListener('abort', report)
    await root.runInAsyncScope(() => import(taken[1]))
    signal.removeEventListener('abort', report)
    root.runInAsyncScope(readNext)
  }
  readNext()
}
