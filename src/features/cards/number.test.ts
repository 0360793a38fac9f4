// Card numbers are valid test numbers, and are stored and shown nowhere.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { openDatabase } from '../../database/connections/connect.ts'
import { dump } from '../../../test/support/database-dump.ts'
import { world } from '../../../test/support/world.ts'
import { issueCard } from './lifecycle.ts'
import { toStoredNumber, maskedCardNumber, newNumber } from './number.ts'

/** Luhn's formula, independent of the implementation. */
function isLuhn(digits: string): boolean {
  const values = [...digits].toReversed().map((digit) => Number.parseInt(digit, 10))
  const sum = values.reduce((total, value, index) => {
    if (index % 2 === 0) return total + value
    return total + (value < 5 ? value * 2 : value * 2 - 9)
  }, 0)
  return sum % 10 === 0
}

test('a number has 16 digits with a valid check digit, in an unassigned range', () => {
  assert.ok(isLuhn('4111111111111111') && !isLuhn('4111111111111112'))
  const numbers = new Set(Array.from({ length: 1000 }, newNumber))
  for (const number of numbers) assert.match(number, /^999900\d{10}$/)
  assert.ok([...numbers].every(isLuhn))
  assert.ok(numbers.size > 990)
})

test('the stored parts of a number are four digits and a keyed hash', () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const { lastFour, hmac, ...rest } = toStoredNumber('9999001234567890', key)
  assert.deepEqual([lastFour, rest], ['7890', {}])
  assert.deepEqual(hmac, createHmac('sha256', key).update('9999001234567890').digest())
  assert.notDeepEqual(hmac, toStoredNumber('9999001234567890', other).hmac)
  assert.equal(maskedCardNumber(lastFour), '•••• •••• •••• 7890')
})

/** Runs of 13 to 19 digits that pass the formula, also with separators, but not in a UUID. */
function numbersIn(text: string): string[] {
  const withoutIds = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
  const runs = withoutIds.match(/(?<![0-9A-Za-z])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z])/g) ?? []
  return runs.filter((run) => isLuhn(run.replace(/[ -]/g, '')))
}

test('no card number is in the database, in a response or in the log', async (t) => {
  assert.deepEqual(numbersIn('a 4111-1111-1111-1111 b'), ['4111-1111-1111-1111'])
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const { id: account } = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body
  const replies = []
  for (let turn = 0; turn < 8; turn++) {
    const issued = await (turn % 2 ? ada : root).post(`/api/v1/accounts/${account}/cards`, {})
    const card = `/api/v1/cards/${issued.body.id}`
    replies.push(
      issued,
      await ada.get(card),
      await ada.post(`${card}/freeze`),
      await root.put(card, { status: 'cancelled' }),
      await ada.post(`${card}/unfreeze`),
    )
  }
  replies.push(await root.get(`/api/v1/accounts/${account}/cards`))
  for (const { text, headers } of replies) {
    assert.deepEqual(numbersIn(text + JSON.stringify(headers)), [])
    assert.doesNotMatch(text, /999900\d|hmac/i)
  }
  // The log of a failed insert has no number either.
  await bank.sql(`alter table cards add constraint cursed check (nickname <> 'curse')`)
  const failed = await ada.post(`/api/v1/accounts/${account}/cards`, { nickname: 'curse' })
  assert.equal(failed.status, 500)

  const everything = await dump(bank)
  const shown = replies[0]?.body.maskedNumber as string
  assert.ok(everything.includes(shown.slice(-4)), 'the last four digits are stored')
  for (const text of [everything, bank.logged.join('')]) {
    assert.deepEqual(numbersIn(text), [])
    assert.doesNotMatch(text, /999900\d/)
  }
})

test('a number that is taken is not assigned again: another one is generated', async (t) => {
  const bank = await world(t)
  const { id: accountId } = (
    await (await bank.as('ada')).post('/api/v1/accounts', { currency: 'EUR' })
  ).body
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const card = { accountId, nickname: null, now: bank.clock.now() }
  const key = Buffer.alloc(32, 7)
  const [taken, free] = ['9999000000000009', '9999000000000017']
  await issueCard(db, card, key, () => taken)
  const numbers = [taken, taken, free]
  const issued = await issueCard(db, card, key, () => numbers.shift() as string)
  assert.equal(issued.lastFour, '0017')
  await assert.rejects(
    issueCard(db, card, key, () => taken),
    /cards_number_key/,
  )
  const { rows } = await bank.sql('select last_four from cards order by 1')
  assert.deepEqual(rows, [{ last_four: '0009' }, { last_four: '0017' }])
})
