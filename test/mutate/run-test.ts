// Runs one test file in a process group of its own, which ends with it.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reporter = fileURLToPath(new URL('first-failure.ts', import.meta.url))

export type TestRun = { outcome: 'passed' | 'failed' | 'late'; durationMs: number }
type Options = { env?: Record<string, string>; timeoutMs: number }

export async function runTest(file: string, { env, timeoutMs }: Options): Promise<TestRun> {
  const begun = performance.now()
  const flags = ['--test-reporter', reporter, '--test-reporter-destination', 'stdout', file]
  const child = spawn(process.execPath, flags, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  })
  let isLate = false
  const end = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // The group is gone already.
    }
  }
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  end()
  const durationMs = performance.now() - begun
  return { outcome: isLate ? 'late' : code === 0 ? 'passed' : 'failed', durationMs }
}
