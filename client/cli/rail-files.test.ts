// `strongroom client rail-files` at a real bank: no payment is in two files and none is lost, files
// of other programs are booked, and a spoiled one changes nothing.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  assertSound,
  deposit,
  many,
  readBalance,
  type Scene,
  scene,
  sceneIn,
} from '../../test/support/fixture.ts'
import { assertSchema, findSchemaFaults } from '../../test/support/iso-schemas.ts'
import { keepLogin, loseFirstAnswers, readClearing } from '../../test/support/other-sides.ts'
import { publishedClient } from '../../test/support/published-client.ts'
import { newProgram, type Program } from '../../test/support/service-accounts.ts'
import { world } from '../../test/support/world.ts'
import { runRailFiles, type RailFilesCounts } from './rail-files.ts'
import { toReference } from './rail-files/written.ts'
import { readXml } from './rail-files/xml.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))
const home = mkdtempSync(path.join(tmpdir(), 'strongroom-rail-files-'))
after(() => rmSync(home, { recursive: true, force: true }))

const operations = [
  'createIncomingPayment',
  'findTransfers',
  'returnTransfer',
  'sendTransferBatch',
  'settleTransferBatch',
]
const newRail = (made: Scene): Promise<Program> => newProgram(made, { operations })

const optionsFor = (name: string, more: object = {}) => ({
  folder: home,
  files: path.join(home, name),
  name: 'Bank & Söhne',
  wait: 30,
  signal: new AbortController().signal,
  ...more,
})
const list = (name: string, room: string): string[] => readdirSync(path.join(home, name, room))
const read = (name: string, room: string, file: string): string =>
  readFileSync(path.join(home, name, room, file), 'utf8')
const receive = (name: string, file: string, text: string): void =>
  writeFileSync(path.join(home, name, 'in', file), text)

/** Payments of one euro to another bank. */
async function payElsewhere({ ada, from }: Scene, name: string, count: number): Promise<string[]> {
  const at = `/api/v1/accounts/${from}/beneficiaries`
  const added = await ada.post(at, { name: 'Zoë (Bau) AG', iban: 'GB33BUKB20201555555555' })
  const known = added.status === 201 ? added.body : (await ada.get(at)).body.items[0]
  const body = { fromAccountId: from, beneficiaryId: known.id, amount: '1.00', currency: 'EUR' }
  const paid = await many(count, (index) =>
    ada.post(
      '/api/v1/transfers',
      { ...body, reference: `Rent & ${index}` },
      { headers: { 'idempotency-key': `${name}-${index}` } },
    ),
  )
  return paid.map(({ body: { id } }) => id as string).toSorted()
}

const numbersIn = (text: string): string[] =>
  [...text.matchAll(/<InstrId>([0-9a-f]{32})</g)].map(([, number = '']) => number).toSorted()
const statusOf = async ({ root }: Scene, id: string): Promise<string> =>
  (await root.get(`/api/v1/transfers/${id}`)).body.status

const zero: RailFilesCounts = { written: 0, settled: 0, returned: 0, credited: 0, refused: 0 }

