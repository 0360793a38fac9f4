// Endpoints of members: customers whom the owner of an account lets act on it.
import type { Static } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { type Clock, dayMs } from '../../domain/clock.ts'
import { parseInstant } from '../../domain/date-range.ts'
import { countLimit, invalid, refuse } from '../../domain/errors.ts'
import { AccountId, MemberId, MembershipId, newId } from '../../domain/ids.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { normaliseUsername } from '../../domain/usernames.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import { type Ender, isOver, requireOn } from '../../gate/members.ts'
import type { Named } from '../../gate/ownership.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import {
  accountById,
  lockAccount,
  lockActiveAccount,
  readAccount,
  requireOpen,
} from '../accounts/sql.ts'
import { toUnitsOf } from '../limits/routes.ts'
import { queueInvited, queueJoined, queueMemberMails } from '../mail/members-sql.ts'
import { followDueEnd } from './due-end.ts'
import { followChange, followLimits, type Pausing, pauseOrders } from './follow.ts'
import {
  Member,
  MemberChange,
  Membership,
  NewMember,
  toMember,
  toMembership,
  type WantedLimits,
} from './schemas.ts'
import {
  addMember,
  countOpenMembers,
  endDueMembersOf,
  type Granted,
  isWithdrawnMember,
  lockedMember,
  memberById,
  type MemberRow,
  membersOfAccount,
  membershipsOf,
  personOrNobody,
  writeAccepted,
  writeEnded,
  writeGranted,
} from './sql.ts'

const path = '/api/v1/accounts/:accountId/members'
const onePath = `${path}/:memberId`
const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const one = closed({ accountId: AccountId, memberId: MemberId })
const own = closed({ id: MembershipId })

/** Invited ones count until their time is over. */
export const membersMax = 20
/** How long an invitation can be accepted. */
const invitationMs = 7 * dayMs

type Account = { currency: Currency; iban: string }

/** What of a request is not there stays as it was. */
function toGranted(wanted: WantedLimits, { currency }: Account, before: Granted): Granted {
  const { perPayment, perDay, until } = wanted
  const isMoney = (amount: string | null | undefined) => typeof amount === 'string'
  const needsCurrency = isMoney(perPayment) || isMoney(perDay)
  if (needsCurrency && wanted.currency === undefined) invalid('/body/currency', 'is missing')
  const toUnits = toUnitsOf(
    {
      currency: wanted.currency ?? currency,
      perPayment: perPayment ?? null,
      perDay: perDay ?? null,
    },
    { currency },
  )
  const end = typeof until === 'string' ? new Date(parseInstant(until, '/body/until')) : null
  return {
    rights: before.rights,
    perPayment: perPayment === undefined ? before.perPayment : toUnits('perPayment'),
    perDay: perDay === undefined ? before.perDay : toUnits('perDay'),
    until: until === undefined ? before.until : end,
  }
}

const unlimited = { perPayment: null, perDay: null, until: null } as const

/** What the owner confirms. */
function showGranted(granted: Granted, account: Account, member: string): ShownTerms {
  const { currency, iban } = account
  const show = (limit: bigint | null) => (limit === null ? 'none' : formatAmount(limit, currency))
  return {
    iban,
    member,
    rights: granted.rights,
    currency,
    perPayment: show(granted.perPayment),
    perDay: show(granted.perDay),
    ...(granted.until && { until: granted.until.toISOString() }),
  }
}

const readUsername = (text: string): string =>
  normaliseUsername(text) ?? invalid('/body/username', 'is not a user name')

const requireAccount = async (db: Database, accountId: string) =>
  requireOpen(await accountById(db, accountId))

const requireFuture = (until: Date | null, at: number): void => {
  if (isOver(until, at)) invalid('/body/until', 'is in the past')
}

