// Four eyes: stores a change by staff that needs a second person, and executes it. The transaction
// of the change uses up the approval.
import { createRecorder } from '../../audit/hooks.ts'
import type { Trail } from '../../audit/writer.ts'
import { addEvents } from '../../audit/sql.ts'
import { nearest } from '../../config/did-you-mean.ts'
import { answersOf } from '../../database/connections/cork.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { type Clock, dayMs } from '../../domain/clock.ts'
import { invalid, Refusal, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { type Role, roles } from '../../domain/roles.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { type ApprovalUse, lockedStandings, refuseUse, writeUsed } from '../../gate/approvals.ts'
import { readSessions } from '../../gate/live-sessions.ts'
import type { Named, Ownership } from '../../gate/ownership.ts'
import type { Caller } from '../../gate/roles.ts'
import { type Effect, afterRecording, withEffects } from '../../http/effects.ts'
import { isStaffChange, type Route } from '../../http/route.ts'
import { findIdentifiers } from '../../http/route-check.ts'
import type { FourEyes } from '../../http/services.ts'
import { isNumbered } from '../../http/repeats.ts'
import { isRepeated, readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import {
  findNamed,
  findSecretIn,
  fromText,
  isSame,
  isValid,
  showsSecret,
  toText,
} from './requests.ts'
import { toStatus } from './schemas.ts'
import {
  addApproval,
  approvalById,
  approvalByKey,
  type ApprovalRow,
  isOwnChange,
  pendingCount,
  readMaker,
} from './sql.ts'
import { LoggedError } from '../../domain/logged-error.ts'
import type { Config } from '../../config/config.ts'
import type { Log } from '../../telemetry/log.ts'
import { warnOfUnlistedSiblings } from './siblings.ts'

/** How long a request waits for its second person. */
const lifetimeMs = dayMs
/** Requests of one maker that wait at the same time. */
const pendingMax = 100

type FourEyesParts = {
  routes: readonly Route[]
  ownership: Ownership
  clock: Clock
  trail: Trail
  log: Pick<Log, 'warn'>
}

/** The routes that can wait for a second person, by operation. */
function findApprovable(routes: readonly Route[]): Map<string, Route> {
  const changes = routes.filter((route) => isStaffChange(route) && !route.decides && !route.each)
  return new Map(changes.map((route) => [route.operation, route]))
}

/**
 * @param config names the operations that wait for a second person
 * @throws {@link StartupError} for a name that is none of them, or that answers with a secret: the
 *   checker would be shown it, or it would have to be stored
 */
export function createFourEyes(
  { fourEyes: names, oidcIssuer }: Pick<Config, 'fourEyes' | 'oidcIssuer'>,
  parts: FourEyesParts,
): FourEyes {
  const approvable = findApprovable(parts.routes)
  const problems = names.flatMap((name) => findProblem(name, approvable) ?? [])
  if (problems.length > 0) throw new StartupError(`STRONGROOM_FOUR_EYES: ${problems.join('; ')}.`)
  warnOfUnlistedSiblings(names, { log: parts.log, hasIssuer: oidcIssuer !== undefined })
  const chosen = new Set(names)
  return {
    isNeeded({ operation, each }, caller) {
      const isNeeded = caller?.grant === 'any' && chosen.has(each ?? operation)
      if (isNeeded && each) refuse('forbidden', { because: 'each of them takes a second person' })
      return isNeeded
    },
    async isMade({ operation, caller: { userId: callerId }, body, db }) {
      const number = findNumber(approvable.get(operation) as Route, body)
      if (number === null || (await approvalByKey(db, callerId, number))) return false
      const externalId = number.slice(numberPrefix.length)
      return isRepeated(db, { callerId, externalId }, parts.clock.now())
    },
    storeRequest: (asked) => storeRequest(asked, approvable.get(asked.operation) as Route),
    about: (db, id) => findAbout(db, id, approvable),
    requireChecker: (checker, db, id) => requireChecker({ checker, db, id }, approvable, parts),
    execute: (context, id) => execute(context, id, approvable, parts),
    describe: (operation) => approvable.get(operation),
  }
}

function findProblem(name: string, approvable: ReadonlyMap<string, Route>): string | undefined {
  const route = approvable.get(name)
  if (!route) {
    const meant = nearest(name, [...approvable.keys()])
    return `${name} is no change that staff make; did you mean ${meant}?`
  }
  return showsSecret(route)
    ? `${name} shows a secret to its caller, so it cannot be approved`
    : undefined
}

/** Precedes the external identifier of a waiting request. No Idempotency-Key has a space. */
const numberPrefix = 'externalId '
/** Precedes the identifier of the expired approval, when its request is delivered again. */
const againPrefix = `${numberPrefix}after `

/** The external identifier of a request stands for its approval, in place of a key. */
function findNumber(route: Route, body: unknown): string | null {
  const { externalId } = (body ?? {}) as { externalId?: string }
  return isNumbered(route) && externalId !== undefined ? `${numberPrefix}${externalId}` : null
}

/**
 * Stores the request of a maker, with its event. A repetition with the same key gets the same
 * approval and uses up no confirmation.
 */
async function storeRequest(
  asked: Parameters<FourEyes['storeRequest']>[0],
  route: Route,
): ReturnType<FourEyes['storeRequest']> {
  const { caller, db, now } = asked
  const secret = findSecretIn(route, asked.body)
  if (secret !== undefined) invalid(`/body/${secret}`, 'is not stored; leave it out')
  const sent = readIdempotencyKey(asked.headers)
  const row = {
    id: newId(now),
    operation: route.operation,
    request: toText(route, asked),
    // What is numbered is delivered again with another key, or none.
    key: findNumber(route, asked.body) ?? sent ?? null,
    makerId: caller.userId,
    makerSessionId: caller.sessionId,
    makerKid: caller.kid,
    createdAt: new Date(now),
    expiresAt: new Date(now + lifetimeMs),
  }
  const store = (key: string | null) =>
    transaction(db, async (tx) => {
      // The refusal rolls back, so no confirmation is used up.
      const added = (await addApproval(tx, { ...row, key })) ?? refuse('request_in_progress')
      // The lock of the caller, who is the maker, is held. The count includes this request.
      if ((await pendingCount(tx, row.makerId, now)) > pendingMax) refuse('limit_exceeded')
      await addEvents(tx, [asked.makeEvent(row.id)])
      return added
    })
  const requireSame = (other: ApprovalRow): void => {
    const isOther = other.operation !== row.operation || !isSame(route, other.request, row.request)
    if (isOther) refuse('idempotency_key_reused')
  }
  async function storeOnce(key: string | null): Promise<ApprovalRow> {
    try {
      return await store(key)
    } catch (thrown) {
      const isTaken = thrown instanceof Refusal && thrown.code === 'request_in_progress'
      const other = isTaken && key !== null && (await approvalByKey(db, row.makerId, key))
      if (!other) throw thrown
      requireSame(other)
      if (!key.startsWith(numberPrefix)) return other
      // After the expiry a person sends another key. A rail sends the same externalId again: a new
      // request.
      const status = toStatus(other, now)
      if (status === 'expired') return storeOnce(`${againPrefix}${other.id}`)
      // A rail takes 202 for not decided yet, and would deliver it for ever.
      return status === 'rejected' || status === 'withdrawn' ? refuse('illegal_transition') : other
    }
  }
  const stored = await storeOnce(row.key)
  const { id, expiresAt } = stored
  return { id, status: toStatus(stored, now), expiresAt, isReplayed: id !== row.id }
}

/** The maker, and what the stored request names. A program has the identifier of no person. */
async function findAbout(
  db: Db,
  id: string,
  approvable: ReadonlyMap<string, Route>,
): Promise<Named[]> {
  const row = await approvalById(db, id)
  const route = row && approvable.get(row.operation)
  if (!route) return []
  const { makerId } = row
  const maker: Named[] = [
    { resource: 'user', id: makerId },
    { resource: 'service account', id: makerId },
  ]
  return [...maker, ...findNamed(route, fromText(row.request))]
}

/**
 * The request and its route. Refuses a checker who may not decide about it: one whose role could
 * not make the change, the maker or a person behind the maker, and one whose account, session or
 * person the request names.
 */
async function requireChecker(
  { checker, db, id }: { checker: Caller; db: Db; id: string },
  approvable: ReadonlyMap<string, Route>,
  { ownership }: FourEyesParts,
) {
  const row = (await approvalById(db, id)) ?? refuse('not_found')
  const maker = await readMaker(db, row)
  if (row.makerId === checker.userId || maker.ids.includes(checker.userId)) {
    refuse('forbidden', { because: 'the maker' })
  }
  const route = approvable.get(row.operation)
  const request = fromText(row.request)
  if (!route || !isValid(route, request))
    return refuse('illegal_transition', { because: 'changed' })
  const makers = makersOf(route)
  if (!checker.roles.some((role) => makers.includes(role))) refuse('forbidden', { because: 'role' })
  const named = findNamed(route, request)
  const own = await ownership.findOwn([...maker.ids, checker.userId], named)
  if (own) refuse('forbidden', { because: 'an account of their own', target: own.id })
  if (await isOwnChange(db, id, checker.userId)) {
    refuse('forbidden', { because: 'a change of themselves' })
  }
  return { row, route, request, maker }
}

/** The roles that may make the change: those whose grant is that of staff. */
const makersOf = ({ access }: Route): Role[] =>
  access === 'public' ? [] : roles.filter((role) => access[role] === 'any')

/**
 * Runs the handler of the stored request as its maker. Refuses as the handler does, and with
 * `illegal_transition` when the request is decided, has expired, or its maker may not make it now.
 */
async function execute(
  context: Parameters<FourEyes['execute']>[0],
  id: string,
  approvable: ReadonlyMap<string, Route>,
  parts: FourEyesParts,
): Promise<void> {
  const checker = context.caller
  const found = await requireChecker({ checker, db: context.db, id }, approvable, parts)
  const { row, route, request, maker } = found
  const caller: Caller = {
    userId: row.makerId,
    ownerId: row.makerId,
    sessionId: row.makerSessionId,
    kid: row.makerKid,
    username: maker.username,
    roles: maker.roles as Caller['roles'],
    idleEndsAt: Infinity,
    hasFactor: false,
    hasIssuerFactor: false,
    isRestricted: false,
    grant: 'any',
    operation: route.operation,
  }
  const { params, query, body } = request
  route.admits?.({ caller, body: body as never })
  const { requestId, address } = context
  const recorder = createRecorder(route, findIdentifiers(route), parts)
  const makeEvent = recorder.makeEvent({ caller, params, query, body, requestId, address })
  if (!makeEvent) throw new LoggedError(`${route.operation} is no change by staff`)
  const policies = context.service.config
  const use: ApprovalUse = { id, checker, makers: makersOf(route), policies }
  const counting = { uses: 0 }
  const about = {
    people: [...maker.ids, checker.userId],
    ...(maker.isProgram && { operation: route.operation }),
  }
  const approval = approvalEffect(use, about, parts.clock, counting)
  const effects = { approved: afterRecording(makeEvent), approval }
  const approved = {
    ...context,
    ...withEffects(context, effects, route.success === 201),
    params,
    query: query ?? {},
    body: body ?? undefined,
    headers: row.key?.startsWith(numberPrefix) === false ? { 'idempotency-key': row.key } : {},
    caller,
  }
  await route.handle(approved as never)
  if (counting.uses !== 1)
    throw new LoggedError(`${route.operation} used its approval otherwise than once`)
}

type Counting = { uses: number }

/**
 * The effects on an approved change: the transaction, or the batch of the movement, judges the
 * approval before the work and uses it up. The checker is judged before that, like the caller of
 * any change, and the maker is locked: see `about`.
 *
 * @param about `people`: those behind the approval; a movement that may move no account of its
 * caller
 *   may move none of theirs. `operation`: of a program. It may not touch the holds of other
 *   callers, nor what they have sent, also with an approval
 */
function approvalEffect(
  use: ApprovalUse,
  { people, operation }: { people: readonly string[]; operation?: string },
  clock: Clock,
  counting: Counting,
): Effect {
  const { id, checker } = use
  const { userId: checkerId, sessionId: checkerSessionId } = checker
  return {
    async before(tx) {
      const [[session], [standing]] = await answersOf([
        tx.run(readSessions, [[checkerSessionId]]),
        lockedStandings(tx, [id]),
      ])
      const refusal = refuseUse(use, standing, session, clock.now())
      if (refusal) refuse(refusal, { because: 'the approval' })
    },
    after(tx, madeId) {
      const row = { id, checkerId, checkerSessionId, resourceId: madeId ?? null }
      return writeUsed(tx, [row], clock.now())
    },
    withMovement: (movement) => ({
      ...movement,
      ...(operation !== undefined && { caller: { ...movement.caller, operation } }),
      approval: use,
      ...(movement.notOf && { notOf: [...movement.notOf, ...people] }),
    }),
    async around(change) {
      const made = await change()
      counting.uses++
      return made
    },
  }
}
