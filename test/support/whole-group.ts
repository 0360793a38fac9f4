// One process of the run, with several test files.
import { after, test } from 'node:test'

let isOver = false
after(() => {
  isOver = true
})
// Something may end the process with code 0 before all tests have run.
process.once('exit', () => {
  if (!isOver) process.exitCode = 1
})

/**
 * Reads the test files by their URLs. Their tests begin after that: reading a file takes the
 * processor for long enough to disturb those that are about time.
 */
export function readAll(files: readonly string[]): void {
  const reading = importAll(files)
  void test(`${files.length} files are read`, () => reading)
}

async function importAll(files: readonly string[]): Promise<void> {
  for (const file of files) await import(file)
}
