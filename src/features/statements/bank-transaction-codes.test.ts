// The codes of entries in a camt.053 are those of ISO 20022, and say what an entry was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { approved, cardScene } from '../../../test/support/card-payments.ts'
import { openAccount, scene } from '../../../test/support/fixture.ts'
import { orderBank } from '../../../test/support/orders.ts'
import { assertValidCamt } from '../../../test/support/statement-files.ts'
import { type ApiClient } from '../../../test/support/world.ts'
import { channels } from '../../ledger/rules/authorizations.ts'
import { kinds } from '../../ledger/rules/movement.ts'
import { type CodedEntry, toTransactionCode } from './bank-transaction-codes.ts'

const generic = 'CHRG COME COMI COMM COMT FEES INTR NTAV OTHR RIMB TAXE'
const transfers =
  `${generic} ACDT ACOR ADBT APAC ARET AREV ASET ATXN AUTT BOOK CAJT COVE DAJT DMCT ENCT ESCT FICT ` +
  'PRCT RCOV RPCR RRTN SALA SDVA STDO TTLS VCOM XBCT XBSA XBST XRTN'

/**
 * The sub-families of each family that the service uses, of all that may be combined: ISO 20022
 * external code sets, Bank Transaction Codes, BTC_Codification v7.0 of 30 October 2023; v7.1 of May
 * 2025 changes none of them.
 */
const permitted: Readonly<Record<string, string>> = {
  'PMNT/RCDT': transfers,
  'PMNT/ICDT': transfers,
  'PMNT/CNTR': `${generic} BCDP BCWD CAJT CDPT CHKD CWDL DAJT FCDP FCWD MIXD MSCD TCDP TCWD`,
  'PMNT/CCRD': `${generic} CAJT CDPT CWDL DAJT POSC POSD SMRT XBCP XBCW`,
  'PMNT/MCOP': `${generic} ADJT`,
  'PMNT/MDOP': `${generic} ADJT IADD`,
  'ACMT/MCOP': `${generic} ADJT`,
  'ACMT/MDOP': `${generic} ADJT`,
}

/** All entries that can be: kinds, directions, currencies, countries, orders and channels. */
function* allEntries(): Generator<CodedEntry> {
  const flags = [true, false]
  for (const kind of kinds)
    for (const isCredit of flags)
      for (const isInternal of flags)
        for (const isRunOfOrder of flags)
          for (const currency of ['EUR', 'USD'] as const)
            for (const other of ['DE', 'FR', 'US', undefined])
              for (const channel of [...channels, undefined]) {
                const countries = ['DE', other] as const
                yield { kind, isCredit, isInternal, isRunOfOrder, currency, countries, channel }
              }
}

test('every entry has a code that ISO 20022 permits', () => {
  const used = new Set<string>()
  for (const entry of allEntries()) {
    const { domain, family, subFamily } = toTransactionCode(entry)
    const allowed = permitted[`${domain}/${family}`]?.split(' ') ?? []
    assert.ok(allowed.includes(subFamily), `${domain}/${family}/${subFamily}`)
    used.add(`${domain}/${family}`)
  }
  assert.deepEqual([...used].toSorted(), Object.keys(permitted).toSorted())
})

type CamtEntry = {
  CdtDbtInd: string
  BkTxCd: {
    Domn: { Cd: string; Fmly: { Cd: string; SubFmlyCd: string } }
    Prtry?: { Cd: string; Issr: string }
  }
  NtryDtls: { TxDtls: { Refs: { Prtry?: { Tp: string; Ref: string } } } }
}

/** The codes of all entries of January but the first, which is a deposit. */
async function readCodes(client: ApiClient, account: string): Promise<CamtEntry[]> {
  const period = 'from=2026-01-01&to=2026-01-31&format=camt053'
  const file = await client.get(`/api/v1/accounts/${account}/statement?${period}`)
  assert.equal(file.status, 200, file.text)
  await assertValidCamt([file.bytes])
  const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Ntry' })
  const { Ntry: entries } = parser.parse(file.text).Document.BkToCstmrStmt.Stmt
  return (entries as CamtEntry[]).slice(1)
}

const toText = ({ BkTxCd: { Domn, Prtry } }: CamtEntry): string =>
  [Domn.Cd, Domn.Fmly.Cd, Domn.Fmly.SubFmlyCd, ...(Prtry ? [Prtry.Cd, Prtry.Issr] : [])].join('/')

