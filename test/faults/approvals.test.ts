// Four eyes while COMMITs or their answers are lost: what was approved once is done once at most,
// and the approval tells whether it is.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { approve, approvalsPath, approvalAt, pairOf } from '../support/approvals.ts'
import { assertSound, openAccount, readBalance } from '../support/fixture.ts'
import { until } from '../support/mailbox.ts'
import { proxiedWorld } from './proxied-world.ts'

const settings = { FOUR_EYES: 'createDeposit,freezeAccount' }

async function scene(t: TestContext) {
  const bank = await proxiedWorld(t, { settings })
  const account = await openAccount(await bank.as('ada'))
  const { maker, checker } = await pairOf(bank)
  const admin = `/api/v1/admin/accounts/${account}`
  const terms = { amount: '5.00', currency: 'EUR', reason: 'Counter' }
  const deposit = (key?: string) =>
    maker.post(
      `${admin}/deposits`,
      terms,
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    )
  const freeze = () => maker.post(`${admin}/freeze`, { reason: 'Stolen' })
  const balance = async () => readBalance(await bank.as('ada'), account)
  return { ...bank, account, maker, checker, deposit, freeze, balance }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** Approves until that is refused because it is done. */
async function approveUntilDone({ checker }: Scene, at: string): Promise<void> {
  await until('the end of it', async () => {
    const reply = await approve(checker, at)
    if (reply.status === 200) return false
    const { code } = reply.body
    if (code === 'illegal_transition') return true
    assert.ok(['unavailable', 'outcome_unknown', 'request_in_progress'].includes(code), reply.text)
    return false
  })
}

async function assertOnce(made: Scene, at: string): Promise<void> {
  await approveUntilDone(made, at)
  const { body } = await made.checker.get(at)
  assert.equal(body.status, 'executed')
  assert.equal(await made.balance(), '5.00')
  const { rows } = await made.sql('select id from transfers')
  assert.deepEqual(rows, [{ id: body.resourceId }])
  const events = await made.sql(
    `select from audit_events where outcome = 'success' and action = 'createDeposit'`,
  )
  assert.equal(events.rowCount, 1)
  await assertSound(made)
}

for (const key of [undefined, 'k']) {
  const which = key === undefined ? 'without a key' : 'with a key'

  test(`an approved deposit ${which} whose COMMIT is not answered is looked up, and done once`, async (t) => {
    const made = await scene(t)
    const at = approvalAt(await made.deposit(key))
    made.proxy.swallowCommit()
    const reply = await approve(made.checker, at)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.status, 'executed')
    await assertOnce(made, at)
  })

  test(`an approved deposit ${which} whose COMMITs are lost is done once in the end`, async (t) => {
    const made = await scene(t)
    const at = approvalAt(await made.deposit(key))
    made.proxy.loseCommit(4)
    await approve(made.checker, at)
    await assertOnce(made, at)
  })

  test(`an approved deposit ${which} whose outcome was not known is done once, and the approval says so`, async (t) => {
    const made = await scene(t)
    const at = approvalAt(await made.deposit(key))
    made.proxy.trap({
      statement: 'ledger_write_batch',
      at: 'commit',
      when: 'answered',
      act: made.proxy.drop,
    })
    const reply = await approve(made.checker, at)
    assert.deepEqual([reply.status, reply.body.code], [503, 'outcome_unknown'])
    made.proxy.heal()
    await assertOnce(made, at)
  })
}

test('an approved change of another kind whose COMMIT is not answered is in doubt, and done once', async (t) => {
  const made = await scene(t)
  const at = approvalAt(await made.freeze())
  made.proxy.swallowCommit()
  const reply = await approve(made.checker, at)
  assert.deepEqual([reply.status, reply.body.code], [503, 'outcome_unknown'])
  await approveUntilDone(made, at)
  const { rows } = await made.sql(
    `select (select status from approvals) as approval,
            (select status from accounts where id = $1) as account,
            (select count(*)::int from audit_events
             where action = 'freezeAccount' and outcome = 'success') as events`,
    [made.account],
  )
  assert.deepEqual(rows, [{ approval: 'executed', account: 'frozen', events: 1 }])
})

test('a request whose COMMIT is not answered is one approval when it is repeated with its key', async (t) => {
  const made = await scene(t)
  made.proxy.swallowCommit()
  const first = await made.deposit('k')
  assert.deepEqual([first.status, first.body.code], [503, 'outcome_unknown'])
  const again = await made.deposit('k')
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const { items } = (await made.checker.get(approvalsPath)).body
  assert.deepEqual(
    items.map(({ id }: { id: string }) => `${approvalsPath}/${id}`),
    [approvalAt(again)],
  )
  await approve(made.checker, approvalAt(again))
  await assertOnce(made, approvalAt(again))
})
