// Whose right decides about a movement on an account of another customer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Member, memberRights } from '../../gate/members.ts'
import { accountsOfMembers, actedOn, refuseMember } from './members.ts'
import { kinds, type Movement } from './movement.ts'

const caller = { userId: 'ada', sessionId: 's', kid: null, role: 'customer' }
const byMember = { ...caller, memberFor: 'owner' }
const movement = (more: object = {}): Movement =>
  ({
    kind: 'transfer',
    fromAccountId: 'from',
    toAccountId: 'to',
    beneficiaryId: 'payee',
    caller: byMember,
    ...more,
  }) as unknown as Movement
const member = (more: object = {}): Member =>
  ({
    personId: 'ada',
    accountId: 'from',
    ownerId: 'owner',
    rights: 'pay',
    until: null,
    ...more,
  }) as unknown as Member
const sides = { from: { id: 'from', ownerId: 'owner' }, to: { id: 'to', ownerId: 'owner' } }

test('a member pays with that right alone, on the account of that owner, for itself', () => {
  const judge = (...members: Member[]) => refuseMember(movement(), sides, members)
  assert.equal(judge(), 'forbidden')
  for (const rights of memberRights) {
    assert.equal(judge(member({ rights })), rights === 'pay' ? undefined : 'forbidden', rights)
  }
  for (const other of [{ personId: 'ben' }, { accountId: 'to' }, { ownerId: 'ben' }]) {
    assert.equal(judge(member(other)), 'forbidden', Object.keys(other)[0])
  }
  assert.equal(judge(member({ rights: 'view' }), member()), undefined)
})

test('to another account of the owner a member pays with the right on both, and takes back with that on the payer', () => {
  const onTo = member({ accountId: 'to' })
  const within = movement({ beneficiaryId: undefined })
  assert.equal(refuseMember(within, sides, [member()]), 'forbidden')
  assert.equal(refuseMember(within, sides, [onTo]), 'forbidden')
  assert.equal(refuseMember(within, sides, [member(), onTo]), undefined)
  // A cancellation pays back to the account that has paid.
  const cancellation = movement({ kind: 'cancellation', beneficiaryId: undefined })
  assert.equal(refuseMember(cancellation, sides, [member()]), 'forbidden')
  assert.equal(refuseMember(cancellation, sides, [onTo]), undefined)
})

test('a member makes no movement of another kind, and an owner needs no right', () => {
  const both = [member(), member({ accountId: 'to' })]
  for (const kind of [...kinds, 'hold', 'sending', 'settlement']) {
    const isAllowed = kind === 'transfer' || kind === 'cancellation'
    const code = isAllowed ? undefined : 'forbidden'
    assert.equal(refuseMember(movement({ kind }), sides, both), code, kind)
    assert.equal(refuseMember(movement({ kind, caller }), sides, []), undefined, kind)
  }
})

test('no person behind a movement by staff is a member of an account that it moves', () => {
  const deposit = (notOf?: string[]) => movement({ kind: 'deposit', caller, notOf })
  for (const accountId of ['from', 'to']) {
    const members = [member({ personId: 'ben' }), member({ accountId, rights: 'view' })]
    assert.equal(refuseMember(deposit(['root', 'ada']), sides, members), 'forbidden', accountId)
    assert.equal(refuseMember(deposit(['root']), sides, members), undefined, accountId)
    assert.equal(refuseMember(deposit(), sides, members), undefined, accountId)
  }
  const elsewhere = [member({ accountId: 'other' })]
  assert.equal(refuseMember(deposit(['ada']), sides, elsewhere), undefined)
})

test('members are read of the accounts of a movement by one of them, or by staff with people behind it', () => {
  const accounts = ['from', 'to']
  assert.deepEqual(accountsOfMembers(movement()), accounts)
  assert.deepEqual(accountsOfMembers(movement({ caller, notOf: ['ada'] })), accounts)
  for (const notOf of [undefined, []]) {
    assert.deepEqual(accountsOfMembers(movement({ caller, notOf })), [])
  }
  for (const kind of kinds) {
    assert.equal(actedOn(movement({ kind })), kind === 'cancellation' ? 'to' : 'from', kind)
  }
})
