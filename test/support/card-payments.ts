// A processor of card payments in tests, and a card of Ada's.
import assert from 'node:assert/strict'
import { newId } from '../../src/domain/ids.ts'
import type { Reply } from './client.ts'
import { deposit, type Scene } from './fixture.ts'
import { newProgram, type Program } from './service-accounts.ts'
import type { ApiClient, World } from './world.ts'

export const processorOperations = [
  'authorizeCardPayment',
  'incrementCardPayment',
  'captureCardPayment',
  'clearCardPayment',
  'releaseCardPayment',
  'refundCardPayment',
  'chargeBackCardPayment',
  'winChargeback',
  'loseChargeback',
  'withdrawChargeback',
]

export const newProcessor = (bank: Pick<World, 'as' | 'send'>): Promise<Program> =>
  newProgram(bank, { operations: processorOperations })

export const shop = { name: 'Lindner Lebensmittel', category: '5411', country: 'DE' }

let numbers = 0
const nextNumber = (): string => `n${++numbers}`

/** A request for an amount in euros, with a new external identifier. */
export const asked = (amount: string, more: object = {}) => ({
  amount,
  currency: 'EUR',
  merchant: shop,
  channel: 'chip',
  externalId: nextNumber(),
  ...more,
})

/**
 * The requests of a processor for one card, each with a new external identifier unless one is
 * given.
 */
export function toTill(processor: Pick<ApiClient, 'post'>, card: string) {
  const payments = '/api/v1/card-payments'
  const step =
    (verb: string) =>
    (id: string, amount: string, more: object = {}) => {
      const body = { amount, currency: 'EUR', externalId: nextNumber(), ...more }
      return processor.post(`${payments}/${id}/${verb}`, body)
    }
  return {
    ask: (amount: string, more: object = {}): Promise<Reply> =>
      processor.post(`/api/v1/cards/${card}/authorizations`, asked(amount, more)),
    raise: step('increments'),
    capture: step('captures'),
    refund: step('refunds'),
    clear: (amount: string, more: object = {}): Promise<Reply> =>
      processor.post(`/api/v1/cards/${card}/clearings`, asked(amount, more)),
    release: (id: string) => processor.post(`${payments}/${id}/release`),
    chargeBack: (id: string, amount: string, more: object = {}): Promise<Reply> => {
      const body = { amount, reason: '13.1', externalId: nextNumber(), ...more }
      return processor.post(`${payments}/${id}/chargebacks`, body)
    },
    end: (id: string, outcome: 'won' | 'lost' | 'withdrawn') =>
      processor.post(`/api/v1/chargebacks/${id}/${outcome}`),
  }
}
export type Till = ReturnType<typeof toTill>

/** `approved`, a reason, or a refusal. */
export const outcomeOf = ({ status, body }: Reply): string =>
  status === 201 ? (body.reason ?? body.status) : `${status} ${body.code}`

/** A payment of two euros that this person or program authorised. */
export async function cardPaymentOf(
  { sql, clock }: Pick<World, 'sql' | 'clock'>,
  { account, card }: { account: string; card: string },
  callerId: string,
): Promise<string> {
  const id = newId(clock.now())
  const now = new Date(clock.now())
  const end = new Date(clock.now() + 604_800_000)
  await sql(
    `with counted as (
       update accounts
       set held = held + 200, held_until = least(held_until, $6), active_holds = active_holds + 1
       where id = $2
     ), spent as (
       update cards set spent_on = ($5 at time zone 'UTC')::date, spent_amount = 200
         + case when spent_on = ($5 at time zone 'UTC')::date then spent_amount else 0 end
       where id = $3
     ), placed as (
       insert into holds (id, account_id, card_id, kind, currency, reference, caller_id,
         created_at, amount, remaining, status, expires_at, counted, counted_on)
       values ($1, $2, $3, 'authorization', 'EUR', 'Shop', $4, $5, 200, 200, 'active', $6, 200,
         ($5 at time zone 'UTC')::date)
     )
     insert into card_authorizations (id, card_id, account_id, payment_id, amount, currency,
       channel, merchant_name, merchant_category, merchant_country, caller_id, created_at,
       expires_at)
     values ($1, $3, $2, $1, 200, 'EUR', 'chip', 'Shop', '5411', 'DE', $4, $5, $6)`,
    [id, account, card, callerId, now, end],
  )
  return id
}

type Having = { account: string; card: string }

