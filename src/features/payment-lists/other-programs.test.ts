// Files of programs by other authors (test/pain/README.md): each is read as its customer means it.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertSchema } from '../../../test/support/iso-schemas.ts'
import { scene } from '../../../test/support/fixture.ts'
import { listScene } from '../../../test/support/payment-lists.ts'
import { Refusal } from '../../domain/errors.ts'
import { readPain001 } from './pain001.ts'
import type { NewList } from './schemas.ts'

const folder = new URL('../../../test/pain/files/', import.meta.url)
const open = (name: string): Promise<Buffer> => readFile(new URL(name, folder))
const read = async (name: string) => readPain001(await open(name)) as NewList

type Row = [
  name: string,
  iban: string,
  amount: string,
  reference?: string | undefined,
  endToEndId?: string | undefined,
]
const toRows = ({ items }: NewList): Row[] =>
  items.map(({ name, iban, amount, reference, endToEndId }): Row => {
    const row = [name, iban, amount, reference, endToEndId]
    return row.slice(0, row.findLastIndex((cell) => cell !== undefined) + 1) as Row
  })
const blocksOf = ({ items }: NewList): number => new Set(items.map(({ blockId }) => blockId)).size

const [grace, sean, bank] = [
  'GB33BUKB20201555555555',
  'IE29AIBK93115212345678',
  'NL91ABNA0417164300',
]
const long = 'GEHALT-2026-10/JUERGEN-GROSS/000017'
const debtorIban = 'DE89370400440532013000'

const paid: Row[] = [
  ['Jürgen Groß', grace, '1234.56', 'Gehalt für Oktober', long],
  ["Seán O'Brien", sean, '0.01', 'Invoice 4711 & 4712'],
  // An account number is judged by its check digits when the list is checked.
  ['Zoë (Bau) AG', 'DE89370400440532013001', '999.99', 'Prüfziffer falsch', 'TWICE'],
  ['Ada Okafor', grace, '2.50', 'Twice', 'TWICE'],
]
const plain = (text = '') => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
const ofSepa: Row[] = [...paid.slice(0, 2), ['Zoë Bau AG', bank, '999.99', undefined, 'LAST']]
const salaries: Row[] = [
  [
    'Anna Beispiel',
    'DE65261964603287767307',
    '3250.00',
    'Gehalt September 2026',
    'SAL-2026-09-0001',
  ],
  ['Max Mustermann', 'DE74157667219201256428', '2980.50', 'RF18539007547034', 'SAL-2026-09-0002'],
]

type ExpectedList = {
  day: string
  blocks: number
  rows: Row[]
  messageId?: string
  debtor?: string
}
const files: Record<string, ExpectedList | { refused: string }> = {
  'sepaxml-batch-03.xml': { day: '2026-10-30', blocks: 1, rows: paid },
  'sepaxml-clean-03.xml': {
    day: '2026-10-30',
    blocks: 1,
    rows: paid.map(([name, iban, amount, reference, ...more]): Row => {
      return [plain(name), iban, amount, plain(reference), ...more]
    }),
  },
  'sepaxml-single-09.xml': {
    day: '2026-10-30',
    blocks: 4,
    rows: paid,
    messageId: 'M'.repeat(35),
  },
  'sepa-batch-03.xml': { day: '2026-10-30', blocks: 2, rows: ofSepa },
  'sepa-single-09.xml': { day: '2026-10-30', blocks: 2, rows: ofSepa },
  'sepa_king-03.xml': {
    day: '1999-01-01',
    blocks: 2,
    rows: [
      ['Telekomiker AG', bank, '102.50', 'Rechnung vom 22.08.2026', 'XYZ-1234/123'],
      ['Blumenlädchen & Söhne', sean, '50.00'],
      ['Telekomiker AG', bank, '9.00'],
    ],
  },
  'pain001-de.sepa.sct-salary.03.xml': {
    day: '2026-09-28',
    blocks: 1,
    rows: salaries,
    debtor: 'DE09028457998082047609',
  },
  'pain001-de.sepa.sct-salary.09.xml': {
    day: '2026-09-28',
    blocks: 1,
    rows: salaries,
    debtor: 'DE09028457998082047609',
  },
  'pain001-fr.sepa.sct-supplier.09.xml': {
    day: '2026-09-22',
    blocks: 1,
    rows: [
      [
        'Fournitures Industrielles Nord',
        'FR45661040549856QM2V1TIAZ01',
        '2340.80',
        'RF18539007547034',
        'FACT-2026-09-0117',
      ],
    ],
    debtor: 'FR893354380052HVVA82N96W433',
  },
  'pain001-ch.sps.qr-bill.09.xml': {
    day: '2026-09-22',
    blocks: 1,
    rows: [
      [
        'Werkzeugbau Muster GmbH',
        'CH7430000001234567891',
        '3488.55',
        '210000000003139471430009017',
        'AFM-2026-0921-001',
      ],
    ],
    debtor: 'CH7827307265471511330',
  },
  'pain001-de.ccu.urgent.03.xml': { refused: '/body/PmtInf[1]/PmtTpInf/SvcLvl/Cd' },
  'pain001-de.sepa.sct-inst.09.xml': { refused: '/body/PmtInf[1]/PmtTpInf/LclInstrm/Cd' },
}

