// How long `strongroom serve` takes until it says that it is ready, as a person waits for it: with
// nothing on disk, and on a data folder that is there.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openBank } from './bank.ts'
import type { Case } from './harness.ts'

export const open: Case = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'))
  const made = await openBank({ folder, keep: true })
  await made.stop()
  const timed = async (options: Parameters<typeof openBank>[0]) => {
    const { startMilliseconds, stop } = await openBank(options)
    const stopping = performance.now()
    await stop()
    const milliseconds = performance.now() - stopping
    return { seconds: startMilliseconds / 1000, milliseconds }
  }
  return {
    variants: [
      {
        name: 'fresh: nothing on disk',
        main: 'seconds',
        goals: [{ of: 'seconds', atMost: 4 }],
        measure: () => timed({}),
      },
      {
        name: 'warm: the data folder is there',
        main: 'seconds',
        goals: [{ of: 'seconds', atMost: 1.5 }],
        measure: () => timed({ folder, keep: true }),
      },
    ],
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
