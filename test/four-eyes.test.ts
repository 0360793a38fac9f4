// Every change by staff under four eyes, made from the list of routes: none passes by the second
// person, and each takes effect once that person approves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../src/http/route.ts'
import { readEvents } from './support/audit-events.ts'
import {
  approved,
  cardScene,
  chargebackOf,
  newProcessor,
  processorOperations,
  toTill,
} from './support/card-payments.ts'
import { allOperations, approve, approvalAt, holdable, pairOf } from './support/approvals.ts'
import { blockedAccount } from './support/blocks.ts'
import { ofAgnes } from './support/changes.ts'
import { enrolTotp } from './support/factors.ts'
import { assertSound, sceneIn } from './support/fixture.ts'
import { type Belongings, readBelongings, sendTo, toParts } from './support/requests.ts'
import { newProgram } from './support/service-accounts.ts'
import { readTables } from './support/tables.ts'
import { farIssuer, people, world, type World } from './support/world.ts'

const readActions = async ({ sql }: World, since: string): Promise<unknown[]> => {
  const text = `select action, actor_id from audit_events
    where id > $1 and outcome = 'success' and action !~ '^(get|list)' order by action`
  return (await sql(text, [since])).rows.map(({ action, actor_id }) => [action, actor_id])
}
const lastEvent = async ({ sql }: World): Promise<string> =>
  String((await sql('select max(id::text) as id from audit_events')).rows[0]?.['id'])

/** A request that succeeds on what has just been made. */
async function makeRequest(bank: World, route: Route, own: Belongings) {
  const parts = toParts(route, ({ resource }) => own[resource])
  const { operation } = route
  if (operation === 'createIncomingPayment') {
    const { iban } = (await (await bank.as('ada')).get(`/api/v1/accounts/${own.account}`)).body
    return { ...parts, body: { ...parts.body, iban } }
  }
  if (operation.endsWith('CardPayment')) {
    const till = toTill(await bank.as('root'), own.card)
    if (/^(refund|chargeBack)/.test(operation)) await till.capture(own['card payment'], '1.00')
    return { ...parts, body: parts.body && { ...parts.body, amount: '1.00' } }
  }
  if (operation.endsWith('Chargeback')) {
    return { ...parts, params: { id: await chargebackOf(bank, own, people.root.id) } }
  }
  if (['sendTransfer', 'settleTransfer', 'returnTransfer'].includes(operation)) {
    const ada = await bank.as('ada')
    const { account: fromAccountId, beneficiary: beneficiaryId } = own
    const terms = { fromAccountId, beneficiaryId, amount: '2.00', currency: 'EUR' }
    const paid = await ada.post('/api/v1/transfers', { ...terms, reference: operation })
    return { ...parts, params: { id: paid.body.id } }
  }
  if (operation === 'allowFactorReset') {
    await enrolTotp(bank, await bank.login('agnes'))
    return { ...parts, params: { userId: people.agnes.id } }
  }
  if (operation === 'revokeUserSessions') {
    await bank.login('ben')
    return { ...parts, params: { userId: people.ben.id } }
  }
  if (operation === 'createWithdrawal') {
    return { ...parts, body: { ...parts.body, amount: '1.00' } }
  }
  if (/^(un)?linkIssuer$/.test(operation)) {
    await ofAgnes(bank, parts, operation)
    return parts
  }
  if (/^(un)?blockAccount$/.test(operation)) {
    const { accountId, blockId } = await blockedAccount(bank, people.root.id)
    return { ...parts, params: 'blockId' in parts.params ? { accountId, blockId } : { accountId } }
  }
  if (operation === 'updateUser') return { ...parts, body: { address: `Quay ${own.account}` } }
  if (operation === 'closeAccount') {
    const ada = await bank.as('ada')
    const { body } = await ada.post('/api/v1/accounts', { currency: 'EUR' })
    return { ...parts, params: { accountId: body.id } }
  }
  return parts
}

