// Lists as files of pain.001: what is read of them, and how each fault is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, scene } from '../../../test/support/fixture.ts'
import { type FileOptions, pain001, type Payment } from '../../../test/support/pain001.ts'
import { listScene } from '../../../test/support/payment-lists.ts'
import { type Detail, Refusal } from '../../domain/errors.ts'
import { readPain001 } from './pain001.ts'

const debtorIban = 'DE89370400440532013000'
const read = (text: string | Buffer) => readPain001(Buffer.from(text)) as Record<string, unknown>
const file = (payments: Payment[] = [{}], options: Partial<FileOptions> = {}) =>
  pain001(payments, { debtorIban, ...options })

function faultsOf(text: string | Buffer): string[] {
  try {
    read(text)
  } catch (thrown) {
    assert.ok(thrown instanceof Refusal, String(thrown))
    assert.equal(thrown.code, 'invalid_request')
    return (thrown.options.details as Detail[]).map(({ path, message }) => {
      assert.ok(path.length <= 64, path)
      return `${path} ${message}`
    })
  }
  return []
}

test('both versions are read into the body that JSON would have', () => {
  const payments: Payment[] = [
    { name: 'O&apos;Brien &amp; M&#252;ller', amount: '010.5', endToEndId: 'NOTPROVIDED' },
    { more: '<RmtInf><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>' },
    { name: '<![CDATA[Größe]]>', more: '', endToEndId: 'x'.repeat(35) },
  ]
  for (const version of ['03', '09'] as const) {
    const inBlock = '<BtchBookg>true</BtchBookg><NbOfTxs>3</NbOfTxs><CtrlSum>12.5</CtrlSum>'
    const body = read(file(payments, { version, inBlock, sum: '12.50', messageId: 'M'.repeat(35) }))
    const iban = 'GB33BUKB20201555555555'
    const blockId = 'BLOCK-1'
    assert.deepEqual(body, {
      messageId: 'M'.repeat(35),
      currency: 'EUR',
      executeOn: '2026-01-02',
      debtorIban,
      form: `pain.001.001.${version}`,
      items: [
        { name: "O'Brien & Müller", iban, amount: '10.5', reference: 'Salary', blockId },
        {
          name: 'Grace Hopper',
          iban,
          amount: '1.00',
          reference: 'RF18539007547034',
          endToEndId: 'E-1',
          blockId,
        },
        { name: 'Größe', iban, amount: '1.00', endToEndId: 'x'.repeat(35), blockId },
      ],
    })
  }
  const prefixed = file()
    .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1p:')
    .replace(' xmlns=', ' xmlns:p=')
  assert.equal(read(prefixed)['form'], 'pain.001.001.03')
  assert.equal(read(`\ufeff${file()}`)['messageId'], 'MSG-1')
  const time = file([{}], { version: '09' }).replace(
    '<Dt>2026-01-02</Dt>',
    '<DtTm>2026-01-03T10:00:00Z</DtTm>',
  )
  assert.equal(read(time)['executeOn'], '2026-01-03')
  for (const day of ['2026-01-03Z', '2026-01-03-05:00', '2026-01-03T10:00:00.5+01:00']) {
    assert.equal(read(file([{}], { day }))['executeOn'], '2026-01-03', day)
  }
})

/** A file of several blocks, each as that of one file. */
function inBlocks(...texts: string[]): string {
  const blocks = texts.map((text) => /<PmtInf>.*<\/PmtInf>/.exec(text)?.[0] ?? '')
  const count = blocks.join('').split('<CdtTrfTxInf>').length - 1
  return file([{}], { count: String(count), sum: `${count}.00` }).replace(
    /<PmtInf>.*<\/PmtInf>/,
    blocks.join(''),
  )
}

