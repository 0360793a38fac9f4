// A lower limit of a member holds for the drafts that the member has signed and that wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs } from '../../domain/clock.ts'
import { draftScene } from '../../../test/support/drafts.ts'
import { assertSound, readBalance } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'

/** Both prepares, Ben signs up to €1,500 a day, Ada signs last. */
async function scene(t: Parameters<typeof draftScene>[0]) {
  const bank = await draftScene(t)
  await bank.rule('50.00')
  await bank.member('both', 'prepare')
  const path = `/api/v1/accounts/${bank.from}/members`
  const lower = async (limits: object) => {
    const { items } = (await bank.voices.ada.get(path)).body
    const { id } = items.find(
      ({ username, status }: Record<string, string>) => username === 'ben' && status === 'active',
    )
    const change = { currency: 'EUR', ...limits }
    const changed = await bank.voices.ada.patch(`${path}/${id}`, change)
    assert.equal(changed.status, 200, changed.text)
  }
  await lower({ perDay: '1500.00' })
  let count = 0
  const signed = async (amount: string) => {
    const id = await bank.make('both', amount, { reference: `${count++}` })
    const reply = await bank.sign('ben', id)
    assert.equal(reply.body.status, 'waiting', reply.text)
    bank.clock.advance(1000)
    return id
  }
  const statuses = async (...ids: string[]) => Promise.all(ids.map(bank.status))
  const payAsBen = async (amount: string) => {
    const [fromAccountId, beneficiaryId] = [bank.from, bank.payeeId]
    const terms = { fromAccountId, beneficiaryId, amount, currency: 'EUR' }
    const paid = await bank.voices.ben.post('/api/v1/transfers', terms)
    assert.equal(paid.status, 201, paid.text)
  }
  return { ...bank, path, lower, signed, statuses, payAsBen }
}

test('a lower limit of a day voids the later of two signed drafts to the cent, and leaves what it would have let sign', async (t) => {
  const bank = await scene(t)
  const { lower, signed, statuses, sign, clock } = bank
  const before = await signed('1500.00')
  clock.advance(dayMs)
  await bank.loginAgain()
  const [one, two] = [await signed('700.00'), await signed('700.00')]
  await lower({ perDay: '1500.00', rights: 'pay' })
  await lower({ perDay: '1400.00' })
  // Each day is judged by itself: that of the day before is above the limit alone.
  assert.deepEqual(await statuses(before, one, two), ['void', 'waiting', 'waiting'])
  await lower({ perDay: '1399.99' })
  assert.deepEqual(await statuses(one, two), ['waiting', 'void'])
  assert.equal((await sign('ada', two)).body.code, 'illegal_transition')
  assert.equal((await bank.read(two)).reference, '')
  // A higher one brings none back.
  await lower({ perDay: null })
  assert.equal((await sign('ada', two)).body.code, 'illegal_transition')
  assert.equal((await sign('ada', one)).body.status, 'paid')
  assert.equal(await readBalance(bank.voices.ada, bank.from), '4300.00')
  const told = (await readMails(bank)).filter(({ subject }) => subject === 'A payment was not made')
  const names = told.map(({ to }) => to?.[0]?.name ?? '').toSorted()
  assert.deepEqual(names, ['Ben Lindqvist', 'Ben Lindqvist', 'Both Hybrid', 'Both Hybrid'])
  await assertSound(bank)
})

test('what is paid counts first, and a draft that is above a lower limit takes the place of none', async (t) => {
  const bank = await scene(t)
  const { lower, signed, statuses, payAsBen, sign } = bank
  const cancelled = await signed('100.00')
  const ids = [await signed('300.00'), await signed('600.00'), await signed('100.00')]
  const paid = await signed('60.00')
  await payAsBen('40.00')
  assert.equal((await sign('ada', paid)).body.status, 'paid')
  assert.equal((await bank.cancel('ada', cancelled)).status, 204)
  await lower({ perDay: '500.00' })
  assert.deepEqual(await statuses(...ids), ['waiting', 'void', 'waiting'])
  await lower({ perDay: '499.99' })
  assert.deepEqual(await statuses(...ids), ['waiting', 'void', 'void'])
  await lower({ perPayment: '300.00' })
  assert.equal(await bank.status(ids[0] as string), 'waiting')
  await lower({ perPayment: '299.99' })
  assert.equal(await bank.status(ids[0] as string), 'void')
  await assertSound(bank)
})

test('a membership that begins anew with a lower limit leaves no more of what was signed before', async (t) => {
  const bank = await scene(t)
  const { path, signed, statuses, voices } = bank
  const ids = [await signed('700.00'), await signed('700.00')]
  const { items } = (await voices.ada.get(path)).body
  const { id } = items.find(({ username }: { username: string }) => username === 'ben')
  assert.equal((await voices.ada.delete(`${path}/${id}`)).status, 204)
  const terms = { username: 'ben', rights: 'pay', currency: 'EUR', perDay: '1399.99' }
  const invited = await voices.ada.post(path, terms)
  assert.equal((await voices.ben.post(`/api/v1/members/${invited.body.id}/accept`)).status, 200)
  assert.deepEqual(await statuses(...ids), ['waiting', 'void'])
})

test('a last signature and a lower limit in one moment: the draft is paid or void', async (t) => {
  const bank = await scene(t)
  const other = await bank.another()
  let left = 500_000n
  for (let round = 0; round < 5; round++) {
    const id = await bank.signed('700.00')
    const [paid] = await Promise.all([
      other.send('POST', `/api/v1/drafts/${id}/sign`, { token: bank.voices.ada.token }),
      bank.lower({ perDay: '699.99' }),
    ])
    const isPaid = paid.status === 200
    if (isPaid) left -= 70_000n
    else assert.equal(paid.body.code, 'illegal_transition', paid.text)
    assert.equal(await bank.status(id), isPaid ? 'paid' : 'void')
    const { rows } = await bank.sql('select balance from accounts where id = $1', [bank.from])
    assert.equal(BigInt(rows[0]?.['balance'] as string), left)
    bank.clock.advance(dayMs)
    await bank.loginAgain()
    await bank.lower({ perDay: '1500.00' })
  }
  await assertSound(bank)
})
