// What the portal has of the routes: lists that it keeps for itself, so that no page loads the
// routes, and words for what they name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes as shown } from '../portal/src/screens/programs/event-types.ts'
import { grantable } from '../portal/src/screens/programs/operations.ts'
import { fieldOf, isPaging, listsNames } from '../portal/src/screens/staff/audit-words.ts'
import { texts as ofAudit } from '../languages/en/portal/audit.ts'
import { texts as factors } from '../languages/en/portal/factors.ts'
import { texts as operations } from '../languages/en/portal/operations.ts'
import { texts as events } from '../languages/en/portal/feed.ts'
import { ownActions, unrecordedOperations } from '../src/audit/actions.ts'
import type { SchemaNode } from '../src/domain/schema.ts'
import { eventTypes } from '../src/features/events/sql.ts'
import { routes } from '../src/features/routes.ts'
import { isApprovable } from '../src/features/approvals/requests.ts'
import { testType } from '../src/features/webhooks/schemas.ts'

const { actions, fields } = ofAudit.audit
const { approvals } = operations

/** The names of the members of a schema, also of objects inside it. */
function membersOf(schema: object | undefined): string[] {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as SchemaNode
  const inner = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  return [...Object.keys(properties), ...inner.flatMap(membersOf)]
}

test('the portal offers each operation that a service account may be granted, and no other', () => {
  const operations = routes.filter(({ service }) => service === 'operation')
  assert.deepEqual(
    [...grantable].toSorted(),
    operations.map(({ operation }) => operation).toSorted(),
  )
})

test('the portal offers each type of event, and has words for it', () => {
  assert.deepEqual([...shown].toSorted(), eventTypes.toSorted())
  const words = Object.keys(events.feed.types)
  assert.deepEqual(words.toSorted(), [testType, ...eventTypes].toSorted())
})

test('every action that the audit trail may name has words, and no other word is there', () => {
  const operations = routes.map(({ operation }) => operation)
  assert.deepEqual(
    [...Object.keys(actions), ...unrecordedOperations].toSorted(),
    [...operations, ...ownActions].toSorted(),
  )
})

test('every field and parameter that the audit trail may name has words', () => {
  for (const route of routes.filter(({ access }) => Object.values(access).includes('any'))) {
    const { method, operation, query, body } = route
    const isPartial = method === 'PATCH' || method === 'PUT'
    assert.equal(listsNames(operation), method === 'GET' || isPartial, operation)
    const named = method === 'GET' ? query : isPartial ? body : undefined
    const untold = membersOf(named).filter((name) => !isPaging(name) && !(name in fields))
    assert.deepEqual(untold, [], operation)
  }
})

test('every field of a request that can wait for a second person has words', () => {
  const names = { ...fields, ...approvals.fields }
  const holdable = routes.filter(isApprovable)
  assert.ok(holdable.length > 20)
  const untold = holdable.flatMap(({ body }) =>
    membersOf(body).filter((name) => !(fieldOf(name, names) in names)),
  )
  // A request with one is not stored.
  assert.deepEqual([...new Set(untold)].toSorted(), ['password'])
})

/** What programs alone send: no page asks a person to confirm it. */
const ofPrograms = [
  'authorizeCardPayment',
  'captureCardPayment',
  'chargeBackCardPayment',
  'clearCardPayment',
  'incrementCardPayment',
  'loseChargeback',
  'refundCardPayment',
  'releaseCardPayment',
  'settleTransferBatch',
  'winChargeback',
  'withdrawChargeback',
]

test('every operation that a page asks a person to confirm has words', () => {
  const confirmed = routes.filter(({ confirm, confirmsSome }) => confirm ?? confirmsSome)
  assert.deepEqual(
    confirmed.map(({ operation }) => operation).toSorted(),
    [...Object.keys(factors.confirmation.operations), ...ofPrograms].toSorted(),
  )
})
