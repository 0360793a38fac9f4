// Files of camt.053, each as a whole: what a program books has its place, its sign and its bound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertValidCamt } from '../../../test/support/statement-files.ts'
import { utcDays } from '../../domain/days.ts'
import { Refusal } from '../../domain/errors.ts'
import { renderCamt, requireExpressible } from './camt.ts'
import type { Entry, Heading } from './rows.ts'

const from = Date.UTC(2026, 0, 1)
const heading: Heading = {
  from,
  end: Date.UTC(2026, 1, 1),
  isOfBank: false,
  bankName: 'Bank & Co of the Longest Name in Town',
  spreadsheet: undefined,
  bic: 'BANKDEFFXXX',
  days: utcDays,
  language: 'en',
  holder: 'Ada',
  iban: 'DE89370400440532013000',
  currency: 'EUR',
  isClosed: true,
  opening: -100n,
  closing: 450n,
  credits: { count: 3, units: 700n },
  debits: { count: 1, units: 150n },
  issuedAt: Date.UTC(2026, 1, 1, 1),
  requestId: '01940000-0000-7000-8000-726571756573',
  label: '2026-01',
  number: 7,
  isOlderElsewhere: false,
}

const entry = (seq: bigint, units: bigint, more: Partial<Entry>): Entry => ({
  seq,
  units,
  id: `01940000-0000-7000-8000-00000000000${seq}`,
  kind: 'transfer',
  createdAt: `2026-01-0${seq}T08:00:00.000Z`,
  bookedAt: from + Number.parseInt(`${seq - 1n}`, 10) * 86_400_000,
  counterparty: { name: 'Ben', iban: 'FR1420041010050500013M02606' },
  currency: 'EUR',
  balanceUnits: 0n,
  amount: '',
  balanceAfter: '',
  reference: '',
  isInternal: true,
  ...more,
})

const erased = { name: null, iban: null }
const entries = [
  entry(1n, 500n, {
    kind: 'incoming',
    isInternal: false,
    counterparty: { name: 'Ben', iban: null },
    bic: 'BNPAFRPP',
    endToEndId: 'E-1',
    reference: 'Rent',
  }),
  entry(2n, -150n, { orderId: '01940000-0000-7000-8000-0000000000aa' }),
  entry(3n, 100n, { kind: 'return', reasonCode: 'AC04', counterparty: erased }),
  entry(4n, 100n, { kind: 'reversal' }),
]

/** The text of a file that is written over several lines. */
const joined = (lines: string): string => lines.replaceAll(/\n\s*/g, '')

async function camt(more: Partial<Heading> = {}, of: readonly Entry[] = entries): Promise<string> {
  let file = ''
  for await (const part of renderCamt({ heading: { ...heading, ...more }, batches: [of] })) {
    file += part
  }
  return file.replaceAll('\n', '')
}

const begin = `
  <?xml version="1.0" encoding="UTF-8"?>
  <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>`

/** @param side of the entry: the element of its amount, and what follows it */
const entryElement = (seq: number, side: string, code: string, details: string): string => {
  const id = `0194000000007000800000000000000${seq}`
  const [amount, flag = ''] = side.split(' ')
  const [units, indicator] = amount?.split('/') ?? []
  const money = `<Amt Ccy="EUR">${units}</Amt><CdtDbtInd>${indicator}</CdtDbtInd>`
  const [family, subFamily] = code.split('/')
  const [references = '', rest = ''] = details.split('|')
  return `
    <Ntry><NtryRef>${seq}</NtryRef>${money}${flag}<Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><DtTm>2026-01-0${seq}T08:00:00.000Z</DtTm></BookgDt>
      <ValDt><Dt>2026-01-0${seq}</Dt></ValDt><AcctSvcrRef>${id}</AcctSvcrRef>
      <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly>
        </Domn></BkTxCd>
      <NtryDtls><TxDtls><Refs><AcctSvcrRef>${id}</AcctSvcrRef>${references}</Refs>
        ${money}${rest}</TxDtls></NtryDtls></Ntry>`
}
const party = (role: string): string => `
  <RltdPties><${role}><Pty><Nm>Ben</Nm></Pty></${role}>
    <${role}Acct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></${role}Acct></RltdPties>`