test('payments go out in one file of each form, valid by its schema, and files of another program are booked once', async (t) => {
  const made = await scene(t)
  const { token } = await newRail(made)
  const bank = publishedClient(made.send, token)
  const iban = (await made.ada.get(`/api/v1/accounts/${made.to}`)).body.iban as string
  const other = (await made.ada.get(`/api/v1/accounts/${made.from}`)).body.iban as string
  const ids = await payElsewhere(made, 'all', 4)
  const use = (more: object = {}) => runRailFiles(bank, optionsFor('all', more))
  assert.deepEqual(await use({ bic: 'MARKDEFFXXX' }), { ...zero, written: 4 })
  const [file = ''] = list('all', 'out')
  const text = read('all', 'out', file)
  assert.deepEqual(numbersIn(text), ids.map(toReference))
  const [, messageId = ''] = /<MsgId>(\w+)</.exec(text) ?? []
  assert.equal(file, `pacs.008-${messageId}.xml`)
  assert.match(text, /<CtrlSum>4\.00<.*<TtlIntrBkSttlmAmt Ccy="EUR">4\.00</)
  assert.match(text, /<Ustrd>Rent &amp; 3</)
  await assertSchema('pacs.008.001.08', [text])
  assert.deepEqual(await use(), zero, 'all are sent')
  assert.deepEqual(
    await many(4, (index) => statusOf(made, ids[index] ?? '')),
    Array.from({ length: 4 }).fill('sent'),
  )
  // The other side takes the file away.
  renameSync(path.join(home, 'all', 'out', file), path.join(home, 'taken.xml'))

  const folder = new URL('../../test/pacs/files/', import.meta.url)
  const [camt = '', status = '', back = ''] = readdirSync(folder)
    .toSorted()
    .map((name) => {
      const whole = readFileSync(new URL(name, folder), 'utf8')
      return whole
        .replaceAll(/@(\d)@/g, (_, number: string) => toReference(ids[Number(number) - 1] ?? ''))
        .replaceAll('@message@', messageId)
        .replaceAll('@iban@', iban)
        .replaceAll('@other@', other)
    })
  await assertSchema('camt.054.001.08', [camt])
  await assertSchema('pacs.002.001.10.part', [status])
  await assertSchema('pacs.004.001.09.part', [back, pacs004([{ number: 'a' }, { number: 'b' }])])
  // They are strict: the order, what is missing, what is more.
  const spoiled = [
    back.replace(/(<RtrId>.*<\/RtrId>)(\s*)(<OrgnlEndToEndId>.*<\/OrgnlEndToEndId>)/, '$3$2$1'),
    back.replace(/<RtrdIntrBkSttlmAmt .*<\/RtrdIntrBkSttlmAmt>/, ''),
    back.replace('</TxInf>', '<Note>x</Note></TxInf>'),
  ]
  for (const text of spoiled) {
    assert.notDeepEqual(await findSchemaFaults('pacs.004.001.09.part', [text]), [], text)
  }
  receive('all', '1.xml', status)
  assert.deepEqual(await use(), { ...zero, settled: 1, returned: 1 })
  assert.deepEqual(await many(4, (index) => statusOf(made, ids[index] ?? '')), [
    'completed',
    'returned',
    'sent',
    'sent',
  ])
  receive('all', '2.xml', back)
  receive('all', '3.xml', camt)
  receive('all', '.4.xml', 'is being written')
  receive('all', '5.xml.part', 'is being written')
  assert.deepEqual(await use(), { ...zero, settled: 1, returned: 2, credited: 2 })
  assert.deepEqual(await many(4, (index) => statusOf(made, ids[index] ?? '')), [
    'returned',
    'returned',
    'completed',
    'returned',
  ])
  assert.equal(await readBalance(made.ada, made.to), '1000.00')
  const { rows } = await made.sql(
    `select reason_code from transfer_details where reason_code is not null order by 1`,
  )
  assert.deepEqual(
    rows.map((row) => row['reason_code']),
    ['AC04', 'AC06', 'MD06'],
  )
  const clearing = await readClearing(made)
  for (const [name, again] of [
    ['1.xml', status],
    ['2.xml', back],
    ['3.xml', camt],
  ] as const) {
    receive('all', name, again)
  }
  assert.equal((await use()).refused, 0)
  assert.equal(await readClearing(made), clearing, 'a file that is read twice changes nothing')
  assert.deepEqual(list('all', 'done').toSorted(), [
    '1.xml',
    '1.xml.2',
    '2.xml',
    '2.xml.2',
    '3.xml',
    '3.xml.2',
  ])
  assert.deepEqual([list('all', 'refused'), list('all', 'open')], [[], []])
  assert.deepEqual(list('all', 'in'), ['.4.xml', '5.xml.part'])

  const more = await payElsewhere(made, 'sponsor', 2)
  const sponsor = 'DE89370400440532013000'
  assert.deepEqual(await use({ sponsor }), { ...zero, written: 2 })
  const [pain = ''] = list('all', 'out')
  const instruction = read('all', 'out', pain)
  assert.deepEqual(numbersIn(instruction), more.map(toReference))
  await assertSchema('pain.001.001.09', [instruction])
  const [, number = ''] = /^pain\.001-(\w+)\.xml$/.exec(pain) ?? []
  receive('all', 'rejected.xml', pain002(number, 'RJCT'))
  assert.deepEqual(await use({ sponsor }), { ...zero, returned: 2 })
  await assertSound(made)
})

