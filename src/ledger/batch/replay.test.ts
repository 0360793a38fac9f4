// A repeated request with a key gets its first answer, even if an account or beneficiary is gone.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  assertSound,
  readBalance,
  openAccount,
  scene,
  transferBody,
} from '../../../test/support/fixture.ts'
import type { Reply, ApiClient } from '../../../test/support/world.ts'

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const pay = (client: ApiClient, body: object, key?: string) =>
  client.post('/api/v1/transfers', body, key === undefined ? {} : keyed(key))

async function createBeneficiary(
  client: ApiClient,
  accountId: string,
  iban: string,
): Promise<string> {
  const body = { name: 'Payee', iban }
  const reply = await client.post(`/api/v1/accounts/${accountId}/beneficiaries`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id as string
}

function assertSameAnswer(again: Reply, first: Reply): void {
  assert.equal(again.status, first.status, again.text)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['location'], first.headers['location'])
  assert.equal(again.headers['idempotency-replayed'], 'true')
}

const statusAndCode = ({ status, body }: Reply) => `${status} ${body.code}`

/** The body of a transfer, and the request that removes what the body names. */
const cases: Record<
  string,
  (t: TestContext) => Promise<{
    fixture: Awaited<ReturnType<typeof scene>>
    body: Record<string, string>
    end: () => Promise<Reply>
  }>
> = {
  'a beneficiary at this bank was deleted': async (t) => {
    const fixture = await scene(t)
    const ben = await fixture.as('ben')
    const bens = await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)
    return toBeneficiary(fixture, bens.body.iban)
  },
  'a beneficiary elsewhere was deleted': async (t) =>
    toBeneficiary(await scene(t), 'DE89370400440532013000'),
  'the target was closed': async (t) => {
    const fixture = await scene(t)
    const { ada, from, to } = fixture
    const end = async () => {
      assert.equal((await pay(ada, transferBody(to, from))).status, 201)
      return ada.delete(`/api/v1/accounts/${to}`)
    }
    return { fixture, body: transferBody(from, to), end }
  },
  'the source was closed': async (t) => {
    const fixture = await scene(t)
    const { ada, from, to } = fixture
    const end = async () => {
      assert.equal((await pay(ada, transferBody(from, to, '99.00'))).status, 201)
      return ada.delete(`/api/v1/accounts/${from}`)
    }
    return { fixture, body: transferBody(from, to), end }
  },
}

async function toBeneficiary(fixture: Awaited<ReturnType<typeof scene>>, iban: string) {
  const { ada, from } = fixture
  const beneficiaryId = await createBeneficiary(ada, from, iban)
  const body = { fromAccountId: from, beneficiaryId, amount: '1.00', currency: 'EUR' }
  return { fixture, body, end: () => ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`) }
}

for (const [what, make] of Object.entries(cases)) {
  test(`when ${what}, only the same request gets its first answer`, async (t) => {
    const { fixture, body, end } = await make(t)
    const { ada } = fixture
    const ben = await fixture.as('ben')
    const first = await pay(ada, body, 'k')
    assert.equal(first.status, 201, first.text)
    const much = { ...body, amount: '1000.00' }
    const refused = await pay(ada, much, 'much')
    assert.equal(statusAndCode(refused), '409 insufficient_funds')
    const foreign = await pay(ben, body, 'k')
    assert.equal(statusAndCode(foreign), '403 forbidden')
    const ended = await end()
    assert.equal(ended.status, 204, ended.text)
    const entries = (await fixture.sql('select count(*)::int as n from entries')).rows

    assertSameAnswer(await pay(ada, body, 'k'), first)
    assertSameAnswer(await pay(ada, { ...body, amount: '1.0' }, 'k'), first)
    assertSameAnswer(await pay(ada, much, 'much'), refused)
    assert.equal(statusAndCode(await pay(ada, much, 'k')), '422 idempotency_key_reused')
    assert.equal(statusAndCode(await pay(ada, body, 'unknown')), '404 not_found')
    assert.equal(statusAndCode(await pay(ada, { ...body, reference: 'New' })), '404 not_found')
    assert.equal((await pay(ben, body, 'k')).text, foreign.text)

    fixture.clock.advance(24 * 60 * 60 * 1000)
    assert.equal(statusAndCode(await pay(await fixture.login('ada'), body, 'k')), '404 not_found')
    assert.deepEqual((await fixture.sql('select count(*)::int as n from entries')).rows, entries)
    await assertSound(fixture)
  })
}

test("a customer's key gives no answer to another customer, whose account is gone", async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const ben = await fixture.as('ben')
  const [gone, bens] = [await openAccount(ben), await openAccount(ben)]
  assert.equal((await pay(ada, transferBody(from, to), 'k')).status, 201)
  assert.equal((await ben.delete(`/api/v1/accounts/${gone}`)).status, 204)
  assert.equal(statusAndCode(await pay(ben, transferBody(bens, gone), 'k')), '404 not_found')
  // Ownership is checked before existence.
  assert.equal(statusAndCode(await pay(ben, transferBody(gone, to), 'k')), '403 forbidden')
  assert.equal(await readBalance(ada, to), '1.00')
})

test('repetitions get the first answer while their beneficiary is deleted', async (t) => {
  const { fixture, body, end } = await toBeneficiary(await scene(t), 'DE89370400440532013000')
  const first = await pay(fixture.ada, body, 'k')
  const [ended, ...replies] = await Promise.all([
    end(),
    ...Array.from({ length: 20 }, () => pay(fixture.ada, body, 'k')),
  ])
  assert.equal(ended.status, 204)
  for (const reply of replies) {
    if (statusAndCode(reply) !== '409 request_in_progress') assertSameAnswer(reply, first)
  }
})

test('a body with two targets gets no first answer, even if the beneficiary is gone', async (t) => {
  const { ada, from, to } = await scene(t)
  const beneficiaryId = await createBeneficiary(ada, from, 'DE89370400440532013000')
  const body = { fromAccountId: from, beneficiaryId, amount: '1.00', currency: 'EUR' }
  assert.equal((await pay(ada, body, 'k')).status, 201)
  assert.equal((await ada.delete(`/api/v1/beneficiaries/${beneficiaryId}`)).status, 204)
  assert.equal(statusAndCode(await pay(ada, { ...body, toAccountId: to }, 'k')), '404 not_found')
  assert.equal((await pay(ada, body, 'k')).headers['idempotency-replayed'], 'true')
})

test('a transfer out of the clearing account is found, even after the account is restored', async (t) => {
  const fixture = await scene(t)
  const { ada, from, to } = fixture
  const beneficiaryId = await createBeneficiary(ada, from, 'DE89370400440532013000')
  const elsewhere = { fromAccountId: from, beneficiaryId, amount: '90.00', currency: 'EUR' }
  assert.equal((await pay(ada, elsewhere)).status, 201)
  const { rows } = await fixture.sql(
    `select id from accounts where kind = 'clearing' and currency = 'EUR'`,
  )
  const clearing = rows[0]?.['id'] as string
  await fixture.sql(
    `update accounts set kind = 'customer', code = null, iban = 'ZZ00X',
       owner_id = (select owner_id from accounts where id = $2) where id = $1`,
    [clearing, to],
  )
  assert.equal((await pay(ada, transferBody(clearing, to, '90.00'))).status, 201)
  await fixture.sql(
    `update accounts set kind = 'clearing', code = 'clearing', owner_id = null, iban = null,
       spent_on = null, spent_amount = 0
     where id = $1`,
    [clearing],
  )
  await assert.rejects(assertSound(fixture), /does not leave an account of the bank/)
})
