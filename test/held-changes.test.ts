// Every change, made from the list of routes: one that waits while its caller is shut out does not
// take effect. The caller is a person or a program. `npm test` takes each route with one of its
// callers and one of the ends, the nightly run their product.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { routes } from '../src/features/routes.ts'
import type { Role } from '../src/gate/roles.ts'
import type { Route } from '../src/http/route.ts'
import { makeRequest } from './support/changes.ts'
import { openHolder, waitingForLock } from './support/locks.ts'
import { type Belongings, readBelongings } from './support/requests.ts'
import { samplesOf } from './support/sample.ts'
import { newProgram } from './support/service-accounts.ts'
import { readTables } from './support/tables.ts'
import {
  type ApiClient,
  farIssuer,
  people,
  type PersonName,
  type Reply,
  world,
  type World,
} from './support/world.ts'

/** They take an issuer that answers: src/features/issuer/sign-in.test.ts. */
const atIssuer = ['beginIssuerConfirmation', 'confirmAtIssuer']
const changes = routes.filter(
  ({ access, method, operation }) =>
    access !== 'public' && method !== 'GET' && !atIssuer.includes(operation),
)

/** All that a change may wait for; the caller is among them. */
const locks = ['users', 'service_accounts', 'accounts'].map(
  (table) => `select from ${table} order by id for no key update`,
)

type Caller = { id: string; sessionId: string }
type End = {
  what: string
  code: string
  /** Undefined where this route stays open to the caller all the same. */
  toStatement(route: Route, caller: Caller): [text: string, values: unknown[]] | undefined
}

const demote: End['toStatement'] = ({ access }, { id }) => {
  const other = (['support-agent', 'customer'] as const).find(
    (role) => access !== 'public' && access[role] === undefined,
  )
  return other && ['update users set roles = array[$2] where id = $1', [id, other]]
}
const endsOfPeople: End[] = [
  {
    what: 'its session is revoked',
    code: 'session_revoked',
    toStatement: (_, { sessionId }) => [
      `update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`,
      [sessionId],
    ],
  },
  {
    what: 'all sessions of its person end',
    code: 'session_revoked',
    toStatement: (_, { id }) => [
      'update users set session_generation = session_generation + 1 where id = $1',
      [id],
    ],
  },
  { what: 'its person is demoted', code: 'forbidden', toStatement: demote },
  {
    what: 'its person is disabled',
    code: 'session_revoked',
    toStatement: (_, { id }) => [`update users set status = 'disabled' where id = $1`, [id]],
  },
]
const endsOfPrograms: End[] = [
  {
    what: 'its key is revoked',
    code: 'unauthenticated',
    toStatement: (_, { sessionId }) => [
      'update service_keys set revoked_at = now() where id = $1',
      [sessionId],
    ],
  },
  {
    what: 'its grant is removed',
    code: 'forbidden',
    toStatement: (_, { id }) => [
      `update service_accounts set operations = '{}', pay_from = '{}' where id = $1`,
      [id],
    ],
  },
  {
    what: 'it is disabled',
    code: 'unauthenticated',
    toStatement: (_, { id }) => [
      `update service_accounts set status = 'disabled' where id = $1`,
      [id],
    ],
  },
]

/** Sends the change while all it may wait for is locked, ends its caller, and lets it go on. */
async function sendHeld(
  bank: World,
  holder: pg.Client,
  send: () => Promise<Reply>,
  end?: ReturnType<End['toStatement']>,
) {
  await holder.query('begin')
  for (const lock of locks) await holder.query(lock)
  const asked = send()
  await Promise.race([waitingForLock(bank), asked])
  if (end) await holder.query(...end)
  const sql = (text: string, values?: unknown[]) => holder.query(text, values)
  const before = end && (await readTables({ sql }, watched))
  await holder.query('commit')
  return { reply: await asked, before }
}
const watched = ['approvals']

const names: Record<Role, PersonName> = { customer: 'ada', 'support-agent': 'agnes', admin: 'root' }

/** The roles whose grants on the route differ. */
function toRoles({ access }: Route): Role[] {
  const grants = Object.entries(access) as [Role, string][]
  const byGrant = new Map(grants.toReversed().map(([role, grant]) => [grant, role]))
  return [...byGrant.values()]
}

/** What a change, or the end of its caller, leaves behind that would be in the way of others. */
async function restore({ sql, clock }: World): Promise<void> {
  for (const { id, roles } of Object.values(people)) {
    await sql(`update users set roles = $2, status = 'active' where id = $1`, [id, roles])
  }
  await sql('delete from issuer_links')
  await sql('delete from factors where activated_at is not null')
  await sql(
    `update users set has_factor = false,
       password_hash = (select password_hash from users where id = $1)`,
    [people.ben.id],
  )
  // Of the fifty sessions that a person may have, those of one moment end in any order.
  await sql(
    `update sessions set ended_at = now(), ended_because = 'replaced' where ended_at is null`,
  )
  clock.advance(100)
}

