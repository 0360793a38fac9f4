// Payment lists in a storm: clients check lists, order them, and cancel some. Each line is then in
// the books once, or was refused; of a list that was not ordered none is.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../demo/chance.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import type { Reply } from '../support/client.ts'
import { queryUntilAnswered } from './base.ts'
import type { Heard, StormClient } from './client.ts'
import {
  type Cents,
  type History,
  now,
  type Session,
  type StormList,
  underLoad,
  violate,
} from './history.ts'
import { type Customer, text } from './seed.ts'

export type Lister = {
  client: StormClient
  history: History
  customer: Customer
  chance: Chance
  session: Session
}

const linesMax = 6
/** Of those that are ordered, some are cancelled at the same moment. */
const [cancelPercent, cancelAtOncePercent, orderTwicePercent] = [10, 10, 30]

/** A new list, not sent yet. */
function draft({ customer, chance, history }: Lister, name: string, clearing: string): StormList {
  const from = chance.pick(customer.accounts)
  const inside = customer.beneficiaries.get(from) as { id: string; accountId: string }
  const outside = customer.elsewhere.get(from)
  const lines = Array.from({ length: chance.between(1, linesMax) }, (_, place) => {
    const isAway = outside !== undefined && chance.happens(30)
    return {
      reference: `${name} line ${place}`,
      cents: BigInt(chance.between(1, 300)),
      to: isAway ? clearing : inside.accountId,
      beneficiaryId: isAway ? outside : inside.id,
    }
  })
  const list = { name, username: customer.username, from, lines }
  history.lists.push(list)
  return list
}

/** Answers that say nothing about the list. */
const passing = new Set(['account_frozen', 'request_in_progress', 'limit_exceeded'])

const isStrange = ({ status, body }: Reply, codes: readonly string[] = []): boolean =>
  status >= 300 &&
  ![401, 503].includes(status) &&
  !passing.has(body?.code) &&
  !codes.includes(body?.code) &&
  body?.code !== 'outcome_unknown'

function requireUsual(
  { history }: Pick<Lister, 'history'>,
  what: string,
  { reply }: Heard,
  ...codes: string[]
) {
  if (reply && isStrange(reply, codes)) violate(history, `${what} was answered ${reply.text}`)
}

/** Checks a list, and mostly orders it. Gives the last answer. */
export async function useList(self: Lister, name: string, clearing: string): Promise<Heard> {
  const { client, chance, session } = self
  const anyone = () => chance.below(client.size)
  const list = draft(self, name, clearing)
  const items = list.lines.map(({ reference, cents, beneficiaryId }) => ({
    beneficiaryId,
    amount: text(cents),
    reference,
  }))
  const path = `/api/v1/accounts/${list.from}/payment-lists`
  const body = { messageId: name.replaceAll(' ', '-'), currency: 'EUR', items }
  const asked = { session, body, key: `check-${body.messageId}` }
  const checked = await client.ask(anyone(), 'POST', path, asked)
  requireUsual(self, `The list ${name}`, checked)
  if (checked.reply?.status !== 201) return checked
  list.id = checked.reply.body.id as string
  const draw = chance.below(100)
  if (draw < cancelPercent) return cancel(self, list, anyone())
  const first = anyone()
  if (draw < cancelPercent + cancelAtOncePercent) {
    const [ordered] = await Promise.all([order(self, list, first), cancel(self, list, anyone())])
    return ordered
  }
  if (chance.happens(orderTwicePercent)) {
    // Under two keys: one of them orders it.
    const both = [order(self, list, first), order(self, list, anyone(), ' again')]
    const [ordered] = await Promise.all(both)
    return ordered as Heard
  }
  const ordered = await order(self, list, first)
  return ordered.reply?.status === 200 ? lookBack(self, list, anyone()) : ordered
}

type Asking = Pick<Lister, 'client' | 'history' | 'session'>

async function order(
  { client, history, session }: Asking,
  list: StormList,
  instance: number,
  more = '',
): Promise<Heard> {
  const { name, id } = list
  list.isOrderSent = true
  const key = `order-${name}${more}`.replaceAll(' ', '-')
  const path = `/api/v1/payment-lists/${id}/execute`
  const heard = await client.ask(instance, 'POST', path, { session, key })
  requireUsual({ history }, `The order of ${name}`, heard, 'illegal_transition')
  const { reply } = heard
  if (reply?.status === 200) {
    if (list.orderedBy !== undefined && list.orderedBy !== key) {
      violate(history, `The list ${name} was ordered under two keys`)
    }
    list.orderedBy = key
  }
  if (reply?.body?.code === 'illegal_transition' && list.orderedBy === key) {
    violate(history, `The order of ${name} was acknowledged, and not replayed later`)
  }
  return heard
}

async function cancel(
  { client, history, session }: Asking,
  list: StormList,
  instance: number,
): Promise<Heard> {
  const path = `/api/v1/payment-lists/${list.id}`
  list.isCancelSent = true
  const heard = await client.ask(instance, 'DELETE', path, { session })
  requireUsual({ history }, `The cancellation of ${list.name}`, heard, 'illegal_transition')
  if (heard.reply?.status === 204) list.isCancelled = true
  return heard
}

