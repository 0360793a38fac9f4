// What `npm ci` costs a newcomer: its time with an empty cache, and the size of what it brings.
import { cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Case } from './harness.ts'
import { run } from './load.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export const open: Case = async () => ({
  variants: [
    {
      name: 'npm ci, empty cache',
      main: 'seconds',
      rounds: 1,
      goals: [{ of: 'seconds', atMost: 30 }],
      async measure() {
        const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-install-'))
        try {
          for (const name of ['package.json', 'package-lock.json']) {
            await cp(path.join(root, name), path.join(folder, name))
          }
          const started = performance.now()
          const cache = path.join(folder, '.cache')
          await run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder, '--cache', cache])
          const seconds = (performance.now() - started) / 1000
          return { seconds, megabytes: (await folderSize(path.join(folder, 'node_modules'))) / 1e6 }
        } finally {
          await rm(folder, { recursive: true, force: true })
        }
      },
    },
  ],
  close: async () => {},
})

/** Bytes on disk. */
async function folderSize(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  let total = 0
  for (const name of names) total += (await lstat(path.join(folder, name))).blocks * 512
  return total
}
