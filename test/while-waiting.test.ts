// A request that hashes, or waits for a lock, is judged by what is so when it goes on: a table of
// what may have changed meanwhile, over every route that waits.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { confirmAnyway, giveFactor } from './support/confirmations.ts'
import { beginEnrolment, codeOf, enrolTotp, factorsPath, stepTwo } from './support/factors.ts'
import { holdHash } from './support/held.ts'
import { tokenMailedTo } from './support/mailbox.ts'
import { type ApiClient, password, people, type Reply, world, type World } from './support/world.ts'

const newPassword = 'another fine password'
const root = people.root.id
const login = '/api/v1/auth/login'

// Customers are never asked for a factor, administrators may have one, support agents must.
const settings = {
  SECOND_FACTOR: 'customer=off,support-agent=required,admin=optional',
  SECOND_FACTOR_GRACE: '1d',
}

type Sql = Pick<World, 'sql'>
type Session = { id: string; sessionId: string }

const setRoles = ({ sql }: Sql, id: string, roles: string) =>
  sql('update users set roles = $2::text[] where id = $1', [id, roles])

/** What changes meanwhile, for a person and a session of that person. */
const changes = {
  nothing: () => {},
  'the session is revoked': ({ sql }, { sessionId }) =>
    sql(`update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`, [
      sessionId,
    ]),
  'the person is disabled': ({ sql }, { id }) =>
    sql(`update users set status = 'disabled' where id = $1`, [id]),
  'the role is taken': (bank, { id }) => setRoles(bank, id, '{customer}'),
  'a role comes that asks for a factor': (bank, { id }) =>
    setRoles(bank, id, '{support-agent,admin}'),
  'the password is changed elsewhere': ({ sql }, { id }) =>
    sql(
      `update users set password_version = password_version + 1,
         session_generation = session_generation + 1 where id = $1`,
      [id],
    ),
  'the password is changed in this session': ({ sql }, { id }) =>
    sql('update users set password_version = password_version + 1 where id = $1', [id]),
  'a factor is activated in this session': (bank) => giveFactor(bank, 'root'),
  'the factor is removed': async ({ sql }, { id }) => {
    await sql('delete from factors where user_id = $1', [id])
    return sql('update users set has_factor = false where id = $1', [id])
  },
} satisfies Record<string, (bank: Sql, of: Session) => unknown>
type ChangeName = keyof typeof changes

type Waiting = { bank: World; voice: ApiClient }
type Waiter = {
  /** Which hash is held. */
  held: 'hash' | 'hashRaw' | 'verify'
  /** Makes the request ready; what it gives sends it. */
  prepare(waiting: Waiting): Promise<() => Promise<Reply>>
  /** By what changes meanwhile: the status, and the code of a refusal. */
  outcomes: Partial<Record<ChangeName, string>> & { nothing: string }
}

const ended = {
  'the session is revoked': '401 session_revoked',
  'the person is disabled': '401 session_revoked',
  'the password is changed elsewhere': '401 session_revoked',
} as const

/** Of a change by the session of an administrator without a factor. */
const ofSession = {
  ...ended,
  'a role comes that asks for a factor': '403 factor_enrolment_required',
  'a factor is activated in this session': '403 confirmation_required',
} as const

/** Of a request without a session: the password that it knows or sets is another one. */
const ofPassword = {
  'the person is disabled': '401 invalid_credentials',
  'the password is changed elsewhere': '401 invalid_credentials',
} as const

