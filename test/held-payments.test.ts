// Once what shuts a caller out has been answered, no order of money of that caller commits: it
// waits for the batch that has judged the caller, and a later batch waits for what it decides.
// Others notice nothing of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { endAll } from '../src/features/auth/revoke-all.ts'
import { rotateSigningKey } from '../src/gate/provision.ts'
import { approve, approvalAt, pairOf } from './support/approvals.ts'
import { bank as ledgerBank, callers, code } from './support/bank.ts'
import { assertSound, deposit, type Scene, scene, transferBody } from './support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from './support/locks.ts'
import { createRandom, seed } from './support/random.ts'
import {
  assertAnsweredAfter,
  revocationsOfPeople,
  revocationsOfPrograms,
  stopBatches,
} from './support/revocations.ts'
import { newProgram } from './support/service-accounts.ts'
import { people, type Reply } from './support/world.ts'

const pay = '/api/v1/transfers'

/** A payee of Ada's, and the body of a payment that she is told of by mail. */
async function payee({ ada, from }: Scene): Promise<(amount: string) => object> {
  const body = { name: 'Grace Hopper', iban: 'DE89370400440532013000' }
  const made = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  assert.equal(made.status, 201, made.text)
  const beneficiaryId = made.body.id as string
  return (amount) => ({ fromAccountId: from, beneficiaryId, amount, currency: 'EUR' })
}

for (const [kind, revocations] of [
  ['session', revocationsOfPeople],
  ['key', revocationsOfPrograms],
] as const) {
  for (const [what, revoke] of Object.entries(revocations)) {
    test(`a ${kind} is shut out by ${what} only after its payment under way`, async (t) => {
      await untilInTime(async () => {
        const bank = await scene(t, '9000.00')
        const toBody = await payee(bank)
        const { ada, root, from } = bank
        const other = await bank.login('ada')
        const program = await newProgram(bank, { payFrom: [from] })
        const { token } = kind === 'key' ? program : ada
        const send = (amount: string) => bank.send('POST', pay, { token, body: toBody(amount) })
        const holder = await stopBatches(t, bank)
        await assertAnsweredAfter(bank, holder, send('2000.00'), () =>
          revoke({ bank, ada, other, root, program }),
        )
        assert.ok((await send('3000.00')).status >= 401)
      })
    })
  }
}

test('a payment that an administrator approves holds up what shuts its maker or its checker out', async (t) => {
  for (const who of ['maker', 'checker'] as const) {
    await t.test(who, async (t) => {
      await untilInTime(async () => {
        const bank = await scene(t)
        const { send } = await bank.another({ settings: { FOUR_EYES: 'createDeposit' } })
        const pair = await pairOf(bank, send)
        const body = { amount: '1.00', currency: 'EUR', reason: 'x' }
        const at = approvalAt(
          await pair.maker.post(`/api/v1/admin/accounts/${bank.to}/deposits`, body),
        )
        const holder = await stopBatches(t, bank)
        const approving = approve(pair.checker, at)
        await waitingForLock(bank)
        const order: string[] = []
        const id = who === 'maker' ? people.root.id : people.both.id
        const revoker = await openHolder(t, bank)
        const revoking = revoker
          .query(`update users set roles = '{customer}' where id = $1`, [id])
          .then(() => order.push('answered'))
        await Promise.race([waitingForLock(bank, 2), approving])
        order.push('released')
        await holder.query('commit')
        const [approved] = await Promise.all([approving, revoking])
        inTime(approved)
        assert.equal(approved.status, 200)
        assert.deepEqual(order, ['released', 'answered'])
      })
    })
  }
})

/** The revocations that a database knows, each in a transaction that stays open. */
const underWay = {
  'the end of its session': `update sessions set ended_at = now(), ended_because = 'logout'
    where user_id = '${people.ada.id}'`,
  'the end of all sessions of its person': `update users
    set session_generation = session_generation + 1 where id = '${people.ada.id}'`,
  'other roles of its person': `update users set roles = '{admin}' where id = '${people.ada.id}'`,
}

