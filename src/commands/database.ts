// How a command gets at the bank's database: the configured one, or the embedded one, which may be
// running under a service already.
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { requireSameTime } from '../database/clocks.ts'
import type { Address } from '../database/connect.ts'
import { openEmbedded } from '../database/embedded.ts'
import { Unstartable } from '../database/unstartable.ts'

export async function withDatabase<R>(
  config: Config,
  work: (address: Address) => Promise<R>,
): Promise<R> {
  if (config.databaseUrl !== undefined) {
    return workInTime({ connectionString: config.databaseUrl }, work)
  }
  const embedded = await openEmbedded(config.dataDir)
  try {
    return await workInTime(embedded.address, work)
  } finally {
    await embedded.stop()
  }
}

/** Keys, people and the ends of sessions are dated by the clock of this machine. */
async function workInTime<R>(address: Address, work: (address: Address) => Promise<R>): Promise<R> {
  await requireSameTime(address, systemClock()).catch((thrown: unknown) => {
    // Any other failure is the work's to tell.
    if (thrown instanceof Unstartable) throw thrown
  })
  return work(address)
}
