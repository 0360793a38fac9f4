// Banks of other countries, numbers of a sponsor bank, and which IBANs are of this bank.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import { requireFittingSettings } from '../src/cli/bank-settings.ts'
import { readConfig } from '../src/config/config.ts'
import { openDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { germanMethods } from '../src/domain/check-digits.ts'
import { fictitiousBank, toIban } from '../src/domain/iban.ts'
import { StartupError } from '../src/domain/startup-error.ts'
import { addToPool, ibanSource } from '../src/features/accounts/ibans.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  patiently,
  transferBody,
} from './support/fixture.ts'
import { freePort } from './support/program.ts'
import { newProgram } from './support/service-accounts.ts'
import { type ApiClient, people, world, type World } from './support/world.ts'

const accounts = '/api/v1/accounts'
/** A right number of the code that no bank has. */
const fictitious = (number: number): string =>
  toIban(fictitiousBank, `${number}`.padStart(10, '0')) ?? ''

const open = (client: ApiClient, more: object = {}) =>
  client.post(accounts, { currency: 'EUR', ...more })
const openFor = (client: Pick<ApiClient, 'post'>, iban: string) =>
  client.post(accounts, { currency: 'EUR', ownerId: people.ada.id, iban })

async function payTo(ada: ApiClient, from: string, iban: string) {
  const payee = { name: 'Payee', iban, nickname: iban.slice(-8) }
  const added = await ada.post(`${accounts}/${from}/beneficiaries`, payee)
  assert.equal(added.status, 201, added.text)
  const body = {
    fromAccountId: from,
    beneficiaryId: added.body.id,
    amount: '1.00',
    currency: 'EUR',
  }
  return ada.post('/api/v1/transfers', { ...body, reference: 'Test' })
}

async function addIbans({ address }: World, ibans: readonly string[]): Promise<number> {
  const db = openDatabase(address)
  try {
    return await transaction(db, (tx) => addToPool(tx, ibans))
  } finally {
    await db.close()
  }
}

const countries = [
  ['NL/ABNA', 'MARKNLFF', /^NL\d\dABNA\d{10}$/, 'NL20INGB0001234567'],
  ['GB/NWBK601613', 'NWBKGB2L', /^GB\d\dNWBK601613\d{8}$/, 'GB82WEST12345698765432'],
  ['FR/2004101005', 'PSSTFRPP', /^FR\d\d2004101005\d{13}$/, 'FR7630006000011234567890189'],
  ['ES/21000418', 'CAIXESBB', /^ES\d\d21000418\d{12}$/, 'ES7921000813610123456789'],
  ['NO/8601', 'DNBANOKK', /^NO\d\d8601\d{7}$/, 'NO8330001234567'],
  ['CZ/0800', 'GIBACZPX', /^CZ\d\d0800\d{16}$/, 'CZ5508000000001234567899'],
] as const

for (const [code, bic, form, elsewhere] of countries) {
  test(`a bank of ${code} gives its numbers, pays itself at once and another through clearing`, async (t) => {
    const also = code.startsWith('CZ') ? { BANK_ALSO: 'DE/37040044' } : {}
    const bank = await world(t, { settings: { BANK: code, BIC: bic, ...also } })
    const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
    const [mine, theirs] = [(await open(ada)).body, (await open(ben)).body]
    for (const { iban } of [mine, theirs]) {
      assert.match(iban, form)
      assert.ok(isValidIBAN(iban))
    }
    await deposit(root, mine.id, '10.00')
    const inside = await payTo(ada, mine.id, theirs.iban)
    assert.deepEqual([inside.status, inside.body.status], [201, 'completed'], inside.text)
    const isOwn = code.startsWith('CZ')
    const outside = await payTo(ada, mine.id, isOwn ? 'DE89370400440532013000' : elsewhere)
    if (isOwn) assert.deepEqual([outside.status, outside.body.code], [409, 'account_closed'])
    else assert.deepEqual([outside.status, outside.body.status], [201, 'pending'], outside.text)
    // The fictitious code is now that of another bank, and an own number without an account is not.
    const other = await payTo(ada, mine.id, fictitious(1))
    assert.deepEqual([other.status, other.body.status], [201, 'pending'], other.text)
    await assertSound(bank)
  })
}

