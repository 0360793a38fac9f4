// The clients of a storm. Each draws its actions from a random stream of its own, so a seed repeats
// their attempts; the outcomes depend on timing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../demo/chance.ts'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import type { Reply } from '../support/client.ts'
import {
  toAttempt,
  type History,
  isFinal,
  now,
  type Payment,
  type Session,
  toState,
  toVerdict,
  violate,
} from './history.ts'
import type { Heard, StormClient } from './client.ts'
import { useList } from './lists.ts'
import { type Customer, logIn, text } from './seed.ts'

export type Workload = {
  client: StormClient
  history: History
  isOver(): boolean
  /** Milliseconds after which a client that is told to hang up does; undefined: none does. */
  hangUpWithin(): number | undefined
  /** Clients pay by lists, too: every instance is of a release that has them. */
  hasLists: boolean
}

const clearing = bankAccount('clearing', 'EUR')
/** Of payments to another bank. */
const elsewherePercent = 10

/** The pause of a client after a failure, shorter than the second that Retry-After asks for. */
const pauseAfterFailure = 200
const repeatsMax = 3
/** The longest pause between two actions: the storm tries faults, not speed. */
const thinkMsMax = 30

/** One client: a customer on a device. Ends when the storm is over. */
export async function runClient(
  workload: Workload,
  customer: Customer,
  name: string,
  chance: Chance,
) {
  const self: ClientState = {
    workload,
    customer,
    name,
    chance,
    session: undefined,
    sent: 0,
    own: [],
  }
  while (!workload.isOver()) {
    self.session ??= await logIn(workload.client, workload.history, anyone(self), customer.username)
    const isWell = self.session !== undefined && (await act(self, self.session))
    await sleep(isWell ? chance.below(thinkMsMax) : pauseAfterFailure)
  }
}

type ClientState = {
  workload: Workload
  customer: Customer
  name: string
  chance: Chance
  session: Session | undefined
  sent: number
  own: Payment[]
}

const anyone = ({ workload, chance }: ClientState): number => chance.below(workload.client.size)

/** Takes one action. False when the service could not do it. */
async function act(self: ClientState, session: Session): Promise<boolean> {
  const draw = self.chance.below(100)
  if (draw < 58) return pay(self, session)
  if (draw < 62) return payByList(self, session)
  if (draw < 72) return lookBack(self, session)
  if (draw < 82) return repeatKey(self, session)
  if (draw < 88) return payTwice(self, session)
  if (draw < 91) return logOut(self, session)
  if (draw < 94) return revokeOther(self, session)
  if (draw < 97) return cancel(self, session)
  return tryOldSession(self)
}

/** A new payment, not sent yet. */
function draft({ customer, name, chance, ...self }: ClientState, sent: number): Payment {
  const from = chance.pick(customer.accounts)
  const draw = chance.below(100)
  const own = customer.accounts.find((id) => id !== from) as string
  const { id, accountId } = customer.beneficiaries.get(from) as { id: string; accountId: string }
  const away = draw < elsewherePercent ? customer.elsewhere.get(from) : undefined
  const [beneficiaryId, to] =
    away !== undefined ? [away, clearing] : draw < 65 ? [id, accountId] : [undefined, own]
  const cents = BigInt(chance.between(1, 900))
  const reference = `${name} ${sent}`
  const key = chance.happens(85) ? `key-${name}-${sent}` : undefined
  const payment: Payment = {
    reference,
    key,
    username: customer.username,
    from,
    to,
    cents,
    attempts: [],
    body: {
      fromAccountId: from,
      ...(beneficiaryId === undefined ? { toAccountId: own } : { beneficiaryId }),
      amount: text(cents),
      currency: 'EUR',
      reference,
    },
  }
  self.workload.history.payments.push(payment)
  self.own.push(payment)
  return payment
}

/** Sends the payment once and records the answer. */
export async function ask(
  { client, history }: Pick<Workload, 'client' | 'history'>,
  session: Session,
  instance: number,
  payment: Payment,
  hangUpAfter?: number,
): Promise<Heard> {
  const { body, key } = payment
  const asked = { session, body, key, hangUpAfter }
  const heard = await client.ask(instance, 'POST', '/api/v1/transfers', asked)
  payment.attempts.push(toAttempt(heard.sentAt, heard.reply, heard.isUnsent))
  check(history, payment, heard.reply)
  return heard
}

