// A risky request of a person with a second factor takes effect once it is confirmed: that very
// request, of that session, once and in time.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readEvents } from '../../../test/support/audit-events.ts'
import {
  addPayee,
  confirmAnyway,
  giveFactor,
  pay,
  sendConfirmed,
  toChallengeId,
} from '../../../test/support/confirmations.ts'
import { assertSound, openAccount, deposit, sceneIn } from '../../../test/support/fixture.ts'
import { clientWith, password, people, type Reply, world } from '../../../test/support/world.ts'
import { digestTerms } from '../../gate/confirmations.ts'

const minute = 60_000

/** Ada has a factor, a hundred in her account, and a payee elsewhere. */
async function scene(t: TestContext, settings: Record<string, string> = {}) {
  const bank = await sceneIn(await world(t, { settings: { SESSION_IDLE: '1h', ...settings } }))
  const elsewhere = await bank.login('ada')
  await giveFactor(bank, 'ada')
  const payee = await addPayee(bank, bank.ada, bank.from)
  const left = async () => (await bank.ada.get(`/api/v1/accounts/${bank.from}`)).body.balance
  const payment = { fromAccountId: bank.from, beneficiaryId: payee, amount: '50.00' }
  return { ...bank, elsewhere, payee, left, payment }
}

test('a payment takes effect with its confirmation, which shows amount and payee', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t)
  const headers = { 'idempotency-key': 'rent' }
  const refused = await pay(ada, payment, { headers })
  const { challenge } = refused.body
  assert.equal(await left(), '100.00')
  assert.equal(Date.parse(challenge.expiresAt), bank.clock.now() + 5 * minute)
  const { bodySha256, ...terms } = challenge.terms
  assert.deepEqual(terms, {
    operation: 'createTransfer',
    fromAccountId: bank.from,
    payee: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
    amount: '50.00',
    currency: 'EUR',
    idempotencyKey: 'rent',
  })
  assert.match(bodySha256, /^[0-9a-f]{64}$/)
  const [row] = (await bank.sql('select digest from challenges where id = $1', [challenge.id])).rows
  assert.deepEqual(row?.['digest'], digestTerms(challenge.terms), 'of the terms as they are shown')
  const confirmation = await confirmAnyway(bank, refused)
  const paid = await pay(ada, payment, { headers: { ...headers, ...confirmation } })
  assert.equal(paid.status, 201, paid.text)
  assert.equal(await left(), '50.00')
  const events = await readEvents(bank, paid)
  assert.deepEqual(
    events.map(({ action, actorId, target, detail }) => ({ action, actorId, target, detail })),
    [
      {
        action: 'useConfirmation',
        actorId: people.ada.id,
        target: paid.body.id,
        detail: `createTransfer ${challenge.id}`,
      },
    ],
  )
  const again = await pay(ada, payment, { headers })
  assert.equal(again.headers['idempotency-replayed'], 'true', 'a repetition needs none')
  assert.deepEqual(again.body, paid.body)
  assert.equal(await left(), '50.00')
  await assertSound(bank)
})

