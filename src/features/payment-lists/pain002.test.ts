// Reports of lists: each state of a list and of a line is valid by the schema of ISO 20022.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSchema, findSchemaFaults } from '../../../test/support/iso-schemas.ts'
import { pain001 } from '../../../test/support/pain001.ts'
import { newId } from '../../domain/ids.ts'
import { currencies } from '../../domain/money.ts'
import { maxBalance } from '../../ledger/rules/holds.ts'
import { listForms } from '../../ledger/rules/list-digest.ts'
import { renderPain002 } from './pain002.ts'
import { lineRefusals } from './reasons.ts'
import { lineOutcomes, type LineRow, type ListRow, listStatuses } from './sql.ts'

const now = Date.parse('2026-01-02T08:00:00Z')
const at = new Date(now)
const id = newId(now)
const widest = `a&b<c>"'`.padEnd(35, 'x')

const line = (place: number, more: Partial<LineRow> = {}): LineRow => ({
  place,
  payeeName: null,
  payeeIban: null,
  beneficiaryId: null,
  toAccountId: null,
  amount: 100n,
  reference: '',
  endToEndId: null,
  blockId: null,
  outcome: null,
  refusal: null,
  earlyRefusal: null,
  transferId: null,
  at: null,
  ...more,
})

function report(lines: LineRow[], more: Partial<ListRow> = {}): string {
  const list = {
    id,
    messageId: null,
    form: 'json',
    currency: 'EUR',
    createdAt: at,
    lineCount: lines.length,
    total: lines.reduce((sum, { amount }) => sum + amount, 0n),
    status: 'executed',
    ...more,
  } as ListRow
  return [...renderPain002(list, lines, { requestId: id, now })].join('')
}

const outcomes = (place: number): LineRow[] => [
  line(place),
  line(place + 1, { outcome: 'made', transferId: id, at, blockId: 'B', endToEndId: widest }),
  ...lineRefusals.map((refusal, index) =>
    line(place + 2 + index, { outcome: 'refused', refusal, at, blockId: widest }),
  ),
]

test('a report of each state, form and currency is valid by the schema', async () => {
  const [ready, made, refused] = outcomes(0) as [LineRow, LineRow, LineRow]
  const mixes = [[ready], [made], [refused], [ready, made], [ready, refused], [made, refused]]
  const files = [
    ...listStatuses.flatMap((status) =>
      [...mixes, outcomes(0)].map((lines) => report(lines, { status })),
    ),
    ...listForms.map((form) => report(outcomes(0), { form, messageId: widest })),
    ...currencies.map((currency) => report(outcomes(0), { currency })),
    ...[10n ** 18n - 1n, 10n ** 18n, maxBalance].map((amount) => report([line(0, { amount })])),
  ]
  await assertSchema('pain.002.001.10', files)
  const wrong = await findSchemaFaults('pain.002.001.10', [
    report([made]).replace('<TxSts>ACSC</TxSts>', ''),
    report([made]).replace('<GrpSts>ACSC', '<GrpSts>SETTLED'),
  ])
  assert.ok(wrong.length >= 1, 'the schema tells a fault')
})

/** ExternalPaymentGroupStatus1Code, and PaymentTransactionStatus1Code, as published in 2026. */
const groupCodes = ['ACCP', 'ACCC', 'ACSC', 'ACSP', 'ACTC', 'ACWC', 'PART', 'PDNG', 'RCVD', 'RJCT']
const lineCodes = ['ACSC', 'RJCT', 'PDNG', 'RCVD', 'CANC']

test('its codes are those of ISO 20022, and say how a list and its lines stand', () => {
  const [ready, made, refused] = outcomes(0) as [LineRow, LineRow, LineRow]
  const codesOf = (lines: LineRow[], status: ListRow['status']) => {
    const text = report(lines, { status })
    const [, group = ''] = /<GrpSts>(\w+)</.exec(text) ?? []
    const each = [...text.matchAll(/<TxSts>(\w+)</g)].map(([, code = '']) => code)
    assert.ok(groupCodes.includes(group), group)
    for (const code of each) assert.ok(lineCodes.includes(code), code)
    return [group, ...each].join(' ')
  }
  assert.equal(codesOf([ready], 'checked'), 'RCVD RCVD')
  assert.equal(codesOf([ready, refused], 'checked'), 'PART RCVD RJCT')
  assert.equal(codesOf([ready], 'ordered'), 'PDNG PDNG')
  assert.equal(codesOf([ready, made], 'ordered'), 'PART PDNG ACSC')
  assert.equal(codesOf([made], 'executed'), 'ACSC ACSC')
  assert.equal(codesOf([refused], 'executed'), 'RJCT RJCT')
  assert.equal(codesOf([made, refused], 'executed'), 'PART ACSC RJCT')
  assert.equal(codesOf([ready, refused], 'cancelled'), 'RJCT CANC RJCT')
  const blocks = [made, { ...refused, blockId: 'C' }, { ...ready, blockId: 'D' }]
  const each = [...report(blocks, { status: 'ordered' }).matchAll(/<PmtInfSts>(\w+)</g)]
  assert.deepEqual(
    each.map(([, code]) => code),
    ['ACSC', 'RJCT', 'PDNG'],
    'each block by itself',
  )
  assert.ok(report([ready], { status: 'cancelled' }).includes('<Cd>DS02</Cd></Rsn></StsRsnInf></'))
  assert.deepEqual(lineOutcomes, ['made', 'refused'])
})