test('what means the same is read the same', () => {
  const one = read(file())
  for (const [what, text] of [
    ['blocks of one account and one day', inBlocks(file(), file())],
    ['a number with zeros in front', file([{}], { count: '000000000000001' })],
    ['a plus sign, and no digit in front of the point', file([{ amount: '+1.00' }], { sum: '1.' })],
    ['a control sum with zeros', file([{}], { sum: '001.00000' })],
    ['no control sum', file().replace(/<CtrlSum>.*?<\/CtrlSum>/, '')],
    ['no bank of the payer or the payee', file().replaceAll(/<(Dbtr|Cdtr)Agt>.*?<\/\1Agt>/g, '')],
    ['no initiating party', file().replace(/<InitgPty>.*?<\/InitgPty>/, '')],
    ['a booking in one sum', file([{}], { inBlock: '<BtchBookg>true</BtchBookg>' })],
    ['shared charges', file([{}], { inBlock: '<ChrgBr>SHAR</ChrgBr>' })],
    [
      'a usual payment',
      file([{}], { inBlock: '<PmtTpInf><SvcLvl><Cd>NURG</Cd></SvcLvl></PmtTpInf>' }),
    ],
    ['an empty type', file([{}], { inBlock: '<PmtTpInf/>' })],
    ['an IBAN in groups', file([{ iban: 'gb33 BUKB 2020 1555 5555 55' }])],
    ['UTF-8 by another name', file([{}], { head: "<?xml version='1.0' encoding='utf8'?>" })],
    ['ASCII', file([{}], { head: "<?xml version='1.0' encoding='us-ascii'?>" })],
    ['no declaration', file([{}], { head: '' })],
    ['lines that end as in Windows', file().replaceAll('><', '>\r\n  <')],
    [
      'a comment that quotes another message',
      file([{}], { head: `<!--<Document xmlns="${'x'.repeat(9000)}">--><!-- -->\n` }),
    ],
    [
      'a namespace that is not used',
      file().replace(
        '<Document',
        '<Document xmlns:x="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"',
      ),
    ],
  ] as const) {
    const { items, ...list } = read(text)
    const [first] = items as unknown[]
    assert.deepEqual({ ...list, items: [first] }, one, what)
  }
})