test('a confirmation holds for that request alone: whatever is changed is refused', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t)
  const { iban } = (await ada.get(`/api/v1/accounts/${bank.to}`)).body
  const other = await addPayee(bank, ada, bank.from, { iban: iban as string })
  const savings = await openAccount(ada)
  await deposit(bank.root, savings, '100.00')
  const both = await bank.as('both')
  const key = { 'idempotency-key': 'k' }
  const confirmation = await confirmAnyway(bank, await pay(ada, payment, { headers: key }))
  const headers = { ...key, ...confirmation }
  const changed: Record<string, () => Promise<Reply>> = {
    amount: () => pay(ada, { ...payment, amount: '50.01' }, { headers }),
    'spelling of the amount': () => pay(ada, { ...payment, amount: '50.0' }, { headers }),
    payee: () => pay(ada, { ...payment, beneficiaryId: other }, { headers }),
    reference: () => pay(ada, { ...payment, reference: '.' }, { headers }),
    key: () => pay(ada, payment, { headers: { ...headers, 'idempotency-key': 'l' } }),
    'no key': () => pay(ada, payment, { headers: confirmation }),
    session: () => pay(bank.elsewhere, payment, { headers }),
    operation: () =>
      ada.post(
        `/api/v1/accounts/${bank.from}/beneficiaries`,
        { name: 'Eve', iban: 'DE89370400440532013000' },
        { headers },
      ),
    'unknown confirmation': () =>
      pay(ada, payment, { headers: { ...key, confirmation: people.ada.id } }),
  }
  for (const [what, send] of Object.entries(changed)) {
    const reply = await send()
    assert.equal(reply.body.code, 'confirmation_required', `${what}: ${reply.text}`)
    assert.notEqual(toChallengeId(reply), confirmation.confirmation, what)
  }
  // An own payment of another person, for the same terms but the account.
  await giveFactor(bank, 'both')
  const account = await openAccount(both)
  await deposit(bank.root, account, '100.00')
  const bothPayee = await addPayee(bank, both, account)
  const foreign = { ...payment, fromAccountId: account, beneficiaryId: bothPayee }
  toChallengeId(await pay(both, foreign, { headers }))
  assert.equal(await left(), '100.00')
  for (const malformed of ['x', '', `${people.ada.id}0`]) {
    const reply = await pay(ada, payment, { headers: { ...key, confirmation: malformed } })
    assert.equal(reply.status, 400, reply.text)
  }
  const paid = await pay(ada, payment, { headers })
  assert.equal(paid.status, 201, 'none of them used it up')
})

test('a source is confirmed, too', async (t) => {
  const { ada, payment, payee: _, ...bank } = await scene(t)
  const savings = await openAccount(ada)
  await deposit(bank.root, savings, '100.00')
  const payee = await addPayee(bank, ada, savings)
  const headers = await confirmAnyway(bank, await pay(ada, payment))
  const other = { ...payment, fromAccountId: savings, beneficiaryId: payee }
  toChallengeId(await pay(ada, other, { headers }))
})

test('an expired, a used or an unconfirmed challenge confirms nothing', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t)
  const small = { ...payment, amount: '40.00' }
  const unconfirmed = toChallengeId(await pay(ada, small))
  toChallengeId(await pay(ada, small, { headers: { confirmation: unconfirmed } }))
  const headers = await confirmAnyway(bank, await pay(ada, small))
  bank.clock.advance(5 * minute)
  toChallengeId(await pay(ada, small, { headers }))
  const fresh = await confirmAnyway(bank, await pay(ada, small))
  assert.equal((await pay(ada, small, { headers: fresh })).status, 201)
  bank.clock.advance(minute)
  toChallengeId(await pay(ada, small, { headers: fresh }))
  assert.equal(await left(), '60.00')

  const add = { name: 'Eve', iban: 'DE89370400440532013000' }
  const path = `/api/v1/accounts/${bank.from}/beneficiaries`
  const expired = await confirmAnyway(bank, await ada.post(path, add))
  bank.clock.advance(5 * minute)
  toChallengeId(await ada.post(path, add, { headers: expired }))
  const added = await sendConfirmed(bank, (headers) => ada.post(path, add, { headers }))
  assert.equal(added.status, 201)
  assert.equal((await ada.get(path)).body.items.length, 2)
})

test('20 simultaneous requests with one confirmation make one payment', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t)
  const small = { ...payment, amount: '31.00' }
  const other = await bank.another()
  const there = { ...ada, ...clientWith(other.send, ada.token) }
  const headers = await confirmAnyway(bank, await pay(ada, small))
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => pay(index % 2 ? ada : there, small, { headers })),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 1)
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    assert.ok(['confirmation_required', 'duplicate_transfer'].includes(reply.body.code), reply.text)
  }
  assert.equal(await left(), '69.00')
  // The same of a change that the ledger does not make.
  const trust = (client: typeof ada, asked = {}) =>
    client.post(`/api/v1/beneficiaries/${bank.payee}/trust`, undefined, asked)
  const confirmed = { headers: await confirmAnyway(bank, await trust(ada)) }
  const changes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => trust(index % 2 ? ada : there, confirmed)),
  )
  assert.equal(changes.filter(({ status }) => status === 200).length, 1)
  assert.equal(changes.filter(({ status }) => status === 403).length, 19)
  await assertSound(bank)
})

