// Every route by every kind of member, with every identifier: made from the list of routes, so that
// it covers new routes too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Identifier, Resource } from '../src/domain/ids.ts'
import { draftRoutes } from '../src/features/drafts/routes.ts'
import { memberRoutes } from '../src/features/members/routes.ts'
import { routes } from '../src/features/routes.ts'
import { signatureRoutes } from '../src/features/signatures/routes.ts'
import { includesRight, type MemberRight } from '../src/gate/members.ts'
import { findIdentifiers } from '../src/http/route-check.ts'
import type { Route } from '../src/http/route.ts'
import { newId } from '../src/domain/ids.ts'
import { giveFactor } from './support/confirmations.ts'
import { readBelongings, sendTo, toParts } from './support/requests.ts'
import { newProgram } from './support/service-accounts.ts'
import { people, world, type World } from './support/world.ts'

const owned = routes.filter(({ access }) => access !== 'public' && access.customer === 'own')
const named = ({ method, path }: Route) => `${method} ${path}`
const samePlace = (one: Identifier, other: Identifier): boolean =>
  one.part === other.part && one.keys.join() === other.keys.join()
/** What the owner alone is asked for, wherever it is named. */
const ofPerson: readonly Resource[] = ['factor', 'membership', 'session', 'user']

/** What a row of the table is set to, and the right that the person has by it. */
const callers: Record<string, { set: string; right: MemberRight | undefined }> = {
  view: { set: `rights = 'view'`, right: 'view' },
  prepare: { set: `rights = 'prepare'`, right: 'prepare' },
  ended: { set: `rights = 'pay', ended_at = now(), ended_by = 'owner'`, right: undefined },
  invited: { set: `rights = 'pay', accepted_at = null`, right: undefined },
  // Last: it changes what it names.
  pay: { set: `rights = 'pay'`, right: 'pay' },
}

async function asMember({ sql, clock }: World, accountId: string, set: string): Promise<void> {
  await sql('delete from account_members where account_id = $1', [accountId])
  await sql(
    `insert into account_members (id, account_id, person_id, username, rights, invited_at,
       expires_at, accepted_at)
     values ($1, $2, $3, 'ben', 'view', $4, $4::timestamptz + interval '7 days', $4)`,
    [newId(clock.now()), accountId, people.ben.id, new Date(clock.now())],
  )
  await sql(`update account_members set ${set} where account_id = $1`, [accountId])
}

/** A check of a payee that Ben was answered, as if he had always been a member. */
async function checkOf({ sql, clock }: World, accountId: string): Promise<string> {
  const { rows } = await sql(
    `insert into payee_checks (id, account_id, caller_id, name, iban, result, checked_at)
     values ($1, $2, $3, 'Grace Hopper', 'GB33BUKB20201555555555', 'not_possible', $4)
     returning id`,
    [newId(clock.now()), accountId, people.ben.id, new Date(clock.now())],
  )
  return String(rows[0]?.['id'])
}

/** Whether a member with that right is let in by what a request of the route names. */
const isLetIn = (route: Route, right: MemberRight | undefined): boolean => {
  const isMade = findIdentifiers(route).some(({ resource }) =>
    ['order', 'payment list', 'transfer'].includes(resource),
  )
  const isOthersDraft = route.operation === 'cancelDraft' && right !== 'pay'
  const isOthersWork = isOthersDraft || (isMade && route.method !== 'GET')
  return (
    right !== undefined &&
    route.member !== undefined &&
    includesRight(right, route.member) &&
    !isOthersWork
  )
}

test('each member reaches what its right opens on the account, and nothing else of the owner', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const shared = await readBelongings(bank, 'ada')
  const other = await readBelongings(bank, 'ada')
  const { token } = await bank.as('ben')
  const unknown = newId(0)
  for (const [caller, { set, right }] of Object.entries(callers)) {
    await asMember(bank, shared.account, set)
    const its = { ...shared, 'payee check': await checkOf(bank, shared.account) }
    for (const route of owned) {
      const what = `${named(route)} as ${caller}`
      const identifiers = findIdentifiers(route)
      const ask = (idOf: (place: (typeof identifiers)[number]) => string) =>
        sendTo(bank, route, toParts(route, idOf), token)
      const absent = await ask(() => unknown)
      assert.equal(absent.status, 403, what)
      // Each identifier of an account that is not shared, beside those of the one that is.
      for (const target of identifiers) {
        const reply = await ask(
          (place) => (samePlace(place, target) ? other : shared)[place.resource],
        )
        assert.equal(reply.status, 403, `${what}: ${target.keys.join('.')} of another account`)
        assert.equal(reply.text, absent.text, what)
      }
      const isPersonal = identifiers.some(({ resource }) => ofPerson.includes(resource))
      if (isPersonal) assert.equal(route.member, undefined, what)
      // What another person was told of a payee is accepted by nobody else.
      const reply = await ask(
        ({ resource }) => (resource === 'payee check' ? its : shared)[resource],
      )
      if (isLetIn(route, right)) assert.notEqual(reply.status, 403, `${what}: ${reply.text}`)
      else {
        assert.equal(reply.status, 403, `${what}: ${reply.text}`)
        assert.equal(reply.text, absent.text, what)
      }
    }
  }
})

test('what reads for a person reads nothing of an account on which the person acts', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const shared = await readBelongings(bank, 'ada')
  await asMember(bank, shared.account, callers['pay']?.set ?? '')
  const { token } = await newProgram(bank, { readAccounts: people.ben.id })
  const reads = owned.filter(
    (route) => route.service === 'read' && findIdentifiers(route).length > 0,
  )
  assert.ok(reads.some(({ member }) => member !== undefined))
  for (const route of reads) {
    const ask = (idOf: (place: Identifier) => string) =>
      sendTo(bank, route, toParts(route, idOf), token)
    const reply = await ask(({ resource }) => shared[resource])
    assert.equal(reply.status, 403, `${named(route)}: ${reply.text}`)
    assert.equal(reply.text, (await ask(() => newId(0))).text, named(route))
  }
})

test('with the setting off no route of members, drafts and signatures is there, of what was made before too', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readBelongings(bank, 'ada')
  const { token } = await bank.as('ada')
  const off = await bank.another({ settings: { MEMBERS: 'off' } })
  const rows = () =>
    bank.sql(
      `select json_agg(m order by m.id) as members, (select json_agg(d) from payment_drafts d) as drafts,
         (select json_agg(a.signatures_from::text order by a.id) from accounts a) as signatures
       from account_members m`,
    )
  const before = (await rows()).rows
  for (const does of ['does not confirm', 'confirms']) {
    if (does === 'confirms') await giveFactor(bank, 'ada')
    for (const route of [...memberRoutes, ...draftRoutes, ...signatureRoutes]) {
      const parts = toParts(route, ({ resource }) => own[resource])
      const reply = await sendTo(off, route, parts, token)
      const what = `${named(route)} by a person that ${does}`
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], what)
    }
  }
  assert.deepEqual((await rows()).rows, before)
})