const payment = '/body/PmtInf[1]/CdtTrfTxInf[1]'
const structured = (ref: string) => `<Strd><CdtrRefInf>${ref}</CdtrRefInf></Strd>`
const faults: [what: string, text: string | Buffer, told: string[]][] = [
  [
    'a control sum that is off by a cent',
    file([{}], { sum: '1.01' }),
    ['/body/GrpHdr/CtrlSum is not the sum of the amounts'],
  ],
  [
    'a control sum with a rest',
    file([{}], { sum: '1.0001' }),
    ['/body/GrpHdr/CtrlSum is not the sum of the amounts'],
  ],
  [
    'a wrong number of payments',
    file([{}], { count: '2' }),
    ['/body/GrpHdr/NbOfTxs is not the number of payments'],
  ],
  [
    'wrong totals of a block',
    file([{}], { inBlock: '<NbOfTxs>2</NbOfTxs><CtrlSum>2</CtrlSum>' }),
    [
      '/body/PmtInf[1]/NbOfTxs is not the number of payments',
      '/body/PmtInf[1]/CtrlSum is not the sum of the amounts',
    ],
  ],
  [
    'three decimals',
    file([{ amount: '1.005' }], { sum: '1.005' }),
    [`${payment}/Amt/InstdAmt is not an amount of its currency`],
  ],
  ['an amount of zero', file([{ amount: '0.00' }]), [`${payment}/Amt/InstdAmt is zero`]],
  [
    'a negative amount',
    file([{ amount: '-1.00' }], { sum: '0' }),
    [`${payment}/Amt/InstdAmt is not an amount of its currency`],
  ],
  [
    'mixed currencies',
    file([{}, { currency: 'USD' }]),
    ['/body/PmtInf[1]/CdtTrfTxInf[2]/Amt/InstdAmt has another currency'],
  ],
  ['no day', file([{}], { day: '' }), ['/body/PmtInf[1]/ReqdExctnDt is missing']],
  [
    'a day that is none',
    file([{}], { day: '2026-02-30' }),
    ['/body/PmtInf[1]/ReqdExctnDt is not a day'],
  ],
  ...[
    '2026-01-021',
    '2026-01-02 or later',
    '2026-01-02T10:00',
    '2026-01-02T25:00:00',
    '2026-01-02+1',
    '2026-01-02+15:00',
  ].map((day): (typeof faults)[number] => [
    `a day with more behind it: ${day}`,
    file([{}], { day }),
    ['/body/PmtInf[1]/ReqdExctnDt is not a day'],
  ]),
  [
    'a day beside a time',
    file([{}], { day: '<Dt>2026-01-02</Dt><DtTm>2026-01-03T10:00:00</DtTm>' }),
    ['/body/PmtInf[1]/ReqdExctnDt/DtTm is there beside Dt'],
  ],
  [
    'an amount around an element',
    file().replace('1.00</InstdAmt>', '1<b/>0.00</InstdAmt>'),
    ['/body line 2: has text beside elements'],
  ],
  [
    'charges of the debtor',
    file([{}], { inBlock: '<ChrgBr>DEBT</ChrgBr>' }),
    ['/body/PmtInf[1]/ChrgBr is not SLEV or SHAR'],
  ],
  [
    'charges of a payment',
    file([{ before: '<ChrgBr>CRED</ChrgBr>' }]),
    [`${payment}/ChrgBr is not SLEV or SHAR`],
  ],
  ['a cheque', file().replace('>TRF<', '>CHK<'), ['/body/PmtInf[1]/PmtMtd is not TRF']],
  [
    'an equivalent amount',
    file().replace(/<InstdAmt.*?InstdAmt>/, '<EqvtAmt><Amt Ccy="EUR">1.00</Amt></EqvtAmt>'),
    [
      `${payment}/Amt/InstdAmt is missing`,
      `${payment}/Amt/InstdAmt has no currency`,
      `${payment}/Amt/InstdAmt is not an amount of its currency`,
      '/body/GrpHdr/CtrlSum is not the sum of the amounts',
    ],
  ],
  ['no name', file([{ name: '' }]), [`${payment}/Cdtr/Nm is missing`]],
  ['a long name', file([{ name: 'x'.repeat(71) }]), [`${payment}/Cdtr/Nm is longer than 70`]],
  [
    'an account number that is no IBAN',
    file([{ iban: '12345' }]),
    [`${payment}/CdtrAcct/Id/IBAN is not of the form of an IBAN`],
  ],
  [
    'a long EndToEndId',
    file([{ endToEndId: 'x'.repeat(36) }]),
    [`${payment}/PmtId/EndToEndId is too long`],
  ],
  [
    'numbers with other letters than those of ASCII',
    file([{ endToEndId: 'Größe' }], { messageId: 'Größe' }),
    [
      '/body/GrpHdr/MsgId has other characters than those of ASCII',
      `${payment}/PmtId/EndToEndId has other characters than those of ASCII`,
    ],
  ],
  ['a long MsgId', file([{}], { messageId: 'x'.repeat(36) }), ['/body/GrpHdr/MsgId is too long']],
  [
    'two references',
    file([{ more: '<RmtInf><Ustrd>a</Ustrd><Ustrd>b</Ustrd></RmtInf>' }]),
    [`${payment}/RmtInf/Ustrd is there more than once`],
  ],
  [
    'a reference of each kind',
    file([
      { more: `<RmtInf><Ustrd>a</Ustrd>${structured('<Ref>RF18539007547034</Ref>')}</RmtInf>` },
    ]),
    [`${payment}/RmtInf/Strd is there beside Ustrd`],
  ],
  [
    'a structure without a reference',
    file([{ more: `<RmtInf>${structured('<Tp/>')}</RmtInf>` }]),
    [`${payment}/RmtInf/Strd/CdtrRefInf/Ref is missing`],
  ],
  [
    'an urgent payment',
    file([{}], { inBlock: '<PmtTpInf><SvcLvl><Cd>URGP</Cd></SvcLvl></PmtTpInf>' }),
    ['/body/PmtInf[1]/PmtTpInf/SvcLvl/Cd is not SEPA or NURG'],
  ],
  [
    'an instant payment',
    file([{ before: '<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>' }]),
    [`${payment}/PmtTpInf/LclInstrm/Cd is an instant payment`],
  ],
  [
    'blocks of two accounts',
    inBlocks(file(), file([{}], { debtorIban: 'GB33BUKB20201555555555' })),
    ['/body/PmtInf[2]/DbtrAcct/Id/IBAN is another account than before'],
  ],
  [
    'blocks of two days',
    inBlocks(file(), file([{}], { day: '2026-01-03' })),
    ['/body/PmtInf[2]/ReqdExctnDt is another day than before'],
  ],
  [
    'blocks of two currencies',
    inBlocks(file(), file([{ currency: 'USD' }])),
    ['/body/PmtInf[2]/CdtTrfTxInf[1]/Amt/InstdAmt has another currency'],
  ],
  [
    'an amount that may have a sign of thousands',
    file([{ amount: '1.500' }], { sum: '1.5' }),
    [`${payment}/Amt/InstdAmt is not an amount of its currency`],
  ],
  [
    'an account number without an IBAN',
    file().replace(
      /<DbtrAcct>.*?<\/DbtrAcct>/,
      '<DbtrAcct><Id><Othr><Id>1</Id></Othr></Id></DbtrAcct>',
    ),
    ['/body/PmtInf[1]/DbtrAcct/Id/IBAN is missing'],
  ],
  ['no payment', file([]), ['/body/PmtInf[1]/CdtTrfTxInf is missing', '/body/PmtInf is missing']],
  [
    'too many payments',
    file(Array.from({ length: 1001 }, () => ({}))),
    ['/body has more than 1000 payments'],
  ],
  [
    'another message',
    file().replaceAll('pain.001.001.03', 'pain.008.001.02'),
    ['/body is not pain.001.001.03 or .09'],
  ],
  [
    'another message, with the name of ours for nothing',
    file().replace('xmlns="', 'xmlns="x" xmlns:y="'),
    ['/body is not pain.001.001.03 or .09'],
  ],
  ['no message', '<a/>', ['/body is no Document of pain.001']],
  ['nothing', '', ['/body line 1: is not well-formed XML']],
  ['a file that is cut', file().slice(0, 700), ['/body line 1: is not well-formed XML']],
  [
    'a file that is cut in a tag',
    file().slice(0, file().indexOf('<Cdtr>') + 3),
    ['/body line 2: does not end'],
  ],
  [
    'a document type',
    file([{}], { head: '<?xml version="1.0"?>\n<!DOCTYPE a>\n' }),
    ['/body line 2: has a document type or a processing instruction'],
  ],
  [
    'entities that grow',
    file([{ name: '&b;' }], { head: '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' }),
    ['/body line 1: has a document type or a processing instruction'],
  ],
  [
    'an external reference',
    file([{}], { head: '<!DOCTYPE a SYSTEM "file:///etc/passwd">' }),
    ['/body line 1: has a document type or a processing instruction'],
  ],
  [
    'a style sheet',
    file([{}], { head: '<?xml version="1.0"?><?xml-stylesheet href="http://127.0.0.1/"?>' }),
    ['/body line 1: has a document type or a processing instruction'],
  ],
  ['an entity of nobody', file([{ name: 'a&uuml;b' }]), ['/body line 2: has an entity']],
  ['a bare ampersand', file([{ name: 'a & b' }]), ['/body line 2: has an entity']],
  [
    'UTF-16',
    Buffer.from(file(), 'utf16le'),
    ['/body line 1: has a character that XML does not allow'],
  ],
  ['Latin 1', Buffer.from(file([{ name: 'Müller' }]), 'latin1'), ['/body is not UTF-8']],
  [
    'another encoding by its word',
    file([{}], { head: '<?xml version="1.0" encoding="ISO-8859-1"?>' }),
    ['/body line 1: has another encoding than UTF-8'],
  ],
  ['deep nesting', '<a>'.repeat(690_000), ['/body line 1: is nested too deeply']],
  ['many elements', `<a>${'<b/>'.repeat(500_000)}</a>`, ['/body line 1: has too many elements']],
  ['a comment without an end', `<!--${'-'.repeat(2_000_000)}`, ['/body line 1: does not end']],
  ['a tag without an end', `<a ${'b="c" '.repeat(300_000)}`, ['/body line 1: does not end']],
  ['many openings', '<'.repeat(2_000_000), ['/body line 1: does not end']],
]