/** What Ada has; new, since there may be a hundred accounts and twenty webhooks. */
async function renew(bank: World): Promise<Belongings> {
  await restore(bank)
  await bank.sql('delete from webhooks')
  await bank.sql(`update accounts set owner_id = $1 where kind = 'customer'`, [people.ben.id])
  return readBelongings({ ...bank, as: bank.login }, 'ada')
}

type Changing = {
  route: Route
  what: string
  ends: readonly End[]
  prepare(
    own: Belongings,
  ): Promise<{ voice: Pick<ApiClient, 'token' | 'get' | 'post'>; caller: Caller }>
}

/** On a busy machine a lock is held for longer than a request waits: 503, without an effect. */
async function askUntilDecided<R extends { reply: Reply }>(ask: () => Promise<R>): Promise<R> {
  for (let turn = 1; ; turn++) {
    const asked = await ask()
    if (asked.reply.status !== 503 || turn === 10) return asked
  }
}

async function assertRefused(
  bank: World,
  holder: pg.Client,
  own: Belongings,
  { route, what, ends, prepare }: Changing,
): Promise<void> {
  for (const end of ends) {
    const asked = await askUntilDecided(async () => {
      await restore(bank)
      const made = await prepare(own)
      const statement = end.toStatement(route, made.caller) ?? assert.fail(end.what)
      const send = await makeRequest(bank, route, own, made)
      return sendHeld(bank, holder, send, statement)
    })
    const { reply, before } = asked
    const told = `${what} when ${end.what}: ${reply.status} ${reply.text}`
    assert.equal(reply.body?.code, end.code, told)
    const after = await readTables(bank, watched)
    const changed = Object.keys(after).filter((name) => after[name] !== before?.[name])
    assert.deepEqual(changed, [], told)
  }
}

/** Each of them is made: at the first attempt, or with new things of Ada's at the second one. */
async function assertMade(bank: World, holder: pg.Client, all: readonly Changing[]): Promise<void> {
  let own = await renew(bank)
  for (const { route, what, prepare } of all) {
    const ask = async () => {
      await restore(bank)
      const send = await makeRequest(bank, route, own, await prepare(own))
      return sendHeld(bank, holder, send)
    }
    // What the changes before it have used up fails it, or already its preparation.
    let reply = await askUntilDecided(ask).then(
      ({ reply }) => reply,
      () => undefined,
    )
    if (reply?.status !== route.success) {
      own = await renew(bank)
      reply = (await askUntilDecided(ask)).reply
    }
    assert.equal(reply.status, route.success, `${what}: ${reply.text}`)
  }
}

/** Of each route, its change by each caller whose grant differs. */
const byPeople = (bank: World): Changing[][] =>
  changes.map((route) =>
    toRoles(route).map((role) => ({
      route,
      what: `${route.operation} by a ${role}`,
      ends: endsOfPeople,
      async prepare() {
        const voice = await bank.login(names[role])
        return { voice, caller: { id: people[names[role]].id, sessionId: voice.sessionId } }
      },
    })),
  )

function byPrograms(bank: World): Changing[][] {
  const open = changes.filter(({ service }) => service !== undefined)
  const operations = open.flatMap(({ service, operation }) =>
    service === 'operation' ? operation : [],
  )
  return open.map((route) => [
    {
      route,
      what: `${route.operation} by a program`,
      ends: endsOfPrograms,
      async prepare({ account }) {
        const grants = route.service === 'pay' ? { payFrom: [account] } : { operations }
        const program = await newProgram({ ...bank, as: bank.login }, grants)
        return { voice: program, caller: { id: program.id, sessionId: program.keyId } }
      },
    },
  ])
}

const nobody = { id: '', sessionId: '' }

for (const [kind, toChanges, count] of [
  ['person', byPeople, 50],
  ['program', byPrograms, 12],
] as const) {
  test(`a change that waits while its ${kind} is shut out has no effect, on any route`, async (t) => {
    const bank = await world(t, { settings: { ...farIssuer, MEMBERS: 'on' } })
    const holder = await openHolder(t, bank)
    const own = await renew(bank)
    const all = toChanges(bank)
    assert.ok(all.length > count)
    const sample = samplesOf(t)
    for (const ofRoute of all) {
      for (const change of sample(ofRoute, 1)) {
        const { route, ends } = change
        const possible = ends.filter(({ toStatement }) => toStatement(route, nobody))
        await assertRefused(bank, holder, own, { ...change, ends: sample(possible, 1) })
      }
    }
  })

  test(`the same changes are made while their ${kind} stays`, async (t) => {
    const bank = await world(t, { settings: { ...farIssuer, MEMBERS: 'on' } })
    const holder = await openHolder(t, bank)
    const sample = samplesOf(t)
    await assertMade(
      bank,
      holder,
      toChanges(bank).flatMap((ofRoute) => sample(ofRoute, 1)),
    )
  })
}
