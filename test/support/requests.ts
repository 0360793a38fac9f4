// Requests made from the route objects, so that a new endpoint is tested without a new line of
// test.
import type { TSchema } from '../../src/domain/type.ts'
import { newId, type Resource } from '../../src/domain/ids.ts'
import { createExample } from '../../src/http/example.ts'
import type { Route } from '../../src/http/route.ts'
import type { Identifier } from '../../src/domain/ids.ts'
import { findIdentifiers } from '../../src/http/route-check.ts'
import { asked } from './card-payments.ts'
import type { Reply } from './client.ts'
import { type ApiClient, password, people, type PersonName, type World } from './world.ts'

/** One identifier of each kind of resource, of one owner. */
export type Belongings = Readonly<Record<Resource, string>>

export type RequestParts = {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown> | undefined
}

/** Examples of the properties that an object must have. */
export const makeRequired = (schema: Route['query']): Record<string, unknown> =>
  (schema?.required?.length ?? 0) > 0
    ? (structuredClone(createExample(schema as TSchema)) as Record<string, unknown>)
    : {}

/** A well-formed request of the route whose identifiers are the given ones. */
export function toParts(route: Route, idOf: (identifier: Identifier) => string): RequestParts {
  const make = (schema: Route['body']) =>
    schema === undefined ? {} : (structuredClone(createExample(schema)) as Record<string, unknown>)
  const body = (route.example ?? make(route.body)) as Record<string, unknown>
  const parts = {
    params: make(route.params),
    query: makeRequired(route.query),
    body: route.body === undefined ? undefined : structuredClone(body),
  }
  for (const identifier of findIdentifiers(route)) {
    const { part, keys } = identifier
    const holder = parts[part] as Record<string, unknown>
    const [key] = keys as [string]
    // A side of a posting is an account of a customer or one of the bank, by its code.
    if (key.replace(/AccountId$/, 'Code') in holder && key.endsWith('AccountId')) continue
    holder[key] = idOf(identifier)
  }
  return parts
}

export function toPath({ path }: Route, { params, query }: RequestParts): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => String(params[name]))
  const search = new URLSearchParams(query as Record<string, string>).toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** The path with one more query parameter in place of its own, as it is written in `parameter`. */
export function toTarget(route: Route, parts: RequestParts, parameter: string): string {
  const key = parameter.slice(0, parameter.indexOf('='))
  const others = Object.entries(parts.query).filter(([name]) => name !== key)
  const path = toPath(route, { ...parts, query: Object.fromEntries(others) })
  return `${path}${others.length === 0 ? '?' : '&'}${parameter}`
}

export const sendTo = (
  bank: Pick<World, 'send'>,
  route: Route,
  parts: RequestParts,
  token?: string,
): Promise<Reply> =>
  bank.send(route.method, toPath(route, parts), {
    token,
    // As a browser says of the portal's own page.
    ...(route.portal === 'only' && { headers: { 'sec-fetch-site': 'same-origin' } }),
    ...(parts.body !== undefined && { body: parts.body }),
  })