test('a payment from another bank is SEPA in euros and within SEPA only', async (t) => {
  const { ada, root } = await scene(t)
  const payers = {
    german: { iban: 'DE89370400440532013000' },
    french: { iban: 'FR1420041010050500013M02606' },
    serbian: { iban: 'RS35260005601001611379' },
    pakistani: { iban: 'PK36SCBL0000001123456702' },
    american: { iban: '026009593', bic: 'BOFAUS3NXXX' },
    unknown: {},
  }
  const codesIn = async (currency: string) => {
    const account = await openAccount(ada, currency)
    const { iban } = (await ada.get(`/api/v1/accounts/${account}`)).body
    // The reader of codes leaves out the first entry.
    for (const [name, payer] of [['first', {}] as const, ...Object.entries(payers)]) {
      const body = { iban, amount: '5.00', currency, externalId: `${currency} ${name}` }
      const debtor = { name, ...payer }
      const reply = await root.post('/api/v1/admin/incoming-payments', { ...body, debtor })
      assert.equal(reply.status, 201, reply.text)
    }
    const codes = (await readCodes(ada, account)).map(toText)
    return Object.fromEntries(Object.keys(payers).map((name, at) => [name, codes[at]]))
  }
  assert.deepEqual(await codesIn('EUR'), {
    german: 'PMNT/RCDT/ESCT',
    french: 'PMNT/RCDT/ESCT',
    serbian: 'PMNT/RCDT/ESCT',
    pakistani: 'PMNT/RCDT/XBCT',
    american: 'PMNT/RCDT/XBCT',
    unknown: 'PMNT/RCDT/OTHR',
  })
  assert.deepEqual(await codesIn('USD'), {
    german: 'PMNT/RCDT/DMCT',
    french: 'PMNT/RCDT/XBCT',
    serbian: 'PMNT/RCDT/XBCT',
    pakistani: 'PMNT/RCDT/XBCT',
    american: 'PMNT/RCDT/XBCT',
    unknown: 'PMNT/RCDT/OTHR',
  })
})

test('a run of an order is a standing order and names it, in the statement of its payer alone', async (t) => {
  const bank = await orderBank(t)
  const { from, to } = bank
  const away = await bank.make({ firstOn: '2026-01-05', rhythm: 'once' })
  const terms = { firstOn: '2026-01-06', rhythm: 'once', beneficiaryId: undefined }
  const own = await bank.make({ ...terms, toAccountId: to })
  await bank.goTo('2026-01-05')
  await bank.goTo('2026-01-06')
  const lines = async (account: string) =>
    (await readCodes(bank.ada(), account)).map((entry) => [
      toText(entry),
      entry.NtryDtls.TxDtls.Refs.Prtry,
    ])
  const named = (id: string) => ({ Tp: 'STDO', Ref: id.replaceAll('-', '') })
  assert.deepEqual(await lines(from), [
    ['PMNT/ICDT/STDO', named(away)],
    ['PMNT/ICDT/STDO', named(own)],
  ])
  const body = { fromAccountId: from, toAccountId: to, amount: '1.00', currency: 'EUR' }
  assert.equal((await bank.ada().post('/api/v1/transfers', body)).status, 201)
  assert.deepEqual((await lines(from)).at(-1), ['PMNT/ICDT/BOOK', undefined])
  assert.deepEqual(await lines(to), [['PMNT/RCDT/BOOK', undefined]])
  await bank.make({ ...terms, toAccountId: to, firstOn: '2026-01-07' })
  await bank.goTo('2026-01-07')
  assert.deepEqual((await lines(to)).at(-1), ['PMNT/RCDT/BOOK', undefined])
})

test('a card payment says how the card was used: at a till, for cash or online', async (t) => {
  const made = await cardScene(await scene(t))
  const codes: Record<string, string> = {
    chip: 'PMNT/CCRD/POSD',
    contactless: 'PMNT/CCRD/POSD',
    cash: 'PMNT/CCRD/CWDL',
    online: 'PMNT/CCRD/OTHR/ONLINE/Strongroom',
  }
  for (const channel of channels) {
    const id = await approved(made.till.ask('4.00', { channel }))
    assert.equal((await made.till.capture(id, '4.00')).status, 201)
  }
  const found = (await readCodes(made.ada, made.from)).map(toText)
  assert.deepEqual(
    found,
    channels.map((channel) => codes[channel]),
  )
})
