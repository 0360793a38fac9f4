// A successful request of each change, made from its route.
import assert from 'node:assert/strict'
import { newId } from '../../src/domain/ids.ts'
import type { Route } from '../../src/http/route.ts'
import { blockedAccount } from './blocks.ts'
import { cardPaymentOf, chargebackOf, disputeOf, takenPaymentOf } from './card-payments.ts'
import type { Reply } from './client.ts'
import { confirmAnyway, giveFactor } from './confirmations.ts'
import { beginEnrolment, codeOf, enrolTotp } from './factors.ts'
import { orderedDay, orderFrom } from './orders.ts'
import { listFrom } from './payment-lists.ts'
import {
  type Belongings,
  newDraft,
  newMembers,
  placeHoldOf,
  type RequestParts,
  toParts,
  toPath,
} from './requests.ts'
import { type ApiClient, password, people, type World } from './world.ts'

export type Send = () => Promise<Reply>
type Caller = { id: string; sessionId: string }
type Voice = Pick<ApiClient, 'token' | 'get' | 'post'>

/** What the example of a route leaves out. */
const bodies: Readonly<Record<string, object>> = {
  createTransfer: { amount: '2.00', toAccountId: undefined, payeeCheckId: undefined },
  createOrder: { toAccountId: undefined, payeeCheckId: undefined },
  updateOrder: { toAccountId: undefined, payeeCheckId: undefined },
  createDraft: { toAccountId: undefined, payeeCheckId: undefined },
  createPaymentList: { messageId: undefined },
  createBeneficiary: { iban: 'DE89370400440532013000', payeeCheckId: undefined },
  createWithdrawal: { amount: '1.00' },
  // Of both sides: without either one it is still a block.
  blockAccount: { credits: true },
  createHold: { amount: '1.00' },
  updateHold: { amount: '2.00' },
  captureHold: { amount: '1.00' },
  authorizeCardPayment: { amount: '1.00' },
  incrementCardPayment: { amount: '1.00' },
  captureCardPayment: { amount: '1.00' },
  // A program clears only what it was asked to authorise, or what nobody was.
  clearCardPayment: { amount: '1.00', authorizationId: undefined },
  chargeBackCardPayment: { amount: '0.10' },
  refundCardPayment: { amount: '1.00' },
  changePassword: { currentPassword: password, newPassword: 'eight fat kine and a barn' },
  enrolFactor: { password },
  requestEmailChange: { currentPassword: password },
  proveEmail: { token: 'a token' },
}

/** Changes that only a person with a factor can make, which they confirm. */
const ofFactors = ['updateFactor', 'deleteFactor', 'replaceRecoveryCodes', 'trustBeneficiary']

/**
 * @param own what Ada has, of which the request is about something
 * @returns sends it as that caller, confirmed where it has to be
 */
export async function makeRequest(
  bank: World,
  route: Route,
  own: Belongings,
  { voice, caller }: { voice: Voice; caller: Caller },
): Promise<Send> {
  const parts = await prepareParts(bank, route, own, { voice, caller })
  const send = (headers: Record<string, string> = {}) =>
    bank.send(route.method, toPath(route, parts), {
      token: voice.token,
      headers,
      ...(parts.body && { body: parts.body }),
    })
  if (!route.confirm || !ofFactors.includes(route.operation)) return () => send()
  const confirmation = await confirmAnyway(bank, await send())
  return () => send(confirmation)
}

/** The parts of such a request, about resources of its own where one request uses them up. */
export async function prepareParts(
  bank: World,
  route: Route,
  own: Belongings,
  { voice, caller }: { voice: Voice; caller: Caller },
): Promise<RequestParts> {
  const parts = toParts(route, ({ resource }) => own[resource])
  if (parts.body) parts.body = { ...parts.body, ...bodies[route.operation] }
  await complete({ bank, parts, own, voice, caller }, route.operation)
  return parts
}

const ofPayments = ['cancelTransfer', 'sendTransfer', 'settleTransfer', 'returnTransfer']

const ofCards = /^(increment|capture|release)CardPayment$/
const ofTaken = ['refundCardPayment', 'chargeBackCardPayment', 'disputeCardPayment']

const ofHolds = ['updateHold', 'captureHold', 'releaseHold']