for (const [what, text, told] of faults) {
  test(`${what} is refused with its place, in bounded time`, () => {
    const startedAt = performance.now()
    assert.deepEqual(faultsOf(text), told)
    assert.ok(performance.now() - startedAt < 3000)
  })
}

/** A file with a text of that length at one place. */
type Sized = (length: number) => string
const spaced = 'GB33BUKB20201555555555'.split('').join(' ')
const unstructured = (text: string) => `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`
const inStructure = (text: string) =>
  `<RmtInf><Strd><CdtrRefInf><Ref>${text}</Ref></CdtrRefInf></Strd></RmtInf>`
const bounds: [what: string, lengthMax: number, text: Sized, fault: string][] = [
  [
    'a name',
    70,
    (length) => file([{ name: 'x'.repeat(length) }]),
    `${payment}/Cdtr/Nm is longer than 70`,
  ],
  [
    'a reference',
    140,
    (length) => file([{ more: unstructured('x'.repeat(length)) }]),
    `${payment}/RmtInf/Ustrd is too long`,
  ],
  [
    'a structured reference',
    140,
    (length) => file([{ more: inStructure('x'.repeat(length)) }]),
    `${payment}/RmtInf/Ustrd is too long`,
  ],
  [
    'an EndToEndId',
    35,
    (length) => file([{ endToEndId: 'x'.repeat(length) }]),
    `${payment}/PmtId/EndToEndId is too long`,
  ],
  [
    'a MsgId',
    35,
    (length) => file([{}], { messageId: 'x'.repeat(length) }),
    '/body/GrpHdr/MsgId is too long',
  ],
  [
    'a PmtInfId',
    35,
    (length) => file().replace('BLOCK-1', 'x'.repeat(length)),
    '/body/PmtInf[1]/PmtInfId is too long',
  ],
  [
    'an IBAN in groups',
    60,
    (length) => file([{ iban: spaced.replace(' ', ' '.repeat(length - spaced.length + 1)) }]),
    `${payment}/CdtrAcct/Id/IBAN is too long`,
  ],
  [
    'an IBAN',
    34,
    (length) => file([{ iban: `GB33${'X'.repeat(length - 4)}` }]),
    `${payment}/CdtrAcct/Id/IBAN is not of the form of an IBAN`,
  ],
  [
    'an amount',
    30,
    (length) => file([{ amount: '1.00'.padStart(length, '0') }]),
    `${payment}/Amt/InstdAmt is too long`,
  ],
  [
    'a number of payments',
    15,
    (length) => file([{}], { count: '1'.padStart(length, '0') }),
    '/body/GrpHdr/NbOfTxs is too long',
  ],
]

