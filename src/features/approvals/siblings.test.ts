import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../../../test/support/world.ts'
import { isStaffChange } from '../../http/route.ts'
import { routes } from '../routes.ts'
import { findUnlistedSiblings } from './siblings.ts'

const movements = routes
  .filter((route) => isStaffChange(route) && route.limit === 'transfer' && !route.each)
  .map(({ operation }) => operation)

test('every change by staff that moves or reserves money has siblings, and each of them is an operation', () => {
  const operations = new Set(routes.filter(isStaffChange).map(({ operation }) => operation))
  for (const name of movements) {
    const found = findUnlistedSiblings([name])
    assert.ok(
      found.some((each) => movements.includes(each)),
      `${name} stands alone`,
    )
    for (const each of found) assert.ok(operations.has(each), each)
  }
  assert.deepEqual(findUnlistedSiblings([]), [])
  const all = [...movements, 'createUser', 'updateUser']
  assert.deepEqual(findUnlistedSiblings(all), [])
  assert.deepEqual(findUnlistedSiblings(all, true), ['linkIssuer'])
})

test('a start whose four eyes leave a way round them to one administrator says so in one line', async (t) => {
  const bank = await world(t)
  const readWarnings = async (names: string): Promise<string[]> => {
    bank.logged.length = 0
    await bank.another({ settings: { FOUR_EYES: names } })
    return bank.logged
      .map((line) => JSON.parse(line))
      .filter(({ message }) => /STRONGROOM_FOUR_EYES/.test(message))
      .map(({ level, because }) => `${level} ${because}`)
  }
  // The list of an operator of 0.2.0.
  const older =
    'createDeposit,createWithdrawal,createUser,updateUser,reverseTransfer,returnTransfer'
  assert.deepEqual(await readWarnings(older), [
    '40 captureCardPayment, captureHold, chargeBackCardPayment, clearCardPayment, ' +
      'createIncomingPayment, createPosting, loseChargeback, refundCardPayment, winChargeback, ' +
      'withdrawChargeback',
  ])
  assert.deepEqual(await readWarnings('freezeAccount'), ['40 createUser, updateUser'])
  assert.deepEqual(await readWarnings('freezeAccount,createUser,updateUser'), [])
})