for (const [what, statement] of Object.entries(underWay)) {
  test(`a payment during ${what} is decided by how that ends, and others go on`, async (t) => {
    const fixture = await ledgerBank(t)
    const { ledger, movement } = fixture
    const [ada, ben] = [await fixture.account(100n), await fixture.account(100n, 'ben')]
    const [adaTo, benTo] = [await fixture.account(), await fixture.account(0n, 'ben')]
    const holder = await openHolder(t, fixture)
    for (const end of ['rollback', 'commit'] as const) {
      await holder.query('begin')
      await holder.query(statement)
      let isAnswered = false
      // One batch: they are submitted in one turn of the event loop.
      const hers = code(ledger.submit(movement(ada, adaTo, { key: end }))).finally(() => {
        isAnswered = true
      })
      const his = movement(ben, benTo, { key: end, caller: callers.ben })
      assert.equal(await code(ledger.submit(his)), 'done')
      await new Promise(setImmediate)
      assert.equal(isAnswered, false)
      await holder.query(end)
      if (end === 'rollback') assert.equal(await hers, 'done')
      else assert.match(await hers, /^(session_revoked|forbidden)$/)
    }
    assert.equal(await fixture.balance(adaTo), 1n)
    assert.equal(await fixture.balance(benTo), 2n)
  })
}

test('a payment that meets the end of its session is not made and answered 401', async (t) => {
  const bank = await scene(t)
  const [accounts, revoker] = [await openHolder(t, bank), await openHolder(t, bank)]
  await accounts.query('begin')
  await accounts.query('select from accounts where id = $1 for update', [bank.from])
  const paying = bank.ada.post(pay, transferBody(bank.from, bank.to))
  await waitingForLock(bank)
  await revoker.query('begin')
  await revoker.query(underWay['the end of its session'])
  await accounts.query('commit')
  await revoker.query('commit')
  const { status, body } = await paying
  assert.deepEqual([status, body.code], [401, 'session_revoked'])
  const { rows } = await bank.sql('select balance::int from accounts where id = $1', [bank.to])
  assert.deepEqual(rows, [{ balance: 0 }])
})

test('payments and the revocations of the operator do not wait for each other in a circle', async (t) => {
  const bank = await scene(t)
  await deposit(bank.root, bank.from, '899900.00')
  const second = await bank.another()
  const toBody = await payee(bank)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const replies: Reply[] = []
  const random = createRandom(seed)
  for (let round = 0; round < 5; round++) {
    const ada = await bank.login('ada')
    const program = await newProgram(
      { ...bank, as: bank.login },
      { payFrom: [bank.from], operations: ['openAccount'] },
    )
    const payments = [ada, program].flatMap(({ token }) =>
      Array.from({ length: 5 }, (_, index) => async () => {
        const { send } = index % 2 === 0 ? bank : second
        replies.push(await send('POST', pay, { token, body: toBody(`2000.${round}${index}`) }))
      }),
    )
    const rotate = () => rotateSigningKey(bank.address, bank.clock.now(), { isRevoking: true })
    const others = [
      () => transaction(db, (tx) => endAll(tx, bank.clock.now())),
      // A busy machine may not connect it within two seconds.
      () => rotate().catch(rotate),
    ]
    const order = random.shuffle([...payments, ...others])
    await Promise.all(order.map((begin) => begin()))
  }
  assert.deepEqual(
    replies.filter(({ status }) => status >= 500 && status !== 503).map(({ text }) => text),
    [],
  )
  await bank.sql(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name like 'strongroom %.%.%'`)
  const { rows } = await bank.sql(`select deadlocks::int as count from pg_stat_database
    where datname = current_database()`)
  assert.deepEqual(rows, [{ count: 0 }])
  await assertSound(bank)
})