const waiters: Record<string, Waiter> = {
  login: {
    held: 'verify',
    prepare: async ({ bank }) => {
      const body = { username: 'root', password }
      return () => bank.send('POST', login, { body })
    },
    outcomes: {
      ...ofPassword,
      nothing: '200',
      'the session is revoked': '200',
      'the role is taken': '200',
      'a role comes that asks for a factor': '200 restricted',
      'a factor is activated in this session': '401 second_factor_required',
    },
  },
  completeLogin: {
    held: 'hashRaw',
    async prepare({ bank, voice }) {
      const { recoveryCodes } = await enrolTotp(bank, voice)
      const first = await bank.send('POST', login, { body: { username: 'root', password } })
      const body = { challengeId: first.body.challenge.id, recoveryCode: recoveryCodes[0] }
      return () => bank.send('POST', stepTwo, { body })
    },
    outcomes: {
      ...ofPassword,
      nothing: '200 restricted',
      'the session is revoked': '200 restricted',
      'the role is taken': '401 invalid_credentials',
      'a role comes that asks for a factor': '200 restricted',
      'the factor is removed': '401 invalid_credentials',
    },
  },
  changePassword: {
    held: 'hash',
    async prepare({ voice }) {
      const body = { currentPassword: password, newPassword }
      return () => voice.post('/api/v1/auth/password', body)
    },
    outcomes: {
      ...ofSession,
      nothing: '204',
      'the role is taken': '204',
      'the password is changed in this session': '400 invalid_request',
    },
  },
  createUser: {
    held: 'hash',
    async prepare({ bank, voice }) {
      const names = { givenName: 'Back', familyName: 'Door' }
      const username = `backdoor${bank.clock.now()}`
      const person = { username, email: `${username}@example.com`, ...names }
      const body = { ...person, roles: ['admin'], password: newPassword }
      return () => voice.post('/api/v1/admin/users', body)
    },
    outcomes: { ...ofSession, nothing: '201', 'the role is taken': '403 forbidden' },
  },
  enrolFactor: {
    held: 'verify',
    prepare:
      async ({ voice }) =>
      () =>
        beginEnrolment(voice),
    outcomes: {
      ...ofSession,
      nothing: '201',
      'the role is taken': '201',
      'a role comes that asks for a factor': '201',
    },
  },
  activateFactor: {
    held: 'hashRaw',
    async prepare({ bank, voice }) {
      const { id, totp } = (await beginEnrolment(voice)).body
      const body = { code: codeOf(totp.uri, bank.clock.now()) }
      return () => voice.post(`${factorsPath}/${id}/activate`, body)
    },
    outcomes: {
      ...ended,
      nothing: '200',
      'the role is taken': '200',
      'a role comes that asks for a factor': '200',
      'a factor is activated in this session': '200',
    },
  },
  replaceRecoveryCodes: {
    held: 'hashRaw',
    async prepare({ bank, voice }) {
      await giveFactor(bank, 'root')
      const path = '/api/v1/auth/recovery-codes'
      const headers = await confirmAnyway(bank, await voice.post(path))
      return () => voice.post(path, undefined, { headers })
    },
    outcomes: {
      ...ended,
      nothing: '200',
      'a role comes that asks for a factor': '200',
      'the factor is removed': '409 illegal_transition',
    },
  },
  resetPassword: {
    held: 'hash',
    async prepare({ bank }) {
      const asked = { body: { email: 'root@example.com' } }
      await bank.send('POST', '/api/v1/auth/password-reset', asked)
      const token = await tokenMailedTo(bank, 'root@example.com')
      const body = { token, newPassword }
      return () => bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
    },
    outcomes: {
      nothing: '204',
      'the session is revoked': '204',
      'the person is disabled': '400 invalid_request',
      'the role is taken': '204',
      'the password is changed elsewhere': '400 invalid_request',
      'a factor is activated in this session': '204',
    },
  },
}

function outcomeOf({ status, body }: Reply): string {
  // Whoever has to answer a challenge is given one.
  if (/^(confirm|second)/.test(body?.code)) assert.equal(typeof body.challenge.id, 'string')
  const more = status < 300 ? body?.restricted && 'restricted' : body.code
  return [status, ...(more ? [more] : [])].join(' ')
}

const ofRoot = ({ sessionId }: ApiClient): Session => ({ id: root, sessionId })

/** Everything that a row leaves behind is in the way of the next one. */
async function startAnew({ sql, clock }: World): Promise<void> {
  clock.advance(60_000)
  for (const table of ['recovery_codes', 'challenges', 'factors']) await sql(`delete from ${table}`)
  await sql(
    `update users set roles = '{admin}', status = 'active', has_factor = false,
       password_hash = (select password_hash from users where id = $2), created_at = $3
     where id = $1`,
    [root, people.ben.id, new Date(clock.now() - 2 * 86_400_000)],
  )
}

async function sendHeld(
  t: TestContext,
  bank: World,
  { held, prepare }: Pick<Waiter, 'held' | 'prepare'>,
  change: (of: Session) => unknown,
): Promise<Reply> {
  await startAnew(bank)
  const voice = await bank.login('root')
  const send = await prepare({ bank, voice })
  const hashing = holdHash(t, bank, held)
  const sent = send()
  await Promise.race([hashing.begun, sent])
  await change(ofRoot(voice))
  const before = await readState(bank)
  hashing.release()
  const reply = await sent
  t.mock.restoreAll()
  if (reply.status >= 400) assert.deepEqual(await readState(bank), before, reply.text)
  return reply
}

/** What these requests make: people, passwords, sessions, factors and recovery codes. */
async function readState({ sql }: World): Promise<unknown> {
  const { rows } = await sql(
    `select (select array_agg(password_hash order by id) from users) as passwords,
       (select array_agg(id order by id) from sessions) as sessions,
       (select array_agg(f order by f.id) from factors f) as factors,
       (select array_agg(c order by c) from recovery_codes c) as codes`,
  )
  return rows
}

for (const [operation, waiter] of Object.entries(waiters)) {
  test(`${operation} is judged by what is so when its hash is made`, async (t) => {
    const bank = await world(t, { settings })
    for (const [what, wanted] of Object.entries(waiter.outcomes)) {
      const change = changes[what as ChangeName]
      const reply = await sendHeld(t, bank, waiter, (of) => change(bank, of))
      assert.equal(outcomeOf(reply), wanted, `${what}: ${reply.text}`)
    }
  })
}

test('a login asks for the factor that a role asks for since its password was hashed', async (t) => {
  const bank = await world(t, { settings })
  await giveFactor(bank, 'ada')
  const asked = { body: { username: 'ada', password } }
  const held = holdHash(t, bank, 'verify')
  const sent = bank.send('POST', login, asked)
  await held.begun
  await setRoles(bank, people.ada.id, '{customer,admin}')
  held.release()
  assert.equal(outcomeOf(await sent), '401 second_factor_required')
  await setRoles(bank, people.ada.id, '{customer}')
  assert.equal((await bank.send('POST', login, asked)).status, 200, 'customers are not asked')
})