/** Checks the answers to one payment against each other, whatever other callers do. */
function check(history: History, { reference, key, attempts }: Payment, reply?: Reply): void {
  const ids = new Set(attempts.flatMap(({ id }) => id ?? []))
  if (ids.size > 1) violate(history, `${reference} was answered as ${ids.size} transfers`)
  if (reply?.status === 422) violate(history, `${reference}: its own key is answered 422`)
  if (key === undefined) return
  const isBoth = ids.size > 0 && attempts.some((each) => each.status !== 201 && isFinal(each))
  if (isBoth) violate(history, `${reference} was refused for good and answered 201`)
}

async function pay(self: ClientState, session: Session): Promise<boolean> {
  const payment = draft(self, self.sent++)
  const limit = self.workload.hangUpWithin()
  const isHangingUp = limit !== undefined && self.chance.happens(50)
  const hangUpAfter = isHangingUp ? self.chance.below(limit ?? 0) : undefined
  const first = anyone(self)
  await ask(self.workload, session, first, payment, hangUpAfter)
  const persists = self.chance.happens(50)
  if (payment.key !== undefined && persists) {
    for (let turn = 0; turn < repeatsMax && !isSettled(payment); turn++) {
      await sleep(pauseAfterFailure)
      if (self.workload.isOver() || self.session === undefined) break
      await ask(self.workload, session, (first + turn) % self.workload.client.size, payment)
    }
  }
  if (payment.attempts.at(-1)?.status === 401) self.session = undefined
  return isSettled(payment)
}

async function payByList(self: ClientState, session: Session): Promise<boolean> {
  const { workload, customer, chance } = self
  if (!workload.hasLists) return pay(self, session)
  const name = `${self.name} list ${self.sent++}`
  const { client, history } = workload
  return isWell(self, await useList({ client, history, customer, chance, session }, name, clearing))
}

const isSettled = ({ attempts }: Payment): boolean =>
  attempts.some((each) => isFinal(each) || each.status === 401)

/** Every instance shows what was acknowledged. */
async function lookBack(self: ClientState, session: Session): Promise<boolean> {
  const { workload, chance, customer } = self
  const known = self.own.filter((payment) => toState(payment) === 'ok')
  if (known.length === 0) {
    const path = `/api/v1/accounts/${chance.pick(customer.accounts)}`
    return isWell(self, await workload.client.ask(anyone(self), 'GET', path, { session }))
  }
  const payment = known[Math.max(0, known.length - 1 - chance.below(8))] as Payment
  const id = payment.attempts.find((attempt) => attempt.id !== undefined)?.id
  const path = `/api/v1/transfers/${id}`
  const heard = await workload.client.ask(anyone(self), 'GET', path, { session })
  const { reply } = heard
  const isThere = reply?.status === 200 && reply.body.reference === payment.reference
  if (reply && reply.status !== 401 && reply.status !== 503 && !isThere) {
    violate(
      workload.history,
      `${payment.reference} was acknowledged, and reading it gave ${reply.text}`,
    )
  }
  return isWell(self, heard)
}

/** A key that was used: the same body is answered as before, another is 422. */
async function repeatKey(self: ClientState, session: Session): Promise<boolean> {
  const { workload, chance, own } = self
  const known = own.filter((payment) => payment.key !== undefined && toState(payment) === 'ok')
  if (known.length === 0) return pay(self, session)
  const payment = known[Math.max(0, known.length - 1 - chance.below(50))] as Payment
  if (chance.happens(50)) {
    const heard = await ask(workload, session, anyone(self), payment)
    if (heard.reply?.status === 201 && !payment.attempts.at(-1)?.isReplayed) {
      violate(workload.history, `${payment.reference} was made again on a repeated key`)
    }
    return isWell(self, heard)
  }
  const { key } = payment
  const body = { ...payment.body, amount: text(payment.cents + 1n) }
  const asked = { session, body, key }
  const heard = await workload.client.ask(anyone(self), 'POST', '/api/v1/transfers', asked)
  const { status } = heard.reply ?? {}
  if (status !== undefined && ![422, 401, 503].includes(status) && !isBusy(heard)) {
    violate(
      workload.history,
      `${payment.reference}: its key with another body was answered ${status}`,
    )
  }
  return isWell(self, heard)
}

