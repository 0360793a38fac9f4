// Endpoints of approvals: administrators see the requests that wait for a second person and decide.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { ApprovalId } from '../../domain/ids.ts'
import { closed, Nothing, oneOf, Reason } from '../../domain/schema.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { approvalsPath as path, approvalStatuses } from '../../gate/waiting-approval.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { type Context, route } from '../../http/route.ts'
import type { FourEyes } from '../../http/services.ts'
import { fromText, toPath } from './requests.ts'
import { Approval, toStatus } from './schemas.ts'
import {
  approvalById,
  type ApprovalRow,
  approvals,
  lockedApproval,
  waitingApprovals,
  writeDecision,
} from './sql.ts'
import { hasReason, keptFrom } from '../../audit/kept-reasons.ts'
import { namesOf } from '../../audit/names.ts'
import { subjectsOf } from './subjects.ts'

const access = { admin: 'any' } as const
const byId = closed({ approvalId: ApprovalId })

function toApproval(row: ApprovalRow, fourEyes: FourEyes, now: number): Static<typeof Approval> {
  const { id, operation, makerId, checkerId, reason, resourceId, decidedAt } = row
  const request = fromText(row.request)
  const route = fourEyes.describe(operation)
  return {
    id,
    status: toStatus(row, now),
    operation,
    path: route ? toPath(route, request) : null,
    body: request.body === null ? null : JSON.stringify(request.body),
    makerId,
    checkerId,
    createdAt: rfc3339(row.createdAt.getTime()),
    expiresAt: rfc3339(row.expiresAt.getTime()),
    decidedAt: decidedAt && rfc3339(decidedAt.getTime()),
    reason,
    resourceId,
  }
}

const withSubjects = {
  subjects: Type.Optional(
    oneOf(['true'], {
      description: 'With holder and account as they stand now, and with names, for people.',
    }),
  ),
}

/** With what each is about, where a person asks for it, without reasons that are kept from it. */
async function toApprovals(
  { query: { subjects }, caller, db, now, service: { fourEyes, members } }: Reading,
  rows: readonly ApprovalRow[],
): Promise<Static<typeof Approval>[]> {
  const isTold = subjects !== undefined && caller.service === undefined
  const requests = rows.map(({ request }) => fromText(request))
  const found = isTold ? await subjectsOf(db, requests) : []
  const people = rows.flatMap(({ makerId, checkerId }) => [makerId, checkerId])
  const names = await namesOf(db, isTold ? people : [])
  const accountOf = (at: number) =>
    (requests[at]?.params as { accountId?: string } | null)?.accountId ?? ''
  const withReason = rows.flatMap(({ operation }, at) =>
    hasReason(operation) ? accountOf(at) : [],
  )
  const reader = { userId: caller.userId, areMembersOn: members !== undefined }
  const kept = await keptFrom(db, reader, withReason)
  return rows.map((row, at) => {
    const isKept = hasReason(row.operation) && kept.has(accountOf(at))
    const makerName = names.get(row.makerId)
    const checkerName = names.get(row.checkerId ?? '')
    return {
      ...toApproval(row, fourEyes, now),
      ...(isKept && { body: null, reason: null }),
      ...(found[at] && { subject: found[at] }),
      ...(makerName !== undefined && { makerName }),
      ...(checkerName !== undefined && { checkerName }),
    }
  })
}
type Reading = Pick<
  Context<unknown, { subjects?: 'true' }>,
  'query' | 'caller' | 'db' | 'now' | 'service'
>

const list = route({
  method: 'GET',
  path,
  operation: 'listApprovals',
  summary:
    'List the requests that wait for a second person or did in the last 30 days, newest first; ' +
    'those that are `pending` oldest first.',
  access,
  limit: 'read',
  query: closed({
    ...pageQuery,
    status: Type.Optional(oneOf(approvalStatuses)),
    ...withSubjects,
  }),
  reply: { 200: listSchema(Approval) },
  async handle(context) {
    const { query, db, now, page } = context
    const { items, nextCursor } = await page({
      fetch: (after, count) =>
        query.status === 'pending'
          ? waitingApprovals(db, now, after, count)
          : approvals(db, { status: query.status, now }, after, count),
      toItem: (row) => row,
    })
    return { items: await toApprovals(context, items), nextCursor }
  },
})

