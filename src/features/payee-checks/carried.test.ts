// The check of a payee that payments, new payees and standing orders name: for how long it is a
// fact, whose it is, what the payer accepts, and what is kept of that.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readEvents } from '../../../test/support/audit-events.ts'
import { confirmAnyway, giveFactor, toChallengeId } from '../../../test/support/confirmations.ts'
import { assertSound, deposit, openAccount } from '../../../test/support/fixture.ts'
import { newProgram, type Program } from '../../../test/support/service-accounts.ts'
import { type ApiClient, people, type Reply, world } from '../../../test/support/world.ts'
import type { CheckResult } from '../../domain/payee-name.ts'

const minute = 60_000
const elsewhere = 'GB33BUKB20201555555555'
const transfers = '/api/v1/transfers'
const monthly = { amount: '1.00', currency: 'EUR', rhythm: 'monthly', firstOn: '2099-01-31' }

type Mode = 'off' | 'shown' | 'required'

/** Ada pays Ben by the names that bring each result. Her session outlives a day. */
async function scene(t: TestContext, mode: Mode = 'required') {
  const long = { SESSION_IDLE: '30d', SESSION_MAX: '30d', TOKEN_TTL: '1d' }
  const bank = await world(t, { settings: { PAYEE_CHECK: mode, ...long } })
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const [from, savings, bens] = [
    await openAccount(ada),
    await openAccount(ada),
    await openAccount(ben),
  ]
  await deposit(root, from, '1000.00')
  const { iban } = (await ben.get(`/api/v1/accounts/${bens}`)).body
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  const holder = `${givenName} ${familyName}`
  const names: Record<CheckResult, { name: string; iban: string }> = {
    match: { name: holder, iban },
    close_match: { name: `${givenName.charAt(0)}. ${familyName}`, iban },
    no_match: { name: 'Mallory Nobody', iban },
    not_possible: { name: 'Grace Hopper', iban: elsewhere },
  }
  const check = async (result: CheckResult, client: Pick<ApiClient, 'post'> = ada, at = from) => {
    const { body, text } = await client.post(`/api/v1/accounts/${at}/payee-checks`, names[result])
    assert.equal(body.result, mode === 'off' ? 'not_possible' : result, text)
    return body.id as string
  }
  /** The payee of that name, who replaces the one before. */
  async function payee(result: CheckResult): Promise<string> {
    const path = `/api/v1/accounts/${from}/beneficiaries`
    for (const { id } of (await ada.get(path)).body.items) {
      await ada.delete(`/api/v1/beneficiaries/${id}`)
    }
    const body = { ...names[result], payeeCheckId: await check(result), acceptPayee: true }
    const made = await ada.post(path, body)
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const terms = { fromAccountId: from, amount: '1.00', currency: 'EUR' }
  const pay = (body: object, key?: string, client: Pick<ApiClient, 'post'> = ada) =>
    client.post(
      transfers,
      { ...terms, ...body },
      { ...(key !== undefined && { headers: { 'idempotency-key': key } }) },
    )
  return { ...bank, ada, ben, root, from, savings, bens, holder, names, check, payee, pay }
}

const codeOf = ({ status, body }: Reply): string =>
  status < 300 ? `${status}` : `${status} ${body.code}${body.details?.[0]?.path ?? ''}`

test('a payment is made by its check: a match at once, anything else when the payer accepts it', async (t) => {
  const bank = await scene(t)
  const { ada, root, check, payee, pay, holder } = bank
  for (const result of ['match', 'close_match', 'no_match', 'not_possible'] as const) {
    bank.clock.advance(minute)
    const beneficiaryId = await payee(result)
    const payeeCheckId = await check(result)
    const isMatch = result === 'match'
    if (!isMatch) {
      const refused = [
        await pay({ beneficiaryId, payeeCheckId }),
        await pay({ beneficiaryId, payeeCheckId, acceptPayee: false }),
      ]
      assert.deepEqual(
        refused.map(codeOf),
        Array.from(refused, () => '409 payee_not_accepted'),
      )
    }
    const paid = await pay({ beneficiaryId, payeeCheckId, acceptPayee: !isMatch })
    const name = result === 'close_match' && { name: holder }
    const payeeCheck = { result, ...name, accepted: !isMatch }
    assert.deepEqual([codeOf(paid), paid.body.payeeCheck], ['201', payeeCheck], paid.text)
    // Staff see what the payer was told and accepted, also in lists.
    const { id } = paid.body
    for (const client of [ada, root]) {
      assert.deepEqual((await client.get(`${transfers}/${id}`)).body.payeeCheck, payeeCheck)
      const [listed] = (await client.get(`${transfers}?accountId=${bank.from}`)).body.items
      assert.deepEqual([listed.id, listed.payeeCheck], [id, payeeCheck])
    }
    const events = (await readEvents(bank, paid)).map(({ action, actorId, target, detail }) => {
      return [action, actorId, target, detail]
    })
    const accepted = ['acceptPayee', people.ada.id, id, `${result} accepted check ${payeeCheckId}`]
    assert.deepEqual(events, isMatch ? [] : [accepted])
  }
  await assertSound(bank)
})

test('a check is a fact for 15 minutes: to the millisecond, also in payees and orders', async (t) => {
  const bank = await scene(t, 'shown')
  const { ada, check, payee, pay, clock, from, names } = bank
  const beneficiaryId = await payee('match')
  const order = (payeeCheckId: string) =>
    ada.post(`/api/v1/accounts/${from}/orders`, {
      ...monthly,
      beneficiaryId,
      payeeCheckId,
    })
  const add = async (payeeCheckId: string) => {
    await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)
    return ada.post(`/api/v1/accounts/${from}/beneficiaries`, { ...names.match, payeeCheckId })
  }
  for (const [late, code] of [
    [-1, '201'],
    [0, '409 payee_check_required'],
    [1, '409 payee_check_required'],
  ] as const) {
    const id = await check('match')
    clock.advance(15 * minute + late)
    assert.equal(codeOf(await pay({ beneficiaryId, payeeCheckId: id })), code, `${late}`)
    assert.equal(codeOf(await order(id)), code, `${late}`)
  }
  for (const [late, code] of [
    [1, '409 payee_check_required'],
    [0, '409 payee_check_required'],
    [-1, '201'],
  ] as const) {
    const id = await check('match')
    clock.advance(15 * minute + late)
    assert.equal(codeOf(await add(id)), code, `${late}`)
  }
})