const pain002 = (messageId: string, status: string): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
   <GrpHdr><MsgId>S-1</MsgId><CreDtTm>2026-01-02T09:00:00</CreDtTm></GrpHdr>
   <OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId>
   <OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>
   <OrgnlNbOfTxs>2</OrgnlNbOfTxs><OrgnlCtrlSum>2</OrgnlCtrlSum><GrpSts>${status}</GrpSts>
   </OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`

type Part = { number: string; amount?: string; currency?: string; returnId?: string }
const pacs004 = (parts: readonly Part[], header = ''): string =>
  `<?xml version="1.0"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr>
<GrpHdr><MsgId>R</MsgId><CreDtTm>2026-01-02T09:00:00</CreDtTm><NbOfTxs>${parts.length}</NbOfTxs>
${header}<SttlmInf><SttlmMtd>CLRG</SttlmMtd></SttlmInf></GrpHdr>
${parts
  .map(
    ({ number, amount = '1.00', currency = 'EUR', returnId = `R-${number}` }) =>
      `<TxInf><RtrId>${returnId}</RtrId><OrgnlTxId>${number}</OrgnlTxId>` +
      `<RtrdIntrBkSttlmAmt Ccy="${currency}">${amount}</RtrdIntrBkSttlmAmt></TxInf>`,
  )
  .join('\n')}