test('no change by staff has any effect before a second person approves it, on any route; then it has', async (t) => {
  const bank = await world(t, { settings: { ...farIssuer, MEMBERS: 'on' } })
  const held = await bank.another({ settings: { FOUR_EYES: allOperations } })
  const { maker, checker } = await pairOf(bank, held.send)
  assert.ok(holdable.length >= 24, 'the routes are in the list')
  let own: Belongings | undefined
  for (const route of holdable) {
    // There may be twenty.
    await bank.sql('delete from webhooks')
    const { operation } = route
    // A customer has at most 100 accounts, and these need no new ones.
    const isOfLast = /^endMember$|chargeBack|Chargeback$|Dispute$/.test(operation)
    if (!own || !isOfLast) own = await readBelongings(bank, 'ada')
    const parts = await makeRequest(bank, route, own)
    await bank.running.edge.flush()
    const [before, since] = [await readTables(bank), await lastEvent(bank)]
    // Identifiers of one moment are in no order.
    bank.clock.advance(1)
    const answer = await sendTo({ ...bank, send: held.send }, route, parts, maker.token)
    const at = approvalAt(answer)
    const alone = await approve(maker, at)
    assert.equal(alone.status, 403, `${operation} by its maker: ${alone.text}`)
    const requested = ['requestApproval', people.root.id]
    assert.deepEqual(await readActions(bank, since), [requested], operation)
    assert.deepEqual(await readTables(bank), before, `${operation} changed something`)

    const executed = await approve(checker, at)
    assert.equal(executed.status, 200, `${operation}: ${executed.text}`)
    assert.equal(executed.body.status, 'executed')
    assert.equal(executed.body.makerId, people.root.id)
    assert.equal(executed.body.checkerId, people.both.id)
    const { resourceId } = executed.body
    // Of an answer to another bank nothing is stored.
    const makes = route.success === 201 && operation !== 'answerPayeeCheck'
    if (makes) assert.equal(typeof resourceId, 'string', operation)
    else if (!/(Transfer|Hold|CardPayment|Chargeback)$/.test(operation))
      assert.equal(resourceId, null, operation)
    // With sessions end the invitations that they have sent.
    const isOwn = ({ action }: { action: unknown }) =>
      action !== 'endMember' || operation === 'endMember'
    const events = (await readEvents(bank, executed)).filter(isOwn)
    assert.equal(events.length, 2, operation)
    assert.deepEqual(
      new Map(events.map(({ action, actorId }) => [action, actorId])),
      new Map([
        [operation, people.root.id],
        ['approveRequest', people.both.id],
      ]),
    )
    if (!unchanging.has(operation)) assert.notDeepEqual(await readTables(bank), before, operation)
    assert.equal((await approve(checker, at)).body.code, 'illegal_transition', operation)
  }
  await assertSound(bank)
})

/** Their example asks for what is so already, or their effect is in the columns left out. */
const unchanging = new Set([
  'answerPayeeCheck',
  'mailPasswordLink',
  'resendWebhookDelivery',
  'unfreezeAccount',
  'unfreezeCard',
  'updateAccountSettings',
])

test('no read and no change by customers waits for anybody, and nothing waits by default', async (t) => {
  const bank = await world(t)
  const held = await bank.another({ settings: { FOUR_EYES: allOperations } })
  const { maker } = await pairOf(bank, held.send)
  const own = await readBelongings(bank, 'ada')
  const ada = await bank.as('ada')
  const card = await held.send('POST', `/api/v1/cards/${own.card}/freeze`, { token: ada.token })
  assert.equal(card.status, 200, card.text)
  assert.equal((await maker.get(`/api/v1/accounts/${own.account}`)).status, 200)
  const root = await bank.as('root')
  const reason = { reason: 'Stolen' }
  const path = `/api/v1/admin/accounts/${own.account}/freeze`
  assert.equal((await root.post(path, reason)).status, 200)
  const { rows } = await bank.sql('select from approvals where maker_id = $1', [people.root.id])
  assert.deepEqual(rows, [])
})

test('an own account is used as a customer, whose changes do not wait', async (t) => {
  const bank = await world(t, { settings: { FOUR_EYES: allOperations } })
  const both = await bank.as('both')
  const opened = await both.post('/api/v1/accounts', { currency: 'EUR' })
  await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.both.id])
  const path = `/api/v1/accounts/${opened.body.id}/cards`
  assert.equal((await both.post(path, {})).status, 201)
  const frozen = await both.post(`/api/v1/admin/accounts/${opened.body.id}/freeze`, { reason: 'x' })
  assert.equal(frozen.status, 403, frozen.text)
})

test('a program has no say in what another one placed, also where a second person approves', async (t) => {
  const ofHold = ['captureHold', 'updateHold', 'releaseHold']
  const held = [...ofHold, ...processorOperations.slice(1)]
  const bank = await world(t, { settings: { FOUR_EYES: held.join(',') } })
  const { checker } = await pairOf(bank)
  const { till, from, card, stand } = await cardScene(await sceneIn(bank))
  const [payment, taken] = [await approved(till.ask('10.00')), await approved(till.ask('5.00'))]
  assert.equal((await approve(checker, approvalAt(await till.capture(taken, '2.00')))).status, 200)
  const placer = await newProgram(bank, { operations: ['createHold', ...ofHold] })
  const body = { amount: '3.00', currency: 'EUR', kind: 'dispute', reference: 'Hotel' }
  const { id } = (await placer.post(`/api/v1/accounts/${from}/holds`, body)).body
  const before = await stand()
  const other = await newProgram(bank, { operations: ofHold })
  const theirs = toTill(await newProcessor(bank), card)
  const hold = `/api/v1/holds/${id}`
  const asks = [
    () => other.post(`${hold}/capture`, { amount: '1.00', currency: 'EUR' }),
    () => other.patch(hold, { amount: '1.00' }),
    () => other.post(`${hold}/release`),
    () => other.post(`/api/v1/holds/${payment}/release`),
    () => theirs.capture(payment, '1.00'),
    () => theirs.raise(payment, '1.00'),
    () => theirs.refund(taken, '1.00'),
    () => theirs.chargeBack(taken, '1.00'),
    () => theirs.release(payment),
  ]
  for (const ask of asks) {
    const refused = await approve(checker, approvalAt(await ask()))
    assert.equal(refused.body.code, 'forbidden', refused.text)
  }
  assert.equal(await stand(), before)
  assert.equal((await approve(checker, approvalAt(await till.release(payment)))).status, 200)
  assert.equal(
    (await approve(checker, approvalAt(await placer.post(`${hold}/release`)))).status,
    200,
  )
  await assertSound(bank)
})