test('where it is required, each payment to another has a check, and none to an own account', async (t) => {
  const bank = await scene(t)
  const { ada, check, payee, pay, savings, from, names } = bank
  const beneficiaryId = await payee('match')
  assert.equal(codeOf(await pay({ beneficiaryId })), '409 payee_check_required')
  assert.equal(codeOf(await pay({ toAccountId: savings })), '201')
  const payeeCheckId = await check('match')
  const orders = `/api/v1/accounts/${from}/orders`
  assert.equal(codeOf(await ada.post(orders, { ...monthly, toAccountId: savings })), '201')
  const refused = '409 payee_check_required'
  assert.equal(codeOf(await ada.post(orders, { ...monthly, beneficiaryId })), refused)
  const toOther = { ...monthly, beneficiaryId, payeeCheckId }
  const made = await ada.post(orders, toOther)
  assert.deepEqual(
    [codeOf(made), made.body.payeeCheck],
    ['201', { result: 'match', accepted: false }],
  )
  // A change of what is paid needs none, another payee does.
  const at = `/api/v1/orders/${made.body.id}`
  assert.equal(codeOf(await ada.patch(at, { amount: '2.00' })), '200')
  assert.equal(codeOf(await ada.patch(at, { beneficiaryId })), refused)
  const own = await ada.patch(at, { toAccountId: savings })
  assert.deepEqual([codeOf(own), own.body.payeeCheck], ['200', undefined])
  const again = await ada.patch(at, { beneficiaryId, payeeCheckId })
  assert.deepEqual(again.body.payeeCheck, { result: 'match', accepted: false })
  assert.equal(codeOf(await ada.patch(at, { payeeCheckId, toAccountId: savings })), wrongCheck)
  const other = await check('no_match')
  assert.equal(codeOf(await ada.patch(at, { payeeCheckId: other })), wrongCheck)
  assert.equal(
    codeOf(await ada.patch(at, { acceptPayee: true })),
    '400 invalid_request/body/acceptPayee',
  )
  const path = `/api/v1/accounts/${from}/beneficiaries`
  assert.equal(codeOf(await ada.post(path, names.not_possible)), refused)
  await assertSound(bank)
})

const wrongCheck = '400 invalid_request/body/payeeCheckId'