test('a text may have the length that its place allows, and no character more', () => {
  for (const [what, lengthMax, text, fault] of bounds) {
    assert.deepEqual(faultsOf(text(lengthMax)), [], what)
    const [told] = faultsOf(text(lengthMax + 1))
    assert.equal(told, fault, what)
  }
  const short = (length: number) => faultsOf(file([{ iban: `GB33${'X'.repeat(length - 4)}` }]))
  assert.deepEqual([short(15).length, short(14).length], [0, 1])
})

const once: [path: string, ...names: string[]][] = [
  ['/body', 'GrpHdr'],
  ['/body/GrpHdr', 'MsgId', 'NbOfTxs', 'CtrlSum'],
  ['/body/PmtInf[1]', 'PmtInfId', 'PmtMtd', 'ReqdExctnDt', 'DbtrAcct'],
  [payment, 'PmtId', 'Amt', 'Cdtr', 'CdtrAcct', 'RmtInf'],
  [`${payment}/PmtId`, 'EndToEndId'],
  [`${payment}/Cdtr`, 'Nm'],
]

test('an element that says one thing is there once, has a text, and its attribute', () => {
  for (const [path, ...names] of once) {
    for (const name of names) {
      const element = new RegExp(`<${name}>(?!Ada).*?</${name}>`)
      const [told] = faultsOf(file().replace(element, '$&$&'))
      assert.equal(told, `${path}/${name} is there more than once`)
    }
  }
  const withoutText = file().replace('<Nm>Grace Hopper</Nm>', '<Nm><Id>Grace Hopper</Id></Nm>')
  assert.deepEqual(faultsOf(withoutText), [`${payment}/Cdtr/Nm is missing`])
  const withoutCurrency = faultsOf(file().replace(' Ccy="EUR"', ''))
  assert.equal(withoutCurrency[0], `${payment}/Amt/InstdAmt has no currency`)
  const messages = file().replace(/<CstmrCdtTrfInitn>.*<\/CstmrCdtTrfInitn>/, '$&$&')
  assert.deepEqual(faultsOf(messages), ['/body/GrpHdr is missing', '/body/PmtInf is missing'])
})

