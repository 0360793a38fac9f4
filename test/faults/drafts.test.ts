// The last signature of a payment draft while its instance is killed, or loses its connection: the
// draft is paid once or not at all, and the signature that is given again says which.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '../../src/domain/ids.ts'
import { assertSound, patiently } from '../support/fixture.ts'
import { password, people } from '../support/world.ts'
import {
  fillBank,
  type Instances,
  isUndone,
  killAt,
  openInstances,
  type Place,
} from './instances.ts'

const write = 'ledger_write_paid_drafts'
const places: Record<string, { place: Place; isKilled: boolean; isPaid: boolean }> = {
  'is killed before the COMMIT': {
    place: { statement: write, at: 'commit', when: 'asked' },
    isKilled: true,
    isPaid: false,
  },
  'is killed after the COMMIT': {
    place: { statement: write, at: 'commit', when: 'answered' },
    isKilled: true,
    isPaid: true,
  },
  'loses its connection when the draft is written': {
    place: { statement: write, at: 'statement', when: 'answered' },
    isKilled: false,
    isPaid: true,
  },
  'loses the answer to the COMMIT': {
    place: { statement: write, at: 'commit', when: 'answered' },
    isKilled: false,
    isPaid: true,
  },
}

describe('the last signature of a draft', () => {
  let stage: Instances
  let from: string
  let payee: string
  let tokens: { ada: string; ben: string }

  /** Asks the instance, which may be killed meanwhile. */
  async function ask(method: string, path: string, token?: string, body?: object) {
    const [instance] = stage.all
    assert.ok(instance)
    const { send, close } = await stage.speakTo(instance)
    const asked = { ...(token !== undefined && { token }), ...(body && { body }) }
    return patiently(() => send(method, `/api/v1${path}`, asked), isUndone).finally(close)
  }

  /** How often the draft has been paid, each of its own amount; and what the account has. */
  async function paidOf(id: string) {
    const { rows } = await stage.owner.query<{ status: string; times: number; balance: string }>(
      `select d.status, a.balance,
         (select count(*)::int from transfers where amount = d.amount) as times
       from payment_drafts d join accounts a on a.id = d.account_id where d.id = $1`,
      [id],
    )
    return rows[0] ?? assert.fail('no draft')
  }

  before(async () => {
    stage = await openInstances('drafts')
    const instance = await stage.open('one', { MEMBERS: 'on' })
    const { send, close } = await stage.speakTo(instance)
    const parties = await fillBank(send, stage.owner)
    from = parties.from
    payee = parties.payee
    const login = { username: 'ben', password }
    const { body } = await patiently(() => send('POST', '/api/v1/auth/login', { body: login }))
    tokens = { ada: parties.token, ben: body.token }
    await close()
    await stage.owner.query(
      `insert into account_members (id, account_id, person_id, username, rights, invited_at,
         expires_at, accepted_at)
       values ($1, $2, $3, 'ben', 'pay', now(), now() + interval '7 days', now())`,
      [newId(Date.now()), from, people.ben.id],
    )
    const rule = { currency: 'EUR', from: '1000.00', count: 2 }
    assert.equal((await ask('PUT', `/accounts/${from}/signatures`, tokens.ada, rule)).status, 200)
  })

  after(() => stage.close())

  for (const [index, [name, { place, isKilled, isPaid }]] of Object.entries(places).entries()) {
    test(`is given once when the instance ${name}`, async () => {
      const [instance] = stage.all
      assert.ok(instance)
      const amount = `${1000 + index}.00`
      const terms = { beneficiaryId: payee, amount, currency: 'EUR' }
      const made = await ask('POST', `/accounts/${from}/drafts`, tokens.ada, terms)
      assert.equal(made.status, 201, made.text)
      const id = made.body.id as string
      const before = await paidOf(id)
      const sign = () => ask('POST', `/drafts/${id}/sign`, tokens.ben)
      if (isKilled) {
        killAt(instance, place)
        await assert.rejects(sign())
        await stage.restart(instance)
      } else {
        instance.wire.trap({ ...place, act() {} })
        assert.equal((await sign()).body.status, 'paid')
      }
      const kept = await paidOf(id)
      assert.deepEqual(
        [kept.status, kept.times],
        isPaid ? ['paid', 1] : ['waiting', 0],
        'what the service has kept',
      )
      const again = await sign()
      if (isPaid) assert.equal(again.body.code, 'illegal_transition', again.text)
      else assert.deepEqual([again.status, again.body.status], [200, 'paid'], again.text)
      const { status, times, balance } = await paidOf(id)
      assert.deepEqual([status, times], ['paid', 1])
      assert.equal(BigInt(before.balance) - BigInt(balance), BigInt(1000 + index) * 100n)
    })
  }

  test('leaves sound books', () => assertSound({ address: stage.bank.address }))
})
