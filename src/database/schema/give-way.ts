// A migration that locks several tables waits for each of them while it holds those before, and
// requests wait behind it all the while. It gives way to them in time.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Address, createClient } from '../connections/connect.ts'

/** With two looks behind it, less than the 1.5 s for which a request waits (`connect.ts`). */
const othersWaitMsMax = 600
const lookMs = 100

/** One that needs its tables for longer is done in the end, while others wait behind it. */
const givesWayMax = 5

/** The other session waits for a lock that the transaction has, or is waiting for before it. */
const cancelIfOthersWait = `select pg_cancel_backend($1) from pg_locks
  where not granted and waitstart < clock_timestamp() - $2 * interval '1 ms'
    and $1 = any (pg_blocking_pids(pid))
  limit 1`

export type Watch = {
  /**
   * Runs `work`, a transaction. Where another session has waited behind it for too long, `work` is
   * cancelled and fails with `query_canceled`, a few times at most.
   */
  givingWay<R>(work: () => Promise<R>): Promise<R>
  close(): Promise<void>
}

/** Watches the transactions of `client` from a connection of its own. */
export async function watchTransactions(address: Address, client: pg.Client): Promise<Watch> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const watcher = createClient(address, undefined)
  await watcher.connect()
  let gaveWay = 0
  async function watch(over: AbortSignal): Promise<void> {
    while (gaveWay < givesWayMax) {
      await sleep(lookMs, undefined, { signal: over })
      const parameters = [rows[0]?.pid, othersWaitMsMax]
      // A look that fails is taken again.
      const found = await watcher.query(cancelIfOthersWait, parameters).catch(() => undefined)
      gaveWay += found?.rowCount ?? 0
    }
  }
  return {
    async givingWay(work) {
      const over = new AbortController()
      const watching = watch(over.signal).catch(() => {})
      try {
        const done = await work()
        gaveWay = 0
        return done
      } finally {
        over.abort()
        await watching
      }
    },
    close: () => watcher.end(),
  }
}
