// One storm from the first login to the verdict: the bank is settled, clients sail, faults come,
// all is healed, what is open is asked again by its key, and the books are judged.
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/cli/demo/chance.ts'
import type { LocalAddress } from '../../src/database/connect.ts'
import { query } from './base.ts'
import { ask, sail, type Sea } from './clients.ts'
import {
  count,
  type History,
  isFinal,
  type Payment,
  type Session,
  toState,
  toVerdict,
  violate,
} from './history.ts'
import { judge } from './judge.ts'
import { keep } from './staff.ts'
import type { Line } from './client.ts'
import { logIn, settle, type Town } from './settle.ts'

const clientsPerCustomer = 2
/** A client that is still not answered so long after the storm never will be. */
const endMsMax = 60_000

export type Weather = {
  history: History
  line: Line
  seed: number
  address: LocalAddress
  /** Runs beside the clients; the storm is over when it is done. */
  storm(sea: Omit<Sea, 'hangUpWithin'>): { hangUpWithin(): number | undefined; done: Promise<void> }
}

export type Judged = { resolved: number; looks: number }

/** Leaves its verdict in the history. */
export async function weather({ history, line, seed, address, storm }: Weather): Promise<Judged> {
  const town = await settle(line, history)
  let isOver = false
  const open = { line, history, isOver: () => isOver }
  const { hangUpWithin, done } = storm(open)
  const sea = { ...open, hangUpWithin }
  const clients = town.customers.flatMap((customer, number) =>
    Array.from({ length: clientsPerCustomer }, (_, each) => {
      const name = `s${number}-${each}`
      return sail(sea, customer, name, createRandom(String(seed), name))
    }),
  )
  const keeper = keep(sea, town, createRandom(String(seed), 'keeper'))
  const looks = watch(address, town, sea)
  await done
  isOver = true
  await withinReason(Promise.all([...clients, keeper, looks]))
  const resolved = await resolve(line, history)
  await tryAllOver(line, history)
  await judge(history, town, address)
  return { resolved, looks: await looks }
}

async function withinReason(work: Promise<unknown>): Promise<void> {
  const late = sleep(endMsMax, 'late' as const, { ref: false })
  if ((await Promise.race([work, late])) === 'late') {
    throw new Error(`The clients did not come to an end within ${endMsMax} ms`)
  }
}

/** What the bank holds never changes, at any moment anybody looks. Gives how often we looked. */
async function watch(address: LocalAddress, town: Town, { history, isOver }: Sea): Promise<number> {
  let looks = 0
  while (!isOver()) {
    history.load = Math.max(history.load, (loadavg()[0] ?? 0) / availableParallelism())
    const rows = await query(
      address,
      `select sum(balance)::text as all, min(balance) filter (where kind = 'customer') as least,
              (sum(balance) filter (where kind = 'customer'))::text as customers from accounts`,
    ).catch(() => [])
    const [row] = rows
    if (row) {
      looks++
      const held = `${row['all'] as string} and ${row['customers'] as string}`
      if (held !== `0 and ${town.total}`) violate(history, `For a moment the bank held ${held}`)
      if (BigInt(row['least'] as string) < 0n) violate(history, 'An account was overdrawn')
    }
    await sleep(500)
  }
  return looks
}

const attemptsMax = 40
/** Answers that stand are asked for again as well: so many of them. */
const sample = 200

/**
 * Repeats what is open with its key until it is settled, and some of what was acknowledged, whose
 * answer has to stay. Gives how many were open.
 */
async function resolve(line: Line, history: History): Promise<number> {
  const keyed = history.payments.filter(({ key }) => key !== undefined)
  const open = keyed.filter((payment) => toState(payment) === 'unknown')
  const known = keyed.filter((payment) => toState(payment) === 'ok')
  const every = Math.max(1, Math.floor(known.length / sample))
  const sampled = known.filter((_, index) => index % every === 0)
  const sessions = new Map<string, Session>()
  for (const payment of [...open, ...sampled]) {
    const session = sessions.get(payment.username) ?? (await mustLogIn(line, history, payment))
    sessions.set(payment.username, session)
    await settleOne(line, history, session, payment)
  }
  return open.length
}

async function mustLogIn(line: Line, history: History, { username }: Payment): Promise<Session> {
  for (let turn = 0; turn < attemptsMax; turn++) {
    const session = await logIn(line, history, turn % line.size, username)
    if (session) return session
    await sleep(200)
  }
  throw new Error(`${username} cannot log in after the storm`)
}

async function settleOne(line: Line, history: History, session: Session, payment: Payment) {
  const isKnown = toState(payment) === 'ok'
  for (let turn = 0; turn < attemptsMax; turn++) {
    await ask({ line, history }, session, turn % line.size, payment)
    const last = payment.attempts.at(-1)
    if (last && isFinal(last)) {
      const isWrong = isKnown && (toVerdict(last) !== 'ok' || !last.isReplayed)
      if (isWrong) violate(history, `${payment.reference} was acknowledged, and not replayed later`)
      count(history, `resolved ${last.status} ${last.code ?? ''}`.trim())
      return
    }
    await sleep(100)
  }
  violate(history, `${payment.reference} could not be settled by its key`)
}

/** Every session that was over is tried on every instance once more. */
async function tryAllOver(line: Line, history: History): Promise<void> {
  for (const session of history.sessions.filter(({ overAt }) => overAt !== undefined)) {
    for (let instance = 0; instance < line.size; instance++) {
      const { reply } = await line.ask(instance, 'GET', '/api/v1/me', { session })
      if (reply?.status !== 401) {
        violate(history, `Session ${session.id} was over and is answered ${reply?.status}`)
      }
    }
  }
}
