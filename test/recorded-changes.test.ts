// Who did it has an answer: each change of what is a person's own, made from the list of routes,
// writes one event in its transaction, or is named here with the reason why not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../src/features/routes.ts'
import { readEvents } from './support/audit-events.ts'
import { makeRequest } from './support/changes.ts'
import { readBelongings } from './support/requests.ts'
import { people, world } from './support/world.ts'

const ownChanges = routes.filter(
  ({ access, method }) =>
    method !== 'GET' && access !== 'public' && (access.customer ?? 'any') !== 'any',
)

/** Why a change of the caller's own has no event of its own. */
const unrecorded: Readonly<Record<string, string>> = {
  createTransfer: 'the transfer keeps its caller and session, and is proved by its chain',
  cancelTransfer: 'the transfer that brings the money back keeps its caller and session',
}

/** These end what others need. */
const last = ['deleteBeneficiary', 'endOrder', 'changePassword']
const rank = ({ operation }: { operation: string }) => last.indexOf(operation)

test('every change of what is a person’s own writes one event, or is named with a reason why not', async (t) => {
  assert.deepEqual(
    ownChanges
      .filter(({ recordedBy }) => recordedBy === 'ledger')
      .map(({ operation }) => operation)
      .toSorted(),
    Object.keys(unrecorded).toSorted(),
  )
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const own = await readBelongings(bank, 'ada')
  for (const route of ownChanges.toSorted((one, other) => rank(one) - rank(other))) {
    const { operation } = route
    // What only a person with a factor does gives her one.
    await bank.sql('update users set has_factor = false where id = $1', [people.ada.id])
    await bank.sql('delete from factors where user_id = $1', [people.ada.id])
    const voice = await bank.login('ada')
    const caller = { id: people.ada.id, sessionId: voice.sessionId }
    const send = await makeRequest(bank, route, own, { voice, caller })
    const done = await send()
    assert.equal(done.status, route.success, `${operation}: ${done.text}`)
    const events = (await readEvents(bank, done)).filter(({ action }) => action === operation)
    const expected = operation in unrecorded ? [] : [[people.ada.id, 'success']]
    assert.deepEqual(
      events.map(({ actorId, outcome }) => [actorId, outcome]),
      expected,
      operation,
    )
    for (const { target } of events) assert.notEqual(target, null, operation)
    if (operation in unrecorded) {
      const { rows } = await bank.sql(
        `select 1 from transfers where caller_id = $1 and session_id = $2`,
        [people.ada.id, voice.sessionId],
      )
      assert.ok(rows.length > 0, operation)
    }
  }
})
