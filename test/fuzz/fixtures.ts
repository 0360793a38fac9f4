// Keeps a run's bank alive: what requests use up (sessions, active cards, pending transfers) is
// made anew now and then, and sessions are refreshed before they end.
import assert from 'node:assert/strict'
import { newApprovals } from './approvals.ts'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { generateKeyPair, SignJWT } from 'jose'
import { createIban } from '../../src/domain/iban.ts'
import { foldName } from '../../src/domain/folding.ts'
import { newId } from '../../src/domain/ids.ts'
import { browse, handleCookie } from '../support/browser-session.ts'
import { tokenMailedTo } from '../support/mailbox.ts'
import { sendConfirmed } from '../support/confirmations.ts'
import { codeOf, enrolTotp, factorsPath } from '../support/factors.ts'
import type { Random } from '../support/random.ts'
import { clientWith, password, people, type PersonName, type World } from '../support/world.ts'
import { ask, asked, asRoot } from './ask.ts'
import { canary, signed } from './canary.ts'
import { addItem, type Caller, countUp, noUser, type Pool } from './pool.ts'
import type { Spare, SpareFactor } from './pool.ts'
import { newDeliveries, newPrograms, refreshPrograms } from './programs.ts'

const customers = ['ada', 'ben'] as const
const phones = { ada: '+442079460101', ben: '+442079460202' } as const

/** The bank before the first request. */
export async function createFixtures(bank: World, random: Random): Promise<Pool> {
  const pool: Pool = {
    bank,
    random,
    cast: {} as Pool['cast'],
    programs: {} as Pool['programs'],
    strangers: await createOutsiders(bank),
    spares: [],
    watched: [],
    items: new Map(),
    ownerOf: new Map(),
    cursors: [],
    keys: ['first-key'],
    payable: [],
    ibans: new Map(),
    secrets: new Set(),
    count: 0,
    deck: [],
  }
  // Before anybody logs in: a change of it by staff ends sessions.
  for (const name of customers) {
    await bank.sql('update users set email = $2 where id = $1', [
      people[name].id,
      `${canary}.${name}@example.com`,
    ])
  }
  for (const name of Object.keys(people) as PersonName[]) {
    const { token, sessionId, refreshToken } = await bank.login(name)
    pool.cast[name] = toOrderCaller(name, token)
    pool.cast[name].cookie = (await browse(bank, name)).cookies[handleCookie] as string
    pool.secrets.add(pool.cast[name].cookie)
    pool.watched.push({ name, token, sessionId, refreshToken })
    const { sessionId: foreign, refreshToken: its } = await bank.login(name)
    pool.watched.push({ name, token: '', sessionId: foreign, refreshToken: its })
    addItem(pool, { id: foreign, resource: 'session', ownerId: 'nobody' })
    pool.ownerOf.set(foreign, people[name].id)
    pool.ownerOf.set(people[name].id, people[name].id)
  }
  for (const { id } of (await bank.sql('select id from audit_events limit 5')).rows) {
    addItem(pool, { id: id as string, resource: 'event', ownerId: 'nobody' })
  }
  for (const name of customers) {
    await asRoot(pool, 'PATCH', `/admin/users/${people[name].id}`, {
      phone: phones[name],
      address: signed(name, 'Street 1'),
    })
  }
  await newPrograms(pool)
  for (let turn = 0; turn < 3; turn++) await refreshFixtures(pool)
  return pool
}

const toOrderCaller = (name: PersonName, token: string): Caller => ({
  name,
  userId: people[name].id,
  roles: people[name].roles,
  token,
  isAlive: true,
})

