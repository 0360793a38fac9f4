// What became of a list as pain.002.001.10 (ISO 20022, CustomerPaymentStatusReport), for programs.
import { rfc3339 } from '../../domain/clock.ts'
import { formatAmount } from '../../domain/money.ts'
import { element, identifier, textElement } from '../statements/xml-elements.ts'
import { toIsoReason } from './reasons.ts'
import type { LineRow, ListRow } from './sql.ts'

/** ExternalPaymentTransactionStatus1Code: debited, rejected, pending, received, cancelled. */
type Status = 'ACSC' | 'RJCT' | 'PDNG' | 'RCVD' | 'CANC'

function statusOfLine({ outcome }: LineRow, { status }: ListRow): Status {
  if (outcome !== null) return outcome === 'made' ? 'ACSC' : 'RJCT'
  return status === 'cancelled' ? 'CANC' : status === 'checked' ? 'RCVD' : 'PDNG'
}

/** How the whole list stands. Part: some of its lines were made, and others were not. */
function statusOfList({ status, lineCount, madeCount, refusedCount }: ListRow): Status | 'PART' {
  if (status === 'cancelled') return 'CANC'
  if (madeCount === lineCount) return 'ACSC'
  if (refusedCount === lineCount) return 'RJCT'
  if (madeCount + refusedCount > 0) return 'PART'
  return status === 'checked' ? 'RCVD' : 'PDNG'
}

const notProvided = 'NOTPROVIDED'

function renderLine(line: LineRow, list: ListRow): string {
  const { refusal, at, transferId } = line
  const reason =
    refusal === null
      ? ''
      : element('StsRsnInf', element('Rsn', element('Cd', toIsoReason(refusal))))
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
    element('OrgnlCreDtTm', rfc3339(list.createdAt.getTime())),
    element('OrgnlNbOfTxs', String(list.lineCount)),
    element('OrgnlCtrlSum', formatAmount(list.total, currency)),
    element('GrpSts', statusOfList(list)),
  )
  for (const [name, ofBlock] of inBlocks(lines)) {
    const sum = ofBlock.reduce((total, { amount }) => total + amount, 0n)
    yield '<OrgnlPmtInfAndSts>'
    yield textElement('OrgnlPmtInfId', name)
    yield element('OrgnlNbOfTxs', String(ofBlock.length))
    yield element('OrgnlCtrlSum', formatAmount(sum, currency))
    yield ofBlock.map((line) => renderLine(line, list)).join('')
    yield '</OrgnlPmtInfAndSts>'
  }
  yield '</CstmrPmtStsRpt></Document>\n'
}
