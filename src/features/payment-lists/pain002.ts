// What became of a list as pain.002.001.10 (ISO 20022, CustomerPaymentStatusReport), for programs.
import { rfc3339 } from '../../domain/clock.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import { element, identifier, textElement } from '../statements/xml-elements.ts'
import { toIsoReason } from './reasons.ts'
import type { LineRow, ListRow } from './sql.ts'

/** ExternalPaymentTransactionStatus1Code: debited, rejected, pending, received, cancelled. */
type Status = 'ACSC' | 'RJCT' | 'PDNG' | 'RCVD' | 'CANC'

function statusOfLine({ outcome }: LineRow, { status }: ListRow): Status {
  if (outcome !== null) return outcome === 'made' ? 'ACSC' : 'RJCT'
  return status === 'cancelled' ? 'CANC' : status === 'checked' ? 'RCVD' : 'PDNG'
}

/** ExternalPaymentGroupStatus1Code. Part: some of its lines were made, and others were not. */
type GroupStatus = Exclude<Status, 'CANC'> | 'PART'

type Counts = { count: number; made: number; refused: number }

/** How lines stand together, all of them or those of a block. Of a group, none is "cancelled". */
function statusOfLines(status: ListRow['status'], { count, made, refused }: Counts): GroupStatus {
  if (status === 'cancelled') return 'RJCT'
  if (made === count) return 'ACSC'
  if (refused === count) return 'RJCT'
  if (made + refused > 0) return 'PART'
  return status === 'checked' ? 'RCVD' : 'PDNG'
}

const countLines = (lines: readonly LineRow[]): Counts => ({
  count: lines.length,
  made: lines.filter(({ outcome }) => outcome === 'made').length,
  refused: lines.filter(({ outcome }) => outcome === 'refused').length,
})

const notProvided = 'NOTPROVIDED'

/** A control sum has at most 18 digits; a larger one is left out. */
const sumElement = (total: bigint, currency: Currency): string =>
  element('OrgnlCtrlSum', total < 10n ** 18n ? formatAmount(total, currency) : '')

const reasonElement = (code: string): string =>
  element('StsRsnInf', element('Rsn', element('Cd', code)))
/** An authorized user has cancelled the order. */
const cancelled = reasonElement('DS02')

function renderLine(line: LineRow, list: ListRow): string {
  const { refusal, at, transferId } = line
  const reason = refusal === null ? '' : reasonElement(toIsoReason(refusal))
  return element(
    'TxInfAndSts',
    element('StsId', String(line.place)),
    textElement('OrgnlEndToEndId', line.endToEndId ?? notProvided),
    element('TxSts', statusOfLine(line, list)),
    reason,
    element('AccptncDtTm', at !== null && transferId !== null ? rfc3339(at.getTime()) : ''),
    element('AcctSvcrRef', transferId === null ? '' : identifier(transferId)),
  )
}

/** The lines of each block of the file, in their order; of a list in JSON all are one. */
function inBlocks(lines: readonly LineRow[]): [string, LineRow[]][] {
  const blocks = new Map<string, LineRow[]>()
  for (const line of lines) {
    const name = line.blockId ?? notProvided
    blocks.set(name, [...(blocks.get(name) ?? []), line])
  }
  return [...blocks]
}

type About = { requestId: string; now: number }

export function* renderPain002(
  list: ListRow,
  lines: readonly LineRow[],
  { requestId, now }: About,
): Generator<string> {
  const { form, currency } = list
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>'
  yield element('GrpHdr', element('MsgId', identifier(requestId)), element('CreDtTm', rfc3339(now)))
  yield element(
    'OrgnlGrpInfAndSts',
    textElement('OrgnlMsgId', list.messageId ?? identifier(list.id)),
    element('OrgnlMsgNmId', form === 'json' ? 'pain.001.001.09' : form),
    // When a file was made is not kept.
    element('OrgnlCreDtTm', form === 'json' ? rfc3339(list.createdAt.getTime()) : ''),
    element('OrgnlNbOfTxs', String(list.lineCount)),
    sumElement(list.total, currency),
    element('GrpSts', statusOfLines(list.status, countLines(lines))),
    list.status === 'cancelled' ? cancelled : '',
  )
  for (const [name, ofBlock] of inBlocks(lines)) {
    const sum = ofBlock.reduce((total, { amount }) => total + amount, 0n)
    yield '<OrgnlPmtInfAndSts>'
    yield textElement('OrgnlPmtInfId', name)
    yield element('OrgnlNbOfTxs', String(ofBlock.length))
    yield sumElement(sum, currency)
    yield element('PmtInfSts', statusOfLines(list.status, countLines(ofBlock)))
    yield ofBlock.map((line) => renderLine(line, list)).join('')
    yield '</OrgnlPmtInfAndSts>'
  }
  yield '</CstmrPmtStsRpt></Document>\n'
}