const ofOrders = ['updateOrder', 'pauseOrder', 'resumeOrder', 'skipNextOrder', 'endOrder']

const ofLists = ['executePaymentList', 'cancelPaymentList']

const isStaffVoice = ({ id }: Caller): boolean => [people.root.id, people.agnes.id].includes(id)

const isPerson = ({ id }: Caller): boolean =>
  Object.values(people).some((person) => person.id === id)

type Making = { bank: World; parts: RequestParts; own: Belongings; voice: Voice; caller: Caller }

/** Makes the resource of the request, if not every customer has one. */
async function complete(making: Making, operation: string): Promise<void> {
  const { bank, parts, own, voice, caller } = making
  const { params } = parts
  if (ofFactors.includes(operation)) {
    const factor = await giveFactor(bank, 'ada')
    if ('factorId' in params) params['factorId'] = factor
  }
  if ('sessionId' in params) params['sessionId'] = (await bank.login('ada')).sessionId
  if (operation === 'createTransfer') parts.body = { ...parts.body, beneficiaryId: own.beneficiary }
  if (ofPayments.includes(operation)) {
    // A payment is cancelled by who ordered it.
    params['id'] = await payElsewhere(making, operation === 'cancelTransfer' ? voice : undefined)
  }
  if (ofCards.test(operation)) {
    params['id'] = await cardPaymentOf(bank, own, caller.id)
  }
  if (ofTaken.includes(operation)) params['id'] = await takenPaymentOf(bank, own, caller.id)
  if (operation.endsWith('Chargeback')) params['id'] = await chargebackOf(bank, own, caller.id)
  if (operation === 'closeDispute') params['id'] = await disputeOf(bank, own, caller.id)
  if (ofOrders.includes(operation) && !isPerson(caller)) {
    // A program changes only what it has made.
    params['id'] = await orderFrom(voice, own.account, own.beneficiary)
  }
  if (operation === 'undoSkip') {
    const id = await orderFrom(voice, own.account, own.beneficiary, 'weekly')
    assert.equal((await voice.post(`/api/v1/orders/${id}/skip-next`)).status, 200)
    params['id'] = id
    parts.body = { dueOn: orderedDay }
  }
  if (ofLists.includes(operation)) {
    // A program changes only what it has made.
    const maker = isStaffVoice(caller) ? await bank.login('ada') : voice
    params['id'] = await listFrom(maker, own.account, own.beneficiary)
  }
  if (ofHolds.includes(operation)) {
    params['id'] = await placeHoldOf(bank, own.account, caller.id)
  }
  if (['sendTransferBatch', 'settleTransferBatch'].includes(operation)) {
    const id = await payElsewhere(making)
    const externalId = operation === 'sendTransferBatch' ? { externalId: id } : {}
    parts.body = { items: [{ id, ...externalId }] }
  }
  if (operation === 'createPostingBatch') {
    const [item] = (parts.body as { items: object[] }).items
    parts.body = { items: [{ ...item, toAccountId: own.account }] }
  }
  if (operation === 'createIncomingPayment') {
    const { body } = await (await bank.login('ada')).get(`/api/v1/accounts/${own.account}`)
    parts.body = { ...parts.body, iban: body.iban }
  }
  if (operation === 'allowFactorReset') {
    await giveFactor(bank, 'agnes')
    params['userId'] = people.agnes.id
  }
  if (/^(sign|cancel)Draft$/.test(operation)) params['id'] = await draftOfAnother(making)
  if (operation === 'undoLimitRaise') await raiseLimit(making)
  if (/^(proveEmail|withdrawEmailChange)$/.test(operation)) await askForEmail(making)
  if (/Member(ship)?$/.test(operation)) await inviteAnew(making)
  if (/^(un)?linkIssuer$/.test(operation)) await ofAgnes(bank, parts, operation)
  if (/^(un)?blockAccount$/.test(operation)) {
    const { accountId, blockId } = await blockedAccount(bank, caller.id)
    params['accountId'] = accountId
    if ('blockId' in params) params['blockId'] = blockId
  }
  if (operation === 'closeAccount') {
    const { body } = await (await bank.login('ada')).post('/api/v1/accounts', { currency: 'EUR' })
    params['accountId'] = body.id
  }
  if (operation === 'activateFactor') {
    const { id, totp } = (await beginEnrolment(voice)).body
    params['factorId'] = id
    parts.body = { code: codeOf(totp.uri, bank.clock.now()) }
  }
  if (operation === 'confirm') await beginConfirmation(making)
  if (operation === 'withdrawRequest') await reassign(making, caller)
  if (/^(approve|reject)Request$/.test(operation)) {
    await reassign(making, await anotherAdministrator(bank))
  }
}

