import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { cloneTemplate, cluster, toUrl } from '../../test/support/database.ts'
import { atEnd, newFolder } from '../../test/support/embedded.ts'
import { run } from '../../test/support/program.ts'
import { world } from '../../test/support/world.ts'
import { readConfig } from '../config/config.ts'
import type { LocalAddress } from '../database/connections/connect.ts'
import { rotateKeys } from './rotate-keys.ts'

test('a rotation of the keys is recorded with the new key, or does not happen', async (t) => {
  const bank = await world(t)
  const url = toUrl(bank.address as LocalAddress)
  const config = readConfig({ STRONGROOM_DATABASE_URL: url })
  const output: string[] = []
  const kids = async () => {
    const { rows } = await bank.sql(
      'select kid, retired_at is null as signs from signing_keys order by kid',
    )
    return rows
  }
  await rotateKeys(config, (text) => void output.push(text), {})
  const { rows } = await bank.sql(
    `select actor_id, target, outcome, address, detail from audit_events
     where action = 'rotateKeys'`,
  )
  const signing = (await kids()).find(({ signs }) => signs)?.['kid'] as string
  assert.deepEqual(rows, [
    { actor_id: null, target: null, outcome: 'success', address: 'operator', detail: signing },
  ])
  assert.ok(output.join('').includes(signing))
  assert.doesNotMatch(output.join(''), /revoked|[Vv]oid/)

  const before = await kids()
  await bank.sql('alter table audit_events add check (id is null) not valid')
  await assert.rejects(rotateKeys(config, () => {}, {}))
  assert.deepEqual(await kids(), before)
})

test('a revocation of the keys says what is void by it, and what goes on', async (t) => {
  const bank = await world(t)
  const config = readConfig({ STRONGROOM_DATABASE_URL: toUrl(bank.address as LocalAddress) })
  const output: string[] = []
  await rotateKeys(config, (text) => void output.push(text), { revoke: true })
  const said = output.join('')
  assert.match(said, /^Every earlier signing key is revoked: [^\n]+\nVoid: payment drafts/)
  assert.match(said, /invitations to act on an account that are open, if sent or changed last by/)
  assert.match(said, /\nStanding orders and ordered payment lists go on\./)
})

/** A database as an operator makes it, with a login of the service's own. */
async function worldWithLogin(t: TestContext) {
  const shared = await cluster()
  atEnd(t, () => shared.stop())
  const world = await cloneTemplate(shared)
  atEnd(t, world.stop)
  const owner = new pg.Client(world.address)
  owner.on('error', () => {})
  await owner.connect()
  const user = `login_${randomBytes(4).toString('hex')}`
  atEnd(t, async () => {
    await owner.query(`drop role ${user}`)
    await owner.end()
  })
  await owner.query(`create role ${user} login password 'x' in role strongroom_service`)
  return { world, owner, login: { ...world.address, user, password: 'x' } }
}

test("with the service's login, rotate-keys and rotate-secrets change nothing and say which login they need", async (t) => {
  const { world, owner, login: serviceLogin } = await worldWithLogin(t)
  const read = async () => {
    const { rows } = await owner.query(
      `select kid as name, retired_at::text as value from strongroom.signing_keys
       union all select name, encode(value, 'hex') from strongroom.secrets order by 1`,
    )
    return rows as unknown[]
  }
  const before = await read()
  const logins = [serviceLogin, world.login]
  for (const login of logins) {
    for (const command of [['rotate-keys'], ['rotate-keys', '--revoke'], ['rotate-secrets']]) {
      const program = run(command, { DATABASE_URL: toUrl(login) })
      assert.equal(await program.ended, 1)
      assert.equal(program.err(), 'This needs the login that owns the database.\n')
    }
  }
  assert.deepEqual(await read(), before)
})

test("an owner's login in the settings of the service is one warning, its own login none", async (t) => {
  const { world, login: serviceLogin } = await worldWithLogin(t)
  const more = { HTTPS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0', DATA_DIR: await newFolder(t) }
  const warningsOf = async (login: LocalAddress): Promise<number> => {
    const bank = run([], { ...more, DATABASE_URL: toUrl(login) })
    atEnd(t, () => bank.child.kill('SIGKILL'))
    await bank.says(/"message":"ready"/)
    bank.child.kill('SIGTERM')
    assert.equal(await bank.ended, 0)
    return bank
      .out()
      .split('\n')
      .filter((line) => /"level":40.*owns the database/.test(line)).length
  }
  assert.equal(await warningsOf(world.address), 1, 'a superuser')
  assert.equal(await warningsOf(serviceLogin), 0)
})