/** What the program writes for a payment without a text, which the schema does not allow. */
const emptyText = '<RmtInf><Ustrd/></RmtInf>'

test('the files of other programs are valid by the schema, but for an empty text, and none is left out here', async () => {
  assert.deepEqual((await readdir(folder)).toSorted(), Object.keys(files).toSorted())
  for (const version of ['03', '09'] as const) {
    const names = Object.keys(files).filter((name) => name.endsWith(`${version}.xml`))
    const texts = await Promise.all(names.map(async (name) => (await open(name)).toString()))
    await assertSchema(
      `pain.001.001.${version}`,
      texts.map((text) => text.replace(emptyText, '')),
    )
  }
})

for (const [name, told] of Object.entries(files)) {
  test(`${name} is ${'refused' in told ? 'refused' : 'read'}`, async () => {
    if ('refused' in told) {
      await assert.rejects(read(name), ({ options }: Refusal) => {
        assert.deepEqual(
          (options.details as { path: string }[]).map(({ path }) => path),
          [told.refused],
        )
        return true
      })
      return
    }
    const list = await read(name)
    assert.deepEqual(toRows(list), told.rows)
    assert.equal(list.executeOn, told.day)
    assert.equal(blocksOf(list), told.blocks)
    assert.equal(list.debtorIban, told.debtor ?? debtorIban)
    assert.equal(list.form, `pain.001.001.${name.slice(-6, -4)}`)
    if (told.messageId !== undefined) assert.equal(list.messageId, told.messageId)
  })
}

test('the bank checks them line by line, with their sums', async (t) => {
  const home = await listScene(await scene(t, '1000.00'))
  const own = (await home.ada().get(`/api/v1/accounts/${home.from}`)).body.iban as string
  const { token } = home.ada()
  const send = async (name: string) =>
    home.send('POST', home.path, {
      token,
      headers: { 'content-type': 'application/xml' },
      body: (await open(name)).toString().replaceAll(debtorIban, own),
    })
  for (const [name, ready, total, statuses, day] of [
    ['sepaxml-single-09.xml', 3, '1237.07', ['ready', 'ready', 'AC01', 'ready'], '2026-10-30'],
    ['sepa-batch-03.xml', 3, '2234.56', ['ready', 'ready', 'ready'], '2026-10-30'],
    ['sepa_king-03.xml', 3, '161.50', ['ready', 'ready', 'ready'], null],
  ] as const) {
    const { status, body, text } = await send(name)
    assert.equal(status, 201, text)
    assert.deepEqual(body.ready, { count: ready, total })
    assert.equal(body.executeOn, day)
    const lines = body.lines as { status: string; reason?: string }[]
    assert.deepEqual(
      lines.map((line) => line.reason ?? line.status),
      statuses,
    )
  }
  assert.equal((await send('sepa-batch-03.xml')).body.code, 'already_exists')
})
