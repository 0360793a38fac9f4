// Endpoints of standing orders: payments that the bank makes on the days of a rhythm.
import { Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { AccountId, OrderId, UserId } from '../../domain/ids.ts'
import { addDays, dueAfter } from '../../domain/calendar/rhythm.ts'
import { closed, Nothing, oneOf } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { type Context, route } from '../../http/route.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { queueOrderMail } from '../mail/sql.ts'
import { keepChange, findOrders } from './changes-sql.ts'
import { signaturesOf } from '../signatures/sql.ts'
import { signaturesNeeded } from '../../ledger/rules/signatures.ts'
import { payeeRefusals, readCarried, showCheck } from '../payee-checks/carried.ts'
import { makeOnce, makeOrder, toTermsCaller } from './creation.ts'
import {
  NewOrder,
  Order,
  OrderChange,
  ordererSchema,
  Run,
  Skip,
  toOrder,
  toRun,
  toShownOrder,
  UndoneSkip,
} from './schemas.ts'
import {
  changeOrder,
  lastRunOn,
  lockOrder,
  orderById,
  type OrderRow,
  ordersByAccount,
  runsOf,
  shownOrderById,
  skipRun,
  statuses,
  undoSkip,
} from './sql.ts'
import { readDay, showPayee, showTerms, withNext, withTerms } from './terms.ts'
import { upcomingRoutes } from './upcoming.ts'

const readers = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const
const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: OrderId })

const create = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/orders',
  operation: 'createOrder',
  summary:
    'Order payments on days: once, weekly, monthly or yearly from the first day on. A day that ' +
    'its month lacks is its last one. An account has at most 100 orders that are not ended. With ' +
    'an Idempotency-Key, a repetition is answered as the first time.',
  access,
  service: 'pay',
  confirm: async ({ body, caller, db }) => ({
    ...(await showPayee(db, body)),
    ...showTerms(body),
    ...showCheck(await readCarried(db, body, caller)),
  }),
  member: 'pay',
  limit: 'sensitive',
  params: ofAccount,
  body: NewOrder,
  reply: { 201: Order },
  refusals: [
    'not_found',
    'account_frozen',
    'currency_mismatch',
    'limit_exceeded',
    'signature_required',
    ...payeeRefusals,
    ...keyRefusals,
  ],
  example: {
    beneficiaryId: '01890a5d-ac96-774b-bcce-b302099a8059',
    amount: '850.00',
    currency: 'EUR',
    reference: 'Rent',
    rhythm: 'monthly',
    firstOn: '2026-02-01',
    retryDays: 3,
  },
  handle: (context) => makeOnce(context, makeOrder),
  whenGone: (context) => makeOnce(context, async () => refuse('not_found', { because: 'gone' })),
})

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/orders',
  operation: 'listOrders',
  summary: 'List the standing orders of an account, ended ones included, newest first.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Order) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, caller, db, page, row }) {
    requireOpen(row)
    return page({
      fetch: (after, count) => ordersByAccount(db, accountId, after, count),
      toItem: (order) => toShownOrder(order, caller),
    })
  },
})

/** Those that may still pay. */
const openStatuses = ['active', 'paused'] as const

