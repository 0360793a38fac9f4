// Two services that start at the same time on one database each add what is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingForLock } from '../../test/support/locks.ts'
import { world } from '../../test/support/world.ts'
import { provision } from './provision.ts'

const cases = {
  'a signing key': {
    remove: 'update signing_keys set retired_at = now()',
    add: `insert into signing_keys (kid, public_jwk, private_jwk, created_at)
          select 'first', public_jwk, private_jwk, created_at from signing_keys limit 1`,
    find: 'select kid as found from signing_keys where retired_at is null',
  },
  'a secret': {
    remove: `delete from secrets where name = 'cursor'`,
    add: `insert into secrets (name, value) values ('cursor', rpad('first', 32)::bytea)`,
    find: `select rtrim(convert_from(value, 'UTF8')) as found from secrets where name = 'cursor'`,
  },
}

for (const [what, { remove, add, find }] of Object.entries(cases)) {
  test(`of two starts that add ${what} the first one's stays, and neither fails`, async (t) => {
    const bank = await world(t)
    await bank.sql(remove)
    await bank.sql('begin')
    await bank.sql(add)
    const second = provision(bank.address, bank.clock.now())
    await waitingForLock(bank)
    await bank.sql('commit')
    await second
    assert.deepEqual((await bank.sql(find)).rows, [{ found: 'first' }])
  })
}
