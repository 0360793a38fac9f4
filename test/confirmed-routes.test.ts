// Changes that a person with a second factor has to confirm, made from the list of routes: a new
// route is tested as soon as it is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../src/audit/actions.ts'
import { routes } from '../src/features/routes.ts'
import type { Route } from '../src/http/route.ts'
import { blockedAccount } from './support/blocks.ts'
import { draftOfAnother } from './support/changes.ts'
import { approved, chargebackOf, takenPaymentOf, toTill } from './support/card-payments.ts'
import { openAccount } from './support/fixture.ts'
import { orderFrom } from './support/orders.ts'
import { listFrom } from './support/payment-lists.ts'
import { confirmAnyway, giveFactor } from './support/confirmations.ts'
import { readTables } from './support/database-dump.ts'
import { readEvents } from './support/audit-events.ts'
import {
  type Belongings,
  placeHoldOf,
  readBelongings,
  sendTo,
  toParts,
  toPath,
} from './support/requests.ts'
import { newProgram, toGrants } from './support/service-accounts.ts'
import {
  clientWith,
  type ApiClient,
  farIssuer,
  password,
  people,
  world,
  type World,
} from './support/world.ts'

const changes = routes.filter(({ access, method }) => access !== 'public' && method !== 'GET')
const confirmed = changes.filter(({ confirm }) => confirm !== undefined)

/** Changes that move no money, open no way for it, and change no way in. */
const harmless = new Set([
  // Each makes something safer, or is undone by its owner.
  'openAccount',
  'renameAccount',
  'noteTransaction',
  'renameBeneficiary',
  'undoLimitRaise',
  'acceptMembership',
  'endMember',
  'leaveMembership',
  'withdrawEmailChange',
  // The mailed link is the proof of what was confirmed.
  'proveEmail',
  'closeAccount',
  'deleteBeneficiary',
  'deactivateBeneficiary',
  'reactivateBeneficiary',
  'freezeCard',
  'freezeAccount',
  // The first day was confirmed, and all later ones.
  'pauseOrder',
  'resumeOrder',
  'skipNextOrder',
  'undoSkip',
  'endOrder',
  // Nothing is paid by a list before it is ordered, nor after it is cancelled.
  'createPaymentList',
  'cancelDraft',
  'cancelPaymentList',
  // Words to the bank: no money moves.
  'disputeCardPayment',
  // The money is back where it was.
  'cancelTransfer',
  // A held request is given up; its execution is what is confirmed.
  'rejectRequest',
  'withdrawRequest',
  // An account of the bank without money in it.
  'createBankAccount',
  // What staff write down moves nothing.
  'closeDispute',
  'createUserNote',
  'createAccountNote',
  // Sessions end.
  'logout',
  'revokeSession',
  'revokeUserSession',
  'revokeUserSessions',
  // The proof of a factor itself, and its name.
  'confirm',
  'beginIssuerConfirmation',
  'confirmAtIssuer',
  'activateFactor',
  'updateFactor',
  // The language of mails and pages.
  'updateMe',
  // Nothing more is sent than before, nor to another target.
  'deleteWebhook',
  'testWebhook',
  'resendWebhookDelivery',
  // It changes nothing but the audit trail.
  'checkPayee',
  'answerPayeeCheck',
])

test('every change declares whether it is confirmed', () => {
  for (const { operation, confirm } of changes) {
    assert.equal(confirm === undefined, harmless.has(operation), operation)
  }
  const risky: readonly Operation[] = [
    'createTransfer',
    'createBeneficiary',
    'createHold',
    'captureHold',
    'createOrder',
    'issueCard',
    'unfreezeAccount',
    'unfreezeCard',
    'updateCard',
    'updateOrder',
    'changePassword',
    'requestEmailChange',
    'deleteFactor',
    'issueServiceAccountKey',
    'createWebhook',
    'createDeposit',
    'createWithdrawal',
    'reverseTransfer',
    'updateAccountSettings',
    'updateUser',
  ]
  const operations = confirmed.map(({ operation }) => operation)
  assert.deepEqual(
    risky.filter((operation) => !operations.includes(operation)),
    [],
  )
})