test('what cannot be is refused for its own reason, and no challenge is used up by it', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t)
  const dear = { ...payment, amount: '100.01' }
  assert.equal((await pay(ada, dear)).body.code, 'insufficient_funds')
  const path = `/api/v1/accounts/${bank.from}/beneficiaries`
  assert.equal((await ada.post(path, { name: 'Eve', iban: 'GB00' })).status, 400)
  const all = { ...payment, amount: '100.00' }
  const headers = await confirmAnyway(bank, await pay(ada, all))
  const freeze = `/api/v1/admin/accounts/${bank.from}`
  await bank.root.post(`${freeze}/freeze`, { reason: 'Doubt' })
  assert.equal((await pay(ada, all, { headers })).body.code, 'account_frozen')
  await bank.root.post(`${freeze}/unfreeze`, { reason: 'Known' })
  assert.equal((await pay(ada, all, { headers })).status, 201)
  assert.equal(await left(), '0.00')
})

test('money that stays with its owner, trusted payees and small sums need no confirmation', async (t) => {
  const { ada, payment, ...bank } = await scene(t)
  const status = async (body: object) => (await pay(ada, { ...payment, ...body })).status
  await deposit(bank.root, bank.from, '200.00')
  const own = { fromAccountId: bank.from, toAccountId: bank.to, amount: '40.00' }
  assert.equal((await pay(ada, own)).status, 201)
  assert.equal(await status({ amount: '30.00' }), 201)
  assert.equal(await status({ amount: '30.01' }), 403)
  const { iban } = (await ada.get(`/api/v1/accounts/${bank.to}`)).body
  const trusted = await addPayee(bank, ada, bank.from, { iban: iban as string, trusted: true })
  assert.equal((await ada.get(`/api/v1/beneficiaries/${trusted}`)).body.trusted, true)
  assert.equal((await ada.get(`/api/v1/beneficiaries/${bank.payee}`)).body.trusted, undefined)
  const at = `/api/v1/beneficiaries/${trusted}`
  const dear = { beneficiaryId: trusted }
  assert.equal(await status({ ...dear, amount: '31.00' }), 201)
  const untrusted = await sendConfirmed(bank, (headers) =>
    ada.post(`${at}/untrust`, undefined, { headers }),
  )
  assert.equal(untrusted.status, 200, untrusted.text)
  assert.equal(untrusted.body.trusted, undefined)
  assert.equal(await status({ ...dear, amount: '31.00', reference: 'b' }), 403)
  const trust = await sendConfirmed(bank, (headers) =>
    ada.post(`${at}/trust`, undefined, { headers }),
  )
  assert.equal(trust.body.trusted, true, trust.text)
  assert.equal(await status({ ...dear, amount: '31.00', reference: 'c' }), 201)
  // What a customer has deactivated is not trusted again by a reactivation, which is not confirmed.
  for (const verb of ['deactivate', 'reactivate']) {
    const { body } = await ada.post(`${at}/${verb}`)
    assert.equal(body.trusted, undefined, verb)
  }
  assert.equal(await status({ ...dear, amount: '31.00', reference: 'd' }), 403)
})

test('small payments sum up, and count, until one is confirmed', async (t) => {
  const { ada, payment, ...bank } = await scene(t)
  await deposit(bank.root, bank.from, '900.00')
  let reference = 0
  const paying = (amount: string, headers = {}) =>
    pay(ada, { ...payment, amount, reference: String(reference++) }, { headers })
  for (const amount of ['30.00', '30.00', '30.00', '10.00']) {
    assert.equal((await paying(amount)).status, 201)
  }
  toChallengeId(await paying('0.01'))
  const confirmed = await sendConfirmed(bank, (headers) =>
    pay(ada, { ...payment, amount: '1.00' }, { headers }),
  )
  assert.equal(confirmed.status, 201, confirmed.text)
  for (let count = 0; count < 5; count++) assert.equal((await paying('1.00')).status, 201)
  toChallengeId(await paying('1.00'))
  // Another account of the same person has its own.
  const savings = await openAccount(ada)
  await deposit(bank.root, savings, '10.00')
  const beneficiaryId = await addPayee(bank, ada, savings)
  const elsewhere = { fromAccountId: savings, beneficiaryId, amount: '1.00' }
  assert.equal((await pay(ada, elsewhere)).status, 201)
})

