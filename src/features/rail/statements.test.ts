// Statements tell what came from and went to other banks as ISO 20022 does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { scene } from '../../../test/support/fixture.ts'
import { payElsewhereAndBack } from '../../../test/support/payments-elsewhere.ts'
import { assertValidCamt } from '../../../test/support/statement-files.ts'

type Party = { Pty: { Nm: string } }
type PartyAccount = { Id: { IBAN: string } }
type Entry = {
  CdtDbtInd: string
  BkTxCd: { Domn: { Cd: string; Fmly: { Cd: string; SubFmlyCd: string } } }
  NtryDtls: {
    TxDtls: {
      Refs: { EndToEndId?: string }
      RltdPties?: { Dbtr?: Party; Cdtr?: Party; DbtrAcct?: PartyAccount; CdtrAcct?: PartyAccount }
      RltdAgts?: { DbtrAgt: { FinInstnId: { BICFI: string } } }
      RtrInf?: { Rsn: { Cd: string } }
    }
  }
}

test('a camt.053 has debtor, EndToEndId and return reason of payments from and to other banks', async (t) => {
  const { read, kept, returned, cancelled } = await payElsewhereAndBack(await scene(t))
  const file = await read('camt053')
  await assertValidCamt([Buffer.from(file.text)])
  const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Ntry' })
  const { Ntry: entries } = parser.parse(file.text).Document.BkToCstmrStmt.Stmt
  const lines = (entries as Entry[]).map((entry) => {
    const { Domn: domain } = entry.BkTxCd
    const { Refs, RltdPties: parties, RltdAgts: agents, RtrInf: reason } = entry.NtryDtls.TxDtls
    return [
      `${entry.CdtDbtInd} ${domain.Cd}/${domain.Fmly.Cd}/${domain.Fmly.SubFmlyCd}`,
      Refs.EndToEndId,
      parties?.Dbtr?.Pty.Nm ?? parties?.Cdtr?.Pty.Nm,
      parties?.DbtrAcct?.Id.IBAN ?? parties?.CdtrAcct?.Id.IBAN,
      agents?.DbtrAgt.FinInstnId.BICFI,
      reason?.Rsn.Cd,
    ]
  })
  const endToEnd = (id: string): string => id.replaceAll('-', '')
  const hopper = ['Grace Hopper', 'GB33BUKB20201555555555', undefined] as const
  assert.deepEqual(lines.slice(1), [
    [
      'CRDT PMNT/RCDT/ESCT',
      'INV-4711',
      'Müller & Söhne',
      'DE89370400440532013000',
      'COBADEFFXXX',
      undefined,
    ],
    ['DBIT PMNT/ICDT/ESCT', endToEnd(kept), ...hopper, undefined],
    ['DBIT PMNT/ICDT/ESCT', endToEnd(returned), ...hopper, undefined],
    ['DBIT PMNT/ICDT/ESCT', endToEnd(cancelled), ...hopper, undefined],
    ['CRDT PMNT/RCDT/RRTN', endToEnd(returned), ...hopper, 'AC04'],
    ['CRDT PMNT/RCDT/RPCR', endToEnd(cancelled), ...hopper, undefined],
  ])
  const csv = (await read('csv')).text
  assert.match(csv, /incoming.*Müller & Söhne.*DE89370400440532013000/)
  assert.match(csv, /Grace Hopper.*GB33BUKB20201555555555/)
})
