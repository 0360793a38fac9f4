// A caller with a narrow limit that all instances count together: no more requests are admitted
// than it allows, and none is refused that it allows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../demo/chance.ts'
import { wide } from '../support/limits.ts'
import type { Workload } from './clients.ts'
import { type Charge, type History, now, violate } from './history.ts'

const [quota, windowMs] = [10, 5000]

/** The setting `LIMITS`: wide but for password resets by e-mail address. */
export const narrow = JSON.stringify({
  ...(JSON.parse(wide) as object),
  reset: { perEmail: `${quota}/${windowMs}ms`, perAddress: '1000000/1h' },
})

/** After this time a request without an answer is counted, or never will be. */
const lateMs = 3000
/** The Retry-After of a refusal is whole seconds, and nothing is admitted before its end. */
const promiseMsMax = 1000
const askIntervalMsMax = 300

export async function askWithinLimit({ client, history, isOver }: Workload, chance: Chance) {
  while (!isOver()) {
    const body = { email: 'nobody@example.com' }
    const path = '/api/v1/auth/password-reset'
    const { reply, sentAt } = await client.ask(chance.below(client.size), 'POST', path, { body })
    const answered = reply && (reply.status < 300 ? 'admitted' : 'limited')
    const result = reply && reply.status < 500 && answered ? answered : 'unknown'
    history.charges.push({ sentAt, endedAt: now(), result })
    await sleep(chance.below(askIntervalMsMax))
  }
}

/** Each request was counted at some time between its sending and its answer. */
export function judgeLimit(history: History): void {
  const { charges } = history
  const mayCount = (result: Charge['result']) => result !== 'limited'
  for (const { sentAt, endedAt, result } of charges) {
    const within = charges.filter(
      (other) =>
        other.result === 'admitted' && other.sentAt >= sentAt && other.endedAt <= sentAt + windowMs,
    )
    if (within.length > quota) {
      violate(history, `${within.length} requests were admitted in ${windowMs} ms, not ${quota}`)
    }
    if (result !== 'limited') continue
    const before = charges.filter(
      (other) =>
        mayCount(other.result) &&
        other.sentAt < endedAt &&
        other.endedAt + (other.result === 'unknown' ? lateMs : 0) >
          sentAt - windowMs - promiseMsMax,
    )
    if (before.length < quota) {
      violate(history, `A request was limited after ${before.length} of ${quota}`)
    }
  }
}
