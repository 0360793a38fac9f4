// The endpoint of the overview: the bank in a few totals, for staff.
import { type Static, Type } from '../../domain/type.ts'
import { events } from '../../audit/sql.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { dayMs } from '../../domain/clock.ts'
import { EventId, firstId, idAt, lastId } from '../../domain/ids.ts'
import { currencies, formatAmount } from '../../domain/money.ts'
import {
  closed,
  Count,
  Currency,
  named,
  nullable,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { readTotals } from './sql.ts'
import { readWork, Work } from './work.ts'

/** Sessions and refusals are counted up to here, so that an attack makes no read slow. */
const countedMax = 10_000
/** Active holds are, too: a bank has more of these than of refusals. */
const heldMax = 100_000

export const Overview = named('Overview', {
  at: Time,
  currencies: Type.Array(
    closed({
      currency: Currency,
      openAccounts: Count,
      customerBalance: SignedAmount,
      pendingTransfers: Count,
      pendingAmount: SignedAmount,
      activeHolds: {
        ...Count,
        description: `Like \`heldAmount\`, among ${heldMax} active holds of the bank at most.`,
      },
      heldAmount: SignedAmount,
    }),
    { maxItems: currencies.length },
  ),
  users: closed({ active: Count, disabled: Count }),
  overdrawn: closed(
    { accounts: Count, oldestSince: nullable(Time) },
    {
      description: `Accounts in unarranged overdraft, up to ${countedMax}.`,
    },
  ),
  disputes: closed(
    { waiting: Count, oldestSince: nullable(Time) },
    {
      description: `Disputes that wait for staff or a processor, up to ${countedMax}.`,
    },
  ),
  liveSessions: Type.Integer({
    minimum: 0,
    maximum: countedMax,
    description: `Among the ${countedMax} sessions that were opened last.`,
  }),
  refusals: closed(
    { failure: Count, limited: Count, forbidden: Count },
    {
      description: `Audit events of the last 24 hours by outcome; ${countedMax}: so many or more.`,
    },
  ),
  work: Work,
  lastVerification: nullable(closed({ eventId: EventId, at: Time, isSound: Type.Boolean() })),
})

/** @param at milliseconds since the epoch */
const toTime = (at: string | null): string | null => at && rfc3339(Number.parseInt(at, 10))

const read = route({
  method: 'GET',
  path: '/api/v1/admin/overview',
  operation: 'getOverview',
  summary:
    "Read totals of the bank: accounts, customers' balances and pending transfers by currency, " +
    'users, overdrawn accounts, disputes, sessions, refusals, the last run of ' +
    '`strongroom verify`, and what waits for staff.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  reply: { 200: Overview },
  async handle({ db, now, service }) {
    // What this instance has not written yet of both is part of the totals.
    await Promise.all([service.sessions.flush(), service.audit.flush()])
    const days = service.clocks.days()
    const [rows, [all], [onlyNew], work] = await Promise.all([
      db.run(readTotals, [
        new Date(now),
        new Date(now - service.config.sessionIdle),
        idAt(now - dayMs),
        BigInt(countedMax),
        BigInt(heldMax),
      ]),
      events(db, { action: 'verify' }, { least: firstId, before: lastId }, 1),
      events(db, { action: 'verifyNew' }, { least: firstId, before: lastId }, 1),
      readWork(db, now, days.startOf(days.dayOf(now))),
    ])
    // A proof of what is new says something of the whole only where it fails.
    const isFailed = onlyNew?.outcome === 'failure' && (!all || onlyNew.at > all.at)
    const verification = isFailed ? onlyNew : all
    const find = (total: string, of: string) =>
      rows.find((row) => row.total === total && row.of === of)
    const count = (total: string, of: string) => find(total, of)?.count ?? 0
    const units = (total: string, of: string) => BigInt(find(total, of)?.units ?? 0n)
    const ofCurrencies = currencies.map((currency) => ({
      currency,
      openAccounts: count('accounts', currency),
      customerBalance: formatAmount(units('balances', currency), currency),
      pendingTransfers: count('pending', currency),
      pendingAmount: formatAmount(units('pending', currency), currency),
      activeHolds: count('held', currency),
      heldAmount: formatAmount(units('held', currency), currency),
    }))
    const refusals = (outcome: string) => count('refusals', outcome)
    return {
      at: rfc3339(now),
      currencies: ofCurrencies.filter(
        ({ currency, openAccounts, pendingTransfers }) =>
          openAccounts + pendingTransfers > 0 || units('balances', currency) !== 0n,
      ),
      users: { active: count('users', 'active'), disabled: count('users', 'disabled') },
      overdrawn: {
        accounts: count('overdrawn', 'accounts'),
        oldestSince: toTime(find('overdrawn', 'accounts')?.units ?? null),
      },
      disputes: {
        waiting: count('disputes', 'waiting'),
        oldestSince: toTime(find('disputes', 'waiting')?.units ?? null),
      },
      liveSessions: count('sessions', 'live'),
      refusals: {
        failure: refusals('failure'),
        limited: refusals('limited'),
        forbidden: refusals('forbidden'),
      },
      work,
      lastVerification: verification
        ? {
            eventId: verification.id,
            at: rfc3339(verification.at.getTime()),
            isSound: verification.outcome === 'success',
          }
        : null,
    } satisfies Static<typeof Overview>
  },
})

export const overviewRoutes = [read]
