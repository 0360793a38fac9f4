// Which two requests ask for the same, whatever their bodies hold: a key stands for one of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../routes.ts'
import { isSame, toText } from './requests.ts'

type Row = [operation: string, one: object, other: object, areSame: boolean]

const cash = { amount: '5.00', currency: 'EUR', reason: '5.00' }
const none = { dailyTransferLimit: null, alertsEnabled: true }
const rows: Row[] = [
  ['createDeposit', cash, { ...cash, amount: '5' }, true],
  ['createDeposit', cash, { ...cash, amount: '5.0' }, true],
  ['createDeposit', cash, { ...cash, amount: '5.01' }, false],
  ['createDeposit', { ...cash, amount: '10' }, { ...cash, amount: '1' }, false],
  ['createDeposit', { ...cash, amount: '10.00' }, { ...cash, amount: '1.00' }, false],
  ['createDeposit', cash, { ...cash, reason: '5' }, false],
  ['createDeposit', cash, { ...cash, currency: 'USD' }, false],
  ['updateAccountSettings', none, { ...none, currency: 'EUR' }, false],
  ['updateAccountSettings', none, { ...none, alertsEnabled: false }, false],
  ['updateAccountSettings', none, { ...none, dailyTransferLimit: '0.00' }, false],
  ['updateAccountSettings', { dailyTransferLimit: '9.50' }, { dailyTransferLimit: '9.5' }, true],
  ['updateCardControls', { limits: { perDay: '9.00' } }, { limits: { perDay: '9' } }, true],
  ['updateCardControls', { limits: { perDay: '9.00' } }, { limits: { perDay: null } }, false],
  ['updateCardControls', { limits: { perDay: null } }, { limits: { perPayment: null } }, false],
  ['updateUser', { roles: ['admin'] }, { roles: ['customer'] }, false],
  ['updateUser', { roles: ['admin'] }, { roles: ['admin', 'customer'] }, false],
  ['updateUser', { roles: ['admin'] }, { roles: { 0: 'admin' } }, false],
]

test('a request is the same with an amount written otherwise, and another one by anything else', () => {
  for (const [operation, one, other, areSame] of rows) {
    const route = routes.find((each) => each.operation === operation)
    assert.ok(route, operation)
    const text = (body: object, params: object = { id: 'a' }): string =>
      toText(route, { params, query: {}, body })
    const name = `${operation} ${JSON.stringify(one)} ${JSON.stringify(other)}`
    assert.equal(isSame(route, text(one), text(other)), areSame, name)
    assert.equal(isSame(route, text(other), text(one)), areSame, name)
    assert.equal(isSame(route, text(one), text(one)), true, name)
    assert.equal(isSame(route, text(one), text(one, { id: 'b' })), false, name)
  }
})
