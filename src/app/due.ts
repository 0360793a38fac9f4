// Looks for what is due in all queues by one statement, and wakes the workers that have something
// to do: an idle instance costs its database one statement a second. NOTIFY would tell it at once,
// but takes one lock at the COMMIT of every transaction.
import type { Clocks } from '../database/background/clocks.ts'
import type { QueueWorker } from '../database/background/queue-worker.ts'
import { one } from '../database/statements/statement.ts'
import { holidayRules } from '../domain/calendar/business-days.ts'
import type { Clock } from '../domain/clock.ts'
import { dueDays } from '../features/orders/sql.ts'
import { readQueues } from '../features/overview/due-sql.ts'

const queueNames = ['mails', 'lists', 'orders', 'webhooks'] as const
type QueueName = (typeof queueNames)[number]

const lookMs = 1000

type DueParts = {
  clock: Clock
  clocks: Pick<Clocks, 'days' | 'calendar' | 'lane'>
  pollMs?: number | undefined
  numberEvents(): Promise<void>
}

export function watchDue(
  { clock, clocks, pollMs = lookMs, numberEvents }: DueParts,
  workers: Record<QueueName, Pick<QueueWorker, 'wake'>>,
): { stop(): Promise<void> } {
  function read() {
    const now = clock.now()
    const day = clocks.days().dayOf(now)
    const due = dueDays(clocks.calendar().at(now), day)
    const untilDays = holidayRules.map((rule) => due[rule])
    return one(clocks.lane, readQueues, [new Date(now), day, [...holidayRules], untilDays])
  }

  let looking: Promise<void> | undefined
  let numbering: Promise<void> | undefined

  async function look(): Promise<void> {
    const found = await read()
    for (const name of queueNames) if (found?.[name]) workers[name].wake()
    // No queue waits for it: many events take longer than a look, as does the lock of another.
    if (found?.events) numbering ??= number().finally(() => (numbering = undefined))
  }

  /** Webhooks tell of what was numbered; without an answer they look for themselves. */
  async function number(): Promise<void> {
    const areDue = await numberEvents()
      .then(async () => (await read())?.webhooks)
      .catch(() => true)
    if (areDue) workers.webhooks.wake()
  }

  // Without an answer each looks for itself, and says what it waits for.
  const wakeAll = () => queueNames.forEach((name) => workers[name].wake())

  const timer = setInterval(() => {
    looking ??= look()
      .catch(wakeAll)
      .finally(() => (looking = undefined))
  }, pollMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await looking
      await numbering
    },
  }
}
