// What ends a right, or changes an account, in the middle of a list: the lines before are paid, and
// each of those behind is refused with its reason. And a list that is cancelled while it begins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { block, lift } from '../../../test/support/blocks.ts'
import { assertSound, deposit, scene } from '../../../test/support/fixture.ts'
import { type Item, listScene, openListWorker } from '../../../test/support/payment-lists.ts'
import {
  newProgram,
  serviceAccountsPath,
  toGrants,
} from '../../../test/support/service-accounts.ts'
import { type ApiClient, clientWith, people, type World } from '../../../test/support/world.ts'
import type { Ledger } from '../../ledger/batch/batch.ts'
import type { DueWorkerParts } from '../movements/due-worker.ts'
import type { Movement, Submit } from '../../ledger/rules/movement.ts'

/** Lines that are paid before the change. */
const before = 3

/** Submits the first lines of a list, then makes the change, then submits the others. */
function ledgerWithChange(
  { submit }: Ledger,
  change: () => Promise<unknown>,
): DueWorkerParts['ledger'] {
  const { promise: changed, resolve, reject } = Promise.withResolvers<void>()
  let done = 0
  return {
    askedCount: () => 0,
    submit: (async (movement: Movement) => {
      const { line } = movement as { line?: { place: number } }
      if (line === undefined || line.place >= before) {
        await changed
        return submit(movement)
      }
      try {
        return await submit(movement)
      } finally {
        if (++done === before) change().then(() => resolve(), reject)
      }
    }) as Submit,
  }
}

/** Works on the lists of a bank, with a change in the middle of the one that is ordered. */
async function workWithChange(bank: World, change: () => Promise<unknown>): Promise<void> {
  const worker = openListWorker(bank, ledgerWithChange(bank.running.core.ledger, change))
  await worker.work()
  assert.equal(worker.failedCount(), 0)
  await worker.close()
}

const done = async (sent: ReturnType<ApiClient['post']>) => {
  const { status, text, body } = await sent
  assert.ok(status < 300, text)
  return body
}

test('what changes in the middle of a list refuses each line behind it, by the reason that single payments have', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { from, to, known, payeeId } = bank
  const second = await bank.another()
  // All changes are made on the other instance.
  const root = clientWith(second.send, (await bank.as('root')).token)
  const ada = clientWith(second.send, bank.ada().token)
  const own = { name: 'Me', iban: (await ada.get(`/api/v1/accounts/${to}`)).body.iban }
  const settings = `/api/v1/accounts/${from}/settings`
  const admin = `/api/v1/admin/accounts/${from}`
  const me = `/api/v1/admin/users/${people.ada.id}`
  const reason = { reason: 'x' }
  const line = known('1.00')
  let blockId = ''
  let voice = bank.ada()
  const program = await newProgram(bank, { payFrom: [from] })
  const programAt = `${serviceAccountsPath}/${program.id}`
  const grants = (payFrom: string[]) => ({ grants: toGrants({ payFrom }) })

  type Case = {
    change(): Promise<unknown>
    undo?(): Promise<unknown>
    told: string
    item?: Item
    by?: typeof program
  }
  const cases: Record<string, Case> = {
    'nothing changes': { change: async () => {}, told: 'made' },
    'the account is frozen': {
      change: () => done(root.post(`${admin}/freeze`, reason)),
      undo: () => done(root.post(`${admin}/unfreeze`, reason)),
      told: 'refused account_frozen',
    },
    'its debits are blocked': {
      change: async () => (blockId = await block(root, from, 'debits')),
      undo: () => lift(root, from, blockId),
      told: 'refused debits_blocked',
    },
    'the credits of the payee are blocked': {
      change: async () => (blockId = await block(root, to, 'credits')),
      undo: () => lift(root, to, blockId),
      told: 'refused credits_blocked',
      item: { ...own, amount: '1.00' },
    },
    'the limit of the day is lowered to what has left': {
      async change() {
        const { rows } = await bank.sql('select spent_amount::text from accounts where id = $1', [
          from,
        ])
        const spent = (Number(rows[0]?.['spent_amount']) / 100 + 0.99).toFixed(2)
        await done(root.patch(settings, { dailyTransferLimit: spent }))
      },
      undo: () => done(root.patch(settings, { dailyTransferLimit: null })),
      told: 'refused limit_exceeded',
    },
    'the payee is deactivated': {
      change: () => done(ada.post(`/api/v1/beneficiaries/${payeeId}/deactivate`)),
      undo: () => done(ada.post(`/api/v1/beneficiaries/${payeeId}/reactivate`)),
      told: 'refused beneficiary_inactive',
    },
    'another payment leaves less than a line': {
      async change() {
        const free = (Number(await bank.balance()) - 0.5).toFixed(2)
        const body = { fromAccountId: from, toAccountId: to, amount: free, currency: 'EUR' }
        await done(ada.post('/api/v1/transfers', body))
      },
      undo: () => deposit(root, from, '500.00'),
      told: 'refused insufficient_funds',
    },
    'the program is disabled': {
      by: program,
      change: () => done(root.patch(programAt, { status: 'disabled' })),
      undo: () => done(root.patch(programAt, { status: 'active' })),
      told: 'refused forbidden',
    },
    'the program loses the account': {
      by: program,
      change: () => done(root.patch(programAt, grants([]))),
      undo: () => done(root.patch(programAt, grants([from]))),
      told: 'refused forbidden',
    },
    'the last key of the program is revoked': {
      by: program,
      change: () => done(root.delete(`${programAt}/keys/${program.keyId}`)),
      told: 'refused forbidden',
    },
    'the payee is deleted': {
      change: () => done(ada.delete(`/api/v1/beneficiaries/${payeeId}`)),
      told: 'refused not_found',
    },
    'the session that ordered it is over': {
      change: () => done(ada.post('/api/v1/auth/logout')),
      undo: async () => (voice = await bank.login('ada')),
      told: 'made',
      item: { ...own, amount: '1.00' },
    },
    'the customer is disabled': {
      change: () => done(root.patch(me, { status: 'disabled' })),
      async undo() {
        await done(root.patch(me, { status: 'active' }))
        voice = await bank.login('ada')
      },
      told: 'refused forbidden',
      item: { ...own, amount: '1.00' },
    },
    'the person is no customer any more': {
      change: () => done(root.patch(me, { roles: ['support-agent'] })),
      told: 'refused forbidden',
      item: { ...own, amount: '1.00' },
    },
  }

  async function assertCase(what: string, { change, undo, told, item = line, by }: Case) {
    const sender = by ?? voice
    const list = await done(
      bank.check(
        Array.from({ length: 5 }, () => item),
        {},
        sender,
      ),
    )
    await done(bank.execute(list.id, {}, sender))
    await workWithChange(bank, async () => {
      await change()
      // So that no row of another person happens to be read before hers.
      await bank.sql('update users set language = language where id <> $1', [people.ada.id])
    })
    const { rows } = await bank.sql(
      `select place || ' ' || outcome || coalesce(' ' || refusal, '') as line,
         coalesce(transfer_id::text, '') as paid
       from payment_list_lines where list_id = $1 order by place`,
      [list.id],
    )
    const expected = [0, 1, 2].map((place) => `${place} made`)
    assert.deepEqual(
      rows.map((row) => row['line']),
      [...expected, `3 ${told}`, `4 ${told}`],
      what,
    )
    const paid = rows.flatMap((row) => row['paid'] || [])
    const count = told === 'made' ? 5 : 3
    // The list, its payments and the feed say the same.
    const { rows: all } = await bank.sql(
      `select p.status, p.made_count as made, p.refused_count as refused,
         (select count(*)::int from transfers where id = any ($2) and amount = 100) as paid,
         (select array_agg(type order by written) from events where p.id = any (ids)) as told,
         (select count(*)::int from events cross join lateral unnest(ids) as id
          where id = any ($2)) as told_paid,
         (select count(*)::int from audit_events
          where target = p.id and action = 'executePaymentList') as recorded
       from payment_lists p where id = $1`,
      [list.id, paid],
    )
    const feed = { told: ['list.ordered', 'list.executed'], told_paid: count, recorded: 1 }
    const sums = { status: 'executed', made: count, refused: 5 - count, paid: count }
    assert.deepEqual(all, [{ ...sums, ...feed }], what)
    await undo?.()
  }
  for (const [what, each] of Object.entries(cases)) await assertCase(what, each)
  await assertSound(bank)
})

