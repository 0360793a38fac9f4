import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cheapHashing } from '../../../test/support/database.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import { world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { addFirstAdmin } from './first-admin.ts'
import { createPasswords } from '../credentials/passwords.ts'

test('a bank that has an administrator gets no first one, by whatever name', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const passwords = await createPasswords({ hashing: cheapHashing })
  const add = (username: string) => {
    const admin = { username, email: `${username}@example.com` }
    return addFirstAdmin(db, passwords, admin, bank.clock.now())
  }
  const administrators = async () => {
    const { rows } = await bank.sql(`select username from users where 'admin' = any (roles)`)
    return rows.map(({ username }) => username)
  }
  assert.deepEqual(await add('first'), { password: undefined, hasName: false })
  assert.deepEqual(await administrators(), ['root'])
  await bank.sql(`update users set roles = array['customer'] where username = 'root'`)
  const first = await add('first')
  assert.match(first.password ?? '', /^[\w-]{24}$/)
  assert.equal(first.hasName, true)
  assert.deepEqual(await add('second'), { password: undefined, hasName: false })
  assert.deepEqual(await add('first'), { password: undefined, hasName: true })
  assert.deepEqual(await administrators(), ['first'])
})

test('of two first starts at once one makes the administrator, and its password alone is kept', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set roles = array['customer'] where username = 'root'`)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const passwords = await createPasswords({ hashing: cheapHashing })
  // The first start has kept its password, and waits; then the second one begins.
  let kept: string[] = []
  const admin = { username: 'first', email: 'first@example.com' }
  const start = (keep: (password: string) => Promise<void>) =>
    addFirstAdmin(db, passwords, admin, bank.clock.now(), async (password) => {
      kept = [password]
      await keep(password)
    })
  let second: ReturnType<typeof start> | undefined
  const first = await start(async () => {
    second = start(async () => {})
    await waitingForLock(bank)
  })
  assert.deepEqual(await second, { password: undefined, hasName: true })
  assert.deepEqual(kept, [first.password])
})
