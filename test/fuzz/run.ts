// One run: a bank, requests from a seed in small crowds, each answer judged, and at the end the
// bank itself.
import { scheduler } from 'node:timers/promises'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import type { Route } from '../../src/http/route.ts'
import { roles } from '../../src/gate/roles.ts'
import { routes } from '../../src/features/routes.ts'
import { openAsOwner } from '../support/owner.ts'
import { createRandom } from '../support/random.ts'
import { type Span, world } from '../support/world.ts'
import { ask } from './ask.ts'
import { wrongInLine } from './canary.ts'
import { canBeOnPortal, type Draft, type Mood, type Sent, toSent, told } from './request.ts'
import { createFixtures, refreshFixtures } from './fixtures.ts'
import { attack } from './hostile.ts'
import { hear, type Heard, wrongWith } from './judge.ts'
import { updateState } from './state.ts'
import { mutateOnce } from './mutations.ts'
import { mayAsk, type Pool } from './pool.ts'
import { callerFor, validDraft } from './valid.ts'
import { type Answer, type Wire, wireTo } from './wire.ts'

export type FuzzOptions = {
  seed: number
  requests: number
  /** Told how many are done, and of each finding at once. */
  progress?: (done: number) => void
  found?: (what: string) => void
}

/** How often a route said yes, that a request is malformed, and that it is not permitted. */
export type Reached = { done: number; malformed: number; forbidden: number }

export type Outcome = {
  /** What was wrong, in the order it was met; empty when nothing was. */
  findings: string[]
  reached: Map<Route, Reached>
  statuses: Map<number, number>
  /** How many were answered 2xx to a cookie on the portal. */
  onPortal: number
  /** How often the database was too slow for a first answer, as on a machine out of breath. */
  busy: number
}

const findingsMax = 40
const turnsMax = 4
const crowd = 12
/** After so many requests the bank gets fresh things to be asked about. */
const refreshInterval = 250

const moods: readonly Mood[] = ['valid', 'valid', 'valid', 'mutated', 'mutated', 'hostile']

export async function run(
  t: Span,
  { seed, requests, progress, found }: FuzzOptions,
): Promise<Outcome> {
  const bank = await world(t, { isPolling: true, settings: { MEMBERS: 'on' } })
  const random = createRandom(seed)
  const pool = await createFixtures(bank, random)
  const wire = await wireTo(bank)
  t.after(async () => wire.close())
  const outcome: Outcome = {
    findings: [],
    reached: new Map(routes.map((route) => [route, { done: 0, malformed: 0, forbidden: 0 }])),
    statuses: new Map(),
    onPortal: 0,
    busy: 0,
  }
  const find = (what: string): void => {
    if (outcome.findings.length >= findingsMax) return
    outcome.findings.push(what)
    found?.(what)
  }
  const warned = (warning: Error): void => find(`the process warns: ${warning.message}`)
  process.on('warning', warned)
  t.after(async () => void process.off('warning', warned))
  let done = 0
  let sinceRefresh = 0
  // Goes on for as long again at the most, while there are routes it has not really met.
  const isOver = (): boolean =>
    done >= requests && (done >= 2 * requests || missed(outcome).length === 0)
  while (!isOver() && outcome.findings.length < findingsMax) {
    const size = Math.min(1 + random.below(crowd), Math.max(requests - done, 1))
    const drafts = Array.from({ length: size }, () => anyDraft(pool, outcome))
    const first = done + 1
    await sendAll(pool, wire, drafts, outcome, (index, what) =>
      find(`request ${first + index} of seed ${seed}: ${what}`),
    )
    for (const line of bank.logged.splice(0)) {
      const wrong = wrongInLine(line)
      if (wrong) find(`before request ${first + size} of seed ${seed}: ${wrong}: ${line}`)
    }
    bank.clock.advance(random.below(40))
    done += size
    sinceRefresh += size
    if (sinceRefresh >= refreshInterval) {
      await refreshFixtures(pool).catch((thrown: unknown) =>
        find(`the bank cannot be refreshed: ${String(thrown)}`),
      )
      sinceRefresh = 0
    }
    progress?.(done)
  }
  for (const wrong of await wrongAtTheEnd(pool)) find(`after seed ${seed}: ${wrong}`)
  return outcome
}

