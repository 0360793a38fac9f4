import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createRandom } from '../../../test/support/random.ts'
import { compareTimes, interleave } from '../../../test/support/timing.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { wide } from '../../../test/support/limits.ts'
import { fictitiousBank, newIban, toIban } from '../../domain/iban.ts'
import { backgroundStatement } from '../../../test/support/background.ts'
import { people, world, type World } from '../../../test/support/world.ts'

const elsewhere = 'GB33BUKB20201555555555'
const answering = '/api/v1/admin/payee-checks'
/** An IBAN of this bank without an account. */
const unusedIban = toIban(fictitiousBank, '9999999999') as string

/** Ada pays from an account of hers; Ben has one too. */
async function setUp(bank: World) {
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const open = async (client: typeof ada) =>
    (await client.post('/api/v1/accounts', { currency: 'EUR' })).body
  const [from, of] = [await open(ada), await open(ben)]
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  const path = `/api/v1/accounts/${from.id}/payee-checks`
  const check = (name: string, iban = of.iban) => ada.post(path, { name, iban })
  /** What is told, without the identifier and the end of the check. */
  const told = async (name: string, iban = of.iban) => {
    const { id, expiresAt, policy: _, ...rest } = (await check(name, iban)).body
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(Date.parse(expiresAt), bank.clock.now() + 15 * 60_000)
    return rest as object
  }
  return { ada, ben, of, from, givenName, familyName, check, told, path }
}

test('a name is compared with that of the holder; only a close match tells the right one', async (t) => {
  const bank = await world(t)
  const { check, told, ben, of, givenName, familyName } = await setUp(bank)
  const name = `${givenName} ${familyName}`
  const close = `${familyName}, ${givenName.charAt(0)}.`
  assert.deepEqual(await told(name.toUpperCase()), { result: 'match' })
  assert.deepEqual(await told(close), { result: 'close_match', name })
  assert.deepEqual(await told('Mallory Nobody'), { result: 'no_match' })
  assert.deepEqual(await told(name, elsewhere), { result: 'not_possible' })
  const wrong = await check(name, elsewhere.replace('33', '34'))
  assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, '/body/iban'])
  // A closed account is none.
  assert.equal((await ben.delete(`/api/v1/accounts/${of.id}`)).status, 204)
  assert.deepEqual(await told(name), { result: 'not_possible' })
})

test('each check is in the audit trail, with the account that it was about and no name', async (t) => {
  const bank = await world(t)
  const { check, from, of } = await setUp(bank)
  await check('Mallory Nobody')
  bank.clock.advance(1000)
  await check('Mallory Nobody', elsewhere)
  const events = '/api/v1/admin/audit-events?action=checkPayee'
  const { items } = (await (await bank.as('root')).get(events)).body
  const found = items.map(({ actorId, target, outcome, detail }: Record<string, unknown>) => {
    return [actorId, target, outcome, detail]
  })
  const event = (detail: string) => [people.ada.id, from.id, 'success', detail]
  assert.deepEqual(found, [event('not_possible'), event(`no_match account ${of.id}`)])
})

test('a person asks at most ten times a minute and 60 times a day, from whichever account', async (t) => {
  const { payeeCheck: _, ...others } = JSON.parse(wide) as Record<string, unknown>
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(others) } })
  const { ada, ben, check, of, path } = await setUp(bank)
  const other = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id
  const bens = path.replace(/[\da-f-]{36}/, of.id)
  const body = { name: 'Mallory Nobody', iban: of.iban }
  const ask = async (index: number) =>
    (await ada.post(index % 2 ? path : path.replace(/[\da-f-]{36}/, other), body)).status
  for (let round = 0; round < 6; round++) {
    for (let index = 0; index < 10; index++) assert.equal(await ask(index), 200)
    assert.equal(await ask(round), 429)
    // Nothing was counted of another person.
    if (round === 0) assert.equal((await ben.post(bens, body)).status, 200)
    bank.clock.advance(61_000)
  }
  const refused = await check('Mallory Nobody')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 80_000)
})

test('new payees of this bank count as checks, whatever is paid to them, and payees elsewhere do not', async (t) => {
  const { payeeCheck: _, ...others } = JSON.parse(wide) as Record<string, unknown>
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(others) } })
  const { ada, check, from } = await setUp(bank)
  const path = `/api/v1/accounts/${from.id}/beneficiaries`
  const add = (iban: string) => ada.post(path, { name: 'Mallory Nobody', iban })
  const guess = (number: number) => toIban(fictitiousBank, `${number}`.padStart(10, '0')) as string
  const far = { country: 'NL', prefix: 'ABNA' }
  for (let round = 0; round < 6; round++) {
    for (let index = 0; index < 5; index++) {
      assert.equal((await add(guess(10 * round + index))).status, 201)
      assert.equal((await check('Mallory Nobody')).status, 200)
    }
    const refused = await add(guess(100 + round))
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    assert.equal((await check('Mallory Nobody')).status, 429)
    assert.equal((await add(newIban(far) as string)).status, 201)
    bank.clock.advance(61_000)
  }
  const refused = await add(guess(200))
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 80_000)
  const known = (await ada.get(`${path}?limit=100`)).body.items
  assert.equal(known.length, 36)
})

test('no check looks anything up while STRONGROOM_PAYEE_CHECK is off', async (t) => {
  const bank = await world(t, { settings: { PAYEE_CHECK: 'off' } })
  const { told, givenName, familyName } = await setUp(bank)
  assert.deepEqual(await told(`${givenName} ${familyName}`), { result: 'not_possible' })
  const other = await newProgram(bank, { operations: ['answerPayeeCheck'] })
  const { iban } = (await bank.sql('select iban from accounts where iban is not null')).rows[0] as {
    iban: string
  }
  const { body } = await other.post(answering, { name: `${givenName} ${familyName}`, iban })
  assert.equal(body.result, 'not_possible')
})

