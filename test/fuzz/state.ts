// What a run learns from answers that say yes: what there is now, and what is gone.
import type { Resource } from '../../src/domain/ids.ts'
import type { Currency } from '../../src/domain/money.ts'
import type { Heard } from './judge.ts'
import { addItem, noUser, type Pool, type Spare } from './pool.ts'
import { portalMount } from './request.ts'
import { keepSecrets } from './fixtures.ts'
import { addDelivery, addServiceAccount } from './programs.ts'

type Made = {
  id: string
  iban?: string
  ownerId?: string
  accountId?: string
  currency?: Currency
}

/** What a 201 of a path's last word makes. */
const makes: Readonly<Record<string, Resource>> = {
  accounts: 'account',
  beneficiaries: 'beneficiary',
  cards: 'card',
  chargebacks: 'chargeback',
  disputes: 'dispute',
  drafts: 'payment draft',
  holds: 'hold',
  blocks: 'block',
  authorizations: 'card payment',
  members: 'member',
  orders: 'order',
  'payment-lists': 'payment list',
  transfers: 'transfer',
  webhooks: 'webhook',
}

export function updateState(pool: Pool, { draft, sent, answer, body, route }: Heard): void {
  if (route === undefined || answer.status >= 300 || sent.method === 'HEAD') return
  const { caller, params } = draft
  const word = route.path.split('/').at(-1) as string
  if (answer.status === 201 && word in makes) {
    const { id, iban, ownerId = caller.userId, currency, accountId: of } = body as Made
    const asked = params['accountId'] ?? draft.body?.['fromAccountId']
    const accountId = (asked ?? of) as string | undefined
    const holder = accountId === undefined ? ownerId : pool.ownerOf.get(accountId)
    if (holder === undefined) return
    const resource = makes[word] as Resource
    const place = accountId === undefined ? {} : { accountId }
    addItem(pool, { id, resource, ownerId: holder, ...place, ...(currency && { currency }) })
    if (resource === 'account' && iban !== undefined) pool.ibans.set(iban, holder)
  }
  if (answer.status === 201) keepKeys(pool, word, params['serviceAccountId'], body)
  if (word === 'test') addDelivery(pool, (body as Made).id, String(params['webhookId']))
  if (route.method === 'DELETE') forget(pool, String(Object.values(params).at(-1)))
  if (['login', 'second-factor', 'refresh'].includes(word)) keepSecrets(pool, body)
  if (word === 'refresh') renew(pool, draft.body?.['refreshToken'], body)
  if (word === 'logout' && pool.spares.length > 5) {
    pool.spares = pool.spares.filter((spare) => spare !== caller)
  }
  if (word === 'password') (caller as Spare).password = draft.body?.['newPassword'] as string
  const target = sent.target.replace(portalMount, '')
  keepCursor(pool, draft.caller.name, target, `${route.method} ${route.path}`, body)
}

/** A new service account with its key, or one more key of one. */
function keepKeys(pool: Pool, word: string, of: unknown, body: unknown): void {
  const { id, key, keys } = (body ?? {}) as { id: string; key: string; keys: { id: string }[] }
  if (word === 'service-accounts') addServiceAccount(pool, id, keys[0]?.id as string)
  if (word === 'keys') {
    addItem(pool, { id, resource: 'key', ownerId: noUser, accountId: String(of) })
  }
  if (key !== undefined) pool.secrets.add(key)
}

function forget({ items }: Pool, id: string): void {
  for (const all of items.values()) {
    const item = all.find((each) => each.id === id)
    if (item) item.isGone = true
  }
}

function renew({ spares }: Pool, used: unknown, body: unknown): void {
  const spare = spares.find(({ refreshToken }) => refreshToken === used)
  if (spare) Object.assign(spare, { refreshToken: (body as Spare).refreshToken })
}

const cursorsMax = 100

function keepCursor({ cursors }: Pool, caller: string, path: string, route: string, body: unknown) {
  const { nextCursor: cursor } = (body ?? {}) as { nextCursor?: string | null }
  if (typeof cursor !== 'string' || path.includes('cursor=')) return
  cursors.push({ route, caller, path, cursor })
  if (cursors.length > cursorsMax) cursors.shift()
}
