// A hash of lower parameters is replaced when its password is next sent.
import assert from 'node:assert/strict'
import { hash } from '@node-rs/argon2'
import { test } from 'node:test'
import { password, people, world, type World } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { isOutdated } from '../credentials/passwords.ts'
import { replaceHash } from './sql.ts'

const weak = { algorithm: 2, memoryCost: 8192, timeCost: 1, parallelism: 1 } as const

const row = async ({ sql }: World) => {
  const { rows } = await sql('select password_hash, password_version from users where id = $1', [
    people.ada.id,
  ])
  return rows[0] as { password_hash: string; password_version: number }
}
const setHash = ({ sql }: World, text: string) =>
  sql('update users set password_hash = $2 where id = $1', [people.ada.id, text])

test('a login renews a hash of lower parameters and changes neither password version nor sessions', async (t) => {
  const bank = await world(t, { hashing: 'real' })
  const before = await bank.login('ada')
  const old = await hash(password, weak)
  await setHash(bank, old)
  const wrong = { username: 'ada', password: 'not the right password' }
  await bank.send('POST', '/api/v1/auth/login', { body: wrong })
  assert.equal((await row(bank)).password_hash, old, 'a wrong password renews nothing')
  await bank.login('ada')
  const renewed = await row(bank)
  assert.match(renewed.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(renewed.password_version, 0)
  assert.equal((await before.get('/api/v1/me')).status, 200)
  await bank.login('ada')
  assert.deepEqual(await row(bank), renewed, 'once')
})

test('a login does not wait for a place to renew its hash, and a later one renews it', async (t) => {
  const bank = await world(t, { hashing: 'real' })
  await setHash(bank, await hash(password, weak))
  const { passwords } = bank.running.core
  // Takes all places after the password was verified.
  const { verify } = passwords
  const others: Promise<unknown>[] = []
  const mock = t.mock.method(passwords, 'verify', async (stored: string | null, text: string) => {
    const isRight = await verify(stored, text)
    others.push(...Array.from({ length: 20 }, () => passwords.hash('a password of another')))
    return isRight
  })
  await bank.login('ada')
  assert.match((await row(bank)).password_hash, /m=8192/)
  await Promise.all(others)
  mock.mock.restore()
  await bank.login('ada')
  assert.match((await row(bank)).password_hash, /m=19456/)
})

test('a hash that was replaced in the meantime is not overwritten', async (t) => {
  const bank = await world(t, { hashing: 'real' })
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const { password_hash: stored } = await row(bank)
  await setHash(bank, 'that of another password')
  await transaction(db, (tx) => replaceHash(tx, people.ada.id, stored, 'renewed'))
  assert.equal((await row(bank)).password_hash, 'that of another password')
})

test('only lower memory or fewer passes are outdated', () => {
  const phc = (memory: number, time: number) =>
    `$argon2id$v=19$m=${memory},t=${time},p=1$c2FsdA$aGFzaA`
  assert.deepEqual([isOutdated(phc(19_456, 2)), isOutdated(phc(47_104, 3))], [false, false])
  assert.deepEqual([isOutdated(phc(19_455, 2)), isOutdated(phc(19_456, 1))], [true, true])
  assert.ok(isOutdated('$argon2i$v=19$m=65536,t=4,p=1$c2FsdA$aGFzaA'), 'another algorithm')
})
