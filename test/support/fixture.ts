// Begin and end of most tests of money: Ada and two accounts of hers, one with money in it; and the
// proof of the books.
import assert from 'node:assert/strict'
import { openDatabase } from '../../src/database/connections/connect.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { patiently, type Reply } from './client.ts'
import { madeOnce, type Span } from './database.ts'
import {
  type ApiClient,
  clientWith,
  type PersonName,
  world,
  type World,
  worldCluster,
} from './world.ts'

export { patiently } from './client.ts'

export type Scene<W extends World = World> = W & {
  ada: ApiClient
  root: ApiClient
  from: string
  to: string
}

/** What a scene holds beside its database: by name, the tokens of those who are logged in. */
type Prepared = Pick<Scene, 'from' | 'to'> & { voices: Record<'ada' | 'root', Voice> }
type Voice = Pick<ApiClient, 'token' | 'sessionId' | 'refreshToken'>

const prepared = new Map<string, Promise<Prepared>>()

/** Made through the interface, once in a run; at the time at which each fake clock begins. */
async function makeScene(balance: string): Promise<{ database: string; told: Prepared }> {
  await using ends = new AsyncDisposableStack()
  const made = await world({ after: (end) => ends.defer(end) }, { isLeft: true })
  const bank = await sceneIn(made, balance)
  const { ada, root, from, to } = bank
  const pick = ({ token, sessionId, refreshToken }: Voice) => ({ token, sessionId, refreshToken })
  const told = { from, to, voices: { ada: pick(ada), root: pick(root) } }
  const { rows } = await bank.sql('select current_database() as name')
  return { database: String(rows[0]?.['name']), told }
}

/** Ada has two accounts, money in the first; she and root are logged in. */
export async function scene(t: Span, balance = '100.00'): Promise<Scene> {
  const original = `strongroom_scene_${balance.replace('.', '_')}`
  const cluster = await worldCluster()
  const preparing = prepared.get(original) ?? madeOnce(cluster, original, () => makeScene(balance))
  prepared.set(original, preparing)
  // What a busy machine was too slow for once, later tests make.
  preparing.catch(() => prepared.delete(original))
  const { from, to, voices } = await preparing
  const made = await world(t, { original })
  const speak = (voice: Voice): ApiClient => ({ ...voice, ...clientWith(made.send, voice.token) })
  const [ada, root] = [speak(voices.ada), speak(voices.root)]
  const known: Partial<Record<PersonName, ApiClient>> = { ada, root }
  return { ...made, as: async (name) => known[name] ?? made.as(name), ada, root, from, to }
}

export async function sceneIn<W extends World>(made: W, balance = '100.00'): Promise<Scene<W>> {
  const [ada, root] = [await made.as('ada'), await made.as('root')]
  const [from, to] = [await openAccount(ada), await openAccount(ada)]
  await deposit(root, from, balance)
  return { ...made, ada, root, from, to }
}

export async function openAccount(
  client: Pick<ApiClient, 'post'>,
  currency = 'EUR',
): Promise<string> {
  const reply = await patiently(() => client.post('/api/v1/accounts', { currency }))
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id as string
}

export async function deposit(
  root: Pick<ApiClient, 'post'>,
  accountId: string,
  amount: string,
  currency = 'EUR',
): Promise<Reply['body']> {
  const body = { amount, currency, reason: 'Paid in' }
  const path = `/api/v1/admin/accounts/${accountId}/deposits`
  // Nothing has happened then, so it is repeated without a key.
  const isRefused = (told: Reply) => told.body.code === 'unavailable'
  const reply = await patiently(() => root.post(path, body), isRefused)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

export async function assertSound({ address }: Pick<World, 'address'>): Promise<void> {
  const db = openDatabase(address, { readMs: 60_000 })
  try {
    const { mismatch } = await verifyLedger(db).catch((thrown: { code?: unknown }) => {
      // A busy machine may have no connection in time.
      if (thrown.code !== 'unavailable') throw thrown
      return verifyLedger(db)
    })
    assert.equal(mismatch, undefined)
  } finally {
    await db.close()
  }
}

/** The items on all pages of a list. */
export async function readPages(
  client: ApiClient,
  path: string,
  betweenPages = async (_count: number): Promise<void> => {},
): Promise<Record<string, string>[]> {
  const items: Record<string, string>[] = []
  for (let cursor = ''; ;) {
    const { body, status, text } = await client.get(`${path}${cursor}`)
    assert.equal(status, 200, text)
    items.push(...body.items)
    if (body.nextCursor === null) return items
    await betweenPages(items.length)
    cursor = `${path.includes('?') ? '&' : '?'}cursor=${body.nextCursor}`
  }
}

export const readBalance = async (voice: ApiClient, accountId: string): Promise<string> =>
  (await patiently(() => voice.get(`/api/v1/accounts/${accountId}`))).body.balance

export const transferBody = (fromAccountId: string, toAccountId: string, amount = '1.00') => ({
  fromAccountId,
  toAccountId,
  amount,
  currency: 'EUR',
})

export const many = <R>(count: number, make: (index: number) => Promise<R>): Promise<R[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** How many replies had each status and code. */
export function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status < 300 ? String(status) : `${status} ${body.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
