// A bank with money, a mandate and a follow-up of every kind that the service knows, made through
// its interface: what a test of the proof changes, row by row.
import assert from 'node:assert/strict'
import { openAsOwner } from './owner.ts'
import { eraseTextsBefore } from '../../src/cli/erase.ts'
import { openDatabase } from '../../src/database/connections/connect.ts'
import { transaction } from '../../src/database/connections/transaction.ts'
import { sweepHolds } from '../../src/ledger/rows/holds.ts'
import { block, lift } from './blocks.ts'
import { approved, cardScene } from './card-payments.ts'
import type { Reply } from './client.ts'
import { openAccount, sceneIn } from './fixture.ts'
import { orderScene } from './orders.ts'
import { listScene, otherIban } from './payment-lists.ts'
import { newProgram } from './service-accounts.ts'
import { type PersonName, type Span, world, type World } from './world.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const elsewhere = 'GB33BUKB20201555555555'

async function idOf(reply: Promise<Reply>, status = 201): Promise<string> {
  const { status: got, body, text } = await reply
  assert.equal(got, status, text)
  return (body?.id ?? '') as string
}

/** It is sound, and all of its money is Ada's and Ben's. */
export async function wholeBank(t: Span): Promise<World> {
  const bank = await world(t)
  // Its migrations ran before all that it holds, which is of the fake clock's time.
  await bank.sql(`update migrations set run_on = '2020-01-01'`)
  // The trail has been kept since before the first change.
  await bank.login('root')
  bank.clock.advance(1_200_000)
  await addNumbered(bank)
  await addErased(bank)
  await addPayments(bank)
  await addHolds(bank)
  await addCardPayments(bank)
  await addBlocks(bank)
  await addOrders(bank)
  await addLists(bank)
  return bank
}

/** A person and an account under numbers of their maker's. */
async function addNumbered(bank: World): Promise<void> {
  const program = await newProgram(bank, { operations: ['createUser', 'openAccount'] })
  const names = { givenName: 'Clara', familyName: 'Haskil', roles: ['customer'] }
  const clara = { username: 'clara', email: 'clara@example.com', ...names, externalId: 'P1' }
  const ownerId = await idOf(program.post('/api/v1/admin/users', clara))
  await idOf(program.post('/api/v1/accounts', { ownerId, currency: 'EUR', externalId: 'A1' }))
}

/** A transfer whose texts were erased. */
async function addErased(bank: World): Promise<void> {
  await sceneIn(bank, '5.00')
  bank.clock.advance(60_000)
  const db = openAsOwner(bank.address)
  const now = bank.clock.now()
  await eraseTextsBefore(db, now, { now, limit: now })
  await db.close()
  bank.clock.advance(60_000)
}

/** One that stands, one that ended and one that was lifted, on each side. */
async function addBlocks(bank: World): Promise<void> {
  const root = await bank.login('root')
  const ada = await bank.login('ada')
  const from = await openAccount(ada)
  const until = new Date(bank.clock.now() + 1000).toISOString()
  await block(root, from, 'both', { until, externalId: 'case-1' })
  await lift(root, from, await block(root, from, 'both'))
  bank.clock.advance(60_000)
  await block(root, from, 'debits', { until: '2036-01-01T00:00:00Z' })
  await block(root, from, 'credits')
}

