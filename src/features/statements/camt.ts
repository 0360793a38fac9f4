// Statements as camt.053.001.08 (ISO 20022, BankToCustomerStatement), for programs that book them.
import { createHash } from 'node:crypto'
import { statements } from '../../../languages/statement.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import { element, identifier, textElement } from './xml-elements.ts'
import { toTransactionCode } from './bank-transaction-codes.ts'
import type { Entry, Heading, StatementFile, Total } from './rows.ts'

/** That of a Max35Text. */
const issuerMax = 35
/** That of a Max500Text. */
const additionalMax = 500

const direction = (units: bigint): string => element('CdtDbtInd', units < 0n ? 'DBIT' : 'CRDT')
const absolute = (units: bigint): bigint => (units < 0n ? -units : units)

/** Amounts in the schema have at most 18 digits. */
const unitsMax = 10n ** 18n - 1n

/** Refuses a statement with figures that are too long for the schema. */
export function requireExpressible({ opening, closing, credits, debits }: Heading): void {
  const figures = [opening, closing, credits.units + debits.units]
  if (figures.some((units) => absolute(units) > unitsMax)) refuse('not_acceptable')
}

export async function* renderCamt({ heading, batches }: StatementFile): AsyncGenerator<string> {
  yield renderHead(heading)
  for await (const batch of batches)
    yield batch.map((entry) => renderEntry(entry, heading)).join('')
  if (heading.isOlderElsewhere) {
    const { formerEntries } = statements[heading.language]
    yield textElement('AddtlStmtInf', formerEntries, additionalMax)
  }
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

function renderHead(heading: Heading): string {
  const { requestId, issuedAt, isClosed, number, from, end } = heading
  const { iban, isOfBank, currency, holder, bankName, bic } = heading
  const created = element('CreDtTm', rfc3339(issuedAt))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    element(
      'GrpHdr',
      element('MsgId', isClosed ? statementId(heading) : identifier(requestId)),
      created,
      element('MsgPgntn', element('PgNb', '1'), element('LastPgInd', 'true')),
    ),
    '<Stmt>',
    element('Id', statementId(heading)),
    element('ElctrncSeqNb', `${number ?? ''}`),
    created,
    element('FrToDt', element('FrDtTm', rfc3339(from)), element('ToDtTm', rfc3339(end - 1))),
    element(
      'Acct',
      element('Id', isOfBank ? element('Othr', element('Id', iban)) : element('IBAN', iban)),
      element('Ccy', currency),
      element('Ownr', textElement('Nm', holder)),
      element(
        'Svcr',
        element('FinInstnId', element('BICFI', bic ?? ''), textElement('Nm', bankName)),
      ),
    ),
    balanceElement(balanceCode('OPBD', from, heading), heading.opening, from, heading),
    balanceElement(balanceCode('CLBD', end, heading), heading.closing, end - 1, heading),
    renderSummary(heading),
  ].join('')
}

/**
 * The same for each request of the same account and period, once the period is over: a program may
 * drop what has an identifier that it knows. Entries are only ever added.
 */
function statementId({ iban, from, end, credits, debits, issuedAt }: Heading): string {
  const entries = `${credits.count + debits.count}${end > issuedAt ? ' so far' : ''}`
  const identity = `${iban} ${from} ${end} ${entries}`
  return createHash('sha256').update(identity).digest('hex').slice(0, 32)
}

/** An amount without its sign, and its direction. */
const amountElements = (units: bigint, { currency }: Heading): string =>
  `<Amt Ccy="${currency}">${formatAmount(absolute(units), currency)}</Amt>${direction(units)}`

/** The code of a balance before `bound`: interim (ITBD) while entries may still be booked. */
const balanceCode = (code: string, bound: number, { issuedAt }: Heading): string =>
  bound > issuedAt ? 'ITBD' : code

/** No balance is dated after the statement. */
const balanceElement = (code: string, units: bigint, time: number, heading: Heading): string =>
  element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    amountElements(units, heading),
    element('Dt', element('Dt', heading.days.dayOf(Math.min(time, heading.issuedAt)))),
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

const countryOf = (iban: string | null | undefined): string | undefined =>
  iban ? iban.slice(0, 2) : undefined

function renderCode(entry: Entry, { iban, isOfBank, bankName }: Heading): string {
  const { kind, units, currency, isInternal, counterparty, bic, orderId, channel } = entry
  // A BIC has its country behind the four letters of its bank.
  const other = countryOf(counterparty?.iban) ?? countryOf(bic?.slice(4))
  const { domain, family, subFamily, proprietary } = toTransactionCode({
    kind,
    isCredit: units > 0n,
    currency,
    isInternal,
    countries: [isOfBank ? undefined : countryOf(iban), other],
    isRunOfOrder: orderId !== undefined,
    channel,
  })
  const code = element('Fmly', element('Cd', family), element('SubFmlyCd', subFamily))
  const own =
    proprietary === undefined
      ? ''
      : element('Prtry', element('Cd', proprietary), textElement('Issr', bankName, issuerMax))
  return element('BkTxCd', element('Domn', element('Cd', domain), code), own)
}

/** The order of which a payment is a run. */
const renderOrder = ({ orderId }: Entry): string =>
  orderId === undefined
    ? ''
    : element('Prtry', element('Tp', 'STDO'), element('Ref', identifier(orderId)))

function renderEntry(entry: Entry, heading: Heading): string {
  const { seq, id, kind, createdAt, bookedAt, units } = entry
  const reference = element('AcctSvcrRef', identifier(id))
  const amount = amountElements(units, heading)
  return element(
    'Ntry',
    element('NtryRef', `${seq}`),
    amount,
    kind === 'reversal' ? element('RvslInd', 'true') : '',
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('DtTm', createdAt)),
    element('ValDt', element('Dt', heading.days.dayOf(bookedAt))),
    reference,
    renderCode(entry, heading),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        element(
          'Refs',
          reference,
          textElement('EndToEndId', entry.endToEndId ?? ''),
          renderOrder(entry),
        ),
        amount,
        renderParties(entry),
        element('RltdAgts', renderAgent(entry)),
        element('RmtInf', textElement('Ustrd', entry.reference)),
        element('RtrInf', element('Rsn', element('Cd', entry.reasonCode ?? ''))),
      ),
    ),
  )
}

/** The payer's bank. */
const renderAgent = ({ bic = '' }: Entry): string =>
  element('DbtrAgt', element('FinInstnId', element('BICFI', bic)))

/** The other side: the debtor of money that came in, the creditor of money that went out. */
function renderParties({ counterparty, units }: Entry): string {
  const role = units < 0n ? 'Cdtr' : 'Dbtr'
  return element(
    'RltdPties',
    element(role, element('Pty', textElement('Nm', counterparty?.name ?? ''))),
    element(`${role}Acct`, element('Id', textElement('IBAN', counterparty?.iban ?? ''))),
  )
}