/** What the example of the route does not say. */
const bodies: Readonly<Record<string, object>> = {
  createDraft: { toAccountId: undefined, acceptPayee: true },
  createTransfer: { amount: '45.00', toAccountId: undefined, acceptPayee: true },
  createOrder: { toAccountId: undefined, acceptPayee: true },
  updateOrder: { toAccountId: undefined, acceptPayee: true },
  createPosting: { toAccountId: undefined },
  chargeBackCardPayment: { amount: '1.00' },
  captureHold: { final: undefined },
  createBeneficiary: { iban: 'DE89370400440532013000', payeeCheckId: undefined },
  // What allows a card less needs no confirmation.
  updateCard: { status: 'active' },
  updateCardControls: { limits: undefined, channels: { cash: true } },
  updateWebhook: { status: undefined, types: ['card.cancelled', 'transfer.completed'] },
  changePassword: { currentPassword: password, newPassword: 'eight fat kine and a barn' },
  enrolFactor: { password },
  requestEmailChange: { currentPassword: password },
  // What switches more on needs no confirmation.
  updateMyNotices: { notices: [{ kind: 'payment', channel: 'off' }] },
}

/** These end what others need. */
const last = ['changePassword', 'replaceRecoveryCodes', 'deleteFactor']

const isForStaff = ({ access }: Route): boolean =>
  access !== 'public' && access.customer === undefined

/** A payment to another bank, which waits there. */
async function payElsewhere(ada: ApiClient, own: Belongings): Promise<string> {
  const [fromAccountId, beneficiaryId] = [own.account, own.beneficiary]
  const body = { fromAccountId, beneficiaryId, amount: '1.00', currency: 'EUR' }
  const headers = { 'idempotency-key': String(Math.random()) }
  const paid = await ada.post('/api/v1/transfers', body, { headers })
  assert.equal(paid.body.status, 'pending', paid.text)
  return paid.body.id as string
}

async function frozenCard(ada: ApiClient, own: Belongings): Promise<string> {
  const { body } = await ada.post(`/api/v1/accounts/${own.account}/cards`, {})
  const frozen = await ada.post(`/api/v1/cards/${body.id}/freeze`)
  assert.equal(frozen.body.status, 'frozen', frozen.text)
  return body.id as string
}

async function frozenAccount(ada: ApiClient, root: ApiClient): Promise<string> {
  const id = await openAccount(ada)
  const frozen = await root.post(`/api/v1/admin/accounts/${id}/freeze`, { reason: 'Doubt' })
  assert.equal(frozen.body.status, 'frozen', frozen.text)
  return id
}

/** All that a request may change: not the challenge. */
const readAll = (bank: World) => readTables(bank, ['challenges'])