test('20 simultaneous small payments stay within the sum, and on two instances', async (t) => {
  const { ada, payment, left, ...bank } = await scene(t, { CONFIRM_ABOVE: 'EUR=2.50' })
  const other = await bank.another()
  const there = { ...ada, ...clientWith(other.send, ada.token) }
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      pay(index % 2 ? ada : there, { ...payment, amount: '2.00', reference: String(index) }),
    ),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 5)
  assert.equal(await left(), '90.00')
  const sums = await bank.sql('select amount::int, count from unconfirmed_payments')
  assert.deepEqual(sums.rows, [{ amount: 1000, count: 5 }])
})

test('20 simultaneous payments stay within the sum before they are five', async (t) => {
  const { ada, payment, left } = await scene(t, { CONFIRM_SUM: 'EUR=50' })
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      pay(ada, { ...payment, amount: '15.00', reference: String(index) }),
    ),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 3)
  assert.equal(await left(), '55.00')
})

for (const setting of ['CONFIRM_ABOVE', 'CONFIRM_SUM']) {
  test(`with ${setting}=none every payment to another is confirmed`, async (t) => {
    const { ada, payment } = await scene(t, { [setting]: 'none' })
    toChallengeId(await pay(ada, { ...payment, amount: '0.01' }))
  })
}

test('nothing that is stored of a request to confirm depends on a password in it', async (t) => {
  const { ada, root, ...bank } = await scene(t)
  await giveFactor(bank, 'root')
  const person = { username: 'zoe', email: 'zoe@example.com', givenName: 'Zoe', familyName: 'Doe' }
  const [former, latter] = ['a quite different secret', 'twelve blue herons by the weir']
  const requests: [what: string, send: (secret: string) => Promise<Reply>][] = [
    [
      'a password change',
      (newPassword) =>
        ada.post('/api/v1/auth/password', { currentPassword: password, newPassword }),
    ],
    [
      'a new person',
      (secret) =>
        root.post('/api/v1/admin/users', { ...person, roles: ['customer'], password: secret }),
    ],
  ]
  for (const [what, send] of requests) {
    const ids = [toChallengeId(await send(former)), toChallengeId(await send(latter))]
    const { rows } = await bank.sql(
      'select operation, terms, digest from challenges where id = any($1)',
      [ids],
    )
    assert.equal(rows.length, 2)
    assert.deepEqual(rows[0], rows[1], what)
  }
})

test('nothing changes for people without a factor', async (t) => {
  const bank = await sceneIn(await world(t))
  const { ada, from } = bank
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const untrustable = await ada.post(path, { ...payee, trusted: true })
  assert.equal(untrustable.body.details[0].path, '/body/trusted')
  const added = await ada.post(path, payee)
  assert.equal(added.status, 201, added.text)
  const id = added.body.id as string
  const trust = await ada.post(`/api/v1/beneficiaries/${id}/trust`)
  assert.equal(trust.body.code, 'illegal_transition')
  const payment = { fromAccountId: from, beneficiaryId: id, amount: '90.00' }
  const paid = await pay(ada, payment, { headers: { confirmation: 'whatever it is' } })
  assert.equal(paid.status, 201, paid.text)
  for (const table of ['challenges', 'unconfirmed_payments']) {
    assert.equal((await bank.sql(`select from ${table}`)).rows.length, 0)
  }
})

test('nothing changes where the policy of the role is off', async (t) => {
  const { ada, root, from, ...bank } = await sceneIn(
    await world(t, { settings: { SECOND_FACTOR: 'customer=off,admin=optional' } }),
  )
  for (const name of ['ada', 'root'] as const) await giveFactor(bank, name)
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const added = await ada.post(path, { name: 'Eve', iban: 'DE89370400440532013000' })
  assert.equal(added.status, 201, added.text)
  const body = { amount: '1.00', currency: 'EUR', reason: 'Paid in' }
  toChallengeId(await root.post(`/api/v1/admin/accounts/${from}/deposits`, body))
})
