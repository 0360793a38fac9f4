// The endpoints of statements: balances and entries of a period, as pages of JSON or as one file.
import { type Static, Type } from '../../domain/type.ts'
import { exampleIban } from '../../domain/iban.ts'
import { exampleCursor, pageQuery } from '../../http/pagination.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { When } from '../../domain/date-range.ts'
import { type Context, FileReply, route } from '../../http/route.ts'
import {
  closed,
  Currency,
  named,
  nullable,
  oneOf,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import { BankCode, bankAccountParams } from '../bank-accounts/schemas.ts'
import { findBankAccount } from '../bank-accounts/sql.ts'
import { Transaction } from '../movements/schemas.ts'
import { chooseMediaType } from './accept.ts'
import { balanceRoutes } from './balance-routes.ts'
import { requireCsv, spreadsheetQuery } from './csv.ts'
import { fileFormats, statementFile } from './file.ts'
import { entriesPerPageMax, readStatementPage } from './pages.ts'
import { toPeriod } from './period.ts'
import { getReceipt } from './receipt.ts'

/** The media types of the values of `format`; the first is the default. */
const mediaTypes = {
  json: 'application/json',
  csv: 'text/csv',
  pdf: 'application/pdf',
  camt053: 'application/xml',
} as const
type Format = keyof typeof mediaTypes
const formats = Object.keys(mediaTypes) as Format[]

const statementQuery = closed({
  from: Type.Optional(When),
  to: Type.Optional(When),
  format: Type.Optional(oneOf(formats)),
  spreadsheet: spreadsheetQuery,
  cursor: pageQuery.cursor,
})

const page = {
  from: Time,
  to: Time,
  openingBalance: SignedAmount,
  closingBalance: SignedAmount,
  entries: Type.Array(Transaction, { maxItems: entriesPerPageMax }),
  nextCursor: nullable(Type.String({ maxLength: 400, examples: [exampleCursor] })),
}

const Statement = named('AccountStatement', {
  account: closed({
    id: AccountId,
    iban: Type.String({ maxLength: 34, examples: [exampleIban] }),
    currency: Currency,
  }),
  ...page,
  formerEntries: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Present if the former bank of the account booked entries in this period: the path of ' +
        'their list. They are no part of the statement, its balances and its sums. A PDF and a ' +
        'camt.053 file say so in words; the rows of a CSV file are entries of this bank alone.',
      examples: ['/api/v1/accounts/01981f7e-4c00-7000-8000-6163636f756e/former-entries'],
    }),
  ),
})

const BankStatement = named('BankAccountStatement', {
  account: closed({ code: BankCode, currency: Currency }),
  ...page,
})

type StatementContext = Pick<
  Context<undefined, Static<typeof statementQuery>>,
  'query' | 'headers' | 'db' | 'now' | 'caller' | 'requestId' | 'service'
>

/** The statement of an account, of a customer or of the bank, in the form that the caller wants. */
async function answerStatement(
  account: { accountId: string; isOfBank: boolean },
  { query, headers, db, now, caller, requestId, service }: StatementContext,
) {
  const { cursors, config, clocks } = service
  const times = { now, days: clocks.days() }
  const format =
    query.format ?? chooseMediaType(headers['accept'], mediaTypes) ?? refuse('not_acceptable')
  const { spreadsheet } = query
  requireCsv(format, spreadsheet)
  if (format === 'json') return readStatementPage(db, { ...account, ...times, query, cursors })
  if (query.cursor !== undefined) invalid('/query/cursor', 'is for JSON: a file has no pages')
  const { bankName, bic } = config
  const isProgram = caller.service !== undefined
  const reader = { callerId: caller.userId, isProgram, spreadsheet }
  const about = { ...account, ...reader, bankName, bic, requestId }
  const period = await toPeriod(db, account.accountId, query, times)
  return statementFile(db, format, { ...about, ...times, ...period })
}

const read = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/statement',
  operation: 'getStatement',
  summary:
    'Read the statement of an account: balances and entries, oldest first, of at most a year; by ' +
    'default of this month. Every page has the balances of the whole period. A CSV, PDF or ' +
    'camt.053 file has all entries of the period. `format` takes precedence over `Accept`.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'export',
  atStandby: true,
  params: closed({ accountId: AccountId }),
  query: statementQuery,
  reply: { 200: Statement },
  files: Object.values(fileFormats).map(({ mediaType }) => mediaType),
  refusals: ['archived', 'not_acceptable', 'not_found'],
  async handle({ params: { accountId }, ...context }) {
    const answer = await answerStatement({ accountId, isOfBank: false }, context)
    if (answer instanceof FileReply) return answer
    const { iban, currency, ...shown } = answer
    return { account: { id: accountId, iban, currency }, ...shown }
  },
})

const readOfBank = route({
  method: 'GET',
  path: '/api/v1/admin/bank-accounts/:code/:currency/statement',
  operation: 'getBankAccountStatement',
  summary:
    "Read the statement of one of the bank's own accounts, as of a customer's. Its code and " +
    'currency stand in place of an IBAN.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'export',
  atStandby: true,
  params: bankAccountParams,
  query: statementQuery,
  reply: { 200: BankStatement },
  files: Object.values(fileFormats).map(({ mediaType }) => mediaType),
  refusals: ['archived', 'not_acceptable', 'not_found'],
  async handle({ params: { code, currency }, ...context }) {
    const { id: accountId } = await findBankAccount(context.db, { code, currency })
    const answer = await answerStatement({ accountId, isOfBank: true }, context)
    if (answer instanceof FileReply) return answer
    const { iban: _, ...shown } = answer
    return { ...shown, account: { code, currency } }
  },
})

export const statementRoutes = [read, readOfBank, ...balanceRoutes, getReceipt]
