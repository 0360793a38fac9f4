// From which amount on two people sign, and whether a payment is the one that was signed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeSignatures,
  type DraftPerson,
  isOfDraft,
  isVoid,
  judgeSignature,
  signaturesFromAt,
  signaturesNeeded,
  type StoredSignatures,
  waitingSignatures,
} from './signatures.ts'

const draft = {
  accountId: 'from',
  beneficiaryId: null,
  toAccountId: 'to',
  amount: 100n,
  reference: 'Rent',
} as const
const movement = { fromAccountId: 'from', toAccountId: 'to', amount: 100n, reference: 'Rent' }
const payee = { ...draft, toAccountId: null, beneficiaryId: 'payee' }
const toPayee = { ...movement, toAccountId: 'clearing', beneficiaryId: 'payee' }

const of = (signed: object, paid: typeof movement): boolean =>
  isOfDraft(signed as Parameters<typeof isOfDraft>[0], paid)

test('a payment has every term of its draft, or is another one', () => {
  assert.ok(of(draft, movement))
  assert.ok(of(payee, toPayee), 'the account of a payee is found when it is paid')
  const others = {
    fromAccountId: 'other',
    toAccountId: 'other',
    beneficiaryId: 'other',
    amount: 101n,
    reference: '',
  } satisfies Record<keyof typeof toPayee, string | bigint>
  for (const [term, other] of Object.entries(others)) {
    assert.ok(!of(draft, { ...movement, [term]: other }), term)
    if (term !== 'toAccountId') assert.ok(!of(payee, { ...toPayee, [term]: other }), term)
  }
  const { beneficiaryId: _, ...plain } = toPayee
  assert.ok(!of(payee, plain), 'without its payee')
})

type Person = Partial<DraftPerson>
const at = 1000
/** A draft that Ada has made and Ben is about to sign, which waits to the millisecond after. */
const standing = (more: object = {}, people: Record<string, Person> = {}) => ({
  ...draft,
  id: 'draft',
  makerId: 'ada',
  status: 'waiting',
  expiresAt: new Date(at + 1),
  signedBy: ['ada'],
  ...more,
  people: ['ada', 'ben', 'both'].map((personId) => ({
    personId,
    rights: 'pay' as const,
    until: null,
    most: null,
    isRevoked: false,
    ...people[personId],
  })),
})
const both = { signedBy: ['ada', 'both'] }
const prepared = { signedBy: [] }
const over = { until: new Date(at) }
const open = { until: new Date(at + 1) }

/** A right that is another one, and whether a draft that Ada signed, or prepared, is void. */
const voids: [who: string, person: Person, ofMaker: boolean, ofPreparer: boolean][] = [
  ['ada', {}, false, false],
  ['ada', { rights: 'prepare' }, true, false],
  ['ada', { rights: 'view' }, true, true],
  ['ada', { rights: null }, true, true],
  ['ada', over, true, true],
  ['ada', open, false, false],
  ['ada', { rights: 'prepare', ...over }, true, true],
  ['ada', { rights: 'prepare', ...open }, true, false],
  ['ada', { most: 99n }, true, false],
  ['ada', { most: 100n }, false, false],
  ['ada', { isRevoked: true }, true, true],
]

test('a draft is void once its maker may not prepare it, one that has signed may not sign it, or either was revoked', () => {
  for (const [who, person, ofMaker, ofPreparer] of voids) {
    const told = JSON.stringify(person, (_, value) => `${value}`)
    assert.equal(isVoid(standing({}, { [who]: person }), at), ofMaker, told)
    assert.equal(isVoid(standing(prepared, { [who]: person }), at), ofPreparer, told)
    // The same of one that has signed what another one made.
    assert.equal(isVoid(standing(both, { both: person }), at), ofMaker, told)
  }
})