test('few numbers are given out one after the other, each once, also by two instances at once', async (t) => {
  const settings = { BANK: 'NO/860111' }
  const bank = await world(t, { settings })
  const second = await bank.another({ settings })
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  // The first number is given by hand: the sequence passes it.
  const digits = (number: number) => `${number}`.padStart(4, '0')
  const made = Array.from({ length: 60 }, (_, number) =>
    toIban({ country: 'NO', prefix: '860111' }, digits(number)),
  ).filter((iban) => iban !== undefined)
  const root = await bank.as('root')
  assert.equal((await openFor(root, made[0] as string)).status, 201)
  const replies = await many(24, async (index) => {
    const { token } = index % 2 === 0 ? ada : ben
    const { send } = index % 4 < 2 ? bank : second
    return patiently(() => send('POST', accounts, { token, body: { currency: 'EUR' } }))
  })
  const given = replies.map(({ body }) => body.iban as string)
  assert.deepEqual(given.toSorted(), made.slice(1, 25).toSorted())
})

test('a German bank with a check digit method gives numbers that pass it', async (t) => {
  const bank = await world(t, { settings: { BANK: 'DE/37040044', BANK_CHECK: '13' } })
  const ada = await bank.as('ada')
  for (let turn = 0; turn < 5; turn++) {
    const { iban } = (await open(ada)).body
    assert.match(iban, /^DE\d\d37040044/)
    assert.equal(germanMethods['13'].fill(iban.slice(4)), iban.slice(4), iban)
  }
})

test('when every number is given out, accounts are refused as unavailable, and none is made up', async (t) => {
  const bank = await world(t, { settings: { BANK: 'DE/007700770000000' } })
  const ada = await bank.as('ada')
  await bank.sql(`insert into iban_sequences values ('DE/007700770000000', 998)`)
  assert.match((await open(ada)).body.iban, /^DE\d\d007700770000000998$/)
  assert.match((await open(ada)).body.iban, /^DE\d\d007700770000000999$/)
  const { status, body, headers } = await open(ada)
  assert.deepEqual([status, body.code, headers['retry-after']], [503, 'unavailable', '60'])
})

const pooled = Array.from(
  { length: 12 },
  (_, number) =>
    toIban({ country: 'IE', prefix: 'AIBK931152' }, `4${number}`.padStart(8, '0')) ?? '',
)
const pool = { BANK: 'IE/AIBK931152', IBANS: 'pool' }
const left = async ({ running }: World) => {
  await running.measuring.read()
  const reply = await fetch(`http://127.0.0.1:${running.config.metricsPort}/metrics`)
  return /^strongroom_ibans_left (\S+)$/m.exec(await reply.text())?.[1]
}

test("a sponsor's numbers are taken in their order, each once, and an empty pool gives none", async (t) => {
  const bank = await world(t, { settings: { ...pool, METRICS_PORT: `${await freePort()}` } })
  const second = await bank.another({ settings: { METRICS_PORT: '0' } })
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  assert.deepEqual([(await open(ada)).status, await left(bank)], [503, '0'])
  assert.equal(await addIbans(bank, pooled), 12)
  assert.equal(await addIbans(bank, pooled), 0)
  assert.deepEqual([(await open(ada)).body.iban, await left(bank)], [pooled[0], '11'])
  const replies = await many(30, async (index) => {
    const { token } = index % 2 === 0 ? ada : ben
    const { send } = index % 4 < 2 ? bank : second
    return send('POST', accounts, { token, body: { currency: 'EUR' }, isPatient: false })
  })
  const given = replies
    .filter(({ status }) => status === 201)
    .map(({ body }) => body.iban as string)
  assert.deepEqual(given.toSorted(), pooled.slice(1).toSorted())
  const refused = replies.filter(({ status }) => status !== 201)
  for (const { status, body } of refused)
    assert.deepEqual([status, body.code], [503, 'unavailable'])
  // Numbers of accounts are not added again, closed ones included.
  assert.deepEqual([await addIbans(bank, pooled), await left(bank)], [0, '0'])
})

test('an account that is being opened holds no other one up: a locked number is passed', async (t) => {
  const bank = await world(t, { settings: pool })
  await addIbans(bank, pooled.slice(0, 2))
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const source = ibanSource(bank.running.config)
  await transaction(db, async (first) => {
    assert.equal(await source(first), pooled[0])
    assert.equal(await transaction(db, async (second) => source(second)), pooled[1])
  })
})

