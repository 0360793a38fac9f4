// What a member does while its right ends: a payment, a draft, the second signature and the change
// of an order. The one that commits first decides, and nothing takes effect after the end's answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DraftScene, draftScene } from './support/drafts.ts'
import { assertSound, deposit } from './support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from './support/locks.ts'
import { assertAnsweredAfter, stopBatches } from './support/revocations.ts'
import { people, type Reply } from './support/world.ts'

const { ada, ben } = people

const actions = [
  'a payment',
  'a draft',
  'a second signature',
  'an order',
  'a signature of what the member has signed',
] as const

let count = 0
/** Made ready now, and sent later. Each is another one: none is taken for a repetition. */
async function makeReady(bank: DraftScene) {
  const { from, payeeId, voices, make, sign, post } = bank
  const amount = `${count++}.01`
  const terms = { beneficiaryId: payeeId, amount, currency: 'EUR' }
  const ordered = await voices.ben.post(`/api/v1/accounts/${from}/orders`, {
    ...terms,
    rhythm: 'weekly',
    firstOn: '2026-02-02',
  })
  assert.equal(ordered.status, 201, ordered.text)
  const ofBoth = await make('both', '1000.00', { reference: amount })
  const ofBen = await make('ben', '1000.00', { reference: amount })
  return {
    'a payment': () => voices.ben.post('/api/v1/transfers', { fromAccountId: from, ...terms }),
    'a draft': () => post('ben', amount),
    'a second signature': () => sign('ben', ofBoth),
    'an order': () => voices.ben.patch(`/api/v1/orders/${ordered.body.id}`, { amount: '7.00' }),
    'a signature of what the member has signed': () => sign('ada', ofBen),
  } satisfies Record<(typeof actions)[number], () => Promise<Reply>>
}

/** Each as it was before: Ben may pay for Ada. */
async function restore({ sql, member, loginAgain }: DraftScene): Promise<void> {
  await sql(`update users set status = 'active' where id = any($1)`, [[ada.id, ben.id]])
  await member('ben', 'pay')
  await loginAgain()
}

const membership = `update account_members set`
const standing = `where person_id = '${ben.id}' and ended_at is null`
/** In a transaction that stays open, with the locks that each end takes. */
const ends: Record<string, (at: Date) => string> = {
  'the end': (at) =>
    `${membership} ended_at = '${at.toISOString()}', ended_by = 'owner' ${standing}`,
  'a lowered right': () => `${membership} rights = 'view' ${standing}`,
  'a disabled owner': () => `update users set status = 'disabled' where id = '${ada.id}'`,
  // The time passes while they wait.
  'its time': () => 'select',
}

test('what a member does while its right ends is decided by how that ends', async (t) => {
  const bank = await draftScene(t)
  const { clock, from, root, sql } = bank
  await deposit(root, from, '20000.00')
  const holder = await openHolder(t, bank)
  for (const [what, end] of Object.entries(ends)) {
    for (const how of ['rollback', 'commit'] as const) {
      await restore(bank)
      const { 'a signature of what the member has signed': _, ...sent } = await makeReady(bank)
      if (what === 'its time') {
        await sql(`${membership} until = $1 ${standing}`, [new Date(clock.now() + 1000)])
      }
      await holder.query('begin')
      await holder.query('select from users where id = any($1) for update', [[ada.id, ben.id]])
      await holder.query('select from accounts where id = $1 for update', [from])
      await holder.query(end(new Date(clock.now())))
      const sending = Object.entries(sent).map(async ([name, send]) => ({
        name,
        ...(await send()),
      }))
      await waitingForLock(bank, sending.length)
      if (what === 'its time') clock.advance(how === 'commit' ? 1000 : 999)
      await holder.query(how)
      for (const { name, status, text } of await Promise.all(sending)) {
        const told = `${name}, ${what}, ${how}: ${text}`
        if (how === 'commit') assert.equal(status, 403, told)
        else assert.ok(status < 300, told)
      }
    }
  }
  await assertSound(bank)
})

test('the end of a right is answered only after what the member does under way', async (t) => {
  const bank = await draftScene(t)
  const { from, root, sql } = bank
  await deposit(root, from, '20000.00')
  const batches = await stopBatches(t, bank)
  const accounts = await openHolder(t, bank)
  await batches.query('commit')
  const disable = (id: string) => () =>
    root.patch(`/api/v1/admin/users/${id}`, { status: 'disabled' })
  const path = async () => {
    const { rows } = await sql(`select id from account_members ${standing}`)
    return `/api/v1/accounts/${from}/members/${String(rows[0]?.['id'])}`
  }
  const revocations = {
    'the end': async () => bank.voices.ada.delete(await path()),
    'a lowered right': async () => bank.voices.ada.patch(await path(), { rights: 'view' }),
    'a disabled owner': disable(ada.id),
    'a disabled member': disable(ben.id),
  }
  for (const revoke of Object.values(revocations)) {
    for (const name of actions) {
      await untilInTime(async () => {
        await restore(bank)
        const send = (await makeReady(bank))[name]
        const isBatch = name !== 'a draft' && name !== 'an order'
        const holder = isBatch ? batches : accounts
        await holder.query('begin')
        await holder.query(
          isBatch
            ? 'select pg_advisory_xact_lock(1)'
            : `select from accounts where id = '${from}' for update`,
        )
        await assertAnsweredAfter(bank, holder, send(), revoke)
      })
    }
  }
  await restore(bank)
  await assertSound(bank)
})

test('a change of a membership and its end wait for what is under way on the account', async (t) => {
  const bank = await draftScene(t)
  const { from, sql, voices } = bank
  await restore(bank)
  const { rows } = await sql(`select id from account_members ${standing}`)
  const path = `/api/v1/accounts/${from}/members/${String(rows[0]?.['id'])}`
  const holder = await openHolder(t, bank)
  for (const send of [
    () => voices.ada.patch(path, { perDay: '900.00', currency: 'EUR' }),
    () => voices.ada.delete(path),
  ]) {
    await untilInTime(async () => {
      await holder.query('begin')
      await holder.query('select from accounts where id = $1 for update', [from])
      const sent = send()
      await waitingForLock(bank)
      await holder.query('commit')
      const { status, text } = await sent
      inTime({ status } as Reply)
      assert.ok(status < 300, text)
    })
  }
})
