// Two requests whose movements are of one batch, about an account of Ada's of their own.
import assert from 'node:assert/strict'
import { newProcessor, outcomeOf, toTill } from './card-payments.ts'
import type { Reply } from './client.ts'
import { deposit, openAccount } from './fixture.ts'
import { type Span, world } from './world.ts'

export type Send = () => Promise<Reply>
export type BatchScene = Awaited<ReturnType<typeof openBatchScene>>

export const eur = (amount: string) => ({ amount, currency: 'EUR' })

/** An account of Ada's with 10.00, her card and a payee elsewhere. */
export async function openBatchScene(bank: Awaited<ReturnType<typeof beginBatches>>) {
  const { ada, root, processor, next } = bank
  const account = await openAccount(ada)
  await deposit(root, account, '10.00')
  const own = `/api/v1/accounts/${account}`
  const post = async (path: string, body: object) => {
    const { status, body: made, text } = await ada.post(path, body)
    assert.equal(status, 201, text)
    return made.id as string
  }
  const payee = await post(`${own}/beneficiaries`, { name: 'Otto', iban: 'DE89370400440532013000' })
  const card = await post(`${own}/cards`, {})
  const keyed = (key = next()) => ({ headers: { 'idempotency-key': key } })
  const till = toTill(processor, card)
  const pay =
    (amount: string, key?: string, more: object = { beneficiaryId: payee }): Send =>
    () =>
      ada.post('/api/v1/transfers', { fromAccountId: account, ...eur(amount), ...more }, keyed(key))
  const idOf = async (sent: Promise<Reply>): Promise<string> => {
    const { status, body, text } = await sent
    assert.ok(status < 300, text)
    return body.id as string
  }
  const hold =
    (amount: string): Send =>
    () =>
      root.post(`${own}/holds`, {
        ...eur(amount),
        kind: 'dispute',
        reference: 'Hotel',
        externalId: next(),
      })
  const step =
    (id: string, verb: string, body: object = {}): Send =>
    () =>
      root.post(`/api/v1/admin/transfers/${id}/${verb}`, { externalId: next(), ...body })
  const capture =
    (id: string, amount: string, more: object = {}): Send =>
    () =>
      root.post(`/api/v1/holds/${id}/capture`, { ...eur(amount), externalId: next(), ...more })
  const posting =
    (amount: string, externalId = next()): Send =>
    () =>
      root.post('/api/v1/admin/postings', {
        ...eur(amount),
        fromAccountId: account,
        toCode: 'fees',
        kind: 'fee',
        reason: 'Fee',
        externalId,
      })
  const withdraw =
    (amount: string): Send =>
    () =>
      root.post(
        `/api/v1/admin/accounts/${account}/withdrawals`,
        { ...eur(amount), reason: 'Out' },
        keyed(),
      )
  const limitDay = (dailyTransferLimit: string) =>
    root.patch(`${own}/settings`, { dailyTransferLimit })
  const limitCard = (limits: object) => ada.patch(`/api/v1/cards/${card}/controls`, { limits })
  return {
    ...bank,
    account,
    own,
    keyed,
    till,
    pay,
    idOf,
    hold,
    step,
    capture,
    posting,
    withdraw,
    limitDay,
    limitCard,
  }
}

/** A bank in which the movements of two requests can be submitted in one turn. */
export async function beginBatches(t: Span) {
  const bank = await world(t, { settings: { SESSION_IDLE: '12h' } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { ledger } = bank.running.core
  const { submit } = ledger
  /** What was submitted, and waits until the batch is whole. */
  let waiting: (() => void)[] | undefined
  ledger.submit = ((movement: never) => {
    if (!waiting) return submit(movement)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.push(() => void submit(movement).then(resolve, reject))
    return promise
  }) as typeof submit
  /** Sends one after the other, and has both submitted in one turn of the event loop. */
  async function together(sends: readonly [Send, Send]): Promise<Reply[]> {
    const held: (() => void)[] = []
    waiting = held
    const replies: Promise<Reply>[] = []
    for (const [index, send] of sends.entries()) {
      replies.push(send())
      while (held.length <= index) await new Promise((resolve) => setImmediate(resolve))
    }
    waiting = undefined
    for (const go of held) go()
    return Promise.all(replies)
  }
  let count = 0
  const next = () => `n-${++count}`
  const savings = await openAccount(ada)
  return { ...bank, ada, root, savings, processor: await newProcessor(bank), together, next }
}

/** `done`, `approved`, the reason of a decline, or the code of a refusal. */
export const toOutcome = (reply: Reply): string => {
  const { status, body } = reply
  return status >= 400
    ? (body.code as string)
    : 'channel' in body && 'paymentId' in body
      ? outcomeOf(reply)
      : 'done'
}