/** Such a payment, of which one euro was captured. */
export async function takenPaymentOf(
  bank: Pick<World, 'sql' | 'clock' | 'login'>,
  own: Having,
  callerId: string,
): Promise<string> {
  const id = await cardPaymentOf(bank, own, callerId)
  const { status, text } = await toTill(await bank.login('root'), own.card).capture(id, '1.00')
  assert.equal(status, 201, text)
  return id
}

/** A chargeback of such a payment, which is open. */
export async function chargebackOf(
  bank: Pick<World, 'sql' | 'clock' | 'login'>,
  own: Having,
  callerId: string,
): Promise<string> {
  const till = toTill(await bank.login('root'), own.card)
  const back = await till.chargeBack(await takenPaymentOf(bank, own, callerId), '1.00')
  assert.equal(back.status, 201, back.text)
  return back.body.id as string
}

/** A dispute by Ada of such a payment. */
export async function disputeOf(
  bank: Pick<World, 'sql' | 'clock' | 'login'>,
  own: Having,
  callerId: string,
): Promise<string> {
  const path = `/api/v1/card-payments/${await takenPaymentOf(bank, own, callerId)}/disputes`
  const ada = await bank.login('ada')
  const made = await ada.post(path, { reason: 'not_received', text: 'It has never arrived.' })
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}

/** The identifier of a payment that is approved. */
export async function approved(reply: Promise<Reply>): Promise<string> {
  const { status, body, text } = await reply
  assert.equal(status, 201, text)
  assert.equal(body.status, 'approved', text)
  return body.paymentId as string
}

/** Ada has a card with a hundred behind it, and a processor. */
export async function cardScene<S extends Scene>(scene: S) {
  const { ada, from } = scene
  const issued = await ada.post(`/api/v1/accounts/${from}/cards`, {})
  assert.equal(issued.status, 201, issued.text)
  const card = issued.body.id as string
  const processor = await newProcessor(scene)
  const till = toTill(processor, card)
  const payment = async (id: string) => (await ada.get(`/api/v1/card-payments/${id}`)).body
  const payments = async (): Promise<Reply['body'][]> =>
    (await ada.get(`/api/v1/accounts/${from}/card-payments`)).body.items
  /** Balance and what is held, as one text. */
  const stand = async () => {
    const { body } = await ada.get(`/api/v1/accounts/${from}`)
    return `${body.balance} held ${body.held}`
  }
  return { ...scene, card, processor, till, payment, payments, stand }
}

type AuditedChange = [
  send: () => Promise<Reply>,
  target: string,
  detail: string | null | ((reply: Reply) => string),
]

/** Each step of a card payment by an administrator, with the target and detail of its event. */
export async function changesOfCard(
  { root, ada }: { root: ApiClient; ada: ApiClient },
  account: string,
  card: string,
): Promise<AuditedChange[]> {
  await deposit(root, account, '20.00')
  const till = toTill(root, card)
  const approve = () => approved(till.ask('1.00'))
  const [bought, taken, given] = [await approve(), await approve(), await approve()]
  await till.capture(taken, '1.00')
  const wrong = (await till.clear('1.00')).body.cardPaymentId as string
  const claim = { reason: 'other', text: 'Wrong' }
  const disputed = (await ada.post(`/api/v1/card-payments/${wrong}/disputes`, claim)).body
  const close = `/api/v1/admin/disputes/${disputed.id}/close`
  const lost = (await till.chargeBack(taken, '0.10')).body.id as string
  const won = (await till.chargeBack(taken, '0.10')).body.id as string
  const withdrawn = (await till.chargeBack(taken, '0.10')).body.id as string
  const takenBack = ({ body }: Reply) => `transfer ${body.takenBackBy}`
  const raised = ({ body }: Reply) => `authorization of 2.00 EUR until ${body.expiresAt}`
  const transferOf = ({ body }: Reply) => `transfer ${body.id}`
  return [
    [() => till.ask('1.00'), card, ({ body }) => `hold ${body.id}`],
    [() => till.raise(bought, '1.00'), bought, raised],
    [() => till.capture(bought, '1.00'), bought, transferOf],
    [() => till.refund(taken, '0.50'), taken, transferOf],
    [() => till.chargeBack(taken, '0.10'), taken, transferOf],
    [() => till.end(won, 'won'), won, null],
    [() => till.end(lost, 'lost'), lost, takenBack],
    [() => till.end(withdrawn, 'withdrawn'), withdrawn, takenBack],
    [() => till.clear('1.00'), card, transferOf],
    [() => till.release(given), given, null],
    [() => root.post(close, { reason: 'Proved' }), disputed.id, null],
  ]
}
