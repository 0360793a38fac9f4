// What was decided about either of two people while a decision about an approval waits for a lock,
// and about those who log in while a password is changed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { approve, approvalAt, type Pair, pairOf } from './support/approvals.ts'
import { giveFactor } from './support/confirmations.ts'
import { openAccount } from './support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from './support/locks.ts'
import { password, people, type Reply, world, type World } from './support/world.ts'

const reason = { reason: 'Stolen' }
const settings = {
  FOUR_EYES: 'createDeposit,freezeAccount',
  SECOND_FACTOR: 'customer=off,support-agent=required,admin=optional',
  SECOND_FACTOR_GRACE: '1d',
}

type Sql = { sql: (text: string, values?: unknown[]) => Promise<unknown> }
type Session = { id: string; sessionId: string }
type Change = (bank: Sql, of: Session) => Promise<unknown>

const revoke: Change = ({ sql }, { sessionId }) =>
  sql(`update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`, [sessionId])
const logOut: Change = ({ sql }, { sessionId }) =>
  sql(`update sessions set ended_at = now(), ended_because = 'logout' where id = $1`, [sessionId])
const disable: Change = ({ sql }, { id }) =>
  sql(`update users set status = 'disabled' where id = $1`, [id])
const setRoles =
  (roles: string): Change =>
  ({ sql }, { id }) =>
    sql('update users set roles = $2::text[] where id = $1', [id, roles])
const changePassword: Change = ({ sql }, { id }) =>
  sql(
    `update users set password_version = password_version + 1,
       session_generation = session_generation + 1 where id = $1`,
    [id],
  )
const addFactor: Change = ({ sql }, { id }) =>
  giveFactor({ sql } as World, id === people.root.id ? 'root' : 'both')

/** What changes of the checker or of the maker, and the outcomes of an approval and a rejection. */
const rows: [who: 'checker' | 'maker', what: string, Change, approved: string, rejected: string][] =
  [
    ['checker', 'nothing', async () => {}, '200', '200'],
    ['checker', 'the session is revoked', revoke, '401 session_revoked', '401 session_revoked'],
    ['checker', 'a logout', logOut, '401 session_revoked', '401 session_revoked'],
    ['checker', 'disabled', disable, '401 session_revoked', '401 session_revoked'],
    ['checker', 'the role is taken', setRoles('{customer}'), '403 forbidden', '403 forbidden'],
    [
      'checker',
      'the grant is weakened',
      setRoles('{customer,support-agent}'),
      '403 forbidden',
      '403 forbidden',
    ],
    [
      'checker',
      'a role comes that asks for a factor',
      setRoles('{support-agent,admin}'),
      '403 factor_enrolment_required',
      '403 factor_enrolment_required',
    ],
    ['checker', 'another password', changePassword, '401 session_revoked', '401 session_revoked'],
    ['checker', 'a factor is added', addFactor, '403 confirmation_required', '200'],
    ['maker', 'the session is revoked', revoke, '409 illegal_transition', '200'],
    ['maker', 'a logout', logOut, '200', '200'],
    ['maker', 'disabled', disable, '409 illegal_transition', '200'],
    ['maker', 'the role is taken', setRoles('{customer}'), '409 illegal_transition', '200'],
    [
      'maker',
      'a role comes that asks for a factor',
      setRoles('{support-agent,admin}'),
      '409 illegal_transition',
      '200',
    ],
    ['maker', 'another password', changePassword, '409 illegal_transition', '200'],
    ['maker', 'a factor is added', addFactor, '200', '200'],
  ]

function outcomeOf({ status, body }: Reply): string {
  if (body?.code === 'confirmation_required') assert.equal(typeof body.challenge.id, 'string')
  return [status, ...(status < 300 ? [] : [body.code])].join(' ')
}

async function startAnew({ sql, clock }: World): Promise<void> {
  clock.advance(60_000)
  await sql('delete from factors')
  await sql(
    `update users set has_factor = false, created_at = $1, password_version = 1,
       roles = case when id = any($2) then '{admin}' else roles end, status = 'active'`,
    [new Date(clock.now() - 2 * 86_400_000), [people.root.id, people.both.id]],
  )
}

/** Of money, by the ledger, and of something else, in the transaction of its handler. */
const requests = {
  'a deposit': ({ maker }: Pair, account: string) =>
    maker.post(`/api/v1/admin/accounts/${account}/deposits`, {
      amount: '5.00',
      currency: 'EUR',
      reason: 'Counter',
    }),
  'a freeze': ({ maker }: Pair, account: string) =>
    maker.post(`/api/v1/admin/accounts/${account}/freeze`, reason),
}
const decisions = {
  approved: approve,
  rejected: (by: Parameters<typeof approve>[0], at: string) => by.post(`${at}/reject`, reason),
}