test('a line that was made names its payment and when it was made, and no other line does', () => {
  for (const each of outcomes(0)) {
    const text = report([each])
    const time = text.includes('<AccptncDtTm>2026-01-02T08:00:00.000Z</AccptncDtTm>')
    const found = [time, text.includes('<AccptncDtTm>'), text.includes('<AcctSvcrRef>')]
    assert.deepEqual(found, Array(3).fill(each.outcome === 'made'), each.refusal ?? 'no refusal')
  }
})

test('what a report tells of a file is what the file said', () => {
  const text = report([line(0)], { form: 'pain.001.001.03', messageId: 'RUN-1' })
  assert.ok(!text.includes('OrgnlCreDtTm'), 'the time of the file is not kept')
  assert.ok(report([line(0)]).includes('<OrgnlCreDtTm>2026-01-02T08:00:00.000Z<'))
  assert.ok(report([line(0, { amount: 10n ** 18n })]).includes('</OrgnlNbOfTxs><GrpSts>'))
})

test('a report is one text, with the sums and the standing of the file and of each block', () => {
  const [, made, refused] = outcomes(0) as [LineRow, LineRow, LineRow]
  const short = id.replaceAll('-', '')
  const lines = [
    { ...made, place: 0, amount: 150n, blockId: 'B', endToEndId: 'E & 1' },
    { ...refused, place: 1, amount: 25n, blockId: null, refusal: 'account_closed' as const },
    line(2, { amount: 5n, blockId: 'B' }),
  ]
  const text = (more: string, group: string, line3: string, cancelled = '') =>
    `
      <?xml version="1.0" encoding="UTF-8"?>
      <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
      <GrpHdr><MsgId>${short}</MsgId><CreDtTm>2026-01-02T08:00:00.000Z</CreDtTm></GrpHdr>
      <OrgnlGrpInfAndSts>${more}<OrgnlNbOfTxs>3</OrgnlNbOfTxs><OrgnlCtrlSum>1.80</OrgnlCtrlSum>
        <GrpSts>${group}</GrpSts>${cancelled}</OrgnlGrpInfAndSts>
      <OrgnlPmtInfAndSts><OrgnlPmtInfId>B</OrgnlPmtInfId><OrgnlNbOfTxs>2</OrgnlNbOfTxs>
        <OrgnlCtrlSum>1.55</OrgnlCtrlSum><PmtInfSts>${group}</PmtInfSts>
        <TxInfAndSts><StsId>0</StsId><OrgnlEndToEndId>E &amp; 1</OrgnlEndToEndId>
          <TxSts>ACSC</TxSts><AccptncDtTm>2026-01-02T08:00:00.000Z</AccptncDtTm>
          <AcctSvcrRef>${short}</AcctSvcrRef></TxInfAndSts>
        <TxInfAndSts><StsId>2</StsId><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId>
          <TxSts>${line3}</TxSts></TxInfAndSts></OrgnlPmtInfAndSts>
      <OrgnlPmtInfAndSts><OrgnlPmtInfId>NOTPROVIDED</OrgnlPmtInfId><OrgnlNbOfTxs>1</OrgnlNbOfTxs>
        <OrgnlCtrlSum>0.25</OrgnlCtrlSum><PmtInfSts>RJCT</PmtInfSts>
        <TxInfAndSts><StsId>1</StsId><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId>
          <TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf></TxInfAndSts>
      </OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`.replaceAll(/\n\s*/g, '')
  const rows = (more: Partial<ListRow>) => report(lines, more).replaceAll('\n', '')
  const ofJson =
    `<OrgnlMsgId>${short}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>` +
    '<OrgnlCreDtTm>2026-01-02T08:00:00.000Z</OrgnlCreDtTm>'
  assert.equal(rows({ status: 'ordered' }), text(ofJson, 'PART', 'PDNG'))
  const ofFile = '<OrgnlMsgId>M</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.03</OrgnlMsgNmId>'
  const cancelled = '<StsRsnInf><Rsn><Cd>DS02</Cd></Rsn></StsRsnInf>'
  assert.equal(
    rows({ status: 'cancelled', form: 'pain.001.001.03', messageId: 'M' }),
    text(ofFile, 'RJCT', 'CANC', cancelled),
  )
})

test('the lists of the tests are valid by their schemas, so that what is refused is the bank’s word', async () => {
  const payments = [{ name: 'O&apos;Brien &amp; M&#252;ller' }, { endToEndId: 'x'.repeat(35) }]
  for (const version of ['03', '09'] as const) {
    const text = pain001(payments, { debtorIban: 'DE89370400440532013000', version })
    await assertSchema(`pain.001.001.${version}`, [text])
  }
})
