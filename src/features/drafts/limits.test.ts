// A member's own limits count for its signature as for its payment, whether it signs first or last.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { draftScene } from '../../../test/support/drafts.ts'
import { assertSound, readBalance } from '../../../test/support/fixture.ts'
import { people } from '../../../test/support/world.ts'
import { sweepDrafts } from './sweep.ts'

for (const limit of ['per_payment', 'per_day'] as const) {
  test(`a member signs no draft above its own limit (${limit}): it prepares it, and neither its first nor its last signature counts`, async (t) => {
    const bank = await draftScene(t)
    const limitBen = (most: number | null) =>
      bank.sql(
        `update account_members set ${limit} = $2 where person_id = $1 and ended_at is null`,
        [people.ben.id, most],
      )
    const signed = async (by: 'ada' | 'ben' | 'both', id: string) => {
      const { body } = await bank.sign(by, id)
      return body.code ?? body.status
    }
    const waits = async (id: string) =>
      (await bank.voices.ben.get('/api/v1/me/signatures')).body.items.some(
        (one: { id: string }) => one.id === id,
      )
    await limitBen(100_000)
    const within = await bank.make('ben', '1000.00')
    assert.deepEqual((await bank.read(within)).signedBy, [people.ben.id])
    assert.equal(await signed('both', within), 'paid')

    const prepared = await bank.make('ben', '1000.01')
    assert.deepEqual((await bank.read(prepared)).signedBy, [])
    assert.equal(await signed('both', prepared), 'waiting')
    assert.equal(await signed('ada', prepared), 'paid')

    await bank.member('both', 'prepare')
    const first = await bank.make('both', '1000.01')
    assert.ok(!(await waits(first)))
    assert.equal(await signed('ben', first), 'limit_exceeded')
    assert.equal(await signed('ada', first), 'waiting')
    assert.equal(await signed('ben', first), 'limit_exceeded')
    await limitBen(100_001)
    assert.ok(await waits(first))
    assert.equal((await bank.cancel('ada', first)).status, 204)

    // A limit that is lowered takes the signature back.
    const lowered = await bank.make('ben', '1000.01')
    assert.deepEqual((await bank.read(lowered)).signedBy, [people.ben.id])
    await limitBen(100_000)
    assert.equal(await signed('ada', lowered), 'illegal_transition')
    const db = openDatabase(bank.address)
    await transaction(db, (tx) => sweepDrafts(tx, bank.clock.now()))
    await db.close()
    assert.equal(await bank.status(lowered), 'void')
    assert.equal(await readBalance(bank.ada, bank.from), '2999.99')
    await assertSound(bank)
  })
}