test('a number that is given by hand leaves the pool', async (t) => {
  const bank = await world(t, { settings: { ...pool, METRICS_PORT: `${await freePort()}` } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  await addIbans(bank, pooled.slice(0, 3))
  assert.equal((await openFor(root, pooled[0] as string)).status, 201)
  assert.equal((await open(ada)).body.iban, pooled[1])
  assert.equal(await left(bank), '1')
})

test('a number of a bank that the settings name no longer is left in the pool, and not counted', async (t) => {
  const settings = { ...pool, METRICS_PORT: `${await freePort()}` }
  const bank = await world(t, { settings })
  await addIbans(bank, [fictitious(1), fictitious(2), pooled[0] as string])
  assert.equal(await left(bank), '1')
  const ada = await bank.as('ada')
  assert.equal((await open(ada)).body.iban, pooled[0])
  assert.deepEqual([(await open(ada)).status, await left(bank)], [503, '0'])
  const both = await bank.another({ settings: { BANK_ALSO: 'DE/00770077', METRICS_PORT: '0' } })
  const { token } = ada
  const { body } = await both.send('POST', accounts, { token, body: { currency: 'EUR' } })
  assert.equal(body.iban, fictitious(1))
})

test("staff and programs open an account with a number of the bank's: taken 409, of another bank 400", async (t) => {
  const bank = await world(t, { settings: { BANK_ALSO: 'DE/37040044,FR/2004101005' } })
  const [ada, root, agnes] = [await bank.as('ada'), await bank.as('root'), await bank.as('agnes')]
  const program = await newProgram(bank, { operations: ['openAccount'] })
  const own = fictitious(1)
  for (const [client, iban] of [
    [root, own],
    [program, 'DE89370400440532013000'],
    [root, 'FR1420041010050500013M02606'],
  ] as const) {
    const { status, body, text } = await openFor(client, iban)
    assert.deepEqual([status, body.iban], [201, iban], text)
    const again = await openFor(client, iban)
    assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
  }
  for (const iban of [
    'GB82WEST12345698765432',
    fictitious(1).replace(/^DE../, 'DE00'),
    'DE12500105170648489890',
  ]) {
    const { status, body } = await openFor(root, iban)
    assert.deepEqual([status, body.details?.[0].path], [400, '/body/iban'], iban)
  }
  for (const client of [ada, agnes]) {
    assert.equal((await openFor(client, fictitious(2))).status, 403)
  }
  assert.equal((await open(ada, { iban: fictitious(2) })).status, 403)
  // A closed account keeps its number.
  const { id } = (await openFor(root, fictitious(2))).body
  assert.equal((await root.delete(`${accounts}/${id}`)).status, 204)
  assert.equal((await openFor(root, fictitious(2))).body.code, 'already_exists')
})

test('50 requests for one number open one account', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const replies = await many(50, () => openFor(root, fictitious(1)))
  const counts = Map.groupBy(replies, ({ status, body }) => `${status} ${body.code ?? ''}`)
  assert.equal(counts.get('201 ')?.length, 1)
  assert.equal(counts.get('409 already_exists')?.length, 49)
})

const fits = (bank: World, settings: Record<string, string>) => {
  const named = Object.entries(settings).map(([name, text]) => [`STRONGROOM_${name}`, text])
  const config = readConfig(Object.fromEntries(named))
  return requireFittingSettings(config, bank.address, bank.clock)
}

test('a start is refused in one line while an open account is of a bank that is not named', async (t) => {
  const bank = await world(t)
  const ada = await bank.as('ada')
  const id = await openAccount(ada)
  await fits(bank, {})
  await fits(bank, { BANK: 'NL/ABNA', BANK_ALSO: 'DE/00770077' })
  await assert.rejects(fits(bank, { BANK: 'NL/ABNA' }), (thrown) => {
    assert.ok(thrown instanceof StartupError)
    assert.equal(
      thrown.message,
      'There are open accounts of DE/00770077, which neither STRONGROOM_BANK nor ' +
        'STRONGROOM_BANK_ALSO names.',
    )
    return true
  })
  await ada.delete(`${accounts}/${id}`)
  await fits(bank, { BANK: 'NL/ABNA' })
})

test('a bank of letters and one behind a check letter are recognised in the books', async (t) => {
  for (const code of ['IT/0542811101', 'GB/NWBK601613']) {
    const bank = await world(t, { settings: { BANK: code } })
    const [from] = [await openAccount(await bank.as('ada'))]
    await fits(bank, { BANK: code })
    await assert.rejects(fits(bank, {}), new RegExp(`open accounts of ${code},`))
    const to = await openAccount(await bank.as('ada'))
    await deposit(await bank.as('root'), from, '5.00')
    const paid = await (await bank.as('ada')).post('/api/v1/transfers', transferBody(from, to))
    assert.equal(paid.status, 201)
  }
})
