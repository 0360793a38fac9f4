// How a command gets at the bank's database: the configured one, or the embedded one, which may be
// running under a service already.
import type { Config } from '../config.ts'
import type { Address } from '../database/connect.ts'
import { openEmbedded } from '../database/embedded.ts'

export async function withDatabase<R>(
  config: Config,
  work: (address: Address) => Promise<R>,
): Promise<R> {
  if (config.databaseUrl !== undefined) return work({ connectionString: config.databaseUrl })
  const embedded = await openEmbedded(config.dataDir)
  try {
    return await work(embedded.address)
  } finally {
    await embedded.stop()
  }
}
