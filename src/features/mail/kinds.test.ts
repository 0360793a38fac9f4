// The traits of every kind of mail, named here once more: a mail that is of use for another time or
// that a customer may switch off all at once is noticed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenKinds, isAlert, isSentUnasked, lifetimeMs, mailKinds, noticeKinds } from './kinds.ts'

const named = (text: string): string[] => text.trim().split(/\s+/)

test('a link to set a password or to prove an address is of use for half an hour, any other mail for a day', () => {
  const short = mailKinds.filter((kind) => lifetimeMs(kind) === 30 * 60_000)
  assert.deepEqual(short, ['reset', 'email-proof'])
  const long = mailKinds.filter((kind) => lifetimeMs(kind) === 24 * 3_600_000)
  assert.deepEqual(long.length, mailKinds.length - short.length)
})

test('these mails are alerts, of which a person is sent so many in an hour', () => {
  assert.deepEqual(
    mailKinds.filter(isAlert),
    named(`new-device phone-changed payment order-refused order-paused order-made order-changed
      card-payment card-declined list-ordered list-refused draft-waiting draft-paid draft-ended
      member-invited member-changed member-ended money-arrived balance-below account-overdrawn
      card-dispute`),
  )
})

test('these mails a customer may switch off, one comes only once it is switched on, and these are of staff', () => {
  assert.deepEqual(
    chosenKinds,
    named(`payment order-refused order-paused card-payment card-declined list-refused money-arrived
      balance-below`),
  )
  assert.deepEqual(
    noticeKinds.filter((kind) => !isSentUnasked(kind)),
    ['money-arrived'],
  )
  const ofStaff = mailKinds.filter((kind) => !noticeKinds.some((each) => each === kind))
  assert.deepEqual(ofStaff, ['webhook-disabled', 'issuer-linked', 'issuer-unlinked'])
})