async function lookBack(
  { client, history, session }: Asking,
  { name, id }: StormList,
  instance: number,
): Promise<Heard> {
  const heard = await client.ask(instance, 'GET', `/api/v1/payment-lists/${id}`, { session })
  const { status, body } = heard.reply ?? {}
  if (status === 200 && !['ordered', 'executed'].includes(body.status)) {
    violate(history, `The list ${name} was ordered, and is shown as ${body.status}`)
  }
  return heard
}

const attemptsMax = 40
/** Then all lists have ended. Milliseconds; longer on a loaded machine. */
const endsWithin = 20_000

/**
 * An order was not given under its key: the list was cancelled, or ordered under its other key, or
 * its account is frozen, as some are when the storm is over.
 */
const isNotOrdered = (code: string | undefined): boolean =>
  code === 'illegal_transition' || code === 'account_frozen'

/**
 * Repeats orders whose outcome is not known, under their keys, until it is; then waits for the end
 * of each list that is ordered. Leases of instances that were killed are taken away.
 */
export async function settleLists(
  { client, history }: Pick<Lister, 'client' | 'history'>,
  address: LocalAddress,
  sessionOf: (list: StormList) => Promise<Session>,
): Promise<void> {
  // A bank of a former release has none.
  if (history.lists.length === 0) return
  const open = history.lists.filter(
    ({ isOrderSent, orderedBy, isCancelled }) => isOrderSent && !orderedBy && !isCancelled,
  )
  const end = now() + underLoad(history, endsWithin)
  for (const list of open) {
    const session = await sessionOf(list)
    let code: string | undefined
    for (let turn = 0; (turn < attemptsMax || now() < end) && !list.orderedBy; turn++) {
      const heard = await order({ client, history, session }, list, turn % client.size)
      code = heard.reply?.body?.code as string | undefined
      if (isNotOrdered(code)) break
      await sleep(list.orderedBy ? 0 : 100)
    }
    if (!list.orderedBy && !isNotOrdered(code)) {
      violate(history, `The order of ${list.name} could not be settled by its key`)
    }
  }
  const until = now() + underLoad(history, endsWithin)
  for (;;) {
    const left = await queryUntilAnswered(
      address,
      `update payment_lists set leased_until = null where status = 'ordered' returning id`,
    )
    if (left.length === 0) return
    // The judge tells of a line that is paid again and again.
    const doubled = await queryUntilAnswered(
      address,
      `select reference from transfers where kind = 'transfer' and reference like '% list %'
       group by reference having count(*) > 1 limit 1`,
    )
    if (doubled.length > 0) return
    if (now() > until) return violate(history, `${left.length} lists were ordered and do not end`)
    await sleep(500)
  }
}

type Line = { outcome: string | null; refusal: string | null; transferId: string | null }
type Paid = { id: string; from: string; to: string; cents: Cents }

/**
 * Compares the lists with the books. Takes what lists have paid out of `payments`, which are by
 * reference.
 */
export async function judgeLists(
  history: History,
  payments: Map<string, Paid[]>,
  address: LocalAddress,
): Promise<void> {
  if (history.lists.length === 0) return
  const rows = await queryUntilAnswered(
    address,
    `select p.id, p.status, json_agg(json_build_object('outcome', l.outcome, 'refusal', l.refusal,
       'transferId', l.transfer_id) order by l.place) as lines
     from payment_lists p join payment_list_lines l on l.list_id = p.id group by p.id`,
  )
  const stored = new Map(rows.map((row) => [row['id'], row as { status: string; lines: Line[] }]))
  for (const list of history.lists) {
    const paid = list.lines.map(({ reference }) => {
      const found = payments.get(reference) ?? []
      payments.delete(reference)
      return found
    })
    const row = stored.get(list.id)
    if (list.id !== undefined && !row) violate(history, `The list ${list.name} is lost`)
    judgeStatus(history, list, row?.status)
    for (const [place, rows] of paid.entries()) {
      judgeLine(history, list, place, { rows, line: row?.lines[place] })
    }
  }
}

function judgeStatus(history: History, list: StormList, status = 'checked'): void {
  const { name, orderedBy, isOrderSent, isCancelSent, isCancelled } = list
  const expected = [
    ...(isCancelled || orderedBy ? [] : ['checked']),
    ...(isOrderSent && !isCancelled ? ['executed'] : []),
    ...(isCancelSent ? ['cancelled'] : []),
  ]
  if (!expected.includes(status)) {
    violate(history, `The list ${name} is ${status}, and not ${expected.join(' or ')}`)
  }
}

function judgeLine(
  history: History,
  { name, from, lines }: StormList,
  place: number,
  { rows, line }: { rows: readonly Paid[]; line: Line | undefined },
): void {
  const what = `Line ${place} of the list ${name}`
  const expected = line?.outcome === 'made' ? 1 : 0
  if (rows.length !== expected) {
    return violate(history, `${what} was paid ${rows.length} times, and says ${line?.outcome}`)
  }
  const usual = ['insufficient_funds', 'account_frozen']
  if (line?.outcome === 'refused' && !usual.includes(line.refusal ?? '')) {
    violate(history, `${what} was refused as ${line.refusal}`)
  }
  const { cents, to } = lines[place] as StormList['lines'][number]
  for (const row of rows) {
    const isRight = row.id === line?.transferId && row.from === from && row.to === to
    if (!isRight || row.cents !== cents) violate(history, `${what} is another payment in the books`)
  }
}