for (const [what, request] of Object.entries(requests)) {
  for (const [verb, decide] of Object.entries(decisions)) {
    test(`${what} is ${verb} by what is so when its lock is there`, async (t) => {
      const bank = await world(t, { settings })
      const holder = await openHolder(t, bank)
      await pairOf(bank)
      for (const [who, change, make, approved, rejected] of rows) {
        await startAnew(bank)
        const account = await openAccount(await bank.login('ada'))
        const [maker, checker] = [await bank.login('root'), await bank.login('both')]
        const at = approvalAt(await request({ send: bank.send, maker, checker }, account))
        const of = {
          maker: { id: people.root.id, sessionId: maker.sessionId },
          checker: { id: people.both.id, sessionId: checker.sessionId },
        }[who]
        const reply = await decideHeld(
          bank,
          holder,
          () => decide(checker, at),
          (sql) => make({ sql }, of),
        )
        const wanted = verb === 'approved' ? approved : rejected
        assert.equal(outcomeOf(reply), wanted, `${who}: ${change}: ${reply.text}`)
        const { rows: found } = await bank.sql(
          `select (select status from approvals where id = $2) as decided,
             a.balance::int + (a.status = 'frozen')::int > 0 as "isMade"
           from accounts a where id = $1`,
          [account, at.slice(at.lastIndexOf('/') + 1)],
        )
        const isDone = reply.status === 200
        const status = verb === 'approved' ? 'executed' : 'rejected'
        assert.deepEqual(
          found,
          [{ decided: isDone ? status : 'pending', isMade: isDone && verb === 'approved' }],
          `${who}: ${change}`,
        )
      }
    })
  }
}

/** Decides while the people and the account are locked; 503 is no decision. */
async function decideHeld(
  bank: World,
  holder: pg.Client,
  decide: () => Promise<Reply>,
  change: (sql: Sql['sql']) => Promise<unknown>,
): Promise<Reply> {
  for (let turn = 1; ; turn++) {
    await holder.query('begin')
    await holder.query('select from users order by id for no key update')
    await holder.query('select from accounts order by id for no key update')
    const asked = decide()
    await Promise.race([waitingForLock(bank), asked])
    await change((text, values) => holder.query(text, values))
    await holder.query('commit')
    const reply = await asked
    if (reply.status !== 503 || turn === 10) return reply
  }
}

test('a change for everybody is refused to a person whose role opens it for their own by now', async (t) => {
  const bank = await world(t)
  const root = await bank.login('root')
  const holder = await openHolder(t, bank)
  const open = () => root.post('/api/v1/accounts', { currency: 'EUR', ownerId: people.root.id })
  const of = { id: people.root.id, sessionId: root.sessionId }
  const reply = await decideHeld(bank, holder, open, (sql) => setRoles('{customer}')({ sql }, of))
  assert.equal(outcomeOf(reply), '403 forbidden')
})

test('a new password ends a session whose login is under way, with its event, and keeps its own', async (t) => {
  await untilInTime(async () => {
    const bank = await world(t)
    const ada = await bank.login('ada')
    const agnes = await bank.login('agnes')
    const holder = await openHolder(t, bank)
    const { nextAfter } = (await agnes.get('/api/v1/events?after=0')).body
    await holder.query('begin')
    // The login has its session and waits for its device.
    await holder.query('lock table devices in share mode')
    const logging = bank.send('POST', '/api/v1/auth/login', { body: { username: 'ada', password } })
    await waitingForLock(bank)
    const currentPassword = password
    const body = { currentPassword, newPassword: 'eight fat kine and a barn' }
    const changing = ada.post('/api/v1/auth/password', body)
    await Promise.race([waitingForLock(bank, 2), logging])
    await holder.query('commit')
    const [login, changed] = await Promise.all([logging, changing])
    inTime(login, changed)
    assert.deepEqual([login.status, changed.status], [200, 204])
    const { token, sessionId } = login.body
    const me = await bank.send('GET', '/api/v1/me', { token })
    assert.equal(me.body.code, 'session_revoked')
    assert.equal((await ada.get('/api/v1/me')).status, 200)
    const { items } = (await agnes.get(`/api/v1/events?after=${nextAfter}`)).body
    const told = (items as { type: string; resourceId: string }[]).map(({ type, resourceId }) => [
      type,
      resourceId,
    ])
    assert.deepEqual(told, [['session.revoked', sessionId]])
  })
})
