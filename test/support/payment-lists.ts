// Ada's lists of payments: checked, ordered, and paid by the worker.
import assert from 'node:assert/strict'
import { openDatabase } from '../../src/database/connections/connect.ts'
import { utcDays } from '../../src/domain/days.ts'
import type { DueWorkerParts } from '../../src/features/movements/due-worker.ts'
import { openPaymentLists, type PaymentLists } from '../../src/features/payment-lists/worker.ts'
import { deposit, patiently, readBalance, readPages, type Scene, sceneIn } from './fixture.ts'
import { elsewhere } from './orders.ts'
import type { ApiClient, World } from './world.ts'

export const otherIban = 'GB33BUKB20201555555555'
export type Item = Record<string, unknown>

/** Ada has two accounts, money in the first and a payee at another bank. It is 2 January 2026. */
export async function listScene(made: World | Scene, balance = '1000.00') {
  const { from, to, ada: first } = 'from' in made ? made : await sceneIn(made, balance)
  let ada = first
  const body = { name: 'Otto Example', iban: elsewhere }
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  assert.equal(payee.status, 201, payee.text)
  const payeeId = payee.body.id as string
  const known = (amount: string, more: Item = {}): Item => ({
    beneficiaryId: payeeId,
    amount,
    ...more,
  })
  const path = `/api/v1/accounts/${from}/payment-lists`
  const check = (items: readonly Item[], more: Item = {}, by: Pick<ApiClient, 'post'> = ada) =>
    by.post(path, { currency: 'EUR', items, ...more })
  const execute = (id: string, asked: object = {}, by: Pick<ApiClient, 'post'> = ada) =>
    by.post(`/api/v1/payment-lists/${id}/execute`, undefined, asked)
  const { paymentLists, outbox } = made.running.core
  const read = async (id: string) => (await ada.get(`/api/v1/payment-lists/${id}`)).body
  return {
    ...made,
    from,
    to,
    payeeId,
    path,
    ada: () => ada,
    known,
    check,
    execute,
    read,
    async make(items: readonly Item[], more: Item = {}): Promise<string> {
      const reply = await patiently(() => check(items, more))
      assert.equal(reply.status, 201, reply.text)
      return reply.body.id as string
    },
    async order(items: readonly Item[], more: Item = {}): Promise<string> {
      const reply = await patiently(() => check(items, more))
      assert.equal(reply.status, 201, reply.text)
      const ordered = await execute(reply.body.id)
      assert.equal(ordered.status, 200, ordered.text)
      return reply.body.id as string
    },
    async work() {
      await paymentLists.work()
      await outbox.work()
    },
    /** `0 made`, `1 refused insufficient_funds`, `2 ready`. */
    async lines(id: string): Promise<string[]> {
      const items = await readPages(ada, `/api/v1/payment-lists/${id}/lines?limit=100`)
      return items.map(({ index, status, refusal }) =>
        [index, status, refusal].filter((part) => part !== undefined).join(' '),
      )
    },
    status: async (id: string): Promise<string> => (await read(id)).status,
    balance: () => readBalance(ada, from),
    /** To noon of that day, with whatever is due then. */
    async goTo(day: string) {
      made.clock.advance(Date.parse(`${day}T12:00:00Z`) - made.clock.now())
      ada = await made.login('ada')
      await paymentLists.work()
      await outbox.work()
    },
    payIn: async (amount: string) => deposit(await made.login('root'), from, amount),
  }
}

/** One more worker of lists, which pays by that ledger; it fails the test if it logs anything. */
export function openListWorker(
  { running, clock, address }: World,
  ledger: DueWorkerParts['ledger'],
): PaymentLists {
  const db = openDatabase(address)
  const unexpected = (...told: unknown[]) => assert.fail(JSON.stringify(told))
  const worker = openPaymentLists({
    db,
    config: running.config,
    clock,
    clocks: { require() {}, days: () => utcDays },
    ledger,
    log: { warn: unexpected, error: unexpected },
  })
  let closed: Promise<void> | undefined
  return { ...worker, close: () => (closed ??= worker.close().then(() => db.close())) }
}

/** A checked list of one payment to that payee. */
export async function listFrom(
  client: Pick<ApiClient, 'post'>,
  accountId: string,
  beneficiaryId: string,
): Promise<string> {
  const body = { currency: 'EUR', items: [{ beneficiaryId, amount: '1.00' }] }
  const made = await client.post(`/api/v1/accounts/${accountId}/payment-lists`, body)
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}
