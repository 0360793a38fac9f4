// Runs once before all test files: one PostgreSQL for all of them.
import { statfs } from 'node:fs/promises'
import { clusterVariable, startCluster, type TestCluster } from './support/database.ts'

let started: TestCluster | undefined

/** In memory on Linux: making and dropping databases takes a fifth of the time there. */
const memoryFolder = '/dev/shm'
const memoryBytesMin = 4e9

export async function globalSetup(): Promise<void> {
  // A run within a run uses its cluster.
  if (process.env[clusterVariable] !== undefined) return
  const memory = await statfs(memoryFolder).catch(() => undefined)
  const hasRoom = memory !== undefined && memory.bavail * memory.bsize > memoryBytesMin
  if (hasRoom) process.env['TMPDIR'] ??= memoryFolder
  started = await startCluster()
  process.env[clusterVariable] = JSON.stringify(started)
}

export async function globalTeardown(): Promise<void> {
  await started?.stop()
}