test('an account that is closed in the middle of a list refuses the lines that are left, and keeps what was paid', async (t) => {
  const bank = await scene(t, '3.00')
  const { ada, from, to } = bank
  const own = { name: 'Me', iban: (await ada.get(`/api/v1/accounts/${to}`)).body.iban }
  const items = Array.from({ length: 5 }, () => ({ ...own, amount: '1.00' }))
  const path = `/api/v1/accounts/${from}/payment-lists`
  const later = { executeOn: '2026-01-09' }
  const waiting = await done(ada.post(path, { currency: 'EUR', items, ...later }))
  await done(ada.post(`/api/v1/payment-lists/${waiting.id}/execute`))
  // Identifiers of one millisecond are in no order.
  bank.clock.advance(1)
  const list = await done(ada.post(path, { currency: 'EUR', items }))
  await done(ada.post(`/api/v1/payment-lists/${list.id}/execute`))
  await workWithChange(bank, () => done(ada.delete(`/api/v1/accounts/${from}`)))
  const { rows } = await bank.sql(
    `select p.id, p.status, p.made_count as made, array_agg(distinct l.refusal) as refusals
     from payment_lists p join payment_list_lines l on l.list_id = p.id
     group by p.id order by p.id`,
  )
  assert.deepEqual(rows, [
    { id: waiting.id, status: 'cancelled', made: 0, refusals: [null] },
    { id: list.id, status: 'executed', made: 3, refusals: ['account_closed', null] },
  ])
  await assertSound(bank)
})

test('a list that is cancelled while two instances begin to pay it is paid whole, or not at all', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const second = await bank.another()
  const workers = [bank.running.core.paymentLists, second.running.core.paymentLists]
  const { token } = bank.ada()
  for (let round = 0; round < 4; round++) {
    const left = Number(await bank.balance())
    const id = await bank.order(Array.from({ length: 20 }, () => bank.known('1.00')))
    const path = `/api/v1/payment-lists/${id}`
    const [here, there] = await Promise.all([
      bank.ada().delete(path),
      second.send('DELETE', path, { token }),
      ...workers.map((worker) => worker.work()),
    ])
    await workers[0]?.work()
    const codes = [here, there].map(({ status, body }) => body?.code ?? status)
    const isCancelled = codes.includes(204)
    const others = codes.filter((code) => code !== 'illegal_transition')
    assert.deepEqual(others, isCancelled ? [204] : [])
    const { status, made } = await bank.read(id)
    assert.deepEqual([status, made.count], isCancelled ? ['cancelled', 0] : ['executed', 20])
    assert.equal(Number(await bank.balance()), left - (isCancelled ? 0 : 20))
  }
  await assertSound(bank)
})
