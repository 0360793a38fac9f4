// The bank of a storm: customers with accounts and money, each with the next one as a beneficiary.
// Made through the interface, before the storm begins.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { patiently, type Reply } from '../support/client.ts'
import { formerWide } from '../support/limits.ts'
import { type History, now, type Session, underLoad } from './history.ts'
import type { StormClient, Said } from './client.ts'

export const admin = { username: 'admin', password: 'a rope for every anchor' }
const password = 'seven lean kine and a barn'
const customerCount = 8
const accountsEach = 2
const ibanElsewhere = 'GB33BUKB20201555555555'
const railOperations = [
  'createIncomingPayment',
  'findTransfers',
  'returnTransfer',
  'sendTransfer',
  'sendTransferBatch',
  'settleTransfer',
  'settleTransferBatch',
]
const processorOperations = [
  'authorizeCardPayment',
  'captureCardPayment',
  'chargeBackCardPayment',
  'clearCardPayment',
  'incrementCardPayment',
  'loseChargeback',
  'refundCardPayment',
  'releaseCardPayment',
  'winChargeback',
  'withdrawChargeback',
]
/** Small, so that some accounts run out of money. */
const opening = 5000n

type Account = { id: string; iban: string }

export type Customer = {
  username: string
  accounts: string[]
  /** By account, the one beneficiary it pays, and the account behind it. */
  beneficiaries: Map<string, { id: string; accountId: string }>
  /** By account, a beneficiary at another bank. */
  elsewhere: Map<string, string>
}

export type Seeded = {
  customers: Customer[]
  opening: Map<string, bigint>
  total: bigint
  programs: OtherProgram[]
}

/** A service account of a rail or a processor, and what its command is given. */
export type OtherProgram = {
  command: 'rail' | 'processor'
  id: string
  key: string
  given: readonly string[]
}

/** What every instance is started with. */
export const settings = {
  PUBLIC_URL: 'https://localhost:8443',
  HTTP_PORT: '0',
  METRICS_PORT: '0',
  LIMITS: formerWide,
  LOG_LEVEL: 'warn',
  // Long enough that only a revocation ends a session here.
  SESSION_IDLE: '12h',
  TOKEN_TTL: '12h',
  ADMIN_USERNAME: admin.username,
  ADMIN_PASSWORD: admin.password,
}

/** Undefined when the service could not say. */
export async function logIn(
  client: StormClient,
  history: History,
  instance: number,
  username: string,
): Promise<Session | undefined> {
  const secret = username === admin.username ? admin.password : password
  const { reply } = await client.ask(instance, 'POST', '/api/v1/auth/login', {
    body: { username, password: secret },
  })
  if (reply?.status !== 200) return undefined
  const session = { id: reply.body.sessionId, token: reply.body.token, username }
  history.sessions.push(session)
  return session
}

/** So soon the service answers, before a storm and behind it; later on a loaded machine. */
const loginMsMax = 20_000

export async function mustLogIn(
  client: StormClient,
  history: History,
  username: string,
): Promise<Session> {
  const until = now() + underLoad(history, loginMsMax)
  for (let turn = 0; turn < 3 || now() < until; turn++) {
    const session = await logIn(client, history, turn % client.size, username)
    if (session) return session
    await sleep(200)
  }
  throw new Error(`${username} cannot log in`)
}

/** @param hasOthers money comes from and goes to other banks as well, and cards pay */
export async function seedBank(
  client: StormClient,
  history: History,
  hasOthers: boolean,
): Promise<Seeded> {
  const root = await mustLogIn(client, history, admin.username)
  const must = async (method: string, path: string, said: Said): Promise<Reply['body']> => {
    const reply = await patiently(
      async () => {
        const heard = await client.ask(0, method, path, { session: root, ...said })
        return heard.reply ?? assert.fail(`${method} ${path} has no answer`)
      },
      // Nothing has happened: a slow machine refuses some.
      ({ body }) => body?.code === 'unavailable',
    )
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    return reply.body
  }
  // In turn: no defect may show before the storm.
  const made: { username: string; session: Session; accounts: Account[] }[] = []
  for (let number = 0; number < customerCount; number++) {
    const username = `customer-${number}`
    const person = { givenName: 'Able', familyName: 'Customer', roles: ['customer'], password }
    const body = { username, email: `${username}@example.com`, ...person }
    await must('POST', '/api/v1/admin/users', { body })
    const session = await mustLogIn(client, history, username)
    const accounts: Account[] = []
    for (let each = 0; each < accountsEach; each++) {
      const account = await must('POST', '/api/v1/accounts', { session, body: { currency: 'EUR' } })
      accounts.push(account)
      await must('POST', `/api/v1/admin/accounts/${account.id}/deposits`, {
        body: { amount: text(opening), currency: 'EUR', reason: `Opening ${account.id}` },
      })
    }
    made.push({ username, session, accounts })
  }
  const customers: Customer[] = []
  for (const [number, { username, session, accounts }] of made.entries()) {
    const payees = made[(number + 1) % made.length]?.accounts ?? []
    const beneficiaries: Customer['beneficiaries'] = new Map()
    const elsewhere: Customer['elsewhere'] = new Map()
    for (const [index, { id: accountId }] of accounts.entries()) {
      const payee = payees[index] as Account
      const body = { name: 'Next Customer', iban: payee.iban }
      const path = `/api/v1/accounts/${accountId}/beneficiaries`
      const { id } = await must('POST', path, { session, body })
      beneficiaries.set(accountId, { id, accountId: payee.id })
      if (!hasOthers) continue
      const other = { name: 'Grace Hopper', iban: ibanElsewhere }
      elsewhere.set(accountId, (await must('POST', path, { session, body: other })).id)
    }
    const ids = accounts.map(({ id }) => id)
    customers.push({ username, accounts: ids, beneficiaries, elsewhere })
  }
  const ids = customers.flatMap(({ accounts }) => accounts)
  return {
    customers,
    opening: new Map(ids.map((id) => [id, opening])),
    total: opening * BigInt(ids.length),
    programs: hasOthers ? await seedPrograms(must, made) : [],
  }
}

type Must = (method: string, path: string, said: Said) => Promise<Reply['body']>
type Made = { session: Session; accounts: Account[] }[]

async function seedPrograms(must: Must, made: Made): Promise<OtherProgram[]> {
  const session = made[0]?.session
  const gone = await must('POST', '/api/v1/accounts', { session, body: { currency: 'EUR' } })
  await must('DELETE', `/api/v1/accounts/${gone.id}`, { session })
  const open = made.slice(0, 2).flatMap(({ accounts }) => accounts.map(({ iban }) => iban))
  // Accounts of customers, and one that is closed.
  const credit = ['--credit', ...open, gone.iban as string]
  const cards = ['--cards']
  for (const { session: holder, accounts } of made.slice(0, 3)) {
    const path = `/api/v1/accounts/${accounts[0]?.id}/cards`
    cards.push((await must('POST', path, { session: holder, body: {} })).id)
  }
  const wanted = [
    ['rail', railOperations, credit],
    ['rail', railOperations, credit],
    ['processor', processorOperations, cards],
  ] as const
  const programs: OtherProgram[] = []
  for (const [command, operations, given] of wanted) {
    const grants = { readAccounts: null, payFrom: [], operations }
    const body = { name: `A ${command}`, grants }
    const { id, key } = await must('POST', '/api/v1/admin/service-accounts', { body })
    programs.push({ command, id, key, given })
  }
  return programs
}

/** `1234` → `"12.34"`. */
export function text(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