/** Expired, revoked, forged, malformed tokens, and none. */
async function createOutsiders(bank: World): Promise<Caller[]> {
  const expired = await bank.login('root')
  bank.clock.advance(20 * 60_000)
  const revoked = await bank.login('root')
  await revoked.post('/api/v1/auth/logout')
  const { token } = await bank.login('root')
  const [head, payload, signature] = token.split('.') as [string, string, string]
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as never
  const forged = await new SignJWT(read(payload)).setProtectedHeader(read(head)).sign(privateKey)
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
  const tokens = {
    nobody: undefined,
    expired: expired.token,
    revoked: revoked.token,
    forged,
    unsigned: `${unsigned}.${payload}.`,
    cut: `${head}.${payload}`,
    bent: `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    nonsense: `${canary}.nonsense`,
  }
  return Object.entries(tokens).map(([name, its]) => ({
    name,
    userId: noUser,
    roles: [],
    token: its,
    ...(its !== undefined && { cookie: `${canary}-${name}`.padEnd(43, 'x') }),
    isAlive: false,
  }))
}

/** One more of everything that can be used up. */
export async function refreshFixtures(pool: Pool): Promise<void> {
  for (const watched of pool.watched) await refresh(pool, watched)
  for (const name of customers) await newBelongings(pool, name)
  await refreshPrograms(pool)
  await newDeliveries(pool)
  await newApprovals(pool)
  pool.spares.push(await newSpare(pool), await newSpare(pool))
  pool.spares = pool.spares.slice(-8)
}

/** The succession of a watched session; fails when somebody has ended it. */
async function refresh(pool: Pool, watched: Pool['watched'][number]): Promise<void> {
  const { bank, cast } = pool
  const body = { refreshToken: watched.refreshToken }
  const reply = await ask(bank, 'POST', '/auth/refresh', { body })
  assert.equal(reply.status, 200, `the session of ${watched.name} was ended: ${reply.text}`)
  keepSecrets(pool, reply.body)
  watched.refreshToken = reply.body.refreshToken
  if (watched.token === '') return
  watched.token = reply.body.token
  cast[watched.name].token = watched.token
}

/** The tokens of an answer: no other may hold them. */
export function keepSecrets({ secrets }: Pool, body: unknown): void {
  const given = (body ?? {}) as Record<string, unknown>
  for (const key of ['token', 'refreshToken', 'deviceToken']) {
    if (typeof given[key] === 'string') secrets.add(given[key])
  }
}

async function newBelongings(pool: Pool, name: 'ada' | 'ben'): Promise<void> {
  const ownerId = people[name].id
  const label = signed(name, `N${countUp(pool)}`)
  const open = async () => {
    const body = { currency: 'EUR', name: label }
    const { id, iban } = await asked(pool, name, 'POST', '/accounts', body)
    addItem(pool, { id, resource: 'account', ownerId, currency: 'EUR' })
    pool.ibans.set(iban, ownerId)
    return { id, iban }
  }
  await closeOldAccounts(pool, name)
  const account = await open()
  if (pool.payable.length < 2) {
    pool.payable.push(account.iban)
    pool.ibans.delete(account.iban)
  }
  const at = `/accounts/${account.id}`
  const own = { ownerId, accountId: account.id }
  for (const amount of ['5000.00', '10.00', '11.00']) {
    const cash = { amount, currency: 'EUR', reason: signed('root', countUp(pool)) }
    const { id } = await asRoot(pool, 'POST', `/admin${at}/deposits`, cash)
    addItem(pool, { ...own, id, resource: 'transaction' })
    addItem(pool, { id, resource: 'transfer', ownerId: 'nobody' })
  }
  const held = {
    amount: '20.00',
    currency: 'EUR',
    kind: 'authorization',
    reference: signed('root', countUp(pool)),
  }
  const hold = await asRoot(pool, 'POST', `${at}/holds`, held)
  addItem(pool, { ...own, id: hold.id, resource: 'hold' })
  // Paid away, so that it can be settled, returned or reversed; and one to be used as it is.
  const iban = foreignIban(pool.random)
  const made = { name: label, iban, nickname: label }
  const payee = await asked(pool, name, 'POST', `${at}/beneficiaries`, made)
  addItem(pool, { ...own, id: payee.id, resource: 'beneficiary' })
  const card = await asked(pool, name, 'POST', `${at}/cards`, { nickname: label })
  addItem(pool, { ...own, id: card.id, resource: 'card' })
  const bought = {
    amount: '12.00',
    currency: 'EUR',
    merchant: { name: signed('root', countUp(pool)), category: '5411', country: 'DE' },
    channel: 'online',
    externalId: `${label} ${countUp(pool)}`.slice(0, 120),
  }
  const paid = await asRoot(pool, 'POST', `/cards/${card.id}/authorizations`, bought)
  // Of which some was taken: it can be captured, raised, released and refunded.
  const taken = { amount: '2.00', currency: 'EUR', externalId: `${bought.externalId} taken` }
  await asRoot(pool, 'POST', `/card-payments/${paid.id}/captures`, taken)
  addItem(pool, { ...own, id: paid.id, resource: 'card payment' })
  await newObjections(pool, name, { ...own, paymentId: paid.id })
  const rent = { beneficiaryId: payee.id, amount: '1.00', currency: 'EUR', rhythm: 'weekly' }
  const standing = await asked(pool, name, 'POST', `${at}/orders`, {
    ...rent,
    firstOn: '2099-12-31',
  })
  addItem(pool, { ...own, id: standing.id, resource: 'order' })
  await asked(pool, name, 'POST', `/orders/${standing.id}/skip-next`, { dueOn: '2099-12-31' })
  const terms = { beneficiaryId: payee.id, amount: '3.00', currency: 'EUR' }
  const prepared = await asked(pool, name, 'POST', `${at}/drafts`, terms)
  addItem(pool, { ...own, id: prepared.id, resource: 'payment draft' })
  const invited = { username: `${canary}.invited${countUp(pool)}`, rights: 'view' }
  const member = await asked(pool, name, 'POST', `${at}/members`, invited)
  addItem(pool, { ...own, id: member.id, resource: 'member' })
  const list = await asked(pool, name, 'POST', `${at}/payment-lists`, {
    currency: 'EUR',
    items: [{ beneficiaryId: payee.id, amount: '1.00' }],
  })
  addItem(pool, { ...own, id: list.id, resource: 'payment list' })
  for (const amount of ['1.00', '2.00']) {
    const order = { fromAccountId: account.id, beneficiaryId: payee.id, amount, currency: 'EUR' }
    const { id } = await asked(pool, name, 'POST', '/transfers', order)
    addItem(pool, { ...own, id, resource: 'transfer' })
    addItem(pool, { ...own, id, resource: 'transaction' })
  }
  const { id: accountId } = await open()
  const note = signed('root', countUp(pool))
  const stop = { debits: false, credits: true, cause: 'fraud', note }
  const block = await asRoot(pool, 'POST', `/admin/accounts/${accountId}/blocks`, stop)
  addItem(pool, { ownerId, accountId, id: block.id, resource: 'block' })
  const credentials = { username: name, password }
  const login = await ask(pool.bank, 'POST', '/auth/login', { body: credentials })
  const { sessionId } = login.body
  addItem(pool, { id: sessionId, resource: 'session', ownerId })
}

type Objecting = { ownerId: string; accountId: string; paymentId: string }

/** A dispute of a card payment, and a chargeback of a part of it. */
async function newObjections(pool: Pool, name: 'ada' | 'ben', { paymentId, ...own }: Objecting) {
  const at = `/card-payments/${paymentId}`
  const externalId = signed('root', `charged ${countUp(pool)}`)
  const part = { amount: '0.50', currency: 'EUR', reason: '13.1', externalId }
  const charged = await asRoot(pool, 'POST', `${at}/chargebacks`, part)
  addItem(pool, { ...own, id: charged.id, resource: 'chargeback' })
  const wrong = { reason: 'not_received', text: signed(name, countUp(pool)) }
  const disputed = await asked(pool, name, 'POST', `${at}/disputes`, wrong)
  addItem(pool, { ...own, id: disputed.id, resource: 'dispute' })
}

const openAccountsMax = 30

/**
 * A customer has at most a hundred open accounts, so the oldest ones are emptied and closed. One
 * that cannot be closed now is tried again in the next round.
 */
async function closeOldAccounts(pool: Pool, name: 'ada' | 'ben'): Promise<void> {
  const send = (by: PersonName, method: string, at: string, body?: object) =>
    ask(pool.bank, method, at, { token: pool.cast[by].token, ...(body && { body }) })
  const reason = signed('root', countUp(pool))
  const open = await send(name, 'GET', '/accounts?limit=100')
  for (const { id, currency, iban } of open.body.items.slice(openAccountsMax)) {
    if (pool.payable.includes(iban)) continue
    await send('root', 'POST', `/admin/accounts/${id}/unfreeze`, { reason })
    const blocks = await send('root', 'GET', `/admin/accounts/${id}/blocks?limit=100`)
    for (const block of blocks.body.items) {
      await send('root', 'DELETE', `/admin/accounts/${id}/blocks/${block.id}`)
    }
    const sent = await send('root', 'GET', `/transfers?accountId=${id}&limit=100`)
    for (const transfer of sent.body.items.filter((each: { status: string }) =>
      ['pending', 'sent'].includes(each.status),
    )) {
      await send('root', 'POST', `/admin/transfers/${transfer.id}/settle`)
    }
    const { balance } = (await send('root', 'GET', `/admin/accounts/${id}`)).body
    const cash = { amount: balance, currency, reason }
    await send('root', 'POST', `/admin/accounts/${id}/withdrawals`, cash)
    await send(name, 'DELETE', `/accounts/${id}`)
  }
}

/** A German account at a bank that is not this one. */
export const foreignIban = (random: Random): string =>
  createIban('DE', `37040044${String(random.below(10 ** 9)).padStart(10, '0')}`)

async function newSpare(pool: Pool): Promise<Spare> {
  const { bank } = pool
  const number = countUp(pool)
  const username = `${canary}.spare${number}`
  const id = newId(bank.clock.now())
  await bank.sql(
    `insert into users
       (id, username, email, given_name, family_name, folded_name, roles, password_hash,
        created_at)
     select $1, $2, $3, $4, $4, $6, '{customer}', password_hash, created_at from users
     where id = $5`,
    [
      id,
      username,
      `${username}@example.com`,
      signed('spare', number),
      people.root.id,
      foldName(`${signed('spare', number)} ${signed('spare', number)}`),
    ],
  )
  const login = await ask(bank, 'POST', '/auth/login', { body: { username, password } })
  assert.equal(login.status, 200, login.text)
  keepSecrets(pool, login.body)
  const resetToken = await mailedTo(bank, `${username}@example.com`)
  pool.secrets.add(resetToken)
  const { token, sessionId, refreshToken, deviceToken } = login.body
  const itself = { name: 'spare', userId: id, roles: ['customer'], token, isAlive: true } as const
  const spare = { ...itself, username, password, sessionId, refreshToken, deviceToken, resetToken }
  if (number % 2 === 0) return spare
  const factor = await newFactor(bank, spare)
  // The same token in a link that replaces the factors.
  await bank.sql(
    `insert into factor_resets (user_id, token_hash, email, expires_at)
     select id, sha256($2), email, 'infinity' from users where id = $1`,
    [id, Buffer.from(resetToken)],
  )
  return { ...spare, factor }
}

async function newFactor(bank: World, { token, username }: Spare): Promise<SpareFactor> {
  const voice = clientWith(bank.send, token as string)
  const { id, recoveryCodes, code } = await enrolTotp(bank, voice)
  const another = { kind: 'totp', name: 'Phone', password }
  const pending = await sendConfirmed(bank, (headers) =>
    voice.post(factorsPath, another, { headers }),
  )
  const login = await ask(bank, 'POST', '/auth/login', { body: { username, password } })
  const risky = await voice.post('/api/v1/auth/recovery-codes')
  return {
    id,
    confirmationId: risky.body.challenge.id as string,
    // That of the present step was used up by the enrolment.
    code: () => code(1),
    pendingId: pending.body.id as string,
    pendingCode: () => codeOf(pending.body.totp.uri as string, bank.clock.now()),
    challengeId: login.body.challenge.id as string,
    recoveryCodes,
  }
}

/** The token of a link that is asked for now. All mails written so far are thrown away. */
async function mailedTo(bank: World, email: string): Promise<string> {
  await ask(bank, 'POST', '/auth/password-reset', { body: { email } })
  const token = await tokenMailedTo(bank, email)
  const folder = path.join(bank.running.config.dataDir, 'outbox')
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  return token
}
