// Which texts an entry may have beside its transfer: each of them alone is compared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { Entry } from './verify-sql.ts'
import { hasRightTexts } from './verify-texts.ts'

const ibans = { otto: 'DE89370400440532013000', ada: 'NO9386011117947' }
const clearing = bankAccount('clearing', 'EUR')

/** A payment to another bank, as its payer sees it. */
const paid = {
  kind: 'transfer',
  amount: -5n,
  otherAccountId: clearing,
  otherIban: null,
  salt: '00',
  reference: 'Rent',
  counterpartyName: 'Otto',
  counterpartyIban: ibans.otto,
  textsInChain: true,
  ownReference: 'Rent',
  ownName: 'Otto',
  ownIban: ibans.otto,
  ownCommitment: null,
} as const satisfies Partial<Entry>
const none = { ownName: null, ownIban: null }
const nameless = { counterpartyName: null, counterpartyIban: null }
const erased = {
  ...paid,
  ...nameless,
  ...none,
  salt: null,
  reference: '',
  ownReference: '',
  ownCommitment: '11',
}
/** Within the bank its payee sees the holder that paid. */
const got = {
  ...paid,
  ...nameless,
  amount: 5n,
  otherAccountId: 'ada',
  otherIban: ibans.ada,
  ownName: 'Ada',
  ownIban: ibans.ada,
}
const filledIn = { textsInChain: false }
const sent = { ...paid, ...none, ...filledIn, kind: 'sending', amount: 0n, ownReference: '' }
const settled = { ...sent, kind: 'settlement', ownReference: null }
/** It came back, or was brought back. */
const back = { ...paid, kind: 'return', amount: 1n }
const takenBack = { ...paid, kind: 'reversal' }

type Row = [what: string, accountKind: string, right: object, wrong: object[]]

const rows: Row[] = [
  [
    'of its payer',
    'customer',
    paid,
    [
      { ownCommitment: '11' },
      { ownReference: null },
      { ownReference: 'Food' },
      { ownName: 'Ben' },
      { ownName: null },
      { ownIban: ibans.ada },
      { ownIban: null },
    ],
  ],
  ['of an account of the bank', 'clearing', { ...paid, ...none }, [{ ownName: 'Otto' }, paid]],
  ['that has no IBAN', 'customer', { ...paid, counterpartyIban: null }, [{ ownName: 'Ben' }]],
  [
    'not filled in yet',
    'customer',
    { ...paid, ...filledIn, ...none, ownReference: null },
    [{ ownName: 'Otto' }, { ownIban: ibans.otto }, { textsInChain: true }],
  ],
  [
    'that is erased',
    'customer',
    erased,
    [
      { reference: 'Rent' },
      { counterpartyName: 'Otto' },
      { counterpartyIban: ibans.otto },
      { ownReference: 'Rent' },
      { ownReference: null },
      { ownName: 'Otto' },
      { ownIban: ibans.otto },
      { salt: '00' },
    ],
  ],
  ['of its payee', 'customer', got, [{ ownReference: 'Food' }, { ownCommitment: '11' }]],
  [
    'of its payee, filled in',
    'customer',
    { ...got, ...filledIn },
    [{ ownIban: ibans.otto }, { ownIban: null }, { otherIban: null }],
  ],
  [
    'filled in, of no holder',
    'customer',
    { ...got, ...filledIn, ...none, otherIban: null },
    [{ ownName: 'Ada' }, { ownIban: ibans.ada }, { otherIban: ibans.ada }],
  ],
  [
    'from another bank',
    'customer',
    { ...paid, kind: 'incoming', amount: 5n },
    [{ ownName: 'Ben' }, { ownIban: null }, none],
  ],
  ['that came back', 'customer', back, [{ ownName: 'Ben' }, { ownIban: ibans.ada }, none]],
  ['brought back', 'customer', takenBack, [{ ownName: 'Ben' }, { ownIban: ibans.ada }]],
  ['brought back by an older version', 'customer', { ...takenBack, ...none }, [{ ownName: 'Ben' }]],
  [
    'brought back within the bank',
    'customer',
    { ...takenBack, ...filledIn, ...none, otherAccountId: 'ada', otherIban: null },
    [{ ownIban: ibans.otto }, { ownName: 'Otto' }, { otherIban: ibans.ada }],
  ],
  [
    'of a sending',
    'clearing',
    sent,
    [
      { ownReference: null },
      { ownReference: 'Rent' },
      { ownName: 'Otto' },
      { ownIban: ibans.otto },
      { textsInChain: true },
      { ownCommitment: '11' },
    ],
  ],
  [
    'of a settlement',
    'clearing',
    settled,
    [
      { ownReference: '' },
      { ownName: 'Otto' },
      { ownIban: ibans.otto },
      { textsInChain: true },
      { ownCommitment: '11' },
    ],
  ],
]

for (const [what, accountKind, right, wrong] of rows) {
  test(`an entry ${what} has the texts of its sources, and each other one is named`, () => {
    const judge = (entry: object): boolean => hasRightTexts(accountKind, entry as Entry)
    assert.equal(judge(right), true)
    for (const change of wrong) {
      assert.equal(judge({ ...right, ...change }), false, JSON.stringify(Object.keys(change)))
    }
  })
}
