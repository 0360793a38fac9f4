// One storm from the first login to the verdict: the bank is filled, clients pay while faults come,
// all is healed, open payments are repeated with their keys, and the books are judged.
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../demo/chance.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { query } from './base.ts'
import { ask, runClient, type Workload } from './clients.ts'
import {
  count,
  type History,
  isFinal,
  now,
  type Payment,
  type Session,
  toState,
  toVerdict,
  underLoad,
  violate,
} from './history.ts'
import { judge } from './judge.ts'
import { settleLists } from './lists.ts'
import { judgeOthers } from './judge-others.ts'
import { freezeAndThaw } from './freezer.ts'
import { askWithinLimit, judgeLimit } from './limited.ts'
import type { StormClient } from './client.ts'
import {
  keepOtherSide,
  killOthers,
  type OtherBooks,
  type OtherSide,
  type Outside,
} from './other-sides.ts'
import { mustLogIn, seedBank, type Seeded } from './seed.ts'

const clientsPerCustomer = 2
/** How long after the storm a client may still wait for an answer; longer on a loaded machine. */
const endMsMax = 60_000

export type WorkloadOptions = {
  history: History
  client: StormClient
  seed: number
  address: LocalAddress
  /** Where rails and a processor find the bank; undefined: none run. */
  outside?: Outside
  /** The instances count limits together. */
  isLimitShared?: boolean
  /** Runs beside the clients. The storm ends with it. */
  storm(workload: Omit<Workload, 'hangUpWithin' | 'hasLists'>): {
    hangUpWithin(): number | undefined
    done: Promise<void>
  }
}

export type Judged = { resolved: number; looks: number }

function noteLoad(history: History): void {
  history.load = Math.max(history.load, (loadavg()[0] ?? 0) / availableParallelism())
}

/** Runs the workload and writes the violations into the history. */
export async function runWorkload({
  history,
  client,
  seed,
  address,
  outside,
  isLimitShared = false,
  storm,
}: WorkloadOptions): Promise<Judged> {
  noteLoad(history)
  const seeded = await seedBank(client, history, outside !== undefined)
  let isOver = false
  const open = { client, history, isOver: () => isOver }
  const { hangUpWithin, done } = storm(open)
  const workload = { ...open, hangUpWithin, hasLists: outside !== undefined }
  const clients = seeded.customers.flatMap((customer, number) =>
    Array.from({ length: clientsPerCustomer }, (_, each) => {
      const name = `s${number}-${each}`
      return runClient(workload, customer, name, createRandom(String(seed), name))
    }),
  )
  const freezing = freezeAndThaw(workload, seeded, createRandom(String(seed), 'freezer'))
  const asking = isLimitShared && askWithinLimit(workload, createRandom(String(seed), 'limited'))
  const others = outside ? await openOthers(outside, seeded, history) : []
  const killing = killOthers(others, open.isOver, createRandom(String(seed), 'others'))
  const looks = watch(address, seeded, workload)
  try {
    await done
  } finally {
    isOver = true
  }
  await withinReason(history, Promise.all([...clients, freezing, asking, looks, killing]))
  const sessionOf = rememberSessions(client, history)
  const resolved = await resolve(client, history, sessionOf)
  await settleLists(open, address, sessionOf)
  const counted: OtherBooks[] = []
  for (const other of others) counted.push(await other.finish())
  await tryAllOver(client, history)
  await judge(history, seeded, address)
  if (outside) await judgeOthers(history, counted, address)
  if (isLimitShared) judgeLimit(history)
  return { resolved, looks: await looks }
}

/** Two rails that number alike and pay into the same accounts, and a processor. */
const openOthers = (outside: Outside, seeded: Seeded, history: History): Promise<OtherSide[]> =>
  Promise.all(
    seeded.programs.map((program, number) => {
      const name = `Other side ${number + 1}, a ${program.command},`
      return keepOtherSide({ ...outside, name, number, program, history })
    }),
  )

async function withinReason(history: History, work: Promise<unknown>): Promise<void> {
  const ms = underLoad(history, endMsMax)
  const late = sleep(ms, 'late' as const, { ref: false })
  if ((await Promise.race([work, late])) === 'late') {
    throw new Error(`The clients did not come to an end within ${ms} ms`)
  }
}

/**
 * Checks that the customers' money is always the sum of the deposits. Gives how often it looked.
 */
async function watch(
  address: LocalAddress,
  seeded: Seeded,
  { history, isOver }: Workload,
): Promise<number> {
  let looks = 0
  while (!isOver()) {
    noteLoad(history)
    const rows = await query(
      address,
      // A clearing may overdraw an account; a release before has no such column.
      `select sum(balance)::text as all,
         min(balance + coalesce((to_jsonb(a) ->> 'unarranged')::int8, 0))
           filter (where kind = 'customer') as least,
         (sum(balance) filter (where kind <> 'cash'))::text as inside from accounts a`,
    ).catch(() => [])
    const [row] = rows
    if (row) {
      looks++
      const held = `${row['all'] as string} and ${row['inside'] as string}`
      if (held !== `0 and ${seeded.total}`) violate(history, `For a moment the bank held ${held}`)
      if (BigInt(row['least'] as string) < 0n) violate(history, 'An account was overdrawn')
    }
    await sleep(500)
  }
  return looks
}

const attemptsMax = 40
/** Behind a storm the service takes no longer to write again; longer on a loaded machine. */
const settleMsMax = 20_000
/** So many acknowledged payments are repeated too. */
const sample = 200

/**
 * Repeats open payments with their keys until they are settled, and some acknowledged ones, whose
 * answers must not change. Gives how many were open.
 */
async function resolve(
  client: StormClient,
  history: History,
  sessionOf: SessionOf,
): Promise<number> {
  const keyed = history.payments.filter(({ key }) => key !== undefined)
  const open = keyed.filter((payment) => toState(payment) === 'unknown')
  const known = keyed.filter((payment) => toState(payment) === 'ok')
  const every = Math.max(1, Math.floor(known.length / sample))
  const sampled = known.filter((_, index) => index % every === 0)
  const until = now() + underLoad(history, settleMsMax)
  for (const payment of [...open, ...sampled]) {
    await settleOne(client, history, await sessionOf(payment), { payment, until })
  }
  return open.length
}

type SessionOf = (of: Pick<Payment, 'username'>) => Promise<Session>

function rememberSessions(client: StormClient, history: History): SessionOf {
  const sessions = new Map<string, Session>()
  return async (of) => {
    const session = sessions.get(of.username) ?? (await mustLogIn(client, history, of.username))
    sessions.set(of.username, session)
    return session
  }
}

async function settleOne(
  client: StormClient,
  history: History,
  session: Session,
  { payment, until }: { payment: Payment; until: number },
) {
  const isKnown = toState(payment) === 'ok'
  for (let turn = 0; turn < attemptsMax || now() < until; turn++) {
    await ask({ client, history }, session, turn % client.size, payment)
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

/** Tries every ended session once more on every instance. */
async function tryAllOver(client: StormClient, history: History): Promise<void> {
  for (const session of history.sessions.filter(({ overAt }) => overAt !== undefined)) {
    for (let instance = 0; instance < client.size; instance++) {
      const { reply } = await client.ask(instance, 'GET', '/api/v1/me', { session })
      if (reply?.status !== 401) {
        violate(history, `Session ${session.id} was over and is answered ${reply?.status}`)
      }
    }
  }
}