const read = route({
  method: 'GET',
  path: `${path}/:approvalId`,
  operation: 'getApproval',
  summary: 'Read a request that waits for a second person, and what became of it.',
  access,
  service: 'operation',
  limit: 'read',
  params: byId,
  query: closed(withSubjects),
  reply: { 200: Approval },
  refusals: ['not_found'],
  async handle(context) {
    const { params, db } = context
    const row = (await approvalById(db, params.approvalId)) ?? refuse('not_found')
    const [approval] = await toApprovals(context, [row])
    return approval as Static<typeof Approval>
  },
})

const approve = route({
  method: 'POST',
  path: `${path}/:approvalId/approve`,
  operation: 'approveRequest',
  summary:
    'Execute the request of another person, in whose name it is done. What refuses it leaves it ' +
    'pending.',
  access,
  limit: 'admin',
  params: byId,
  reply: { 200: Approval },
  refusals: [
    'not_found',
    'account_closed',
    'account_frozen',
    'account_not_empty',
    'already_exists',
    'already_reversed',
    'card_cancelled',
    'credits_blocked',
    'currency_mismatch',
    'debits_blocked',
    'duplicate_transfer',
    'idempotency_key_reused',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
    'outcome_unknown',
    'request_in_progress',
    'unavailable',
  ],
  decides: true,
  about: ({ params, db, service }) => service.fourEyes.about(db, params.approvalId),
  async confirm({ params, db }) {
    const row = await approvalById(db, params.approvalId)
    return row ? { approves: row.operation, makerId: row.makerId } : {}
  },
  async handle(context) {
    const { params, db, now, service } = context
    await service.fourEyes.execute(context, params.approvalId)
    const row = (await approvalById(db, params.approvalId)) ?? refuse('not_found')
    return toApproval(row, service.fourEyes, now)
  },
})

const reject = route({
  method: 'POST',
  path: `${path}/:approvalId/reject`,
  operation: 'rejectRequest',
  summary: 'Reject the request of another person for good.',
  access,
  limit: 'admin',
  params: byId,
  body: closed({ reason: Reason }),
  reply: { 200: Approval },
  refusals: ['not_found', 'illegal_transition'],
  example: { reason: 'Not the holder' },
  decides: true,
  async handle({ params: { approvalId }, body, caller, db, now, service: { clock, fourEyes } }) {
    await fourEyes.requireChecker(caller, db, approvalId)
    const { userId: checkerId, sessionId: checkerSessionId } = caller
    const by = { checkerId, checkerSessionId, reason: body.reason }
    const row = await transaction(db, async (tx) => {
      const found = await lockedApproval(tx, approvalId)
      if (found && toStatus(found, clock.now()) !== 'pending') refuse('illegal_transition')
      return writeDecision(tx, approvalId, { status: 'rejected', now, ...by })
    })
    return toApproval(row ?? refuse('not_found'), fourEyes, now)
  },
})

const withdraw = route({
  method: 'DELETE',
  path: `${path}/:approvalId`,
  operation: 'withdrawRequest',
  summary: 'Withdraw a request of your own.',
  access,
  service: 'operation',
  limit: 'admin',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found', 'illegal_transition'],
  decides: true,
  async handle({ params: { approvalId }, caller, db, now, service: { clock } }) {
    await transaction(db, async (tx) => {
      const found = (await lockedApproval(tx, approvalId)) ?? refuse('not_found')
      if (found.makerId !== caller.userId) refuse('forbidden', { because: 'not the maker' })
      if (toStatus(found, clock.now()) !== 'pending') refuse('illegal_transition')
      await writeDecision(tx, approvalId, { status: 'withdrawn', now })
    })
  },
})

export const approvalRoutes = [list, read, approve, reject, withdraw]
