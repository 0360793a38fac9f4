// A world whose service reaches its database through a proxy that can fail.
import type { TestContext } from 'node:test'
import { world, type World, type WorldOptions } from '../support/world.ts'
import { backgroundStatement } from '../support/background.ts'
import { databaseProxy, type DatabaseProxy } from './database-proxy.ts'

/**
 * The test's own `sql` does not pass the proxy. COMMITs of timers are spared: one could take the
 * fault that a test has meant for its request.
 */
export async function proxiedWorld(
  t: TestContext,
  options: WorldOptions = {},
): Promise<World & { proxy: DatabaseProxy }> {
  const made: DatabaseProxy[] = []
  const through: WorldOptions['through'] = async ({ host, port }) => {
    made[0] ??= await databaseProxy({ host, port }, true, backgroundStatement)
    return { host: '127.0.0.1', port: made[0].port }
  }
  const end = () => Promise.all(made.map((proxy) => proxy.close()))
  const w = await world(t, { isPolling: true, ...options, through }).catch(
    async (thrown: unknown) => {
      await end()
      throw thrown
    },
  )
  t.after(end)
  return { ...w, proxy: made[0] as DatabaseProxy }
}