/** Routes that hash a password, a hundred times as dear as any other, or use up a session. */
const dear = /\/auth\/(login|logout|password|password-reset\/confirm)$/

/** Each route as often, save those that were not really met yet: they come round more often. */
function nextRoute({ random, deck }: Pool, { reached }: Outcome): Route {
  if (deck.length === 0) {
    const all = [...reached].flatMap(([route, so]) => {
      if (lacks(route, so).length > 0) return [route, route, route]
      return dear.test(route.path) && random.chance(50) ? [] : [route]
    })
    while (all.length > 0) deck.push(...all.splice(random.below(all.length), 1))
  }
  return deck.pop() as Route
}

/** Some of all requests go through the portal: its cookie opens the same routes. */
function anyDraft(pool: Pool, outcome: Outcome): Draft {
  const draft = anyApiDraft(pool, outcome)
  return { ...draft, isOnPortal: pool.random.chance(20) && canBeOnPortal(draft) }
}

function anyApiDraft(pool: Pool, outcome: Outcome): Draft {
  const { random } = pool
  const route = nextRoute(pool, outcome)
  // Without an aim, rare outcomes would be left to chance.
  const open = lacks(route, outcome.reached.get(route) as Reached)
  if (open.length > 0 && random.chance(50)) return aimedDraft(pool, route, random.pick(open))
  const mood = random.pick(moods)
  const draft = validDraft(pool, route, callerFor(pool, route), mood === 'valid' ? 15 : 30)
  if (mood === 'valid') return draft
  return mood === 'mutated' ? mutateOnce(draft, pool) : attack(draft, pool)
}

/**
 * A request for what the route still lacks. Some routes refuse only a request that names something
 * optional of another customer.
 */
function aimedDraft(pool: Pool, route: Route, lack: Lack): Draft {
  if (lack === 'never refused anybody') {
    return validDraft(pool, route, callerFor(pool, route), 100, true)
  }
  if (lack === 'never said yes') return validDraft(pool, route, callerFor(pool, route), 0)
  // The token of a spare may have ended, that of the cast has not. A malformed request ends none.
  const those = Object.values(pool.cast).filter((each) => mayAsk(each, route))
  const caller = those.length > 0 ? pool.random.pick(those) : callerFor(pool, route)
  return mutateOnce(validDraft(pool, route, caller, 0), pool, 'key unknown')
}

async function sendAll(
  pool: Pool,
  wire: Wire,
  drafts: readonly Draft[],
  outcome: Outcome,
  find: (index: number, what: string) => void,
): Promise<void> {
  const all = drafts.map((draft) => ({ draft, sent: toSent(draft) }))
  const answers = await Promise.all(all.map(({ sent }) => answerTo(pool, wire, sent, outcome)))
  const everyone: (Heard | undefined)[] = all.map(({ draft, sent }, index) => {
    try {
      return hear(draft, sent, answers[index] as never)
    } catch (thrown) {
      find(index, `the answer cannot be read: ${String(thrown)}\n  ${told(sent)}`)
      return undefined
    }
  })
  for (const heard of everyone) if (heard) updateState(pool, heard)
  for (const [index, heard] of everyone.entries()) {
    if (!heard) continue
    count(outcome, heard)
    const wrong = await wrongWith(pool, heard)
    const { draft, sent, answer, text } = heard
    if (wrong.length === 0) continue
    const what = `${draft.mood} ${draft.bent}, asked by ${draft.caller.name}`
    const said = `${answer.status} ${text.slice(0, 1000)}`
    find(index, `${wrong.join('; ')} (${what})\n  ${told(sent)}\n  answered ${said}`)
  }
}

