// Pays once with the client that orval makes, and writes what the bank answered.
import process from 'node:process'
import {
  createTransfer,
  getMe,
  listAccountTransactions,
  listAccounts,
  login,
  type Currency,
} from './orval.ts'

type Task = { baseUrl: string; username: string; password: string }

const [, , text = ''] = process.argv
const { baseUrl, username, password } = JSON.parse(text) as Task
const reach = globalThis.fetch
globalThis.fetch = (path, init) => reach(new URL(path as string, baseUrl), init)

function must<R extends { status: number }, S extends R['status']>(reply: R, status: S) {
  if (reply.status !== status) throw new Error(JSON.stringify(reply))
  return reply as Extract<R, { status: S }>
}

const { token } = must(await login({ username, password }), 200).data
const headers = { authorization: `Bearer ${token}` }
const me = must(await getMe({ headers }), 200).data
const { items } = must(await listAccounts({ limit: 10 }, { headers }), 200).data
const [source, target] = items.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
if (!source || !target) throw new Error('Two accounts are needed')
const order = {
  fromAccountId: source.id,
  toAccountId: target.id,
  amount: '2.50',
  // An answer may have a currency that this client does not know.
  currency: source.currency as Currency,
  reference: 'By TypeScript',
}
const keyed = { headers: { ...headers, 'Idempotency-Key': 'typescript-1' } }
const made = must(await createTransfer(order, keyed), 201).data
const again = must(await createTransfer(order, keyed), 201).data
const { status } = made
const query = { text: 'TypeScript' }
const found = must(await listAccountTransactions(target.id, query, { headers }), 200).data.items
const refused = await createTransfer({ ...order, amount: '0.001' }, { headers })
const code = refused.status === 400 ? refused.data.code : status
const entries = found.map(({ amount }) => amount)
process.stdout.write(
  JSON.stringify({ roles: me.roles, made: made.id, again: again.id, entries, code }),
)