test('another bank asks by a program with the grant: told as a customer, and in the trail', async (t) => {
  const bank = await world(t)
  const { of, givenName, familyName } = await setUp(bank)
  const other = await newProgram(bank, { operations: ['answerPayeeCheck'] })
  const name = `${givenName} ${familyName}`
  const ask = async (asked: string, iban = of.iban) => {
    bank.clock.advance(1000)
    const { status, text, body } = await other.post(answering, { name: asked, iban })
    assert.equal(status, 201, text)
    const { id, ...told } = body
    return { id: id as string, told }
  }
  const found = [
    await ask(name.toUpperCase()),
    await ask(`${familyName} ${givenName.charAt(0)}`),
    await ask('<b>Mallory & "Nobody"</b>'),
    await ask(name, elsewhere),
    await ask(name, unusedIban),
  ]
  assert.deepEqual(
    found.map(({ told }) => told),
    [
      { result: 'match' },
      { result: 'close_match', name },
      { result: 'no_match' },
      { result: 'not_possible' },
      { result: 'not_possible' },
    ],
  )
  const events = '/api/v1/admin/audit-events?action=answerPayeeCheck'
  const { items } = (await (await bank.as('root')).get(events)).body
  assert.deepEqual(
    items.map(({ actorId, target, detail }: Record<string, unknown>) => [actorId, target, detail]),
    found
      .map(({ id, told }) => {
        const about = told.result === 'not_possible' ? '' : ` account ${of.id}`
        return [other.id, id, `${told.result}${about}`]
      })
      .toReversed(),
  )
  assert.equal((await bank.sql('select from payee_checks')).rowCount, 0)
  const without = await newProgram(bank, { operations: ['settleTransfer'] })
  assert.equal((await without.post(answering, { name, iban: of.iban })).status, 403)
})

test('another bank guesses a name twenty times an hour, and right names count for nothing', async (t) => {
  const { payeeGuess: _, ...others } = JSON.parse(wide) as Record<string, unknown>
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(others) } })
  const { of, from, givenName, familyName } = await setUp(bank)
  const operations = ['answerPayeeCheck']
  const [one, two] = [
    await newProgram(bank, { operations }),
    await newProgram(bank, { operations }),
  ]
  const ask = async (name: string, iban = of.iban, program = one) =>
    (await program.post(answering, { name, iban })).status
  const name = `${givenName} ${familyName}`
  for (let index = 0; index < 40; index++) assert.equal(await ask(name), 201)
  for (let index = 0; index < 20; index++) assert.equal(await ask('Mallory Nobody'), 201)
  const refused = await one.post(answering, { name, iban: of.iban })
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  // Each account, and each bank, by itself.
  assert.equal(await ask('Mallory Nobody', from.iban), 201)
  assert.equal(await ask('Mallory Nobody', of.iban, two), 201)
  bank.clock.advance(3_600_000 - 1)
  assert.equal(await ask(name), 429)
  bank.clock.advance(1)
  assert.equal(await ask(name), 201)
})

test('programs that pay check payees in a window of their own, of the accounts that they pay from', async (t) => {
  const { payeeAnswer: _, ...others } = JSON.parse(wide) as Record<string, unknown>
  const limits = JSON.stringify({ ...others, payeeAnswer: { burst: '3/1s', sustained: '4/1d' } })
  const bank = await world(t, { settings: { LIMITS: limits } })
  const { from, of, givenName, familyName, path } = await setUp(bank)
  const program = await newProgram(bank, { payFrom: [from.id] })
  const body = { name: `${familyName} ${givenName.charAt(0)}.`, iban: of.iban }
  const ask = async (at = path) => (await program.post(at, body)).status
  const { result, name } = (await program.post(path, body)).body
  assert.deepEqual([result, name], ['close_match', `${givenName} ${familyName}`])
  assert.equal(await ask(path.replace(from.id, of.id)), 403)
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
  bank.clock.advance(1000)
  assert.deepEqual([await ask(), await ask()], [200, 429])
})

test('an IBAN without an account takes the same statements and the same time', async (t) => {
  const bank = await world(t)
  const { path, of, ada } = await setUp(bank)
  const other = await newProgram(bank, { operations: ['answerPayeeCheck'] })
  const name = 'Mallory Nobody'
  for (const [at, { post }] of [[path, ada] as const, [answering, other] as const]) {
    const ask = (iban: string) => () => post(at, { name, iban })
    const kinds = { account: ask(of.iban), none: ask(unusedIban) }
    const asked = t.mock.method(pg.Client.prototype, 'query').mock
    const names: string[][] = []
    for (const send of Object.values(kinds)) {
      asked.resetCalls()
      await send()
      names.push(
        asked.calls
          .map((call) => (call.arguments[0] as { name?: string }).name ?? '')
          .filter((each) => each !== '' && !backgroundStatement.test(each)),
      )
    }
    asked.restore()
    assert.ok(names[0]?.includes('payee_checks_read_holder'))
    assert.deepEqual(names[0], names[1])
    // A real difference is there in each batch, that of a busy machine in one.
    const isTold = async (seed: number) => {
      const samples = await interleave(kinds, 60, createRandom(seed))
      const { shift, superiority } = compareTimes(samples['account'] ?? [], samples['none'] ?? [])
      return Math.abs(shift) > 0.3 && Math.abs(superiority - 0.5) > 0.2
    }
    const batches: boolean[] = []
    for (let seed = 1; seed <= 3 && batches.every(Boolean); seed++) batches.push(await isTold(seed))
    assert.ok(!batches.every(Boolean), at)
  }
})