test('a closed statement of a customer has its balances, sums and entries, each with its sign', async () => {
  const id = '9f179f290bbbe59fd30423dcec1b5551'
  const order = '<Prtry><Tp>STDO</Tp><Ref>019400000000700080000000000000aa</Ref></Prtry>'
  const file = await camt()
  assert.equal(
    file,
    joined(`${begin}
      <GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-02-01T01:00:00.000Z</CreDtTm>
        <MsgPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></MsgPgntn></GrpHdr>
      <Stmt><Id>${id}</Id><ElctrncSeqNb>7</ElctrncSeqNb>
      <CreDtTm>2026-02-01T01:00:00.000Z</CreDtTm>
      <FrToDt><FrDtTm>2026-01-01T00:00:00.000Z</FrDtTm>
        <ToDtTm>2026-01-31T23:59:59.999Z</ToDtTm></FrToDt>
      <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Ada</Nm></Ownr>
        <Svcr><FinInstnId><BICFI>BANKDEFFXXX</BICFI>
          <Nm>Bank &amp; Co of the Longest Name in Town</Nm></FinInstnId></Svcr></Acct>
      <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.00</Amt>
        <CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-01-01</Dt></Dt></Bal>
      <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">4.50</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-01-31</Dt></Dt></Bal>
      <TxsSummry><TtlNtries><NbOfNtries>4</NbOfNtries><Sum>8.50</Sum>
          <TtlNetNtry><Amt>5.50</Amt><CdtDbtInd>CRDT</CdtDbtInd></TtlNetNtry></TtlNtries>
        <TtlCdtNtries><NbOfNtries>3</NbOfNtries><Sum>7.00</Sum></TtlCdtNtries>
        <TtlDbtNtries><NbOfNtries>1</NbOfNtries><Sum>1.50</Sum></TtlDbtNtries></TxsSummry>
      ${entryElement(
        1,
        '5.00/CRDT',
        'RCDT/ESCT',
        `<EndToEndId>E-1</EndToEndId>|
          <RltdPties><Dbtr><Pty><Nm>Ben</Nm></Pty></Dbtr></RltdPties>
          <RltdAgts><DbtrAgt><FinInstnId><BICFI>BNPAFRPP</BICFI></FinInstnId></DbtrAgt></RltdAgts>
          <RmtInf><Ustrd>Rent</Ustrd></RmtInf>`,
      )}
      ${entryElement(2, '1.50/DBIT', 'ICDT/STDO', `${order}|${party('Cdtr')}`)}
      ${entryElement(3, '1.00/CRDT', 'RCDT/RRTN', '|<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>')}
      ${entryElement(4, '1.00/CRDT <RvslInd>true</RvslInd>', 'RCDT/RPCR', `|${party('Dbtr')}`)}
      </Stmt></BkToCstmrStmt></Document>`),
  )
  await assertValidCamt([Buffer.from(file)])
})