const search = route({
  method: 'GET',
  path: '/api/v1/orders',
  operation: 'findOrders',
  summary:
    'List your standing orders on all accounts, newest first; for staff, those of all customers. ' +
    '`orderedBy`: those that a person, a service account, a session or a key made or changed, ' +
    'also when others changed them since.',
  access: { customer: 'self', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  query: closed({
    ...pageQuery,
    ownerId: Type.Optional(UserId),
    orderedBy: Type.Optional(ordererSchema('A person, service account, session or key.')),
    status: Type.Optional(oneOf([...statuses, 'open'], { description: 'Open: active or paused.' })),
  }),
  reply: { 200: listSchema(Order) },
  async handle({ query, caller, db, page }) {
    const isStaff = caller.grant === 'any'
    const { ownerId = isStaff ? undefined : caller.userId, orderedBy, status } = query
    if (!isStaff && ownerId !== caller.userId) refuse('forbidden')
    const wanted =
      status === undefined ? statuses : status === 'open' ? openStatuses : ([status] as const)
    const filter = { ownerId, orderedBy, statuses: wanted, withClosed: isStaff }
    return page({
      fetch: (after, count) => findOrders(db, filter, after, count),
      toItem: (order) => toShownOrder(order, caller),
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/orders/:id',
  operation: 'getOrder',
  summary: 'Read a standing order, with the name and IBAN of its payee while that is not deleted.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  reply: { 200: Order },
  refusals: ['not_found'],
  async handle({ params, caller, db }) {
    return toShownOrder(await shownOrderById(db, params.id), caller)
  },
})

const runs = route({
  method: 'GET',
  path: '/api/v1/orders/:id/runs',
  operation: 'listOrderRuns',
  summary: 'What became of each due day of a standing order, the last one first.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  query: closed(pageQuery),
  reply: { 200: listSchema(Run) },
  refusals: ['not_found'],
  async handle({ params: { id }, db, page }) {
    await orderById(db, id)
    return page({
      fetch: (after, count) => runsOf(db, id, after, count),
      toItem: toRun,
      keyOf: ({ dueOn }) => dueOn,
    })
  },
})

type Changing = Pick<Context, 'caller' | 'db' | 'now' | 'requestId'>
type Change = {
  id: string
  /** It lets no money out, so it is made on a frozen account too. */
  alsoFrozen?: boolean
  change(row: OrderRow, tx: Db): Promise<OrderRow>
}

/** Changes an order behind the lock of its account. An ended order stays ended. */
const changeLocked = (context: Changing, { id, alsoFrozen, change }: Change): Promise<OrderRow> =>
  transaction(context.db, async (tx) => {
    const before = await lockOrder(tx, id, alsoFrozen)
    if (before.status === 'ended') refuse('illegal_transition')
    await changeOrder(tx, await change(before, tx))
    const version = await keepChange(tx, id, context)
    const after = await orderById(tx, id)
    if (paysOtherwise(before, after)) {
      await queueOrderMail(tx, 'order-changed', { orderId: id, version }, context.now)
    }
    return after
  })

const paysOtherwise = (before: OrderRow, after: OrderRow): boolean =>
  before.amount !== after.amount ||
  before.beneficiaryId !== after.beneficiaryId ||
  before.toAccountId !== after.toAccountId

const update = route({
  method: 'PATCH',
  path: '/api/v1/orders/:id',
  operation: 'updateOrder',
  summary:
    'Change the payee, amount, reference, last day, days of retry or the rule for holidays of a ' +
    'standing order.',
  access,
  service: 'pay',
  confirm: async ({ body, params, caller, db }) => {
    const present = toOrder(await orderById(db, params.id))
    const isRetargeted = body.beneficiaryId !== undefined || body.toAccountId !== undefined
    const payee = await showPayee(db, isRetargeted ? body : present)
    const checked = showCheck(await readCarried(db, body, caller))
    return { ...payee, ...showTerms({ ...present, ...body }), ...checked }
  },
  member: 'pay',
  limit: 'sensitive',
  params: byId,
  body: OrderChange,
  reply: { 200: Order },
  refusals: [
    'not_found',
    'account_frozen',
    'currency_mismatch',
    'illegal_transition',
    'signature_required',
    ...payeeRefusals,
  ],
  example: { amount: '900.00' },
  async handle(context) {
    const { params, body, caller, db, now, service } = context
    const termsCaller = toTermsCaller(caller)
    const check = await readCarried(db, body, caller)
    const row = await changeLocked(context, {
      ...params,
      async change(found, tx) {
        const changed = await withTerms(tx, { ...found, ...termsCaller }, body, { check, service })
        const account = (await signaturesOf(tx, found.accountId)) ?? refuse('not_found')
        if (signaturesNeeded(account, changed.amount, now) > 1) refuse('signature_required')
        return changed
      },
    })
    return toOrder(row)
  },
})

const statusRoute = (verb: 'pause' | 'resume', summary: string) =>
  route({
    method: 'POST',
    path: `/api/v1/orders/:id/${verb}`,
    operation: verb === 'pause' ? 'pauseOrder' : 'resumeOrder',
    summary,
    access,
    service: 'pay',
    member: 'pay',
    limit: 'sensitive',
    params: byId,
    reply: { 200: Order },
    refusals: ['not_found', 'account_frozen', 'illegal_transition'],
    async handle(context) {
      const { params, now, service } = context
      const change = async (found: OrderRow, tx: Db): Promise<OrderRow> => {
        if (verb === 'pause') return { ...found, status: 'paused', pausedBecause: 'owner' }
        // Whoever resumes what a member of before has ordered orders it.
        const orderer = found.pausedBecause === 'member' ? toTermsCaller(context.caller) : {}
        const active = { ...found, ...orderer, status: 'active' as const, pausedBecause: null }
        if (found.status === 'active') return active
        const yesterday = addDays(service.clocks.days().dayOf(now), -1)
        const last = await lastRunOn(tx, params.id)
        const after = last !== undefined && last > yesterday ? last : yesterday
        return withNext(active, dueAfter(found, after))
      }
      return toOrder(await changeLocked(context, { ...params, change }))
    },
  })

const skipNext = route({
  method: 'POST',
  path: '/api/v1/orders/:id/skip-next',
  operation: 'skipNextOrder',
  summary:
    'Leave out the next due day of a standing order: `dueOn`, or 409 when that is not the next.',
  access,
  service: 'pay',
  member: 'pay',
  limit: 'sensitive',
  params: byId,
  body: Skip,
  bodyIsOptional: true,
  example: {},
  reply: { 200: Order },
  refusals: ['not_found', 'account_frozen', 'illegal_transition'],
  async handle(context) {
    const { params, body, now } = context
    const change = async (found: OrderRow, tx: Db): Promise<OrderRow> => {
      const day = found.nextOn as string
      const asked = body.dueOn === undefined ? day : readDay(body.dueOn, '/body/dueOn')
      if (asked !== day) refuse('illegal_transition')
      await skipRun(tx, params.id, day, now)
      return withNext(found, dueAfter(found, day))
    }
    return toOrder(await changeLocked(context, { ...params, change }))
  },
})

const undo = route({
  method: 'POST',
  path: '/api/v1/orders/:id/undo-skip',
  operation: 'undoSkip',
  summary:
    'Take back that the last day of a standing order was left out: it is the next one again. It ' +
    'must not be over, and no later day may have an outcome.',
  access,
  service: 'pay',
  member: 'pay',
  limit: 'sensitive',
  params: byId,
  body: UndoneSkip,
  example: { dueOn: '2026-03-01' },
  reply: { 200: Order },
  refusals: ['not_found', 'account_frozen', 'illegal_transition'],
  async handle(context) {
    const { params, body, now, service } = context
    const day = readDay(body.dueOn, '/body/dueOn')
    const change = async (found: OrderRow, tx: Db): Promise<OrderRow> => {
      if (day < service.clocks.days().dayOf(now)) refuse('illegal_transition')
      if (!(await undoSkip(tx, params.id, day))) refuse('illegal_transition')
      return withNext(found, day)
    }
    return toOrder(await changeLocked(context, { ...params, change }))
  },
})

const end = route({
  method: 'DELETE',
  path: '/api/v1/orders/:id',
  operation: 'endOrder',
  summary:
    'End a standing order for good. It and its runs stay readable. An administrator ends one ' +
    'of a frozen account too.',
  access: { customer: 'own', admin: 'any' },
  service: 'pay',
  member: 'pay',
  limit: 'sensitive',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found', 'account_frozen', 'illegal_transition'],
  async handle(context) {
    const alsoFrozen = context.caller.grant === 'any'
    const change = async (row: OrderRow) => withNext(row, undefined)
    await changeLocked(context, { ...context.params, alsoFrozen, change })
  },
})

export const orderRoutes = [
  create,
  list,
  search,
  ...upcomingRoutes,
  read,
  runs,
  update,
  statusRoute('pause', 'Pause a standing order: no day is due until it is resumed.'),
  statusRoute('resume', 'Resume a standing order. Days of the pause are not made up for.'),
  skipNext,
  undo,
  end,
]
