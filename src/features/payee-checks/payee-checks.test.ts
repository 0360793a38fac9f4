import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wide } from '../../../test/support/limits.ts'
import { fictitiousBank, newIban, toIban } from '../../domain/iban.ts'
import { people, world, type World } from '../../../test/support/world.ts'

const elsewhere = 'GB33BUKB20201555555555'

/** Ada pays from an account of hers; Ben has one too. */
async function setUp(bank: World) {
  const [ada, ben] = [await bank.as('ada'), await bank.as('ben')]
  const open = async (client: typeof ada) =>
    (await client.post('/api/v1/accounts', { currency: 'EUR' })).body
  const [from, of] = [await open(ada), await open(ben)]
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  const path = `/api/v1/accounts/${from.id}/payee-checks`
  const check = (name: string, iban = of.iban) => ada.post(path, { name, iban })
  return { ada, ben, of, from, givenName, familyName, check, path }
}

test('a name is compared with that of the holder; only a close match tells the right one', async (t) => {
  const bank = await world(t)
  const { check, ben, of, givenName, familyName } = await setUp(bank)
  const name = `${givenName} ${familyName}`
  const close = `${familyName}, ${givenName.charAt(0)}.`
  assert.deepEqual((await check(name.toUpperCase())).body, { result: 'match' })
  assert.deepEqual((await check(close)).body, { result: 'close_match', name })
  assert.deepEqual((await check('Mallory Nobody')).body, { result: 'no_match' })
  assert.deepEqual((await check(name, elsewhere)).body, { result: 'not_possible' })
  const wrong = await check(name, elsewhere.replace('33', '34'))
  assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, '/body/iban'])
  // A closed account is none.
  assert.equal((await ben.delete(`/api/v1/accounts/${of.id}`)).status, 204)
  assert.deepEqual((await check(name)).body, { result: 'not_possible' })
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
    // Of another person nothing was counted.
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
  const { check, givenName, familyName } = await setUp(bank)
  assert.deepEqual((await check(`${givenName} ${familyName}`)).body, { result: 'not_possible' })
})