/** A draft that a member has made, whom the caller is not: nobody signs a draft of their own. */
export async function draftOfAnother({ bank, own }: Pick<Making, 'bank' | 'own'>): Promise<string> {
  const { id, username } = people.both
  await bank.sql(
    `insert into account_members
       (id, account_id, person_id, username, rights, invited_at, expires_at, accepted_at)
     values ($1, $2, $3, $4, 'pay', $5, $5, $5) on conflict do nothing`,
    [newId(bank.clock.now()), own.account, id, username, new Date(bank.clock.now())],
  )
  return newDraft(bank, own.account, own.beneficiary, id)
}

/** A raise of a limit of the account waits. */
const raiseLimit = ({ bank: { sql, clock }, own }: Making) =>
  sql('update accounts set own_per_day = 1000000000, next_limits_at = $2 where id = $1', [
    own.account,
    new Date(clock.now() + 3_600_000),
  ])

/** Another address of the caller waits for its proof. */
const askForEmail = ({ bank: { sql, clock }, caller: { id, sessionId } }: Making) =>
  sql(
    `insert into email_changes values ($1, $2, 'ada@example.net', sha256('a token'), $3)
     on conflict (user_id) do update set token_hash = excluded.token_hash`,
    [id, sessionId, new Date(clock.now() + 3_600_000)],
  )

/** No one else is invited; the request names an invitation that nobody has answered. */
async function inviteAnew({ bank, parts: { params }, own, caller }: Making): Promise<void> {
  await bank.sql('delete from account_members where account_id = $1 or person_id = $2', [
    own.account,
    caller.id,
  ])
  const name = caller.id === people.ben.id ? 'ben' : 'ada'
  const { member, membership } = await newMembers(bank, own.account, name)
  if ('memberId' in params) params['memberId'] = member
  else if ('id' in params) params['id'] = membership
}

/** Agnes has a link to the issuer, or none. */
export async function ofAgnes({ sql }: World, { params }: RequestParts, operation: string) {
  const { id } = people.agnes
  params['userId'] = id
  await sql('delete from issuer_links')
  if (operation === 'linkIssuer') return
  await sql('insert into issuer_links values ($1, $2, $3, now(), $1)', [id, 'https://a', 'b'])
}

async function payElsewhere({ bank, own }: Making, payer?: Voice): Promise<string> {
  const { account: fromAccountId, beneficiary: beneficiaryId } = own
  const body = { fromAccountId, beneficiaryId, amount: '2.00', currency: 'EUR' }
  const headers = { 'idempotency-key': newId(bank.clock.now()) }
  const paid = await (payer ?? (await bank.login('ada'))).post('/api/v1/transfers', body, {
    headers,
  })
  assert.equal(paid.status, 201, paid.text)
  return paid.body.id as string
}

/** A challenge of the caller's, which a code of its factor answers. */
async function beginConfirmation({ bank, parts, voice, own }: Making): Promise<void> {
  const { code } = await enrolTotp(bank, voice)
  const asked = { name: 'Grace Hopper', iban: 'DE89370400440532013000' }
  const refused = await voice.post(`/api/v1/accounts/${own.account}/beneficiaries`, asked)
  parts.params['challengeId'] = refused.body.challenge.id
  parts.body = { code: code(1) }
}

async function anotherAdministrator(bank: World): Promise<Caller> {
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  const { sessionId } = await bank.login('both')
  return { id: people.both.id, sessionId }
}

/** Makes this caller the maker of the approval. */
async function reassign({ bank, own }: Making, { id, sessionId }: Caller): Promise<void> {
  await bank.sql('update approvals set maker_id = $2, maker_session_id = $3 where id = $1', [
    own.approval,
    id,
    sessionId,
  ])
}
