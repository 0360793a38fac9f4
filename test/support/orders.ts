// A customer with standing orders, and the days on which the worker runs them, by the fake clock.
import assert from 'node:assert/strict'
import { deposit, patiently, readBalance, type Scene, scene, sceneIn } from './fixture.ts'
import { readMails } from './mailbox.ts'
import type { ApiClient, Span, World } from './world.ts'

export const elsewhere = 'DE89370400440532013000'
export type Change = Record<string, unknown>

/** {@link orderScene} in a bank of its own. */
export const orderBank = async (t: Span, balance = '1000.00') => orderScene(await scene(t, balance))

/** Ada has two accounts, money in the first and a payee at another bank. It is 2 January 2026. */
export async function orderScene(made: World | Scene, balance = '1000.00') {
  const { from, to, ada: first } = 'from' in made ? made : await sceneIn(made, balance)
  let ada = first
  const body = { name: 'Otto Example', iban: elsewhere }
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  assert.equal(payee.status, 201, payee.text)
  const order = (more: Change = {}) => ({
    beneficiaryId: payee.body.id as string | undefined,
    amount: '100.00',
    currency: 'EUR',
    reference: 'Rent',
    rhythm: 'monthly',
    firstOn: '2026-01-31',
    ...more,
  })
  const ask = (more: Change = {}) => ada.post(`/api/v1/accounts/${from}/orders`, order(more))
  const { orders, outbox } = made.running.core
  const work = async () => {
    await orders.work()
    await outbox.work()
  }
  return {
    ...made,
    from,
    to,
    payeeId: payee.body.id as string,
    /** Her session of now. */
    ada: () => ada,
    ask,
    work,
    async make(more: Change = {}) {
      const reply = await patiently(() => ask(more))
      assert.equal(reply.status, 201, reply.text)
      return reply.body.id as string
    },
    runs: async (id: string): Promise<string[]> => {
      const { body } = await ada.get(`/api/v1/orders/${id}/runs?limit=100`)
      const toText = ({ dueOn, outcome, refusal }: Record<string, string | null>) =>
        [dueOn, outcome, refusal].filter((part) => part !== null).join(' ')
      return body.items.map(toText)
    },
    read: async (id: string) => (await ada.get(`/api/v1/orders/${id}`)).body,
    balance: () => readBalance(ada, from),
    /** To noon of that day, with whatever is due then. */
    async goTo(day: string) {
      made.clock.advance(Date.parse(`${day}T12:00:00Z`) - made.clock.now())
      ada = await made.login('ada')
      await work()
    },
    /** The mails of that subject so far. */
    told: async (subject = 'A standing order was not paid') =>
      (await readMails(made)).filter((mail) => mail.subject === subject),
    payIn: async (amount: string) => deposit(await made.login('root'), from, amount),
  }
}

export const orderedDay = '2099-01-01'

/** A standing order from the account to that payee, which is due in many years. */
export async function orderFrom(
  client: Pick<ApiClient, 'post'>,
  accountId: string,
  beneficiaryId: string,
  rhythm = 'once',
): Promise<string> {
  const terms = { beneficiaryId, amount: '1.00', currency: 'EUR' }
  const days = { rhythm, firstOn: orderedDay }
  const made = await client.post(`/api/v1/accounts/${accountId}/orders`, { ...terms, ...days })
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}
