// Statements as camt.053.001.08 (ISO 20022, BankToCustomerStatement), for programs that book them.
import { createHash } from 'node:crypto'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import type { Entry, Heading, StatementFile, Total } from './rows.ts'

/** Characters that XML 1.0 cannot hold in any form, or that a reader would change. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g
const named: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text as it stands between tags or in quotes. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, '\ufffd')
    .replace(/[&<>"']/g, (character) => named[character] as string)

const element = (name: string, ...content: string[]): string =>
  `<${name}>${content.join('')}</${name}>`

/** An element of at most `max` characters of text; nothing when there is none. */
const optional = (name: string, text: string, max = 140): string =>
  text === '' ? '' : element(name, escape(Array.from(text).slice(0, max).join('')))

/** Identifiers as 32 digits: with hyphens they are longer than Max35Text. */
const identifier = (uuid: string): string => uuid.replaceAll('-', '')

const direction = (units: bigint): string => element('CdtDbtInd', units < 0n ? 'DBIT' : 'CRDT')
const absolute = (units: bigint): bigint => (units < 0n ? -units : units)

/** The schema's amounts have 18 digits. */
const unitsMax = 10n ** 18n - 1n

/** Refuses a statement whose figures are longer than the form can say. */
export function requireExpressible({ opening, closing, credits, debits }: Heading): void {
  const figures = [opening, closing, credits.units + debits.units]
  if (figures.some((units) => absolute(units) > unitsMax)) refuse('not_acceptable')
}

export async function* renderCamt({ heading, batches }: StatementFile): AsyncGenerator<string> {
  yield renderHead(heading)
  for await (const batch of batches)
    yield batch.map((entry) => renderEntry(entry, heading)).join('')
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

function renderHead(heading: Heading): string {
  const { requestId, issuedAt, number, from, end, iban, currency, holder, bankName } = heading
  const created = element('CreDtTm', rfc3339(issuedAt))
  const onePage = element('PgNb', '1') + element('LastPgInd', 'true')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    element(
      'GrpHdr',
      element('MsgId', identifier(requestId)),
      created,
      element('MsgPgntn', onePage),
    ),
    '<Stmt>',
    element('Id', statementId(heading)),
    number === null ? '' : element('ElctrncSeqNb', `${number}`),
    created,
    element('FrToDt', element('FrDtTm', rfc3339(from)), element('ToDtTm', rfc3339(end - 1))),
    element(
      'Acct',
      element('Id', element('IBAN', iban)),
      element('Ccy', currency),
      element('Ownr', optional('Nm', holder)),
      element('Svcr', element('FinInstnId', optional('Nm', bankName))),
    ),
    // No balance is dated after the statement.
    readBalance('OPBD', heading.opening, Math.min(from, issuedAt), heading),
    readBalance('CLBD', heading.closing, Math.min(end - 1, issuedAt), heading),
    renderSummary(heading),
  ].join('')
}

/** The same for the same account and period, whenever and however often it is asked for. */
const statementId = ({ iban, from, end }: Heading): string =>
  createHash('sha256').update(`${iban} ${from} ${end}`).digest('hex').slice(0, 32)

const parsePositiveAmount = (units: bigint, { currency }: Heading): string =>
  `<Amt Ccy="${currency}">${formatAmount(absolute(units), currency)}</Amt>`

const readBalance = (code: string, units: bigint, time: number, heading: Heading): string =>
  element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    parsePositiveAmount(units, heading),
    direction(units),
    element('Dt', element('Dt', rfc3339(time).slice(0, 10))),
  )

function renderSummary({ credits, debits, currency }: Heading): string {
  const figures = ({ count, units }: Total) =>
    element('NbOfNtries', `${count}`) + element('Sum', formatAmount(units, currency))
  const net = credits.units - debits.units
  const all = { count: credits.count + debits.count, units: credits.units + debits.units }
  const netAmount = element('Amt', formatAmount(absolute(net), currency))
  return element(
    'TxsSummry',
    element('TtlNtries', figures(all), element('TtlNetNtry', netAmount, direction(net))),
    element('TtlCdtNtries', figures(credits)),
    element('TtlDbtNtries', figures(debits)),
  )
}

/** ISO 20022 external bank transaction codes: family and sub-family, by kind. */
function toCodes({ kind, units, isInternal }: Entry): [family: string, subFamily: string] {
  if (kind === 'deposit') return ['CNTR', 'CDPT']
  if (kind === 'withdrawal') return ['CNTR', 'CWDL']
  const family = units < 0n ? 'ICDT' : 'RCDT'
  if (kind === 'reversal') return [family, 'RPCR']
  if (kind === 'return') return [family, 'RRTN']
  return [family, isInternal ? 'BOOK' : 'OTHR']
}

function renderEntry(entry: Entry, heading: Heading): string {
  const { seq, id, kind, bookedAt, units } = entry
  const [family, subFamily] = toCodes(entry)
  const code = element('Cd', family) + element('SubFmlyCd', subFamily)
  const reference = element('AcctSvcrRef', identifier(id))
  const remittance = optional('Ustrd', entry.reference)
  return element(
    'Ntry',
    element('NtryRef', `${seq}`),
    parsePositiveAmount(units, heading),
    direction(units),
    kind === 'reversal' ? element('RvslInd', 'true') : '',
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('DtTm', bookedAt)),
    element('ValDt', element('Dt', bookedAt.slice(0, 10))),
    reference,
    element('BkTxCd', element('Domn', element('Cd', 'PMNT'), element('Fmly', code))),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        element('Refs', reference),
        parsePositiveAmount(units, heading),
        direction(units),
        renderParties(entry),
        remittance === '' ? '' : element('RmtInf', remittance),
      ),
    ),
  )
}

/** The other side: the debtor of money that came in, the creditor of money that went out. */
function renderParties({ name, iban, units }: Entry): string {
  const role = units < 0n ? 'Cdtr' : 'Dbtr'
  const party = name === '' ? '' : element(role, element('Pty', optional('Nm', name)))
  const account =
    iban === '' ? '' : element(`${role}Acct`, element('Id', element('IBAN', escape(iban))))
  return party + account === '' ? '' : element('RltdPties', party, account)
}
