// What is so of each kind of movement, told once more: a kind that changes sides fails here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencies } from '../../domain/money.ts'
import { bankAccount } from './internal-accounts.ts'
import {
  canBeNumbered,
  goesElsewhere,
  isBack,
  isCaptureKind,
  isForced,
  isOfCard,
  isPosting,
  type Kind,
  kinds,
  mayGoElsewhere,
  passesBlocks,
  statusAfter,
} from './movement.ts'

const judges = {
  numbered: canBeNumbered,
  capture: isCaptureKind,
  card: isOfCard,
  elsewhere: mayGoElsewhere,
  unblocked: passesBlocks,
  forced: isForced,
  back: isBack,
  posting: isPosting,
} as const satisfies Record<string, (kind: Kind) => boolean>

const traits: Record<Kind, string> = {
  transfer: 'elsewhere',
  deposit: '',
  withdrawal: '',
  reversal: 'unblocked back',
  return: 'numbered elsewhere unblocked back',
  incoming: 'numbered',
  cancellation: 'unblocked back',
  capture: 'numbered capture unblocked',
  card: 'numbered capture card unblocked',
  clearing: 'numbered capture card unblocked forced',
  refund: 'numbered card',
  chargeback: 'numbered card',
  takeback: 'card unblocked forced back',
  fee: 'numbered unblocked posting',
  interest: 'numbered unblocked posting',
  correction: 'numbered unblocked posting',
}

const told = (kind: string): string =>
  Object.entries(judges)
    .flatMap(([trait, judge]) => (judge(kind as Kind) ? [trait] : []))
    .join(' ')

test('each kind has exactly its traits', () => {
  for (const kind of kinds) assert.equal(told(kind), traits[kind], kind)
})

test('a step that moves no money has none of them, whatever an object has', () => {
  const { unblocked: _, ...others } = judges
  for (const kind of ['sending', 'settlement', 'hold', 'toString', '__proto__', '']) {
    for (const [trait, judge] of Object.entries(others)) assert.ok(!judge(kind), `${kind} ${trait}`)
  }
})

test('what brings money back leaves its transfer returned or cancelled, or as it is', () => {
  const after: Partial<Record<Kind, string>> = { return: 'returned', cancellation: 'cancelled' }
  for (const kind of kinds) assert.equal(statusAfter(kind), after[kind], kind)
})

test('to another bank goes what may, and into clearing alone', () => {
  for (const currency of currencies) {
    for (const kind of kinds) {
      const isElsewhere = kind === 'transfer' || kind === 'return'
      const to = (code: 'clearing' | 'suspense') =>
        goesElsewhere({ kind, currency, toAccountId: bankAccount(code, currency) })
      assert.deepEqual([to('clearing'), to('suspense')], [isElsewhere, false], kind)
    }
  }
})
