// Writes files/sepa-*.xml: payment lists by the npm package `sepa`.
//
//   npm install sepa@3.0.0 && node test/pain/generate-sepa.mjs
import { writeFileSync } from 'node:fs'
import SEPA from 'sepa'

const blocks = [
  [
    {
      creditorName: 'Jürgen Groß',
      creditorIBAN: 'GB33BUKB20201555555555',
      creditorBIC: 'BUKBGB22XXX',
      amount: 1234.56,
      remittanceInfo: 'Gehalt für Oktober',
      end2endId: 'GEHALT-2026-10/JUERGEN-GROSS/000017',
    },
    {
      creditorName: "Seán O'Brien",
      creditorIBAN: 'IE29AIBK93115212345678',
      amount: 0.01,
      remittanceInfo: 'Invoice 4711 & 4712',
      end2endId: 'NOTPROVIDED',
    },
  ],
  [
    {
      creditorName: 'Zoë Bau AG',
      creditorIBAN: 'NL91ABNA0417164300',
      amount: 999.99,
      remittanceInfo: '',
      end2endId: 'LAST',
    },
  ],
]

function write(name, form, isBatched) {
  const list = new SEPA.Document(form)
  list.grpHdr.id = `SEPA.${name}.0001`
  list.grpHdr.created = new Date('2026-10-28T08:00:00Z')
  list.grpHdr.initiatorName = 'Müller & Söhne GmbH'
  for (const [index, payments] of blocks.entries()) {
    const info = list.createPaymentInfo()
    info.id = `BLOCK-${index + 1}`
    info.requestedExecutionDate = new Date('2026-10-30T00:00:00Z')
    info.debtorIBAN = 'DE89370400440532013000'
    info.debtorBIC = 'COBADEFFXXX'
    info.debtorName = 'Müller & Söhne GmbH'
    info.batchBooking = isBatched
    list.addPaymentInfo(info)
    for (const payment of payments)
      info.addTransaction(Object.assign(info.createTransaction(), payment))
  }
  writeFileSync(new URL(`files/sepa-${name}.xml`, import.meta.url), list.toString())
}

SEPA.enableValidations(true, false)
write('batch-03', 'pain.001.001.03', true)
write('single-09', 'pain.001.001.09', false)