test('all faults of a file are told at once, and at most a hundred', () => {
  const two = faultsOf(file([{ iban: '1' }, {}, { name: '' }], { sum: '9.00' }))
  assert.deepEqual(
    two.map((told) => told.split(' ')[0]),
    [
      '/body/PmtInf[1]/CdtTrfTxInf[1]/CdtrAcct/Id/IBAN',
      '/body/PmtInf[1]/CdtTrfTxInf[3]/Cdtr/Nm',
      '/body/GrpHdr/CtrlSum',
    ],
  )
  assert.equal(faultsOf(file(Array.from({ length: 500 }, () => ({ iban: '1' })))).length, 100)
})

test('a file is sent, checked, ordered and paid; its number is taken for ever, its day may be over, its account is this one', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const own = (await bank.ada().get(`/api/v1/accounts/${bank.from}`)).body.iban as string
  const { token } = bank.ada()
  const send = (text: string | Buffer, type = 'application/xml') =>
    bank.send('POST', bank.path, { token, headers: { 'content-type': type }, body: text })
  const text = pain001(
    [{ endToEndId: 'E' }, { endToEndId: 'E', amount: '2.00' }, { iban: 'DE89370400440532013001' }],
    { debtorIban: own, messageId: 'RUN-1', day: '1999-01-01' },
  )
  const stranger = await bank.send('POST', bank.path, {
    headers: { 'content-type': 'application/xml' },
    body: '<a',
  })
  assert.equal(stranger.status, 401, 'a stranger’s file is not read')
  const made = await send(text, 'application/xml; charset=utf-8')
  assert.equal(made.status, 201, made.text)
  const { ready, executeOn, form, messageId, refusedCount } = made.body
  assert.deepEqual(
    [ready, executeOn, form, messageId, refusedCount],
    [{ count: 2, total: '3.00' }, null, 'pain.001.001.03', 'RUN-1', 1],
  )
  assert.equal((await send(text)).body.code, 'already_exists')
  assert.equal((await bank.execute(made.body.id)).status, 200)
  await bank.work()
  assert.deepEqual(await bank.lines(made.body.id), [
    '0 made',
    '1 made',
    '2 refused invalid_request',
  ])
  const at = `/api/v1/payment-lists/${made.body.id}`
  const report = await bank.ada().get(`${at}?format=pain002`)
  assert.match(report.headers['content-type'] ?? '', /^application\/xml/)
  for (const told of [
    '<OrgnlMsgId>RUN-1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.03</OrgnlMsgNmId>',
    '<OrgnlNbOfTxs>3</OrgnlNbOfTxs><OrgnlCtrlSum>4.00</OrgnlCtrlSum><GrpSts>PART</GrpSts>',
    '<OrgnlPmtInfId>BLOCK-1</OrgnlPmtInfId>',
    '<StsId>0</StsId><OrgnlEndToEndId>E</OrgnlEndToEndId><TxSts>ACSC</TxSts><AccptncDtTm>2026',
    '<OrgnlEndToEndId>E-1</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC01',
  ]) {
    assert.ok(report.text.includes(told), `${told} is not in ${report.text}`)
  }
  const accept = { headers: { accept: 'application/xml' } }
  assert.equal((await bank.ada().get(at, accept)).text.includes('<GrpSts>PART</GrpSts>'), true)
  const foreign = await send(pain001([{}], { debtorIban, messageId: 'RUN-2' }))
  assert.deepEqual(foreign.body.details, [
    { path: '/body/debtorIban', message: 'is not that of the account' },
  ])
  const later = await send(
    pain001([{}], { debtorIban: own, messageId: 'RUN-3', day: '2026-03-01', version: '09' }),
  )
  assert.deepEqual([later.body.executeOn, later.body.form], ['2026-03-01', 'pain.001.001.09'])
  assert.equal((await bank.execute(later.body.id)).status, 200)
  await bank.work()
  assert.equal(await bank.status(later.body.id), 'ordered', 'it waits for its day')
  for (const type of ['text/xml', 'application/xml; charset=iso-8859-1', 'application/pain']) {
    const refused = await send(text, type)
    assert.equal(refused.status, 415, type)
    assert.doesNotMatch(refused.body.message, /json/, 'XML is right here, in another form')
  }
  const { status } = await bank.send('POST', '/api/v1/transfers', {
    token,
    headers: { 'content-type': 'application/xml' },
    body: text,
  })
  assert.equal(status, 415, 'no other route takes XML')
  assert.equal((await send(Buffer.alloc(2 * 1024 * 1024 + 1, 0x20))).status, 413)
  await assertSound(bank)
})
