// The receipt of one payment: for its payer, or for the customer whom it reached.
import { Readable } from 'node:stream'
import { type Db, one } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { TransferId } from '../../domain/ids.ts'
import { refuseMissing } from '../../gate/archived.ts'
import { closed, oneOf } from '../../domain/schema.ts'
import { Type } from '../../domain/type.ts'
import { FileReply, route } from '../../http/route.ts'
import type { Transfer as TransferRow } from '../../ledger/rules/movement.ts'
import { toTransfer, Transfer } from '../movements/schemas.ts'
import { addDetails, addMakers } from '../movements/details.ts'
import { transferById } from '../movements/sql.ts'
import { chooseMediaType } from './accept.ts'
import type { Receipt } from './receipt-pdf.ts'
import { toLanguage } from './rows.ts'
import { listStatementEntries, readHeading } from './sql.ts'

type ReceiptContext = Pick<Receipt, 'days' | 'leavesOn' | 'bankName' | 'bic' | 'issuedAt'> & {
  isProgram: boolean
}

/** Refuses with `not_found` a transfer between accounts of the bank. */
async function readReceipt(
  db: Db,
  transfer: TransferRow,
  { isProgram, ...about }: ReceiptContext,
): Promise<Receipt> {
  const { fromAccountId, fromSeq, toAccountId, toSeq, createdAt } = transfer
  const read = async (accountId: string, seq: bigint) => {
    const found = await one(db, readHeading, [accountId, seq, seq + 1n, createdAt, false])
    return found && { ...found, accountId, seq, isPayer: accountId === fromAccountId }
  }
  const own = (await read(fromAccountId, fromSeq)) ?? (await read(toAccountId, toSeq))
  const { accountId, seq, isPayer, holder, iban, language } = own ?? refuse('not_found')
  const entry = await one(db, listStatementEntries, [accountId, seq, seq + 1n, 1n])
  const {
    counterpartyName: name,
    counterpartyIban,
    reference,
  } = entry ?? (await refuseMissing(db, transfer.id))
  const customer = { name: holder, iban }
  const other = name === null ? null : { name, iban: counterpartyIban }
  return {
    ...about,
    transfer,
    from: isPayer ? customer : other,
    to: isPayer ? other : customer,
    reference,
    language: toLanguage(language, isProgram),
  }
}

const mediaTypes = { json: 'application/json', pdf: 'application/pdf' } as const

export const getReceipt = route({
  method: 'GET',
  path: '/api/v1/transfers/:id/receipt',
  operation: 'getTransferReceipt',
  summary:
    'Read the receipt of a transfer: a PDF that says so while the payment is on its way; as JSON ' +
    'the transfer itself. `format` takes precedence over `Accept`.',
  access: { customer: 'own', 'support-agent': 'any', admin: 'any' },
  service: 'read',
  member: 'view',
  limit: 'export',
  atStandby: true,
  params: closed({ id: TransferId }),
  query: closed({ format: Type.Optional(oneOf(['json', 'pdf'])) }),
  reply: { 200: Transfer },
  files: [mediaTypes.pdf],
  refusals: ['not_acceptable', 'not_found'],
  async handle({ params, query, headers, caller, db, now, service }) {
    const { clocks, config } = service
    const format =
      query.format ?? chooseMediaType(headers['accept'], mediaTypes) ?? refuse('not_acceptable')
    const transfer = await transferById(db, params.id)
    if (format === 'json') {
      const found = await addDetails(db, [transfer])
      const [detailed = refuse('not_found')] = service.members ? await addMakers(db, found) : found
      return toTransfer(detailed, caller.grant === 'any' ? 'staff' : 'owner', service)
    }
    const { bankName, bic } = config
    const { leavesOn } = toTransfer(transfer, 'owner', service)
    const about = { days: clocks.days(), leavesOn, bankName, bic, issuedAt: now }
    const isProgram = caller.service !== undefined
    const receipt = await readReceipt(db, transfer, { ...about, isProgram })
    const { renderReceipt } = await import('./receipt-pdf.ts')
    const body = Readable.from(renderReceipt(receipt), { objectMode: false })
    return new FileReply(mediaTypes.pdf, `receipt-${transfer.id}.pdf`, body)
  },
})
