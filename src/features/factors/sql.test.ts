// What the statements of factors guard by themselves, without a lock of the user around them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank } from '../../../test/support/bank.ts'
import { people } from '../../../test/support/people.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { useTotpStep } from './sql.ts'

const { db, sql } = await bank({ after })
const now = Date.UTC(2026, 0, 2, 9)

test('a step is used once by twenty transactions at once, and no earlier one after it', async () => {
  const id = newId(now)
  await sql(
    `insert into factors (id, user_id, kind, name, secret_sealed, created_at, activated_at)
     values ($1, $2, 'totp', 'Phone', 'x', $3, $3)`,
    [id, people.ada.id, new Date(now)],
  )
  const use = (step: number) => transaction(db, (tx) => useTotpStep(tx, id, step, now))
  const used = await Promise.all(Array.from({ length: 20 }, () => use(7)))
  assert.equal(used.filter((each) => each !== undefined).length, 1)
  assert.deepEqual([await use(7), await use(6)], [undefined, undefined])
  assert.deepEqual(await use(8), { id })
})