test('a check of another person or program is refused, as is one of another name or IBAN', async (t) => {
  const bank = await scene(t, 'shown')
  const { ada, ben, bens, check, payee, pay, from, savings } = bank
  const beneficiaryId = await payee('no_match')
  const program: Program = await newProgram(bank, { payFrom: [from] })
  const acceptPayee = true
  const bodies: [id: string, code: string][] = [
    [await check('no_match', ben, bens), '403 forbidden'],
    [await check('no_match', program), '403 forbidden'],
    ['01940000-0000-7000-8000-0000000000ff', '403 forbidden'],
    [await check('match'), wrongCheck],
    [await check('not_possible'), wrongCheck],
    [await check('no_match', ada, savings), '201'],
  ]
  for (const [payeeCheckId, code] of bodies) {
    const carried = { payeeCheckId, acceptPayee }
    const orders = `/api/v1/accounts/${from}/orders`
    const made = await ada.post(orders, { ...monthly, beneficiaryId, ...carried })
    assert.equal(codeOf(made), code)
    assert.equal(codeOf(await pay({ beneficiaryId, ...carried })), code)
  }
  await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)
  for (const [payeeCheckId, code] of bodies) {
    const path = `/api/v1/accounts/${from}/beneficiaries`
    const body = { ...bank.names.no_match, payeeCheckId, acceptPayee }
    assert.equal(codeOf(await ada.post(path, body)), code)
  }
  // The program pays by its own check alone.
  const paid = await payee('no_match')
  const own = await check('no_match', program)
  const body = { beneficiaryId: paid, acceptPayee }
  bank.clock.advance(minute)
  assert.equal(codeOf(await pay({ ...body, payeeCheckId: own }, 'a', program)), '201')
  const adas = await check('no_match')
  assert.equal(codeOf(await pay({ ...body, payeeCheckId: adas }, 'b', program)), '403 forbidden')
  // Neither without the other, and no check of an own account.
  assert.equal(
    codeOf(await pay({ beneficiaryId: paid, acceptPayee })),
    '400 invalid_request/body/acceptPayee',
  )
  const carried = { payeeCheckId: adas, acceptPayee }
  assert.equal(codeOf(await pay({ toAccountId: savings, ...carried })), wrongCheck)
})

test('under one Idempotency-Key the check and its acceptance are the same, for a day', async (t) => {
  const bank = await scene(t)
  const { ada, check, payee, pay, clock, from } = bank
  const beneficiaryId = await payee('no_match')
  const [one, two] = [await check('no_match'), await check('no_match')]
  const accepted = { beneficiaryId, payeeCheckId: one, acceptPayee: true }
  // What is asked for first leaves the key free.
  assert.equal(codeOf(await pay({ beneficiaryId }, 'key')), '409 payee_check_required')
  const without = { beneficiaryId, payeeCheckId: one }
  assert.equal(codeOf(await pay(without, 'key')), '409 payee_not_accepted')
  const first = await pay(accepted, 'key')
  assert.equal(codeOf(first), '201')
  const orders = `/api/v1/accounts/${from}/orders`
  const order = (carried: object, key = 'order') =>
    ada.post(
      orders,
      {
        ...monthly,
        beneficiaryId,
        ...carried,
      },
      { headers: { 'idempotency-key': key } },
    )
  assert.equal(codeOf(await order({})), '409 payee_check_required')
  assert.equal(codeOf(await order({ payeeCheckId: one })), '409 payee_not_accepted')
  const ordered = await order(accepted)
  assert.equal(codeOf(ordered), '201')
  const assertKept = async () => {
    const again = [await pay(accepted, 'key'), await order(accepted)]
    for (const [index, made] of [first, ordered].entries()) {
      assert.deepEqual([again[index]?.status, again[index]?.body], [201, made.body])
      assert.equal(again[index]?.headers['idempotency-replayed'], 'true')
    }
    for (const other of [
      { ...accepted, payeeCheckId: two },
      { ...accepted, acceptPayee: false },
      without,
      { beneficiaryId },
    ]) {
      assert.equal(codeOf(await pay(other, 'key')), '422 idempotency_key_reused')
      assert.equal(codeOf(await order(other)), '422 idempotency_key_reused')
    }
  }
  await assertKept()
  clock.advance(23 * 60 * minute)
  await assertKept()
  await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)
  await assertKept()
})