</PmtRtr></Document>`

test('a spoiled file is refused whole with its line, and nothing of it is booked', async (t) => {
  const made = await scene(t)
  const { token } = await newRail(made)
  const bank = publishedClient(made.send, token)
  const ids = await payElsewhere(made, 'spoiled', 3)
  const use = () => runRailFiles(bank, optionsFor('spoiled'))
  await use()
  const [one = '', two = '', three = ''] = ids.map(toReference)
  const unknown = 'f'.repeat(32)
  const both = pacs004([{ number: one }, { number: two }])
  const last = (part: Part): string => pacs004([{ number: one }, part])
  const cases: Record<string, readonly [text: string, reason: RegExp]> = {
    'cut off': [both.slice(0, -20), /^line 7: ends within Document/],
    'an open tag': [both.replace('</RtrId>', ''), /^line 5: is not well-formed XML/],
    'two roots': [`${both}<a/>`, /^line 7: is not well-formed XML/],
    'no XML': ['', /^line 1: has no element/],
    'an entity': [both.replace('>R<', '>&x;<'), /^line 3: has an entity that is not known/],
    'a document type': [
      both.replace('\n', '\n<!DOCTYPE a [<!ENTITY x "y">]>'),
      /^line 2: has a document type/,
    ],
    'a NUL': [both.replace('>R<', '>\u0000<'), /^line 3: has a character that XML does not allow/],
    'an attribute twice': [
      both.replace('Ccy="EUR"', 'Ccy="EUR" Ccy="EUR"'),
      /^line 5: has the attribute Ccy twice/,
    ],
    deep: [both.replace('>R<', `>${'<a>'.repeat(50)}<`), /^line 3: is nested too deeply/],
    'another namespace': [
      both.replace('pacs.004.001.09', 'pacs.004.001.01'),
      /^line 2: is none of pacs/,
    ],
    'another message': [both.replaceAll('PmtRtr', 'PmtRtrn'), /^line 2: Document has no PmtRtr/],
    'a wrong count': [
      both.replace('<NbOfTxs>2', '<NbOfTxs>3'),
      /^line 3: NbOfTxs is 3; there are 2/,
    ],
    'a wrong control sum': [
      pacs004([{ number: one }, { number: two }], '<CtrlSum>2.01</CtrlSum>\n'),
      /^line 4: CtrlSum is 2\.01; the sum is 2\.00/,
    ],
    'a wrong total': [
      pacs004([{ number: one }], '<TtlRtrdIntrBkSttlmAmt Ccy="EUR">1.001</TtlRtrdIntrBkSttlmAmt>'),
      /^line 4: TtlRtrdIntrBkSttlmAmt is not an amount of EUR/,
    ],
    'an unknown payment': [last({ number: unknown }), /^line 6: names no payment that was sent/],
    'another amount': [
      last({ number: two, amount: '0.99' }),
      /^line 6: is not the amount that was sent, 1\.00/,
    ],
    'another currency': [
      last({ number: two, currency: 'USD' }),
      /^line 6: is in USD; it was sent in EUR/,
    ],
    'an unknown currency': [
      last({ number: two, currency: 'XXX' }),
      /^line 6: .* has no currency of this bank/,
    ],
    'no number': [last({ number: two, returnId: '' }), /^line 6: RtrId is empty/],
    'the same twice': [last({ number: one }), /^line 6: return \S+ is there twice/],
    'two payments in one': [
      both.replace(`<OrgnlTxId>${two}`, `<OrgnlInstrId>${three}</OrgnlInstrId><OrgnlTxId>${two}`),
      /^line 6: its references are of different payments/,
    ],
    'another message of this bank': [
      pain002('f'.repeat(32), 'RJCT'),
      /^line 3: f+ is no message that was sent/,
    ],
    'an unknown status': [
      pain002('f'.repeat(32), 'RJCT').replace(
        '<OrgnlGrpInfAndSts>',
        `<TxInfAndSts><OrgnlTxId>${one}</OrgnlTxId><TxSts>GONE</TxSts></TxInfAndSts><OrgnlGrpInfAndSts>`,
      ),
      /^line 3: the status GONE is not known/,
    ],
  }
  const clearing = await readClearing(made)
  for (const [name, [text]] of Object.entries(cases)) receive('spoiled', `${name}.xml`, text)
  receive('spoiled', 'latin.xml', '')
  writeFileSync(
    path.join(home, 'spoiled', 'in', 'latin.xml'),
    Buffer.from(both.replace('>R<', '>\u00e9<'), 'latin1'),
  )
  assert.deepEqual(await use(), { ...zero, refused: Object.keys(cases).length + 1 })
  for (const [name, [text, reason]] of Object.entries(cases)) {
    assert.equal(read('spoiled', 'refused', `${name}.xml`), text)
    assert.match(read('spoiled', 'refused', `${name}.xml.reason.txt`), reason, name)
  }
  assert.match(read('spoiled', 'refused', 'latin.xml.reason.txt'), /^line 1: is not UTF-8/)
  assert.equal(await readClearing(made), clearing)
  for (const id of ids) assert.equal(await statusOf(made, id), 'sent')

  receive('spoiled', 'whole.xml', both)
  assert.deepEqual(await use(), { ...zero, returned: 2 })
  // A second return of one payment is money that came twice.
  receive('spoiled', 'twice.xml', pacs004([{ number: three }, { number: one, returnId: 'R-2' }]))
  assert.deepEqual(await use(), { ...zero, refused: 1 })
  assert.match(
    read('spoiled', 'refused', 'twice.xml.reason.txt'),
    /^line 6: came back before, by R-/,
  )
  assert.equal(await statusOf(made, ids[2] ?? ''), 'sent')
  // What staff have done between is known to the bank alone: the rest of the file is booked.
  const four = await payElsewhere(made, 'staff', 2)
  await use()
  const back = await made.root.post(`/api/v1/admin/transfers/${four[0]}/return`, {})
  assert.equal(back.status, 200, back.text)
  receive('spoiled', 'staff.xml', pacs004(four.map((id) => ({ number: toReference(id) }))))
  assert.deepEqual(await use(), { ...zero, returned: 1, refused: 1 })
  assert.match(
    read('spoiled', 'refused', 'staff.xml.reason.txt'),
    /^line 5: the bank refuses it: illegal_transition\nBooked: 1 of 2\.\n$/,
  )
  await assertSound(made)
})

test('the command says what it did, ends with 1 after a refused file, and leaves a payment until its day', async (t) => {
  const made = await sceneIn(await world(t, { settings: { CUT_OFF: '00:00' } }), '100.00')
  const program = await newRail(made)
  const [id = ''] = await payElsewhere(made, 'command', 1)
  const bank = publishedClient(made.send, program.token)
  // It leaves on the next day, until when its payer may cancel it.
  assert.deepEqual(await runRailFiles(bank, optionsFor('command'), made.clock), zero)
  assert.equal(await statusOf(made, id), 'pending')
  const login = await keepLogin(made, program, home)
  const given = ['client', 'rail-files', '--folder', login, '--files', path.join(home, 'command')]
  const use = (...args: string[]) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) =>
      execFile(process.execPath, [bin, ...given, ...args], (thrown, out, err) =>
        resolve({ code: thrown?.code ?? 0, out, err }),
      ),
    )
  // The day of this machine is a later one.
  const name = ['--name', 'My Bank']
  const first = await use(...name)
  assert.deepEqual(first, {
    code: 0,
    out: 'written 1, settled 0, returned 0, credited 0, refused 0\n',
    err: '',
  })
  receive('command', 'a.xml', 'spoiled')
  const second = await use(...name, '--json')
  assert.deepEqual(JSON.parse(second.out), { ...zero, refused: 1 })
  assert.deepEqual([second.code, second.err.split('\n')[0]], [1, `a.xml: ${atOne}`])
  for (const wrong of [
    ['--bic', 'x'],
    ['--sponsor', 'DE'],
  ]) {
    assert.equal((await use(...name, ...wrong)).code, 2)
  }
})
const atOne = 'line 1: has text outside of its element'

class Killed extends Error {}

test('killed before and after each of its requests, and between its steps, a payment is in one file and is booked once', async (t) => {
  const made = await scene(t)
  await deposit(made.root, made.from, '1000.00')
  const { token } = await newRail(made)
  const written: string[] = []
  for (const when of ['before', 'after'] as const) {
    for (let steps = 1, isKilled = true; isKilled; steps++) {
      const name = `${when} ${steps}`
      const ids = await payElsewhere(made, name.replace(' ', '-'), 2)
      const ending = new AbortController()
      const bank = publishedClient(made.send, token, (now, step) => {
        if (now === when && step === steps) ending.abort(new Killed())
        if (ending.signal.aborted) throw new Killed()
      })
      isKilled = await runRailFiles(bank, optionsFor('killed', { signal: ending.signal })).then(
        () => false,
        (thrown) => ending.signal.aborted || Promise.reject(thrown),
      )
      await runRailFiles(publishedClient(made.send, token), optionsFor('killed'))
      const out = list('killed', 'out').map((file) => read('killed', 'out', file))
      const numbers = out.flatMap(numbersIn)
      written.push(...ids.map(toReference))
      assert.deepEqual(numbers.toSorted(), written.toSorted(), name)
      // For the next run, which then books it.
      receive('killed', `${name}.xml`, pacs004(ids.map((id) => ({ number: toReference(id) }))))
    }
  }
  assert.ok(written.length > 12)
  await runRailFiles(publishedClient(made.send, token), optionsFor('killed'))
  assert.deepEqual(
    [list('killed', 'open'), list('killed', 'in'), list('killed', 'refused')],
    [[], [], []],
  )
  assert.equal(await readClearing(made), '0.00')
  await assertSound(made)
})

test('killed between the steps of a file that goes out, it goes out once', async (t) => {
  const made = await scene(t)
  const { token } = await newRail(made)
  const bank = publishedClient(made.send, token)
  const ids = await payElsewhere(made, 'steps', 2)
  const place = (...parts: string[]): string => path.join(home, 'steps', ...parts)
  const use = (more: object = {}) => runRailFiles(bank, optionsFor('steps', more))
  // The plan stays, as if the program had been killed at its first request.
  const first = publishedClient(made.send, token, (when, step) => {
    if (when === 'before' && step > 1) throw new Killed()
  })
  await assert.rejects(runRailFiles(first, optionsFor('steps')))
  const [plan = ''] = list('steps', 'open')
  const planned = read('steps', 'open', plan)
  assert.deepEqual(await use(), { ...zero, written: 2 })
  const [file = ''] = list('steps', 'out')
  const whole = read('steps', 'out', file)
  // Before the renaming: the file is made and in the journal.
  renameSync(place('out', file), place('open', plan.replace('.json', '.xml')))
  writeFileSync(place('open', plan), planned)
  assert.deepEqual(await use(), { ...zero, written: 2 })
  assert.equal(read('steps', 'out', file), whole)
  // Behind it, and the other side has taken the file.
  rmSync(place('out', file))
  writeFileSync(place('open', plan), planned)
  assert.deepEqual(await use(), zero)
  assert.deepEqual([list('steps', 'out'), list('steps', 'open')], [[], []])
  // The line of the journal was cut: the file was not handed over, and is made anew as it was.
  const journal = readFileSync(place('journal'), 'utf8')
  writeFileSync(place('journal'), journal.slice(0, -30))
  writeFileSync(place('open', plan), planned)
  assert.deepEqual(await use(), { ...zero, written: 2 })
  assert.equal(read('steps', 'out', file), whole)
  receive('steps', 'back.xml', pacs004(ids.map((id) => ({ number: toReference(id) }))))
  assert.deepEqual(await use(), { ...zero, returned: 2 })
  await assertSound(made)
})

test('beside another folder, without first answers, and with cancellations, each payment is in one file', async (t) => {
  const made = await scene(t)
  const { token } = await newRail(made)
  const ids = await payElsewhere(made, 'both', 30)
  const cancelling = many(30, (index) => made.ada.post(`/api/v1/transfers/${ids[index]}/cancel`))
  const banks = [
    publishedClient(made.send, token),
    publishedClient(made.send, token, loseFirstAnswers),
  ]
  await Promise.all(banks.map((bank, index) => runRailFiles(bank, optionsFor(`both ${index}`))))
  const cancelled = (await cancelling).filter(({ status }) => status === 200).length
  const numbers = [0, 1].flatMap((index) =>
    list(`both ${index}`, 'out').flatMap((file) => numbersIn(read(`both ${index}`, 'out', file))),
  )
  assert.equal(new Set(numbers).size, numbers.length)
  assert.equal(numbers.length + cancelled, 30)
  await assertSound(made)
})

test('the reader gives the line of each element, texts as they are meant, and names of its namespace alone', () => {
  const { root, namespace } = readXml(
    Buffer.from(
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- a\n b -->\n<x:a xmlns:x="urn:x" xmlns="urn:y" x:q="1" k='"'>\n` +
        `<b/>\n<x:b>1 &lt; <![CDATA[<2>]]>&#228;&#xE4;</x:b>\r\n<x:c/>\n</x:a>\n`,
    ),
  )
  assert.equal(namespace, 'urn:x')
  assert.deepEqual([...root.attributes], [['k', '"']])
  assert.deepEqual(
    root.children.map(({ name, line, text }) => [name, line, text]),
    [
      ['{urn:y}b', 5, ''],
      ['b', 6, '1 < <2>ää'],
      ['c', 7, ''],
    ],
  )
})
