// A small bank as its users know it: made through the interface of one release, and asked of a
// later one.
import assert from 'node:assert/strict'
import { scheduler } from 'node:timers/promises'
import { currencies } from '../../../src/domain/money.ts'
import { bankCodes } from '../../../src/ledger/rules/internal-accounts.ts'
import type { Reply, SendOptions } from '../../support/client.ts'
import { until } from '../../support/mailbox.ts'

type Send = (method: string, path: string, asked?: SendOptions) => Promise<Reply>

/** A payment with its key, as it was answered. */
type Payment = { key: string; body: object; answer: { id: string; createdAt: string } }

/** All that people and programs hold of the bank when it is upgraded. */
export type KnownBank = {
  madeAt: number
  publicUrl: string
  admin: { username: string; password: string }
  customer: { username: string; password: string; token: string; refreshToken: string }
  accounts: { id: string; balance: string }[]
  payment: Payment
  program: { key: string; payment: Payment }
  /** Since 0.3.0. What is read of each path by the customer. */
  later?: { processorKey: string; cardPayment: string; read: Record<string, object> }
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

const processorOperations = [
  'authorizeCardPayment',
  'captureCardPayment',
  'refundCardPayment',
  'createIncomingPayment',
  'createHold',
]

const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** What waits, is reserved, comes from another bank, or is paid on a day to come. */
async function addWaiting(
  send: Send,
  {
    account,
    payeeId,
    token,
    root,
    iban,
  }: Record<'account' | 'payeeId' | 'token' | 'root' | 'iban', string>,
): Promise<NonNullable<KnownBank['later']>> {
  let numbers = 0
  /** A second apart: the limits of a person are five changes a second. */
  const post = async (path: string, by: string, body: object, status = 201) => {
    await scheduler.wait(250)
    return (await must(send('POST', path, { token: by, body }), status)).body
  }
  const numbered = (body: object) => ({ ...body, externalId: `n${++numbers}` })
  const grants = { payFrom: [], readAccounts: null, operations: processorOperations }
  const program = await post('/api/v1/admin/service-accounts', root, { name: 'Processor', grants })
  const key = program.key as string
  const order = { ...euros('7.00'), reference: 'Rent', rhythm: 'monthly', firstOn: '2099-01-31' }
  const orders = `/api/v1/accounts/${account}/orders`
  const { id: orderId } = await post(orders, token, { ...order, beneficiaryId: payeeId })
  const { id: pausedId } = await post(orders, token, { ...order, beneficiaryId: payeeId })
  await post(`/api/v1/orders/${pausedId}/pause`, token, {}, 200)
  const holds = `/api/v1/accounts/${account}/holds`
  const terms = { ...euros('3.00'), kind: 'authorization', reference: 'Deposit for a key' }
  const { id: holdId } = await post(holds, key, terms)
  const { id: cardId } = await post(`/api/v1/accounts/${account}/cards`, token, {})
  const merchant = { name: 'Lindner', category: '5411', country: 'DE' }
  const asked = { ...euros('4.00'), merchant, channel: 'chip' }
  const authorized = await post(`/api/v1/cards/${cardId}/authorizations`, key, numbered(asked))
  const cardPayment = (authorized.cardPaymentId ?? authorized.paymentId ?? authorized.id) as string
  const payment = `/api/v1/card-payments/${cardPayment}`
  await post(`${payment}/captures`, key, numbered(euros('2.00')))
  await post(`${payment}/refunds`, key, numbered(euros('1.00')))
  const debtor = { name: 'Otto Example', iban: elsewhere }
  const incoming = { ...euros('25.00'), iban, debtor, reference: 'Invoice 4711' }
  await post('/api/v1/admin/incoming-payments', key, numbered(incoming))
  const pay = { fromAccountId: account, beneficiaryId: payeeId, ...euros('6.00') }
  const { id: pendingId } = await post('/api/v1/transfers', token, pay)
  const read: Record<string, object> = {}
  for (const path of [
    `/api/v1/orders/${orderId}`,
    `/api/v1/orders/${pausedId}`,
    `/api/v1/holds/${holdId}`,
    `/api/v1/transfers/${pendingId}`,
    `/api/v1/accounts/${account}/card-payments`,
    `/api/v1/cards/${cardId}`,
  ]) {
    read[path] = (await must(send('GET', path, { token }), 200)).body
  }
  return { processorKey: key, cardPayment, read }
}

const elsewhere = 'DE89370400440532013000'

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
  const payee = { name: 'Elsewhere', iban: elsewhere }
  const { id: payeeId } = await post(`/api/v1/accounts/${one}/beneficiaries`, payee, token)
  const { iban } = (await must(send('GET', `/api/v1/accounts/${one}`, { token }), 200)).body
  const later = await addWaiting(send, { account: one, payeeId, token, root, iban })
  const accounts = await balances(send, token)
  return {
    admin,
    customer: { ...customer, token, refreshToken },
    accounts,
    payment,
    program,
    later,
  }
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
  for (const [path, before] of Object.entries(known.later?.read ?? {})) {
    const now = await must(send('GET', path, { token: customer.token }), 200)
    assert.partialDeepStrictEqual(now.body, before, path)
  }
  if (known.later) {
    const { processorKey, cardPayment } = known.later
    const captured = { ...euros('0.50'), externalId: 'after-the-upgrade' }
    const path = `/api/v1/card-payments/${cardPayment}/captures`
    await must(send('POST', path, { token: processorKey, body: captured }), 201)
  }
  await assertFound(send, (await logIn(send, admin)).token, known)
  const refreshed = { body: { refreshToken: customer.refreshToken } }
  await must(send('POST', '/api/v1/auth/refresh', refreshed), 200)
  const { token } = await logIn(send, customer)
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

/** Staff find what was there before by each thing that is known of it, and each bank account. */
async function assertFound(send: Send, token: string, known: KnownBank): Promise<void> {
  const { customer, payment, accounts, later } = known
  const read = async (path: string) => (await must(send('GET', path, { token }), 200)).body
  const account = await read(`/api/v1/admin/accounts/${accounts[0]?.id}`)
  const cards = Object.values(later?.read ?? {}) as { maskedNumber?: string }[]
  const digits = cards.flatMap(({ maskedNumber }) => maskedNumber?.slice(-4) ?? [])
  assert.equal(digits.length, later ? 1 : 0)
  const names = ['ada', 'lovel', 'lovelace ada', 'Lovelcae', customer.username, 'ada@example']
  for (const said of [...names, account.iban, ...digits]) {
    const { items } = await read(`/api/v1/admin/users?q=${encodeURIComponent(said)}`)
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [account.ownerId],
      said,
    )
  }
  const { id, createdAt } = payment.answer
  const amount = `amount=12.34&currency=EUR&day=${createdAt.slice(0, 10)}`
  // Their terms are written behind the start.
  for (const by of [`id=${id}`, 'reference=rent', `iban=${account.iban}`, amount]) {
    await until(`finding a payment by ${by}`, async () => {
      const { items } = await read(`/api/v1/admin/payments?${by}`)
      return items.some((each: { id: string }) => each.id === id)
    })
  }
  const events = await read(
    `/api/v1/admin/audit-events?action=createUser&target=${account.ownerId}`,
  )
  assert.equal(events.items.length, 1)
  for (const currency of currencies) {
    const { items } = await read(`/api/v1/admin/bank-accounts?currency=${currency}`)
    const codes = items.map(({ code }: { code: string }) => code)
    assert.deepEqual(codes.toSorted(), bankCodes.toSorted(), currency)
  }
}
