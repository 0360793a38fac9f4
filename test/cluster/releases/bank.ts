// A small bank as its users know it: made through the interface of one release, and asked of a
// later one.
import assert from 'node:assert/strict'
import type { Reply, SendOptions } from '../../support/client.ts'

type Send = (method: string, path: string, asked?: SendOptions) => Promise<Reply>

/** A payment with its key, as it was answered. */
type Payment = { key: string; body: object; answer: { id: string } }

/** All that people and programs hold of the bank when it is upgraded. */
export type KnownBank = {
  madeAt: number
  publicUrl: string
  admin: { username: string; password: string }
  customer: { username: string; password: string; token: string; refreshToken: string }
  accounts: { id: string; balance: string }[]
  payment: Payment
  program: { key: string; payment: Payment }
  /** Of `verify --heads`. */
  heads: string
}

const must = async (asking: Promise<Reply>, status: number): Promise<Reply> => {
  const reply = await asking
  assert.equal(reply.status, status, reply.text)
  return reply
}

const logIn = async (send: Send, { username, password }: { username: string; password: string }) =>
  (await must(send('POST', '/api/v1/auth/login', { body: { username, password } }), 200)).body

const pay = (send: Send, token: string, { key, body }: Omit<Payment, 'answer'>) =>
  send('POST', '/api/v1/transfers', { token, body, headers: { 'idempotency-key': key } })

const balances = async (send: Send, token: string) => {
  const { body } = await must(send('GET', '/api/v1/accounts', { token }), 200)
  const items = body.items as { id: string; balance: string }[]
  return items
    .map(({ id, balance }) => ({ id, balance }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

type Made = Omit<KnownBank, 'madeAt' | 'publicUrl' | 'heads'>

/** Fills an empty bank with people, money, a program and payments. */
export async function fillBank(send: Send, admin: KnownBank['admin']): Promise<Made> {
  const root = (await logIn(send, admin)).token as string
  const post = async (path: string, body: object, token = root, status = 201) =>
    (await must(send('POST', path, { token, body }), status)).body
  const customer = { username: 'ada', password: 'seven lean kine and a barn' }
  const person = { givenName: 'Ada', familyName: 'Lovelace', roles: ['customer'] }
  await post('/api/v1/admin/users', { ...customer, email: 'ada@example.com', ...person })
  const { token, refreshToken } = await logIn(send, customer)
  const open = async (): Promise<string> =>
    (await post('/api/v1/accounts', { currency: 'EUR' }, token)).id
  const [one, two] = [await open(), await open()]
  const money = { amount: '100.00', currency: 'EUR', reason: 'Paid in' }
  await post(`/api/v1/admin/accounts/${one}/deposits`, money)
  const grants = { payFrom: [one], readAccounts: null, operations: [] }
  const { key: programKey } = await post('/api/v1/admin/service-accounts', { name: 'Till', grants })
  const paid = async (by: string, key: string, amount: string): Promise<Payment> => {
    const way = { fromAccountId: one, toAccountId: two }
    const body = { ...way, amount, currency: 'EUR', reference: 'Rent' }
    return { key, body, answer: (await must(pay(send, by, { key, body }), 201)).body }
  }
  const payment = await paid(token, 'of-a-person', '12.34')
  const program = { key: programKey, payment: await paid(programKey, 'of-a-program', '5.00') }
  // A customer with a payee: the table has rows of another kind than the ones of programs.
  const payee = { name: 'Elsewhere', iban: 'DE89370400440532013000' }
  await post(`/api/v1/accounts/${one}/beneficiaries`, payee, token)
  const accounts = await balances(send, token)
  return { admin, customer: { ...customer, token, refreshToken }, accounts, payment, program }
}

/** Holds a bank of an earlier release to what its people and programs were told. */
export async function assertKept(send: Send, known: KnownBank): Promise<void> {
  await must(send('GET', '/readyz'), 200)
  const { customer, program, payment, admin, accounts } = known
  assert.deepEqual(await balances(send, customer.token), accounts, 'the open session')
  const replayed = async (token: string, asked: Payment) => {
    const reply = await must(pay(send, token, asked), 201)
    assert.equal(reply.headers['idempotency-replayed'], 'true')
    assert.deepEqual(reply.body, { ...reply.body, ...asked.answer })
    const other = { ...asked, body: { ...asked.body, amount: '0.01' } }
    assert.equal((await pay(send, token, other)).body.code, 'idempotency_key_reused')
  }
  await replayed(customer.token, payment)
  await replayed(program.key, program.payment)
  const refreshed = { body: { refreshToken: customer.refreshToken } }
  await must(send('POST', '/api/v1/auth/refresh', refreshed), 200)
  const { token } = await logIn(send, customer)
  await logIn(send, admin)
  const found = await must(
    send('GET', `/api/v1/accounts/${accounts[0]?.id}/transactions`, { token }),
    200,
  )
  assert.equal(found.body.items.length > 0, true)
  const next = { ...payment, key: 'after-the-upgrade' }
  const later = await must(pay(send, token, next), 201)
  assert.notEqual(later.body.id, payment.answer.id)
  await must(pay(send, program.key, { ...next, key: 'of-a-program-after' }), 201)
}
