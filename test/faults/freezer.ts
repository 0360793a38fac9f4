// An administrator freezes accounts and unfreezes them, while their owners try to pay from them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../demo/chance.ts'
import type { Workload } from './clients.ts'
import { now, type Session } from './history.ts'
import { admin, logIn, type Seeded } from './seed.ts'

const thawPauseMs = 100
/** About a minute: after a failed storm there is no service to answer. */
const thawAttemptsMax = 600

export async function freezeAndThaw(
  { client, history, isOver }: Workload,
  seeded: Seeded,
  chance: Chance,
) {
  const accounts = [...seeded.opening.keys()]
  let session: Session | undefined
  const change = async (accountId: string, what: 'freeze' | 'unfreeze'): Promise<boolean> => {
    const instance = chance.below(client.size)
    session ??= await logIn(client, history, instance, admin.username)
    const path = `/api/v1/admin/accounts/${accountId}/${what}`
    const body = { reason: 'A storm' }
    const { reply } = session ? await client.ask(instance, 'POST', path, { session, body }) : {}
    if (reply?.status === 401) session = undefined
    return reply?.status === 200
  }
  while (!isOver()) {
    const accountId = chance.pick(accounts)
    const isFrozen = await change(accountId, 'freeze')
    const from = { from: now(), fromTime: Date.now() }
    await sleep(chance.between(100, 600))
    const until = { until: now(), untilTime: Date.now() }
    if (isFrozen) history.freezes.push({ accountId, ...from, ...until })
    // Also after the storm: no account stays frozen.
    for (let turn = 0; turn < thawAttemptsMax; turn++) {
      if (await change(accountId, 'unfreeze')) break
      await sleep(thawPauseMs)
    }
    await sleep(chance.between(50, 300))
  }
}
