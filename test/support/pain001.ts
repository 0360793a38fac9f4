// Files of pain.001 as a customer's program makes them.
export type Payment = {
  amount?: string
  currency?: string
  name?: string
  iban?: string
  endToEndId?: string
  /** In place of the element, such as `RmtInf`. */
  more?: string
  /** In front of `Cdtr`. */
  before?: string
}
export type FileOptions = {
  version?: '03' | '09'
  messageId?: string
  day?: string
  debtorIban: string
  count?: string
  sum?: string
  /** In the block, behind its method. */
  inBlock?: string
  /** In front of the document. */
  head?: string
}

const agent = (version: '03' | '09', bic: string): string => {
  const name = version === '03' ? 'BIC' : 'BICFI'
  return `<FinInstnId><${name}>${bic}</${name}></FinInstnId>`
}

const payment = (
  version: '03' | '09',
  {
    amount = '1.00',
    currency = 'EUR',
    name = 'Grace Hopper',
    iban = 'GB33BUKB20201555555555',
    endToEndId = 'E-1',
    before = '',
    more = '<RmtInf><Ustrd>Salary</Ustrd></RmtInf>',
  }: Payment,
) =>
  `<CdtTrfTxInf><PmtId><EndToEndId>${endToEndId}</EndToEndId></PmtId>` +
  `<Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>${before}` +
  `<CdtrAgt>${agent(version, 'BUKBGB22XXX')}</CdtrAgt>` +
  `<Cdtr><Nm>${name}</Nm></Cdtr><CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>${more}` +
  '</CdtTrfTxInf>'

export function pain001(
  payments: readonly Payment[],
  { version = '03', messageId = 'MSG-1', day = '2026-01-02', debtorIban, ...more }: FileOptions,
): string {
  const cents = payments.reduce(
    (sum, { amount = '1.00' }) => sum + Math.round(Number(amount) * 100),
    0,
  )
  const { count = String(payments.length), sum = (cents / 100).toFixed(2) } = more
  const date = version === '03' ? day : `<Dt>${day}</Dt>`
  return (
    (more.head ?? '<?xml version="1.0" encoding="UTF-8"?>\n') +
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.${version}"><CstmrCdtTrfInitn>` +
    `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>2026-01-02T08:00:00</CreDtTm>` +
    `<NbOfTxs>${count}</NbOfTxs><CtrlSum>${sum}</CtrlSum><InitgPty><Nm>Ada</Nm></InitgPty></GrpHdr>` +
    `<PmtInf><PmtInfId>BLOCK-1</PmtInfId><PmtMtd>TRF</PmtMtd>${more.inBlock ?? ''}` +
    `<ReqdExctnDt>${date}</ReqdExctnDt><Dbtr><Nm>Ada</Nm></Dbtr>` +
    `<DbtrAcct><Id><IBAN>${debtorIban}</IBAN></Id></DbtrAcct>` +
    `<DbtrAgt>${agent(version, 'MARKDEFFXXX')}</DbtrAgt>` +
    `${payments.map((each) => payment(version, each)).join('')}</PmtInf></CstmrCdtTrfInitn></Document>\n`
  )
}
