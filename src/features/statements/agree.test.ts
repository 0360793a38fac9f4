// The statement of an account over HTTP: JSON and all files agree, and the PDF is accessible.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { fc } from '../../../test/support/random.ts'
import { formatAmount } from '../../domain/money.ts'
import { deposit, openAccount } from '../../../test/support/fixture.ts'
import { type ApiClient, world, type World } from '../../../test/support/world.ts'
import {
  assertCamt,
  assertCsv,
  assertPdf,
  assertValidCamt,
  readCsv,
  type Expected,
} from '../../../test/support/statement-files.ts'

type JsonEntry = {
  id: string
  kind: string
  amount: string
  balanceAfter: string
  counterparty: { name: string } | null
  reference: string
}

const step = fc.record({
  kind: fc.constantFrom('in', 'out', 'deposit', 'reversed', 'away', 'returned'),
  cents: fc.integer({ min: 1, max: 500 }),
  reference: fc.constantFrom(
    '',
    '+1-2',
    '-cmd',
    "Ελένη's rent",
    'שלום',
    'Łódź (1/2)',
    '#&?',
    '王伟',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const steps: readonly Step[] = fc.sample(step, { numRuns: 40, seed: 20_260_102 })

/** Moves money between two customers, and to another bank and back. Returns Ada's account. */
async function createHistory(bank: World): Promise<string> {
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const send = async (client: ApiClient, at: string, body: object | undefined, headers = {}) => {
    const reply = await client.post(`/api/v1${at}`, body, { headers })
    assert.ok(reply.status < 300, `${at}: ${reply.text}`)
    return reply.body
  }
  const open = (client: ApiClient) => send(client, '/accounts', { currency: 'EUR' })
  const [own, other] = [await open(ada), await open(ben)]
  const addBeneficiary = async (client: ApiClient, id: string, name: string, iban: string) =>
    (await send(client, `/accounts/${id}/beneficiaries`, { name, iban })).id as string
  const [toBen, toAda, away] = [
    await addBeneficiary(ada, own.id, '+Ben & Söhne', other.iban),
    await addBeneficiary(ben, other.id, 'Ada', own.iban),
    await addBeneficiary(ada, own.id, 'Ольга', 'GB33BUKB20201555555555'),
  ]
  const toAmount = (cents: number) => formatAmount(BigInt(cents), 'EUR')
  const deposit = (id: string, cents: number, reason: string) => {
    const body = { amount: toAmount(cents), currency: 'EUR', reason }
    return send(root, `/admin/accounts/${id}/deposits`, body)
  }
  await deposit(own.id, 10_000, 'First')
  await deposit(other.id, 10_000, 'First')
  for (const [index, { kind, cents, reference }] of steps.entries()) {
    bank.clock.advance(1000)
    if (kind === 'deposit') {
      await deposit(own.id, cents, `Counter ${index}`)
      continue
    }
    const [client, from] = kind === 'in' ? [ben, other] : [ada, own]
    const isAway = kind === 'away' || kind === 'returned'
    const beneficiaryId = kind === 'in' ? toAda : isAway ? away : toBen
    const body = {
      fromAccountId: from.id,
      beneficiaryId,
      amount: toAmount(cents),
      reference,
    }
    const key = { 'idempotency-key': `step-${index}` }
    const { id } = await send(client, '/transfers', { ...body, currency: 'EUR' }, key)
    const transfer = `/admin/transfers/${id}`
    if (kind === 'reversed') await send(root, `${transfer}/reversal`, { reason: 'Wrong' })
    if (kind === 'returned') await send(root, `${transfer}/return`, undefined)
  }
  return own.id
}

async function readJson(bank: World, account: string, period = 'from=2026-01-01&to=2026-01-31') {
  const ada = await bank.as('ada')
  const get = async (format: string) => {
    const reply = await ada.get(`/api/v1/accounts/${account}/statement?format=${format}&${period}`)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const { body } = await get('json')
  const expected: Expected = {
    opening: body.openingBalance,
    closing: body.closingBalance,
    isFinal: Date.parse(body.to) < bank.clock.now(),
    rows: (body.entries as JsonEntry[]).map(({ id, kind, amount, balanceAfter, ...rest }) => {
      const { counterparty, reference } = rest
      return { id, kind, amount, balance: balanceAfter, name: counterparty?.name ?? '', reference }
    }),
  }
  return { expected, get }
}

test('pages of JSON, CSV, PDF and camt.053 of an account agree after any history', async (t) => {
  const bank = await world(t)
  const account = await createHistory(bank)
  const { expected, get } = await readJson(bank, account)
  assert.ok(expected.rows.length >= 41)
  assertCsv(readCsv((await get('csv')).bytes), expected, 'EUR')
  const camt = (await get('camt053')).bytes
  await assertValidCamt([camt])
  assertCamt(camt, expected, 'EUR')
  await assertPdf((await get('pdf')).bytes, expected, '2026-01')

  const readStatementId = (xml: Buffer) =>
    /<Stmt><Id>(\w+)<\/Id>(<ElctrncSeqNb>\d+)?/.exec(xml.toString())
  assert.equal(readStatementId(camt)?.[2], undefined, 'a month that is not over has no number yet')
  // An entry of the month may be committed after its end.
  bank.clock.advance(Date.UTC(2026, 1, 1, 1) - 1 - bank.clock.now())
  Object.assign(await bank.as('ada'), await bank.login('ada'))
  assert.equal(readStatementId((await get('camt053')).bytes)?.[2], undefined)
  bank.clock.advance(1)
  const [first, second] = [
    readStatementId((await get('camt053')).bytes),
    readStatementId((await get('camt053')).bytes),
  ]
  assert.equal(first?.[2], '<ElctrncSeqNb>1')
  assert.deepEqual(first?.slice(), second?.slice(), 'the same month has the same number')
  assert.notEqual(first?.[1], readStatementId(camt)?.[1])
})

test('an entry at the first or last millisecond of a period is in it, and in no neighbour, in every form', async (t) => {
  const bank = await world(t)
  const account = await openAccount(await bank.as('ada'))
  const times = [
    '01-31T23:59:59.999Z',
    '02-01T00:00:00.000Z',
    '02-28T23:59:59.999Z',
    '03-01T00:00:00.000Z',
  ]
  for (const [index, time] of times.entries()) {
    bank.clock.advance(Date.parse(`2026-${time}`) - bank.clock.now())
    Object.assign(await bank.as('root'), await bank.login('root'))
    await deposit(await bank.as('root'), account, `${index + 1}.00`)
  }
  bank.clock.advance(40 * 86_400_000)
  Object.assign(await bank.as('ada'), await bank.login('ada'))
  const cases: [from: string, to: string, label: string, opening: string, amounts: string[]][] = [
    ['2026-01-01', '2026-01-31', '2026-01', '0.00', ['1.00']],
    ['2026-02-01', '2026-02-28', '2026-02', '1.00', ['2.00', '3.00']],
    ['2026-03-01', '2026-03-31', '2026-03', '6.00', ['4.00']],
    // Times in place of days, with an offset and finer than milliseconds.
    [
      '2026-02-01T01:00:00.0009%2B01:00',
      '2026-02-28t23:59:59.9989z',
      '2026-02-01-2026-02-28',
      '1.00',
      ['2.00'],
    ],
  ]
  for (const [from, to, label, opening, amounts] of cases) {
    const { expected, get } = await readJson(bank, account, `from=${from}&to=${to}`)
    assert.equal(expected.opening, opening)
    assert.deepEqual(
      expected.rows.map(({ amount }) => amount),
      amounts,
    )
    assertCsv(readCsv((await get('csv')).bytes), expected, 'EUR')
    assertCamt((await get('camt053')).bytes, expected, 'EUR')
    await assertPdf((await get('pdf')).bytes, expected, label)
    const path = `/api/v1/accounts/${account}/balances?from=${from}&to=${to}`
    const { body } = await (await bank.as('ada')).get(path)
    const { openingBalance, closingBalance, entryCount } = body
    assert.deepEqual([openingBalance, closingBalance], [opening, expected.closing])
    assert.equal(entryCount, amounts.length)
    const list = await (await bank.as('ada')).get(path.replace('balances', 'transactions'))
    assert.deepEqual(list.body.items.map(({ amount }: JsonEntry) => amount).toReversed(), amounts)
  }
})

const execute = promisify(execFile)
const jar = process.env['STRONGROOM_TEST_VERAPDF']

test(
  'a PDF keeps to PDF/UA-1, as veraPDF judges it',
  { skip: jar ? false : 'STRONGROOM_TEST_VERAPDF does not name greenfield-apps.jar of veraPDF' },
  async (t) => {
    const bank = await world(t)
    const account = await createHistory(bank)
    const { get } = await readJson(bank, account)
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-pdf-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'statement.pdf')
    await writeFile(file, (await get('pdf')).bytes)
    const program = ['-cp', jar as string, 'org.verapdf.apps.GreenfieldCliWrapper']
    const { stdout } = await execute('java', [
      ...program,
      '--flavour',
      'ua1',
      '--format',
      'text',
      file,
    ])
    assert.match(stdout, /^PASS /)
  },
)