test('the same payment within ten seconds is one, also with another check', async (t) => {
  const bank = await scene(t, 'shown')
  const { check, payee, pay, clock } = bank
  const beneficiaryId = await payee('match')
  const [one, two] = [await check('match'), await check('match')]
  assert.equal(codeOf(await pay({ beneficiaryId, payeeCheckId: one })), '201')
  for (const body of [{ payeeCheckId: one }, { payeeCheckId: two }, {}]) {
    assert.equal(codeOf(await pay({ beneficiaryId, ...body })), '409 duplicate_transfer')
  }
  clock.advance(10_000)
  assert.equal(codeOf(await pay({ beneficiaryId, payeeCheckId: two })), '201')
})

test('the result and its acceptance are terms that a person with a second factor confirms', async (t) => {
  const bank = await scene(t)
  const { ada, check, payee, holder, from, names } = bank
  const beneficiaryId = await payee('close_match')
  const payeeCheckId = await check('close_match')
  await giveFactor(bank, 'ada')
  const terms = { fromAccountId: from, beneficiaryId, amount: '500.00', currency: 'EUR' }
  const carried = { payeeCheckId, acceptPayee: true }
  const changes: [path: string, body: object][] = [
    [transfers, { ...terms, ...carried }],
    [`/api/v1/accounts/${from}/orders`, { ...monthly, beneficiaryId, ...carried }],
    [
      `/api/v1/accounts/${from}/beneficiaries`,
      { ...names.not_possible, payeeCheckId: await check('not_possible'), acceptPayee: true },
    ],
  ]
  for (const [path, body] of changes) {
    const asked = await ada.post(path, body)
    toChallengeId(asked)
    const { payeeResult, payeeHolder, acceptPayee } = asked.body.challenge.terms
    const isClose = path !== changes[2]?.[0]
    assert.deepEqual(
      [payeeResult, payeeHolder, acceptPayee],
      isClose ? ['close_match', holder, 'true'] : ['not_possible', undefined, 'true'],
    )
    // What was confirmed is this check.
    const confirmation = await confirmAnyway(bank, asked)
    const id = await check(isClose ? 'close_match' : 'not_possible')
    const other = await ada.post(path, { ...body, payeeCheckId: id }, { headers: confirmation })
    assert.equal(codeOf(other), '403 confirmation_required')
    const made = await ada.post(path, body, { headers: confirmation })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.payeeCheck.accepted, true)
  }
  // No confirmation is asked for what has to be accepted first.
  const refused = await ada.post(transfers, { ...terms, reference: 'More', payeeCheckId })
  assert.equal(codeOf(refused), '409 payee_not_accepted')
})

test('what was accepted of a new payee and of an order is kept with it, and in the trail', async (t) => {
  const bank = await scene(t)
  const { ada, root, check, from, names } = bank
  const payeeCheckId = await check('no_match')
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const body = { ...names.no_match, payeeCheckId }
  assert.equal(codeOf(await ada.post(path, body)), '409 payee_not_accepted')
  const made = await ada.post(path, { ...body, acceptPayee: true })
  const payeeCheck = { result: 'no_match', accepted: true }
  assert.deepEqual([codeOf(made), made.body.payeeCheck], ['201', payeeCheck])
  assert.deepEqual((await ada.get(path)).body.items[0].payeeCheck, payeeCheck)
  const detail = `no_match accepted check ${payeeCheckId}`
  assert.deepEqual(
    (await readEvents(bank, made)).map((event) => [event.action, event.target, event.detail]),
    [['createBeneficiary', made.body.id, detail]],
  )
  const ordered = await ada.post(`/api/v1/accounts/${from}/orders`, {
    ...monthly,
    rhythm: 'once',
    firstOn: '2026-01-02',
    beneficiaryId: made.body.id,
    payeeCheckId,
    acceptPayee: true,
  })
  assert.deepEqual([codeOf(ordered), ordered.body.payeeCheck], ['201', payeeCheck], ordered.text)
  const at = `/api/v1/orders/${ordered.body.id}`
  assert.deepEqual((await root.get(at)).body.payeeCheck, payeeCheck)
  const [event] = await readEvents(bank, ordered)
  assert.deepEqual(Object(event?.order).after.payeeCheck, payeeCheck)
  // Its days are paid by the check of the order.
  await bank.running.core.orders.work()
  assert.equal((await ada.get(`${at}/runs`)).body.items[0].outcome, 'made')
  await assertSound(bank)
})

test('where checks are off nothing is told, and a payment needs none', async (t) => {
  const bank = await scene(t, 'off')
  const beneficiaryId = await bank.payee('match')
  assert.equal(codeOf(await bank.pay({ beneficiaryId })), '201')
})