/** Most requests that have to be confirmed are, and sent once more. */
async function sendConfirmed({ bank, random }: Pool, wire: Wire, sent: Sent): Promise<Answer> {
  const answer = await wire.send(sent)
  const text = answer.bytes.toString()
  if (!text.includes('"confirmation_required"') || random.chance(30)) return answer
  const { id } = (JSON.parse(text) as { challenge: { id: string } }).challenge
  await bank.sql('update challenges set confirmed_at = created_at where id = $1', [id])
  return wire.send({ ...sent, headers: [...sent.headers, ['confirmation', id]] })
}

/**
 * As a client is told to by Retry-After: what is unavailable is asked again. A bank that stays so
 * is a finding, and so is any other failure.
 */
async function answerTo(pool: Pool, wire: Wire, sent: Sent, outcome: Outcome): Promise<Answer> {
  for (let turn = 1; ; turn++) {
    const answer = await sendConfirmed(pool, wire, sent)
    const { status, headers, bytes } = answer
    const isBusy = status === 503 && bytes.includes('"unavailable"')
    if (!isBusy || turn === turnsMax) return answer
    outcome.busy++
    await scheduler.wait(Number(headers['retry-after']) * 1000)
  }
}

function count(outcome: Outcome, { answer: { status }, body, route, draft }: Heard): void {
  const { reached, statuses } = outcome
  if (draft.isOnPortal && status < 300) outcome.onPortal++
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const so = route && reached.get(route)
  if (!so) return
  const { details } = (body ?? {}) as { details?: unknown[] }
  if (status < 300) so.done++
  if (status === 400 && (details ?? []).length > 0) so.malformed++
  if (status === 403) so.forbidden++
}

type Lack = 'never said yes' | 'was never asked amiss' | 'never refused anybody'

/**
 * Trust takes a second factor, which no person with known beneficiaries has. There is no issuer; a
 * raised limit waits for a moment only that the fuzz seldom meets, and so does a new e-mail
 * address, whose link is in a mail. Nobody of the cast acts on an account of another: it would see
 * what the run proves that it does not.
 */
const isOutOfReach =
  /^(trustBeneficiary|undoLimitRaise|withdrawEmailChange|proveEmail|signDraft)$|Issuer|Membership$/

/** What a run should have had of a route and has not. */
function lacks({ access, operation }: Route, { done, malformed, forbidden }: Reached): Lack[] {
  const isForAll =
    access === 'public' ||
    roles.every((role) => access[role] !== undefined && access[role] !== 'own')
  return [
    ...(done > 0 || isOutOfReach.test(operation) ? [] : (['never said yes'] as const)),
    ...(malformed > 0 ? [] : (['was never asked amiss'] as const)),
    ...(forbidden > 0 || isForAll ? [] : (['never refused anybody'] as const)),
  ]
}

/** Routes that were not really met: a run that gets nowhere finds nothing. */
export const missed = ({ reached }: Outcome): string[] =>
  [...reached].flatMap(([route, so]) =>
    lacks(route, so).map((what) => `${route.method} ${route.path} ${what}`),
  )

const clean = Object.getOwnPropertyNames(Object.prototype).toSorted().join()

async function wrongAtTheEnd(pool: Pool): Promise<string[]> {
  const { bank, cast } = pool
  const wrong: string[] = []
  const db = openAsOwner(bank.address)
  const { mismatch } = await verifyLedger(db)
  await db.close()
  if (mismatch !== undefined) wrong.push(`the books: ${mismatch}`)
  const { rows } = await bank.sql(
    'select currency from accounts group by currency having sum(balance) <> 0',
  )
  if (rows.length > 0) wrong.push(`money was made or lost: ${JSON.stringify(rows)}`)
  await refreshFixtures(pool).catch((thrown: unknown) => wrong.push(String(thrown)))
  for (const { name, token } of Object.values(cast)) {
    const { status } = await ask(bank, 'GET', '/me', { token })
    if (status !== 200) wrong.push(`${name} is answered ${status}`)
  }
  if (Object.getOwnPropertyNames(Object.prototype).toSorted().join() !== clean) {
    wrong.push('the prototype of all objects was changed')
  }
  return wrong
}