async function addPayments(bank: World): Promise<void> {
  const { ada, root, from, to } = await sceneIn(bank, '500.00')
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const pay = (body: object) =>
    idOf(ada.post('/api/v1/transfers', { fromAccountId: from, ...body }))
  await pay({ ...eur('20.00'), toAccountId: to, reference: 'To myself' })
  const ben = await bank.as('ben')
  const bens = await ben.post('/api/v1/accounts', { currency: 'EUR' })
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const close = { name: 'B. Lindqvist', iban: bens.body.iban }
  const payeeCheckId = await idOf(ada.post(`/api/v1/accounts/${from}/payee-checks`, close), 200)
  const friend = await idOf(ada.post(payees, close))
  const checked = { payeeCheckId, acceptPayee: true }
  await pay({ ...eur('7.00'), beneficiaryId: friend, reference: 'Lunch', ...checked })
  const admin = `/api/v1/admin/accounts/${to}`
  await idOf(root.post(`${admin}/withdrawals`, { ...eur('1.00'), reason: 'Paid out' }))
  const wrong = await root.post(`${admin}/deposits`, { ...eur('2.00'), reason: 'Mistaken' })
  await idOf(root.post(`/api/v1/admin/transfers/${wrong.body.id}/reversal`, { reason: 'Mistake' }))

  const rail = await newProgram(bank, {
    operations: ['createIncomingPayment', 'sendTransfer', 'settleTransfer', 'returnTransfer'],
  })
  const payee = await idOf(ada.post(payees, { name: 'Grace Hopper', iban: elsewhere }))
  const send = async (amount: string) => pay({ ...eur(amount), beneficiaryId: payee })
  const step = (id: string, verb: string, body: object) =>
    idOf(rail.post(`/api/v1/admin/transfers/${id}/${verb}`, body), 200)
  await send('1.00')
  const [sent, settled, unsettled, cancelled] = [
    await send('2.00'),
    await send('3.00'),
    await send('4.00'),
    await send('5.00'),
  ]
  await step(sent, 'send', { externalId: `S-${sent}` })
  await step(settled, 'settle', { externalId: `T-${settled}` })
  await step(unsettled, 'return', { externalId: `R-${unsettled}`, reasonCode: 'AC04' })
  await idOf(ada.post(`/api/v1/transfers/${cancelled}/cancel`), 200)
  const incoming = { iban, ...eur('25.00'), reference: 'Invoice 4711', endToEndId: 'INV-4711' }
  const debtor = { name: 'Müller <& Söhne>', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
  await idOf(
    rail.post('/api/v1/admin/incoming-payments', { ...incoming, debtor, externalId: 'I1' }),
  )
  const closed = await ada.post('/api/v1/accounts', { currency: 'EUR' })
  assert.equal((await ada.delete(`/api/v1/accounts/${closed.body.id}`)).status, 204)
  const late = { ...incoming, iban: closed.body.iban, onRefusal: 'suspense', externalId: 'I2' }
  const diverted = await idOf(rail.post('/api/v1/admin/incoming-payments', { ...late, debtor }))
  const back = { reason: 'The account is closed' }
  const sentBack = await idOf(root.post(`/api/v1/admin/transfers/${diverted}/reversal`, back))
  await step(sentBack, 'send', { externalId: 'S-back' })
  const postings = '/api/v1/admin/postings'
  const fee = { kind: 'fee', ...eur('0.50'), fromAccountId: from, toCode: 'fees', reason: 'Card' }
  await idOf(root.post(postings, { ...fee, externalId: 'F1' }))
  await idOf(root.post(postings, fee))
}

async function addHolds(bank: World): Promise<void> {
  const { root, from } = await sceneIn(bank, '500.00')
  const hold = (kind: string, more: object = {}) =>
    idOf(
      root.post(`/api/v1/accounts/${from}/holds`, {
        ...eur('12.00'),
        kind,
        reference: 'Hotel Marina',
        ...more,
      }),
    )
  const soon = new Date(bank.clock.now() + 120_000).toISOString()
  await hold('seizure')
  await hold('dispute', { externalId: 'H1', expiresAt: '2026-03-01T00:00:00.000Z' })
  const changed = await hold('dispute')
  await idOf(root.patch(`/api/v1/holds/${changed}`, { amount: '15.00', expiresAt: soon }), 200)
  const released = await hold('authorization')
  await idOf(root.post(`/api/v1/holds/${released}/release`), 200)
  const taken = await hold('authorization', { externalId: 'H2' })
  const capture = { ...eur('5.00'), final: false, externalId: 'C1' }
  await idOf(root.post(`/api/v1/holds/${taken}/capture`, capture))
  await idOf(root.post(`/api/v1/holds/${taken}/capture`, { ...eur('4.00'), final: true }))
  await hold('dispute', { expiresAt: soon })
  bank.clock.advance(120_000)
  const db = openDatabase(bank.address)
  await transaction(db, (tx) => sweepHolds(tx, bank.clock.now()))
  await db.close()
  const freeze = { reason: 'Asked by a court' }
  await idOf(root.post(`/api/v1/admin/accounts/${from}/freeze`, freeze), 200)
}

async function addCardPayments(bank: World): Promise<void> {
  const { till, ada, card } = await cardScene(await sceneIn(bank, '500.00'))
  const approve = (amount: string, more = {}) => approved(till.ask(amount, more))
  await approve('11.00')
  const raised = await approve('10.00', { channel: 'online', expiresAt: '2026-01-20T00:00:00Z' })
  await idOf(till.raise(raised, '2.00'))
  await idOf(till.capture(raised, '8.00'))
  await idOf(till.capture(raised, '1.00', { final: true }))
  await idOf(till.refund(raised, '3.00'))
  const other = await approve('9.00')
  await idOf(till.capture(other, '9.00', { final: true }))
  await idOf(till.release(await approve('4.00')), 200)
  const waiting = await approve('6.00')
  await idOf(ada.patch(`/api/v1/cards/${card}/controls`, { limits: { perPayment: '50.00' } }), 200)
  const declined = [await till.ask('60.00'), await till.raise(waiting, '70.00')]
  for (const { body } of declined) assert.equal(body.status, 'declined')
  const meal = await approve('10.00', { tolerance: 20 })
  await idOf(till.capture(meal, '12.00'))
  // After its release, above what was held, and without being asked for: that is an overdraft.
  const given = await approve('4.00')
  await idOf(till.release(given), 200)
  await idOf(till.clear('5.00', { authorizationId: given }))
  await idOf(till.clear('7.00', { authorizationId: waiting }))
  await idOf(till.clear('1000.00'))
  // Open, won, withdrawn, and one that is lost where nothing is left.
  for (const end of [undefined, 'won', 'withdrawn', 'lost'] as const) {
    const back = await idOf(till.chargeBack(meal, '1.00'))
    if (end) await idOf(till.end(back, end), 200)
  }
}

async function addOrders(bank: World): Promise<void> {
  const orders = await orderScene(bank)
  await orders.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  await orders.make({ firstOn: '2026-01-05', amount: '5000.00', retryDays: 5 })
  await orders.make({ firstOn: '2026-01-05', amount: '6000.00' })
  await orders.make({ rhythm: 'once', firstOn: '2099-01-01', onHoliday: 'after' })
  await orders.work()
  await orders.goTo('2026-01-05')
}

async function addLists(bank: World): Promise<void> {
  // The sessions of before have ended.
  const as = (name: PersonName) => bank.login(name)
  const lists = await listScene({ ...bank, as }, '500.00')
  const own = (await lists.ada().get(`/api/v1/accounts/${lists.to}`)).body.iban as string
  const fresh = { name: 'Grace Hopper', iban: otherIban, amount: '3.00', reference: 'Fresh' }
  const wrong = { name: 'Nobody', iban: 'DE89370400440532013001', amount: '4.00' }
  const first = lists.known('1.00', { endToEndId: 'E-1', blockId: 'B-1', reference: 'First' })
  const other = { name: 'Me', iban: own, amount: '2.00', reference: 'Own' }
  await lists.order([first, other, fresh, wrong, lists.known('900.00')], { messageId: 'M-1' })
  await lists.work()
  await lists.make([first, wrong], { messageId: 'M-2' })
  await lists.order([first, other], { executeOn: '2099-01-01', form: 'pain.001.001.03' })
  const cancelled = await lists.make([first])
  await idOf(lists.ada().delete(`/api/v1/payment-lists/${cancelled}`), 204)
}