const invite = route({
  method: 'POST',
  path,
  operation: 'inviteMember',
  summary:
    'Invite another customer to act on an account: to view it, to prepare payments, or to pay. ' +
    'The answer is the same whether or not a customer has that user name. Whoever has it may ' +
    'accept within 7 days. An account has at most 20 members and invitations.',
  access,
  confirm: async ({ params: { accountId }, body, db, service }) => {
    requireOn(service)
    const account = await requireAccount(db, accountId)
    const granted = toGranted(body, account, { ...unlimited, rights: body.rights })
    return showGranted(granted, account, readUsername(body.username))
  },
  limit: 'invitation',
  params: ofAccount,
  body: NewMember,
  reply: { 201: Member },
  refusals: [
    'not_found',
    'account_frozen',
    'already_exists',
    'currency_mismatch',
    'limit_exceeded',
  ],
  example: { username: 'clara', rights: 'pay', currency: 'EUR', perDay: '500.00' },
  async handle({ params: { accountId }, body, caller, db, service, record }) {
    const present = await requireOn(service).ofAccount(accountId)
    const username = readUsername(body.username)
    if (username === caller.username) invalid('/body/username', 'is your own')
    const { at, row } = await transaction(db, async (tx) => {
      const account = await lockActiveAccount(tx, accountId)
      const now = await databaseNow(tx, service.clock)
      const granted = toGranted(body, account, { ...unlimited, rights: body.rights })
      requireFuture(granted.until, now)
      for (const ended of await endDueMembersOf(tx, accountId, now)) {
        await followDueEnd(tx, ended, now)
      }
      if ((await countOpenMembers(tx, accountId)) >= membersMax) {
        refuse('limit_exceeded', { limit: countLimit('members', membersMax) })
      }
      const id = newId(now)
      const times = { invitedAt: new Date(now), expiresAt: new Date(now + invitationMs) }
      const by = { inviterSessionId: caller.sessionId, inviterKid: caller.kid }
      const row = { id, accountId, username, ...by, ...granted, ...times }
      const added = await addMember(tx, row)
      if (!added) refuse('already_exists')
      await queueInvited(tx, id, now)
      await record(tx, { target: accountId, detail: describe(id, granted, account.currency) })
      return { id, at: now, row: (await memberById(tx, id)) as MemberRow }
    })
    return new Answer(toMember(row, { at, present }), {
      location: `/api/v1/accounts/${accountId}/members`,
    })
  },
})

/** In the trail, without a name: `<id>; rights: pay; perDay: 500.00; until: …`. */
function describe(id: string, { rights, ...granted }: Granted, currency: Currency): string {
  const { perPayment, perDay, until } = granted
  return [
    id,
    `rights: ${rights}`,
    ...(perPayment === null ? [] : [`perPayment: ${formatAmount(perPayment, currency)}`]),
    ...(perDay === null ? [] : [`perDay: ${formatAmount(perDay, currency)}`]),
    ...(until === null ? [] : [`until: ${until.toISOString()}`]),
  ].join('; ')
}

const list = route({
  method: 'GET',
  path,
  operation: 'listMembers',
  summary:
    'List the members of an account and those invited, newest first, also those of before. ' +
    '`status` says who may act now, as each request is judged.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Member) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, row, caller, db, now: at, page, service }) {
    const members = requireOn(service)
    if (caller.grant === 'own') requireOpen(row)
    else if (!row) refuse('not_found')
    const present = await members.ofAccount(accountId)
    return page({
      fetch: (after, count) => membersOfAccount(db, accountId, after, count),
      toItem: (member) => toMember(member, { at, present }),
    })
  },
})

/** The person is locked with the caller: what is under way by right of the membership is over. */
const personOf =
  <P>(find: (params: P) => string) =>
  async ({ params, db }: { params: P; db: Database }): Promise<readonly Named[]> => {
    const row = await memberById(db, find(params))
    return row ? [{ resource: 'user', id: personOrNobody(row) }] : []
  }

/**
 * Locks the person, the account and then the row. Refuses with `not_found` what has ended. The time
 * is that behind the locks: no payment by right of the membership is later than its end.
 */
async function lockStanding(
  tx: Db,
  id: string,
  clock: Clock,
): Promise<{ row: MemberRow; now: number }> {
  const found = await memberById(tx, id)
  if (!found || found.endedAt !== null) refuse('not_found')
  await lockCallers(tx, { people: [personOrNobody(found)] })
  await lockAccount(tx, found.accountId)
  const row = await lockedMember(tx, id)
  const now = await databaseNow(tx, clock)
  if (!row || row.endedAt !== null || isOver(row.until, now)) refuse('not_found')
  return { row, now }
}

