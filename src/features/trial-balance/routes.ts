// The endpoint of the trial balance: all accounts of the bank beside what customers hold.
import { Readable } from 'node:stream'
import { type Static, Type } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { When } from '../../domain/date-range.ts'
import { refuse } from '../../domain/errors.ts'
import type { Language } from '../../domain/languages.ts'
import { currencies, formatAmount } from '../../domain/money.ts'
import { refuseTime } from '../../gate/archived.ts'
import { closed, Currency, Name, named, oneOf, SignedAmount, Time } from '../../domain/schema.ts'
import { FileReply, route } from '../../http/route.ts'
import { bankCodes, furtherMax } from '../../ledger/rules/internal-accounts.ts'
import { newestArchive } from '../../ledger/archive/state-sql.ts'
import { untilSettled } from '../../ledger/batch/await-batches.ts'
import {
  readTrialBalance,
  type TrialBalance as Balances,
} from '../../ledger/proof/trial-balance.ts'
import { BankCode } from '../bank-accounts/schemas.ts'
import { chooseMediaType } from '../statements/accept.ts'
import { csvFormFor, requireCsv, spreadsheetQuery } from '../statements/csv.ts'
import { endAt } from '../statements/period.ts'

const mediaTypes = { json: 'application/json', csv: 'text/csv' } as const
const csvType = 'text/csv; charset=utf-8; header=present'

export const TrialBalance = named('TrialBalance', {
  at: Time,
  currencies: Type.Array(
    closed({
      currency: Currency,
      accounts: Type.Array(closed({ code: BankCode, name: Name, balance: SignedAmount }), {
        maxItems: bankCodes.length + furtherMax,
      }),
      customers: SignedAmount,
      total: SignedAmount,
    }),
    { maxItems: currencies.length },
  ),
})

const read = route({
  method: 'GET',
  path: '/api/v1/admin/trial-balance',
  operation: 'getTrialBalance',
  summary:
    'Read what each account of the bank and all customers together held at a time, or at the end ' +
    'of a day; by default now, and for today as well. Each total is zero. The same time in the ' +
    'past always has the same balances. `format` takes precedence over `Accept`.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'export',
  query: closed({
    at: Type.Optional(When),
    format: Type.Optional(oneOf(['json', 'csv'])),
    spreadsheet: spreadsheetQuery,
  }),
  reply: { 200: TrialBalance },
  files: [csvType],
  refusals: ['archived', 'not_acceptable', 'unavailable'],
  async handle({ query, headers, db, caller, service }) {
    const format =
      query.format ?? chooseMediaType(headers['accept'], mediaTypes) ?? refuse('not_acceptable')
    requireCsv(format, query.spreadsheet)
    const now = await databaseNow(db, service.clock)
    const days = service.clocks.days()
    const end = endAt(query.at, { until: now, days })
    const balances = await readSettled(db, caller.userId, end)
    const at = rfc3339(end - 1)
    if (format === 'json') return { at, currencies: balances.map(toItem) }
    const body = Readable.from([toCsv(at, balances, query.spreadsheet)], { objectMode: false })
    return new FileReply(csvType, `trial-balance-${days.dayOf(end - 1)}.csv`, body)
  },
})

/**
 * On the connection of a file: over many accounts it takes longer than a read may. With 80,000 that
 * were moved since it is longer than a file may be, and refused. `close-day` has no such bound.
 */
async function readSettled(db: Database, holder: string, end: number): Promise<Balances> {
  await untilSettled(db)
  const snapshot = await db.openSnapshot(holder)
  try {
    // In the snapshot: what an archive takes behind it is still there.
    const newest = await newestArchive(snapshot)
    if (newest && end < newest.until.getTime()) await refuseTime(snapshot, end)
    return await readTrialBalance(snapshot, end)
  } finally {
    snapshot.close()
  }
}

type Item = Static<typeof TrialBalance>['currencies'][number]

function toItem({ currency, lines, total }: Balances[number]): Item {
  const amount = (units: bigint) => formatAmount(units, currency)
  const accounts = lines.flatMap(({ code, name, balance }) =>
    code === null ? [] : { code, name: name ?? code, balance: amount(balance) },
  )
  const customers = lines.find(({ code }) => code === null)?.balance ?? 0n
  return { currency, accounts, customers: amount(customers), total: amount(total) }
}

/** The lines without totals: the balances of a currency sum to zero. */
function toCsv(at: string, balances: Balances, spreadsheet: Language | undefined): string {
  const { mark, text, amount, row } = csvFormFor(spreadsheet)
  const lines = balances.flatMap(({ currency, lines: all }) =>
    all.map(({ code, name, balance }) => [
      at,
      currency,
      code ?? 'customers',
      text(name ?? ''),
      amount(formatAmount(balance, currency)),
    ]),
  )
  return mark + [['at', 'currency', 'account', 'name', 'balance'], ...lines].map(row).join('')
}

export const trialBalanceRoutes = [read]