const isBusy = ({ reply }: Heard): boolean => reply?.body?.code === 'request_in_progress'

/** Cancels a payment to another bank, while a rail sends it: one of them succeeds. */
async function cancel(self: ClientState, session: Session): Promise<boolean> {
  const { history, client } = self.workload
  const away = self.own.filter((each) => each.to === clearing && toState(each) === 'ok')
  const payment = away.at(-1 - self.chance.below(2))
  if (!payment) return pay(self, session)
  const id = payment.attempts.find((attempt) => attempt.id !== undefined)?.id as string
  // One key: a repetition gets the first answer.
  const asked = { session, key: `cancel-${id}` }
  const heard = await client.ask(anyone(self), 'POST', `/api/v1/transfers/${id}/cancel`, asked)
  const { status, body } = heard.reply ?? {}
  if (status === 200) payment.cancelled = id
  else if (body?.code === 'illegal_transition') payment.kept = id
  else if (status !== undefined && ![401, 503].includes(status) && !isBusy(heard)) {
    violate(history, `The cancellation of ${payment.reference} was answered ${heard.reply?.text}`)
  }
  return isWell(self, heard)
}

/** Sends one request to two instances at once: it has one effect. */
async function payTwice(self: ClientState, session: Session): Promise<boolean> {
  const payment = draft(self, self.sent++)
  payment.key ??= `key-twice-${payment.reference.replaceAll(' ', '-')}`
  const both = [0, 1].map((each) =>
    ask(self.workload, session, each % self.workload.client.size, payment),
  )
  await Promise.all(both)
  const made = payment.attempts.filter(({ status, isReplayed }) => status === 201 && !isReplayed)
  if (made.length > 1) violate(self.workload.history, `${payment.reference} was made twice at once`)
  if (payment.attempts.some(({ status }) => status === 401)) self.session = undefined
  return payment.attempts.every((attempt) => toVerdict(attempt) !== 'unknown')
}

async function logOut(self: ClientState, session: Session): Promise<boolean> {
  self.session = undefined
  session.isEndAsked = true
  const heard = await self.workload.client.ask(anyone(self), 'POST', '/api/v1/auth/logout', {
    session,
  })
  if (heard.reply?.status === 204) {
    session.overAt = now()
    await probe(self, session)
  }
  return heard.reply !== undefined
}

/** Opens a session on another device, uses it, ends it from this one, and tries it again. */
async function revokeOther(self: ClientState, session: Session): Promise<boolean> {
  const { workload, customer } = self
  const other = await logIn(workload.client, workload.history, anyone(self), customer.username)
  if (!other) return false
  await workload.client.ask(anyone(self), 'GET', '/api/v1/me', { session: other })
  const path = `/api/v1/auth/sessions/${other.id}`
  other.isEndAsked = true
  const heard = await workload.client.ask(anyone(self), 'DELETE', path, { session })
  if (heard.reply?.status === 204) {
    other.overAt = now()
    await probe(self, other)
  }
  return isWell(self, heard)
}

/** A revoked session is tried on every instance, for reading and for paying. */
async function probe(self: ClientState, session: Session): Promise<void> {
  const { client } = self.workload
  const reads = Array.from({ length: client.size }, (_, instance) =>
    client.ask(instance, 'GET', '/api/v1/me', { session }),
  )
  await Promise.all([...reads, ask(self.workload, session, anyone(self), draft(self, self.sent++))])
}

/** A session that ended long ago is still refused, after restarts and failovers. */
async function tryOldSession(self: ClientState): Promise<boolean> {
  const { workload, chance } = self
  const over = workload.history.sessions.filter(({ overAt }) => overAt !== undefined)
  if (over.length === 0) return true
  const session = chance.pick(over)
  const heard = await workload.client.ask(anyone(self), 'GET', '/api/v1/me', { session })
  return heard.reply !== undefined
}

function isWell(self: ClientState, { reply }: Heard): boolean {
  if (reply?.status === 401) self.session = undefined
  return reply !== undefined && reply.status < 500
}
