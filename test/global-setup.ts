// Runs once before all test files: one PostgreSQL for all of them.
import { clusterVariable, startCluster, type TestCluster } from './support/database.ts'

let started: TestCluster | undefined

export async function globalSetup(): Promise<void> {
  started = await startCluster()
  process.env[clusterVariable] = JSON.stringify(started)
}

export async function globalTeardown(): Promise<void> {
  await started?.stop()
}
