// The product in a process of its own, as `serve` runs it: every protection on, limits widened by
// configuration alone. Told where its database is by its parent, and tells it where it listens.
import { systemClock } from '../src/clock.ts'
import { environment, readConfig } from '../src/config.ts'
import type { Address } from '../src/database/connect.ts'
import { createLog } from '../src/log.ts'
import { start } from '../src/start.ts'

const { BENCH_ADDRESS, ...rest } = environment()
const config = readConfig(rest)
const log = createLog(config.logLevel)
const address = JSON.parse(BENCH_ADDRESS ?? 'null') as Address
const running = await start(config, address, { clock: systemClock(), log })
const { httpsPort, certificate } = running
process.send?.({ httpsPort, caPath: certificate.caPath })
process.once('SIGTERM', () => {
  void running.close().then(() => {
    log.flush()
    process.exit(0)
  })
})
process.once('disconnect', () => process.exit(1))