const update = route({
  method: 'PATCH',
  path: onePath,
  operation: 'updateMember',
  summary:
    'Change what a member may do, or until when. It holds at once: a payment draft that waits ' +
    'with a signature of the member above the new limits is void.',
  access,
  confirm: async ({ params: { accountId, memberId }, body, db, service }) => {
    requireOn(service)
    const account = await requireAccount(db, accountId)
    const row = (await memberById(db, memberId)) ?? refuse('not_found')
    const granted = { ...toGranted(body, account, row), rights: body.rights ?? row.rights }
    return showGranted(granted, account, row.username)
  },
  limit: 'sensitive',
  params: one,
  body: MemberChange,
  reply: { 200: Member },
  refusals: ['not_found', 'currency_mismatch'],
  example: { rights: 'view' },
  about: personOf(({ memberId }: Static<typeof one>) => memberId),
  async handle(context) {
    const { params, body, caller, db, service, record } = context
    const { accountId, memberId } = params
    const members = requireOn(service)
    const { at, row } = await transaction(db, async (tx) => {
      const { row: before, now } = await lockStanding(tx, memberId, service.clock)
      // The session that changes it takes the place of one that was revoked.
      if (await isWithdrawnMember(tx, memberId)) refuse('not_found')
      const granted = { ...toGranted(body, before, before), rights: body.rights ?? before.rights }
      if (body.until !== undefined) requireFuture(granted.until, now)
      const by = { changerSessionId: caller.sessionId, changerKid: caller.kid }
      await writeGranted(tx, { id: memberId, ...granted, ...by })
      await followChange(tx, before, granted, { ...context, at: now })
      const detail = describe(memberId, granted, before.currency)
      if (before.acceptedAt !== null && detail !== describe(memberId, before, before.currency)) {
        await queueMemberMails(tx, 'member-changed', before, now)
      }
      await record(tx, { target: accountId, detail })
      return { at: now, row: (await memberById(tx, memberId)) as MemberRow }
    })
    return toMember(row, { at, present: await members.ofAccount(accountId) })
  },
})

type Ending = Pick<Context, 'db' | 'service' | 'record'> & Pausing

/** Ends a membership, or takes back or declines an invitation. */
const end = (context: Ending, id: string, endedBy: Ender) =>
  transaction(context.db, async (tx) => {
    const { service, record } = context
    requireOn(service)
    const { row, now } = await lockStanding(tx, id, service.clock)
    await writeEnded(tx, { id, endedAt: new Date(now), endedBy })
    await pauseOrders(tx, row, context)
    // An invitation that is taken back or declined has let the person do nothing.
    if (row.acceptedAt !== null) await queueMemberMails(tx, 'member-ended', row, now)
    await record(tx, { target: row.accountId, detail: id })
  })

const remove = route({
  method: 'DELETE',
  path: onePath,
  operation: 'endMember',
  summary: 'End a membership at once, or take back an invitation. Staff may do so too.',
  access: { customer: 'own', admin: 'any' },
  limit: 'sensitive',
  params: one,
  reply: { 204: Nothing },
  refusals: ['not_found'],
  about: personOf(({ memberId }: Static<typeof one>) => memberId),
  async handle(context) {
    const { accountId, memberId } = context.params
    const row = await memberById(context.db, memberId)
    if (row?.accountId !== accountId) refuse('not_found')
    await end(context, memberId, context.caller.grant === 'any' ? 'staff' : 'owner')
  },
})

const listOwn = route({
  method: 'GET',
  path: '/api/v1/me/memberships',
  operation: 'listMyMemberships',
  summary: 'List the accounts of others that you may act on, and your invitations, newest first.',
  access: { customer: 'self' },
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(Membership) },
  async handle({ caller, db, now: at, page, service }) {
    const members = requireOn(service)
    return page({
      async fetch(after, count) {
        const rows = await membershipsOf(db, caller.userId, after, count)
        const present = await Promise.all(rows.map((row) => members.ofAccount(row.accountId)))
        return rows.map((row, index) => ({ ...row, present: present[index] ?? [] }))
      },
      toItem: ({ present, ...row }) => toMembership(row, { at, present }),
    })
  },
})

const accept = route({
  method: 'POST',
  path: '/api/v1/members/:id/accept',
  operation: 'acceptMembership',
  summary: 'Accept an invitation to act on an account of another customer.',
  access,
  limit: 'sensitive',
  params: own,
  reply: { 200: Membership },
  refusals: ['not_found', 'illegal_transition'],
  async handle({ params: { id }, db, service, record }) {
    const members = requireOn(service)
    const { at, row } = await transaction(db, async (tx) => {
      const { row: found, now } = await lockStanding(tx, id, service.clock)
      if (found.acceptedAt === null) {
        if (await isWithdrawnMember(tx, id)) refuse('not_found')
        if (isOver(found.expiresAt, now)) refuse('illegal_transition')
        await writeAccepted(tx, { id, acceptedAt: new Date(now) })
        await followLimits(tx, found, found, { at: now, service })
        await queueJoined(tx, found, now)
      }
      await record(tx, { target: found.accountId, detail: id })
      return { at: now, row: (await memberById(tx, id)) as MemberRow }
    })
    return toMembership(row, { at, present: await members.ofAccount(row.accountId) })
  },
})

const leave = route({
  method: 'DELETE',
  path: '/api/v1/members/:id',
  operation: 'leaveMembership',
  summary: 'Decline an invitation, or act no more on the account of another customer.',
  access,
  limit: 'sensitive',
  params: own,
  reply: { 204: Nothing },
  refusals: ['not_found'],
  handle: (context) => end(context, context.params.id, 'member'),
})

export const memberRoutes = [invite, list, update, remove, listOwn, accept, leave]