test('a signature is refused with its reason, waits for one more, or pays', () => {
  const judge = (
    found: ReturnType<typeof standing> | undefined,
    { signerId = 'ben', needed = 2 }: { signerId?: string; needed?: 1 | 2 } = {},
  ) => judgeSignature(found, { signerId, needed, at })
  assert.equal(judge(undefined), 'not_found')
  for (const more of [{ status: 'paid' }, { status: 'void' }, { expiresAt: new Date(at) }]) {
    assert.equal(judge(standing(more)), 'illegal_transition', Object.keys(more)[0])
  }
  assert.equal(judge(standing({}, { ada: over })), 'illegal_transition')
  for (const ben of [{ rights: 'prepare' }, { rights: null }, over] as Person[]) {
    assert.equal(judge(standing({}, { ben })), 'forbidden', ben.rights ?? 'none')
  }
  for (const signerId of ['ada', 'eve']) assert.equal(judge(standing(), { signerId }), 'forbidden')
  assert.equal(judge(standing(prepared), { signerId: 'ada', needed: 1 }), 'forbidden')
  assert.equal(judge(standing(both), { signerId: 'both' }), 'forbidden')
  // A maker whose limits did not allow it at first.
  const signed = { signedBy: ['both'] }
  assert.equal(judge(standing(prepared), { signerId: 'ada' }), 'forbidden')
  assert.equal(judge(standing(signed), { signerId: 'ada' }), 'pays')
  assert.equal(judge(standing()), 'pays')
  assert.equal(judge(standing(prepared), { needed: 1 }), 'pays')
  assert.equal(judge(standing(prepared)), 'waits')
  assert.equal(judge(standing(prepared, { ben: { most: 100n, ...open } })), 'waits')
  assert.equal(judge(standing(prepared, { ben: { most: 99n } })), 'limit_exceeded')
  assert.equal(judge(standing({}, { ben: { most: 99n } })), 'pays', 'judged with the payment')
})

test('a draft stands while one of several rights of its maker, and of one that has signed, allows it', () => {
  const twice: Parameters<typeof isVoid>[0] & { people: DraftPerson[] } = standing()
  for (const personId of ['ada', 'ben']) {
    const [first] = twice.people.filter((person) => person.personId === personId)
    assert.ok(first)
    twice.people.push({ ...first, rights: 'pay', until: new Date(at) })
  }
  assert.equal(isVoid(twice, at), false)
  assert.equal(judgeSignature(twice, { signerId: 'ben', needed: 2, at }), 'pays')
})

const once: StoredSignatures = {
  signaturesFrom: 100n,
  nextSignaturesFrom: null,
  nextSignaturesAt: null,
}
const waiting = (from: number, amount: bigint | null = 200n): StoredSignatures => ({
  signaturesFrom: 100n,
  nextSignaturesFrom: amount,
  nextSignaturesAt: new Date(from),
})

test('two people sign from the very amount on, and by what waits from its millisecond on', () => {
  const cases: [stored: StoredSignatures, from: bigint | null, waits: bigint | null | undefined][] =
    [
      [{ ...once, signaturesFrom: null }, null, undefined],
      [once, 100n, undefined],
      [waiting(at + 1), 100n, 200n],
      [waiting(at + 1, null), 100n, null],
      [waiting(at), 200n, undefined],
      [waiting(at - 1, null), null, undefined],
    ]
  for (const [stored, from, waits] of cases) {
    assert.equal(signaturesFromAt(stored, at), from)
    const later = waits === undefined ? undefined : { amount: waits, from: new Date(at + 1) }
    assert.deepEqual(waitingSignatures(stored, at), later)
    const needed = [99n, 100n, 199n, 200n].map((amount) => signaturesNeeded(stored, amount, at))
    assert.deepEqual(
      needed,
      [99n, 100n, 199n, 200n].map((amount) => (from !== null && amount >= from ? 2 : 1)),
    )
  }
})

test('a lower amount for two people holds at once, a higher one waits half a day, and the same again no longer', () => {
  const raised = at + 12 * 3_600_000
  const cases: [what: string, before: StoredSignatures, wanted: bigint | null, after: object][] = [
    ['lower', once, 99n, { ...once, signaturesFrom: 99n }],
    ['the same', once, 100n, once],
    ['for the first time', { ...once, signaturesFrom: null }, 100n, once],
    ['higher', once, 101n, waiting(raised, 101n)],
    ['none any more', once, null, waiting(raised, null)],
    ['what waits', waiting(at + 1), 200n, waiting(at + 1)],
    ['another than what waits', waiting(at + 1), 201n, waiting(raised, 201n)],
    ['back to what holds', waiting(at + 1), 100n, once],
    ['below what waited', waiting(at), 150n, { ...once, signaturesFrom: 150n }],
    ['above what waited', waiting(at), 201n, { ...waiting(raised, 201n), signaturesFrom: 200n }],
  ]
  for (const [what, before, wanted, after] of cases) {
    assert.deepEqual(changeSignatures(before, wanted, at), after, what)
  }
})