/** Gives a customer one of everything that can be owned. */
export async function readBelongings(bank: World, name: PersonName): Promise<Belongings> {
  const voice = await bank.as(name)
  const root = await bank.as('root')
  const open = async () =>
    (await voice.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  const [account, savings] = [await open(), await open()]
  await root.post(`/api/v1/admin/accounts/${account}/deposits`, {
    amount: '500.00',
    currency: 'EUR',
    reason: 'Opening',
  })
  const transfer = await voice.post('/api/v1/transfers', {
    fromAccountId: account,
    toAccountId: savings,
    amount: '1.00',
    currency: 'EUR',
    reference: 'Saving',
  })
  const spare = await bank.login(name)
  const enrolment = { kind: 'totp', name: 'Phone', password }
  const factor = (await voice.post('/api/v1/auth/factors', enrolment)).body.id as string
  const own = {
    account,
    transfer: transfer.body.id,
    transaction: transfer.body.id,
    session: spare.sessionId,
    factor,
    // Of its enrolment.
    challenge: factor,
    user: people[name].id,
    // No route names one.
    note: newId(0),
    // Set when it is needed: it would stop other requests.
    block: newId(0),
    ...(await newMembers(bank, account, name)),
    // No route names one.
    'former entry': newId(0),
    request: newId(0),
    approval: await newApproval(bank, account),
    ...(await newServiceAccount(root)),
    ...(await newWebhook(root)),
    // A certain one: the newest of one millisecond are in any order, and some tell more.
    event: await eventOf(root, `action=openAccount&target=${account}`),
    ...(await laterBelongings(voice, root, account)),
  }
  return { ...own, 'payment draft': await newDraft(bank, account, own.beneficiary) }
}

const eventOf = async (root: ApiClient, query: string): Promise<string> =>
  (await root.get(`/api/v1/admin/audit-events?${query}`)).body.items[0].id

/** A draft of one euro by the owner of the account, or by that person. */
export async function newDraft(
  { sql, clock }: World,
  accountId: string,
  beneficiaryId: string,
  makerId?: string,
): Promise<string> {
  const id = newId(clock.now())
  await sql(
    `insert into payment_drafts
       (id, account_id, maker_id, beneficiary_id, amount, reference, expires_at, created_at)
     select $1, a.id, coalesce($4, a.owner_id), b.id, 100, '',
       $5::timestamptz + interval '30 days', $5
     from accounts a join beneficiaries b on b.id = $3 where a.id = $2`,
    [id, accountId, beneficiaryId, makerId ?? null, new Date(clock.now())],
  )
  return id
}

/** A hold of one euro that this caller placed: a program moves no other. */
export async function placeHoldOf(
  { sql, clock }: World,
  accountId: string,
  callerId: string,
): Promise<string> {
  const id = newId(clock.now())
  await sql(
    `with counted as (
       update accounts set held = held + 100, active_holds = active_holds + 1 where id = $2
     )
     insert into holds (id, account_id, kind, currency, reference, caller_id, created_at, amount,
       remaining, status)
     values ($1, $2, 'dispute', 'EUR', 'Disputed', $3, $4, 100, 100, 'active')`,
    [id, accountId, callerId, new Date(clock.now())],
  )
  return id
}

/** One whom the customer has invited, and an invitation of the customer by another one. */
export async function newMembers({ sql, clock }: World, accountId: string, name: PersonName) {
  const other = name === 'ada' ? people.ben : people.ada
  const invite = async (id: string, account: string, { id: personId, username }: typeof other) =>
    sql(
      `insert into account_members
         (id, account_id, person_id, username, rights, invited_at, expires_at)
       values ($1, $2, $3, $4, 'view', $5::timestamptz, $5::timestamptz + interval '7 days')`,
      [id, account, personId, username, new Date(clock.now())],
    )
  const [member, membership] = [newId(clock.now()), newId(clock.now())]
  await invite(member, accountId, other)
  const opened = await sql(
    `insert into accounts (id, owner_id, iban, currency, kind, created_at)
     values ($1, $2, $3, 'EUR', 'customer', $4) returning id`,
    [
      newId(clock.now()),
      other.id,
      `XX00${membership.slice(-12).toUpperCase()}`,
      new Date(clock.now()),
    ],
  )
  await invite(membership, opened.rows[0]?.['id'] as string, people[name])
  return { member, membership }
}

/** A request whose maker is gone: it can be read and rejected. */
async function newApproval({ sql, clock }: World, accountId: string): Promise<string> {
  const [id, maker] = [newId(clock.now()), newId(0)]
  const request = { body: { reason: 'Stolen' }, params: { accountId }, query: null }
  await sql(
    `insert into approvals
       (id, operation, request, maker_id, maker_session_id, created_at, expires_at)
     values ($1, 'freezeAccount', $2, $3, $3, $4, $5)`,
    [
      id,
      JSON.stringify(request),
      maker,
      new Date(clock.now()),
      new Date(clock.now() + 24 * 3_600_000),
    ],
  )
  return id
}

async function newServiceAccount(root: Awaited<ReturnType<World['as']>>) {
  const grants = { readAccounts: null, payFrom: [], operations: [] }
  const { body } = await root.post('/api/v1/admin/service-accounts', { name: 'Program', grants })
  return { 'service account': body.id as string, key: body.keys[0].id as string }
}

async function newWebhook(root: Awaited<ReturnType<World['as']>>) {
  const path = '/api/v1/admin/webhooks'
  const body = { url: 'https://127.0.0.1/', types: ['card.cancelled'] }
  const { id: webhook } = (await root.post(path, body)).body as { id: string }
  const { id: delivery } = (await root.post(`${path}/${webhook}/test`)).body as { id: string }
  return { webhook, delivery }
}

async function laterBelongings(
  voice: Awaited<ReturnType<World['as']>>,
  root: Awaited<ReturnType<World['as']>>,
  account: string,
) {
  const beneficiary = await voice.post(`/api/v1/accounts/${account}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const card = await voice.post(`/api/v1/accounts/${account}/cards`, {})
  const order = await voice.post(`/api/v1/accounts/${account}/orders`, {
    beneficiaryId: beneficiary.body?.id,
    amount: '1.00',
    currency: 'EUR',
    rhythm: 'monthly',
    firstOn: '2099-01-31',
  })
  const list = await voice.post(`/api/v1/accounts/${account}/payment-lists`, {
    currency: 'EUR',
    items: [{ beneficiaryId: beneficiary.body?.id, amount: '1.00' }],
  })
  const hold = await root.post(`/api/v1/accounts/${account}/holds`, {
    amount: '10.00',
    currency: 'EUR',
    kind: 'dispute',
    reference: 'Disputed',
  })
  const checked = await voice.post(`/api/v1/accounts/${account}/payee-checks`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const paid = await root.post(`/api/v1/cards/${card.body?.id}/authorizations`, asked('2.00'))
  const cleared = await root.post(`/api/v1/cards/${card.body?.id}/clearings`, asked('1.00'))
  const path = `/api/v1/card-payments/${cleared.body?.cardPaymentId}`
  const back = { amount: '0.50', reason: '13.1', externalId: `back ${account}` }
  const chargeback = await root.post(`${path}/chargebacks`, back)
  const disputed = { reason: 'not_received', text: 'It has never arrived.' }
  const dispute = await voice.post(`${path}/disputes`, disputed)
  return {
    chargeback: (chargeback.body?.id as string | undefined) ?? newId(0),
    dispute: (dispute.body?.id as string | undefined) ?? newId(0),
    'card payment': (paid.body?.id as string | undefined) ?? newId(0),
    'payee check': (checked.body?.id as string | undefined) ?? newId(0),
    hold: (hold.body?.id as string | undefined) ?? newId(0),
    'payment list': (list.body?.id as string | undefined) ?? newId(0),
    order: (order.body?.id as string | undefined) ?? newId(0),
    beneficiary: (beneficiary.body?.id as string | undefined) ?? newId(0),
    card: (card.body?.id as string | undefined) ?? newId(0),
  }
}

/**
 * Works on the items, sixteen at a time: their look-ups share statements, so that tests of every
 * route take a fraction of the time.
 */
export async function forAll<T>(
  all: readonly T[],
  work: (each: T) => Promise<void>,
): Promise<void> {
  const rest = all.values()
  const worker = async () => {
    for (const each of rest) await work(each)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}