test('each of them is refused without a confirmation, changes nothing, and succeeds with it', async (t) => {
  const bank = await world(t, { settings: { ...farIssuer, MEMBERS: 'on' } })
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const own = await readBelongings(bank, 'ada')
  const others: Record<string, string> = {
    allowFactorReset: people.ben.id,
    linkIssuer: people.agnes.id,
    unlinkIssuer: people.agnes.id,
    settleTransfer: await payElsewhere(ada, own),
    sendTransfer: await payElsewhere(ada, own),
    returnTransfer: await payElsewhere(ada, own),
    signDraft: await draftOfAnother({ bank, own }),
    unfreezeAccount: await frozenAccount(ada, root),
    unfreezeCard: await frozenCard(ada, own),
    updateCard: await frozenCard(ada, own),
    chargeBackCardPayment: await takenPaymentOf(bank, own, people.root.id),
    winChargeback: await chargebackOf(bank, own, people.root.id),
    loseChargeback: await chargebackOf(bank, own, people.root.id),
    withdrawChargeback: await chargebackOf(bank, own, people.root.id),
    releaseCardPayment: await approved(toTill(root, own.card).ask('1.00')),
  }
  const { iban } = (await ada.get(`/api/v1/accounts/${own.account}`)).body
  await ada.patch(`/api/v1/cards/${own.card}/controls`, { channels: { cash: false } })
  // The example raises them.
  const low = { currency: 'EUR', perPayment: '400.00', perDay: '900.00' }
  await ada.put(`/api/v1/accounts/${own.account}/limits`, low)
  const blocked = await blockedAccount(bank, people.root.id)
  const notices = { currency: 'EUR', balanceBelow: '100.01' }
  await ada.put(`/api/v1/accounts/${own.account}/notices`, notices)
  const bodyOf: typeof bodies = { ...bodies, createIncomingPayment: { iban } }
  const factor = await giveFactor(bank, 'ada')
  for (const name of ['ben', 'root'] as const) await giveFactor(bank, name)
  const rank = ({ operation }: Route) => last.indexOf(operation)
  // An approval takes a second person: src/features/approvals/approvals.test.ts.
  const alone = confirmed.filter(({ decides }) => !decides)
  for (const route of alone.toSorted((one, other) => rank(one) - rank(other))) {
    const { operation } = route
    const parts = toParts(route, ({ resource }) =>
      resource === 'factor' ? factor : (others[operation] ?? own[resource]),
    )
    if (parts.body) parts.body = { ...parts.body, ...bodyOf[operation] }
    if (operation === 'blockAccount') parts.params['accountId'] = blocked.accountId
    if (operation === 'unblockAccount') Object.assign(parts.params, blocked)
    const { token } = isForStaff(route) ? root : ada
    const send = (headers: Record<string, string>) =>
      bank.send(route.method, toPath(route, parts), { token, headers, body: parts.body })
    const before = await readAll(bank)
    const refused = await send({})
    assert.equal(refused.body?.code, 'confirmation_required', `${operation}: ${refused.text}`)
    const { terms } = refused.body.challenge
    assert.equal(terms.operation, operation)
    for (const [name, id] of Object.entries(parts.params)) assert.equal(terms[name], id, operation)
    assert.equal(terms.bodySha256 === undefined, parts.body === undefined, operation)
    assert.deepEqual(await readAll(bank), before, `${operation} changed something`)
    const done = await send(await confirmAnyway(bank, refused))
    assert.equal(done.status, route.success, `${operation}: ${done.text}`)
    assert.notDeepEqual(await readAll(bank), before, operation)
    const used = (await readEvents(bank, done)).find(({ action }) => action === 'useConfirmation')
    assert.equal(used?.detail, `${operation} ${refused.body.challenge.id}`)
    assert.equal(used.actorId, isForStaff(route) ? people.root.id : people.ada.id)
    const named = Object.values(parts.params).at(-1) ?? null
    const paidId = operation === 'signDraft' ? done.body.transferId : undefined
    const madeId =
      done.body?.reversedBy ??
      done.body?.takenBackBy ??
      paidId ??
      (route.success === 201 ? done.body.id : undefined)
    assert.equal(used.target, madeId ?? named, `${operation}: its target`)
  }
})

test('a service account confirms nothing', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  for (const name of ['ada', 'root'] as const) await giveFactor(bank, name)
  const operations = confirmed.flatMap(({ service, operation }) =>
    service === 'operation' ? operation : [],
  )
  assert.ok(operations.length >= 6)
  const grants = toGrants({ payFrom: [own.account], operations })
  await bank.sql('update users set has_factor = false where id = $1', [people.root.id])
  const program = await newProgram(bank, grants)
  await bank.sql('update users set has_factor = true where id = $1', [people.root.id])
  const client = clientWith(bank.send, program.token)
  const { token } = client
  const hold = await placeHoldOf(bank, own.account, program.id)
  const payment = await approved(toTill(client, own.card).ask('2.00'))
  const till = toTill(client, own.card)
  const taken = await approved(till.ask('2.00'))
  await till.capture(taken, '2.00')
  const chargeback = (await till.chargeBack(taken, '1.00')).body.id as string
  const order = await orderFrom(client, own.account, own.beneficiary)
  const asked = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const checked = await client.post(`/api/v1/accounts/${own.account}/payee-checks`, asked)
  const list = await listFrom(client, own.account, own.beneficiary)
  const its = {
    ...own,
    hold,
    chargeback,
    order,
    'payment list': list,
    'card payment': payment,
    'payee check': checked.body.id,
  }
  for (const route of confirmed.filter(({ service }) => service !== undefined)) {
    const parts = toParts(route, ({ resource }) => its[resource])
    const reply = await sendTo(bank, route, parts, token)
    assert.notEqual(reply.status, 403, `${route.operation}: ${reply.text}`)
  }
})
