// The statement of an account over HTTP: JSON and all files agree, and the PDF is accessible.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { formatAmount } from '../../domain/money.ts'
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

async function readJson(bank: World, account: string) {
  const ada = await bank.as('ada')
  const get = async (format: string) => {
    const period = 'from=2026-01-01&to=2026-01-31'
    const reply = await ada.get(`/api/v1/accounts/${account}/statement?format=${format}&${period}`)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const { body } = await get('json')
  const expected: Expected = {
    opening: body.openingBalance,
    closing: body.closingBalance,
    rows: (body.entries as JsonEntry[]).map(({ id, amount, balanceAfter, ...rest }) => {
      const { counterparty, reference } = rest
      return { id, amount, balance: balanceAfter, name: counterparty?.name ?? '', reference }
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
  assert.equal(first?.[1], readStatementId(camt)?.[1])
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
