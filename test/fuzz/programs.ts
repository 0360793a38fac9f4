// The service accounts of a run: one of Ada's accounts, one that does what staff do, and others
// that are used up.
import { routes } from '../../src/features/routes.ts'
import type { ServiceGrants } from '../../src/gate/roles.ts'
import { grantableOperations } from '../../src/http/route.ts'
import { people, type PersonName } from '../support/world.ts'
import { ask, asRoot } from './ask.ts'
import { signed } from './canary.ts'
import { addItem, countUp, findItems, noUser, type Pool, type Program } from './pool.ts'

export async function newPrograms(pool: Pool): Promise<void> {
  const operations = [...grantableOperations(routes)]
  const make = async (name: PersonName, grants: ServiceGrants): Promise<Program> => {
    const made = await newServiceAccount(pool, toGranted(grants))
    pool.secrets.add(made.key)
    const { id, key: token } = made
    const { id: userId, roles } = people[name]
    return { name: `${name}s-program`, userId, roles, token, isAlive: true, id, grants }
  }
  const none = { readsAll: false, customerId: null, payFrom: [], operations: [] }
  pool.programs = {
    adas: await make('ada', { ...none, customerId: people.ada.id }),
    desk: await make('root', { ...none, readsAll: true, operations }),
  }
}

const toGranted = ({ readsAll, customerId, payFrom, operations }: ServiceGrants): object => ({
  readAccounts: readsAll ? 'all' : customerId,
  payFrom,
  operations,
})

async function newServiceAccount(pool: Pool, grants: object) {
  const body = { name: signed('root', countUp(pool)), grants }
  const made = await asRoot(pool, 'POST', '/admin/service-accounts', body)
  return made as unknown as { id: string; key: string; keys: { id: string }[] }
}

export function addServiceAccount(pool: Pool, id: string, keyId: string): void {
  addItem(pool, { id, resource: 'service account', ownerId: noUser })
  addItem(pool, { id: keyId, resource: 'key', ownerId: noUser, accountId: id })
}

/** Ada's program pays from her newest accounts; one more service account is there to be used up. */
export async function refreshPrograms(pool: Pool): Promise<void> {
  const { token } = pool.cast.ada
  const open = await ask(pool.bank, 'GET', '/accounts?limit=20', { token })
  const payFrom = (open.body.items as { id: string }[]).map(({ id }) => id)
  const { id: adas, grants } = pool.programs.adas
  grants.payFrom = payFrom
  const path = `/admin/service-accounts/${adas}`
  await asRoot(pool, 'PATCH', path, { grants: toGranted(grants) })
  const { id, keys } = await newServiceAccount(pool, { ...toGranted(grants), payFrom: [] })
  addServiceAccount(pool, id, keys[0]?.id as string)
}

export const addDelivery = (pool: Pool, id: string, webhookId: string): void =>
  addItem(pool, { id, resource: 'delivery', ownerId: noUser, accountId: webhookId })

/** A test of each of the newest webhooks: somebody may have disabled or deleted them. */
export async function newDeliveries(pool: Pool): Promise<void> {
  const { token } = pool.cast.root
  for (const { id } of findItems(pool, 'webhook').slice(-8)) {
    const { status, body } = await ask(pool.bank, 'POST', `/admin/webhooks/${id}/test`, { token })
    if (status === 202) addDelivery(pool, body.id as string, id)
  }
}