test('a statement of the bank so far has no number and no IBAN, and no balance after it was issued', async () => {
  const issuedAt = Date.UTC(2026, 0, 10, 0, 0, 0, 5)
  const file = await camt(
    {
      isOfBank: true,
      iban: 'cash EUR',
      bic: undefined,
      isClosed: false,
      number: null,
      issuedAt,
      isOlderElsewhere: true,
      opening: 5n,
      closing: 0n,
      credits: { count: 0, units: 0n },
      debits: { count: 1, units: 5n },
    },
    [
      entry(5n, -5n, { kind: 'withdrawal', counterparty: erased }),
      // The country of the account is not known.
      entry(6n, -5n, { isInternal: false }),
    ],
  )
  assert.equal(
    file,
    joined(`${begin}
      <GrpHdr><MsgId>01940000000070008000726571756573</MsgId>
        <CreDtTm>2026-01-10T00:00:00.005Z</CreDtTm>
        <MsgPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></MsgPgntn></GrpHdr>
      <Stmt><Id>fa4434aaa32d33dd040534ea79441e1d</Id><CreDtTm>2026-01-10T00:00:00.005Z</CreDtTm>
      <FrToDt><FrDtTm>2026-01-01T00:00:00.000Z</FrDtTm>
        <ToDtTm>2026-01-31T23:59:59.999Z</ToDtTm></FrToDt>
      <Acct><Id><Othr><Id>cash EUR</Id></Othr></Id><Ccy>EUR</Ccy><Ownr><Nm>Ada</Nm></Ownr>
        <Svcr><FinInstnId><Nm>Bank &amp; Co of the Longest Name in Town</Nm></FinInstnId></Svcr>
      </Acct>
      <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0.05</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-01-01</Dt></Dt></Bal>
      <Bal><Tp><CdOrPrtry><Cd>ITBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0.00</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-01-10</Dt></Dt></Bal>
      <TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries><Sum>0.05</Sum>
          <TtlNetNtry><Amt>0.05</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry></TtlNtries>
        <TtlCdtNtries><NbOfNtries>0</NbOfNtries><Sum>0.00</Sum></TtlCdtNtries>
        <TtlDbtNtries><NbOfNtries>1</NbOfNtries><Sum>0.05</Sum></TtlDbtNtries></TxsSummry>
      ${entryElement(5, '0.05/DBIT', 'CNTR/CWDL', '')}
      ${entryElement(6, '0.05/DBIT', 'ICDT/OTHR', `|${party('Cdtr')}`)}
      <AddtlStmtInf>Your former bank booked entries in this period. They are not part of `).concat(
      'this statement or its sums: the page of the account lists them.</AddtlStmtInf>',
      '</Stmt></BkToCstmrStmt></Document>',
    ),
  )
  await assertValidCamt([Buffer.from(file)])
})

test('the smallest amount has its direction, a text 140 letters, a balance the day of its last moment', async () => {
  for (const [units, code, role] of [
    [1n, 'RCDT', 'Dbtr'],
    [-1n, 'ICDT', 'Cdtr'],
  ] as const) {
    const reference = '\u{1f600}'.repeat(141)
    const end = Date.UTC(2026, 0, 5) + 1
    const file = await camt({ end }, [entry(1n, units, { reference })])
    assert.ok(file.includes(`<Fmly><Cd>${code}</Cd>`))
    assert.ok(file.includes(`<${role}><Pty>`))
    assert.ok(file.includes(`<Ustrd>${'\u{1f600}'.repeat(140)}</Ustrd>`))
    const days = [...file.matchAll(/<Dt><Dt>(.*?)</g)].map(([, day]) => day)
    assert.deepEqual(days, ['2026-01-01', '2026-01-05'])
  }
})

test('a code of this service names the bank in at most 35 letters', async () => {
  const won = entry(1n, 100n, { kind: 'chargeback', counterparty: erased })
  const file = await camt({}, [won])
  const issuer = 'Bank &amp; Co of the Longest Name in To'
  assert.match(file, new RegExp(`<Prtry><Cd>CHARGEBACK</Cd><Issr>${issuer}</Issr></Prtry>`))
})

test('a figure of more than 18 digits is refused, on each side of zero', () => {
  const most = 10n ** 18n - 1n
  const half = { count: 1, units: most / 2n }
  const rest = { count: 1, units: most - most / 2n }
  for (const [more, isRefused] of [
    [{}, false],
    [{ opening: most }, false],
    [{ opening: most + 1n }, true],
    [{ closing: -most }, false],
    [{ closing: -most - 1n }, true],
    [{ credits: half, debits: rest }, false],
    [{ credits: rest, debits: rest }, true],
  ] as [Partial<Heading>, boolean][]) {
    const check = () => requireExpressible({ ...heading, ...more })
    if (isRefused) assert.throws(check, new Refusal('not_acceptable'))
    else check()
  }
})
