// What is left of a card payment: statements, mails, an erasure, the verification of the books.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import {
  approved,
  cardScene,
  outcomeOf,
  shop,
  toTill,
} from '../../../test/support/card-payments.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  scene,
  sceneIn,
  tally,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { assertValidCamt } from '../../../test/support/statement-files.ts'
import { people, world } from '../../../test/support/world.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { eraseTextsBefore } from '../../cli/erase.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { eraseOfAccount } from '../../ledger/erasure/erase.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { toCardNumber } from '../cards/number.ts'

type CamtEntry = {
  CdtDbtInd: string
  BkTxCd: { Domn: { Cd: string; Fmly: { Cd: string; SubFmlyCd: string } } }
  NtryDtls: { TxDtls: { RltdPties?: Record<string, { Pty: { Nm: string } }> } }
}

test('a statement names the merchant of a payment and of a refund, in CSV and in camt.053', async (t) => {
  const made = await cardScene(await scene(t))
  const { ada, from, till } = made
  const id = await approved(till.ask('40.00'))
  await till.capture(id, '40.00')
  await till.refund(id, '15.00')
  const path = `/api/v1/accounts/${from}/statement?from=2026-01-02&to=2026-01-02&format=`
  const csv = (await ada.get(`${path}csv`)).text.split('\r\n')
  assert.match(csv[2] ?? '', /,card,Lindner Lebensmittel,,,-40\.00,EUR,60\.00$/)
  assert.match(csv[3] ?? '', /,refund,Lindner Lebensmittel,,,15\.00,EUR,75\.00$/)
  const camt = await ada.get(`${path}camt053`)
  await assertValidCamt([Buffer.from(camt.text)])
  const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Ntry' })
  const { Ntry: entries } = parser.parse(camt.text).Document.BkToCstmrStmt.Stmt
  const lines = (entries as CamtEntry[]).slice(1).map(({ CdtDbtInd, BkTxCd, NtryDtls }) => {
    const { Cd, Fmly } = BkTxCd.Domn
    const { Cdtr, Dbtr } = NtryDtls.TxDtls.RltdPties ?? {}
    return [CdtDbtInd, `${Cd}/${Fmly.Cd}/${Fmly.SubFmlyCd}`, (Cdtr ?? Dbtr)?.Pty.Nm]
  })
  assert.deepEqual(lines, [
    ['DBIT', 'PMNT/CCRD/POSD', shop.name],
    ['CRDT', 'PMNT/CCRD/RIMB', shop.name],
  ])
})

test('a payment above the amount of the bank is told by mail, asked for before or not, unless alerts are off', async (t) => {
  const bank = await world(t, { settings: { ALERT_ABOVE: 'EUR=20' } })
  const made = await cardScene(await sceneIn(bank, '150.00'))
  const { root, from, till } = made
  const clear = async (amount: string) => assert.equal((await till.clear(amount)).status, 201)
  await approved(till.ask('20.00'))
  await approved(till.ask('20.01'))
  await clear('20.00')
  await clear('20.02')
  const settings = `/api/v1/accounts/${from}/settings`
  await root.patch(settings, { alertsEnabled: false })
  await approved(till.ask('30.00'))
  await clear('20.03')
  assert.equal(outcomeOf(await till.ask('99.00')), 'insufficient_funds')
  const mails = (await readMails(made)).filter(({ subject }) => subject?.includes('card payment'))
  const found = mails.map(({ text = '' }) =>
    /(\S+ EUR) were authorised .* at Lindner Lebensmittel/.exec(text.replaceAll('\n', ' ')),
  )
  assert.deepEqual(found.flatMap((match) => match?.[1] ?? []).toSorted(), [
    '20.01 EUR',
    '20.02 EUR',
  ])
})

test('an erasure takes the merchant of payments and attempts with it, and their answers stay', async (t) => {
  const made = await cardScene(await scene(t))
  const { till, clock } = made
  const id = await approved(till.ask('40.00', { externalId: 'A' }))
  await till.capture(id, '10.00', { final: true })
  await till.ask('500.00', { externalId: 'B' })
  clock.advance(86_400_000)
  const kept = await approved(till.ask('5.00'))
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const day = Date.parse('2026-01-03T00:00:00Z')
  await eraseTextsBefore(owner, day, { now: clock.now(), limit: day })
  const ada = await made.login('ada')
  const { items } = (await ada.get(`/api/v1/accounts/${made.from}/card-payments`)).body
  assert.deepEqual(
    new Map(items.map((row: { amount: string; merchant: unknown }) => [row.amount, row.merchant])),
    new Map([
      ['5.00', shop],
      ['500.00', null],
      ['40.00', null],
    ]),
  )
  const again = await till.ask('40.00', { externalId: 'A' })
  assert.deepEqual([again.status, again.body.paymentId, again.body.merchant], [201, id, null])
  assert.equal((await till.refund(id, '1.00')).status, 201)
  assert.ok(kept)
  const rows = await made.sql(`select count(*)::int as named from holds where reference <> ''`)
  assert.deepEqual(rows.rows, [{ named: 1 }])
  await assertSound(made)
})

test('the events of one payment are told in the order in which they happened, also those of one batch', async (t) => {
  const made = await cardScene(await scene(t))
  const { from, root, till, running, sql } = made
  const [id, other] = [await approved(till.ask('40.00')), await approved(till.ask('1.00'))]
  const { nextAfter } = (await root.get('/api/v1/events?after=last')).body
  const { rows } = await sql(
    'select id from sessions where user_id = $1 order by id desc limit 1',
    [people.root.id],
  )
  const sessionId = rows[0]?.['id'] as string
  const caller = { userId: people.root.id, sessionId, kid: null, role: 'admin' } as const
  const common = { currency: 'EUR', reference: '', caller } as const
  const clearing = bankAccount('clearing', 'EUR')
  const take = (amount: bigint, hold = id) =>
    ({
      ...common,
      kind: 'card',
      amount,
      fromAccountId: from,
      toAccountId: clearing,
      hold: { step: 'capture', id: hold, isFinal: false },
    }) as const
  const giveBack = (amount: bigint) =>
    ({
      ...common,
      kind: 'refund',
      amount,
      fromAccountId: clearing,
      toAccountId: from,
      paymentId: id,
    }) as const
  const movements = [take(500n), giveBack(200n), take(100n, other), take(300n), giveBack(100n)]
  // One turn of the event loop, so one batch.
  await Promise.all(movements.map((movement) => running.core.ledger.submit(movement)))
  const { items } = (await root.get(`/api/v1/events?after=${nextAfter}&limit=100`)).body
  const told = (resource: string, of: string) =>
    items
      .filter(({ type, resourceId }: Record<string, string>) => {
        return resourceId === of && type?.startsWith(resource)
      })
      .map(({ type }: { type: string }) => type.slice(resource.length + 1))
  const steps = ['captured', 'refunded', 'captured', 'refunded']
  assert.deepEqual(told('card.payment', id), steps)
  assert.deepEqual(told('card.payment', other), ['captured'])
  assert.deepEqual(told('hold', id), ['captured', 'captured'])
  const { rows: written } = await sql(
    `select cardinality(ids) as count from events where type = 'card.payment.captured'
     order by written`,
  )
  assert.deepEqual(written, [{ count: 2 }, { count: 1 }], 'those of one batch share few rows')
})

test('once its merchant is erased, a payment is raised as one abroad', async (t) => {
  const made = await cardScene(await scene(t))
  const { till, clock, card } = made
  const abroad = { ...shop, country: 'FR' }
  const expiresAt = '2026-02-02T09:00:00Z'
  const id = await approved(till.ask('10.00', { merchant: abroad, expiresAt }))
  clock.advance(86_400_000)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const day = Date.parse('2026-01-03T00:00:00Z')
  await eraseTextsBefore(owner, day, { now: clock.now(), limit: day })
  assert.equal(outcomeOf(await till.raise(id, '1.00')), 'approved')
  const ada = await made.login('ada')
  const off = await ada.patch(`/api/v1/cards/${card}/controls`, { channels: { abroad: false } })
  assert.equal(off.status, 200, off.text)
  assert.equal(outcomeOf(await till.raise(id, '1.00')), 'channel_off')
  assert.equal((await ada.get(`/api/v1/accounts/${made.from}`)).body.held, '11.00')
})

test('what comes back to a closed account lies in suspense, once, and is erased with it', async (t) => {
  const made = await cardScene(await scene(t))
  const { ada, from, till, sql } = made
  const agnes = await made.as('agnes')
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const id = await approved(till.ask('100.00'))
  const taken = await till.capture(id, '100.00')
  assert.equal((await ada.delete(`/api/v1/accounts/${from}`)).status, 204)
  const first = await till.refund(id, '30.00', { externalId: 'A' })
  assert.equal(first.status, 201, first.text)
  const suspense = bankAccount('suspense', 'EUR')
  assert.deepEqual([first.body.kind, first.body.toAccountId], ['refund', suspense])
  const { creditorIban, creditorAccountId, cardPaymentId } = first.body
  assert.deepEqual([creditorIban, creditorAccountId, cardPaymentId], [iban, from, id])
  // Staff read whom it is to be paid out to.
  const read = (await agnes.get(`/api/v1/transfers/${first.body.id}`)).body
  assert.equal(read.creditorIban, iban)
  const again = await many(10, () => till.refund(id, '30.00', { externalId: 'A' }))
  assert.ok(again.every(({ status, body }) => status === 201 && body.id === first.body.id))
  const dollars = await till.refund(id, '30.00', { currency: 'USD' })
  assert.equal(outcomeOf(dollars), '409 currency_mismatch')
  const rest = await many(6, () => till.refund(id, '20.00'))
  assert.deepEqual(tally(rest), { '201': 3, '409 limit_exceeded': 3 })
  const { rows } = await sql(
    `select currency, balance::int from accounts where kind = 'suspense' and balance <> 0`,
  )
  assert.deepEqual(rows, [{ currency: 'EUR', balance: 9000 }])
  await assertSound(made)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const event = commandEvent(made.clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  await eraseOfAccount(owner, from, event.id)
  const named = await sql(
    `select id from transfers
     where id = any($1) and (counterparty_name is not null or salt is not null)`,
    [[taken.body.id, first.body.id]],
  )
  assert.deepEqual(named.rows, [])
  await assertSound(made)
})

test('what is a card payment is captured and raised as one alone: nothing of it comes back twice', async (t) => {
  const made = await cardScene(await scene(t))
  const { till, root, card, from, stand } = made
  const id = await approved(till.ask('40.00', { externalId: 'A' }))
  const hold = `/api/v1/holds/${id}`
  const money = { amount: '40.00', currency: 'EUR' }
  const beside = [
    await root.post(`${hold}/capture`, money),
    await root.patch(hold, { amount: '40.01' }),
  ]
  assert.deepEqual(beside.map(outcomeOf), Array(2).fill('409 illegal_transition'))
  assert.equal((await root.patch(hold, { amount: '30.00' })).status, 200)
  const terms = { amount: '1.00', currency: 'EUR', reference: 'Hotel', cardId: card }
  const place = (kind: string, externalId: string) =>
    root.post(`/api/v1/accounts/${from}/holds`, { ...terms, kind, externalId })
  const placed = await place('authorization', 'P')
  await made.ada.post(`/api/v1/cards/${card}/freeze`)
  assert.equal(outcomeOf(await place('authorization', 'Q')), '409 illegal_transition')
  await made.ada.put(`/api/v1/cards/${card}`, { status: 'cancelled' })
  assert.equal(outcomeOf(await place('authorization', 'R')), '409 card_cancelled')
  assert.deepEqual((await place('authorization', 'P')).body, placed.body)
  assert.equal((await place('dispute', 'S')).status, 201)
  await till.capture(id, '30.00')
  assert.equal(await stand(), '70.00 held 2.00')
})

test('no card payment and no refund is reversed, nor by an instance of a version that knows none', async (t) => {
  const made = await cardScene(await scene(t))
  const { till, root, sql, stand } = made
  const id = await approved(till.ask('40.00'))
  const [taken, back] = [await till.capture(id, '40.00'), await till.refund(id, '10.00')]
  const columns = 'amount, created_at, caller_id, session_id, status, currency, reference, salt'
  for (const [{ body }, named] of [
    [taken, 'card payment'],
    [back, 'refund'],
  ] as const) {
    const path = `/api/v1/admin/transfers/${body.id}/reversal`
    assert.equal(outcomeOf(await root.post(path, { reason: 'Asked' })), '409 illegal_transition')
    const reversing = sql(
      `insert into transfers (id, kind, reversal_of, from_account_id, to_account_id, from_seq,
         to_seq, ${columns})
       select $2, 'reversal', id, to_account_id, from_account_id, to_seq + 1, from_seq + 1,
         ${columns}
       from transfers where id = $1`,
      [body.id, newId(1)],
    )
    await assert.rejects(reversing, new RegExp(`A ${named} is not reversed`))
  }
  assert.equal(await stand(), '70.00 held 0.00')
  await assertSound(made)
})

test('a payment that is captured and raised again and again is not raised beyond what the books can hold', async (t) => {
  const made = await cardScene(await scene(t))
  const { ada, root, processor } = made
  const account = await openAccount(ada, 'KWD')
  const card = (await ada.post(`/api/v1/accounts/${account}/cards`, {})).body.id as string
  const till = toTill(processor, card)
  const [amount, currency] = ['999999999999999.999', 'KWD']
  const payIn = async (fromCode: string) => {
    const body = { fromCode, toAccountId: account, amount, currency, kind: 'correction' }
    const reply = await root.post('/api/v1/admin/postings', {
      ...body,
      reason: 'Large',
      externalId: `${fromCode} ${(numbers += 1)}`,
    })
    assert.equal(reply.status, 201, reply.text)
  }
  let numbers = 0
  for (let count = 0; count < 9; count++) await payIn(count < 5 ? 'opening' : 'suspense')
  const id = await approved(till.ask(amount, { currency }))
  for (let count = 0; count < 8; count++) await approved(till.raise(id, amount, { currency }))
  assert.equal((await till.capture(id, amount, { currency })).status, 201)
  await payIn('suspense')
  assert.equal(outcomeOf(await till.raise(id, amount, { currency })), '409 limit_exceeded')
  await assertSound(made)
})

test('a hold for a card is answered as the first time when its account is closed by then', async (t) => {
  const made = await cardScene(await scene(t))
  const { ada, root, processor, to } = made
  const card = (await ada.post(`/api/v1/accounts/${to}/cards`, {})).body.id
  const till = toTill(processor, card)
  await deposit(root, to, '3.00')
  const paid = await till.ask('2.00', { externalId: 'A' })
  await till.capture(paid.body.paymentId, '2.00', { externalId: 'B' })
  const body = { amount: '1.00', currency: 'EUR', kind: 'authorization', reference: 'Hotel' }
  const place = () =>
    root.post(`/api/v1/accounts/${to}/holds`, { ...body, cardId: card, externalId: 'H' })
  const placed = await place()
  const { body: hold } = placed
  await root.post(`/api/v1/holds/${hold.id}/capture`, { amount: '1.00', currency: 'EUR' })
  assert.equal((await ada.delete(`/api/v1/accounts/${to}`)).status, 204)
  const again = [
    [paid, await till.ask('2.00', { externalId: 'A' })],
    [placed, await place()],
  ] as const
  for (const [first, repeated] of again) {
    assert.deepEqual([repeated.status, repeated.body], [first.status, first.body], repeated.text)
  }
})

test('no card number is stored in the name of a merchant, however its signs are mapped', async (t) => {
  const { till, stand } = await cardScene(await scene(t))
  const names = ['4111_1111_1111_1111', '4111\u00ad111111111111', '④①①①①①①①①①①①①①①①']
  for (const name of names) {
    const reply = await till.ask('1.00', { merchant: { ...shop, name } })
    assert.equal(outcomeOf(reply), '400 invalid_request', name)
  }
  assert.equal(await stand(), '100.00 held 0.00')
})

test('no card number is stored as the number of a message; the 15 digits of a processor are', async (t) => {
  const { root, from, till, stand, sql } = await cardScene(await scene(t))
  const own = toCardNumber('123456789')
  const id = await approved(till.ask('5.00', { externalId: '450000000000005' }))
  const hold = { amount: '1.00', currency: 'EUR', kind: 'dispute', reference: 'Hotel' }
  const placed = await root.post(`/api/v1/accounts/${from}/holds`, { ...hold, externalId: 'H' })
  assert.equal(placed.status, 201)
  for (const externalId of [
    own,
    '4111111111111111',
    `a ${own.replace(/(?=(....)+$)/g, '-')}`,
    `${own} 12/29`,
  ]) {
    const replies = [
      await till.ask('1.00', { externalId }),
      await till.raise(id, '1.00', { externalId }),
      await till.capture(id, '1.00', { externalId }),
      await till.refund(id, '1.00', { externalId }),
      await root.post(`/api/v1/accounts/${from}/holds`, { ...hold, externalId }),
      await root.post(`/api/v1/holds/${placed.body.id}/capture`, {
        amount: '1.00',
        currency: 'EUR',
        externalId,
      }),
    ]
    for (const { status, body, text } of replies) {
      assert.equal(status, 400, text)
      const [detail] = body.details
      assert.deepEqual(detail, {
        path: '/body/externalId',
        message: 'holds what looks like a card number',
      })
      assert.ok(!text.includes(own.slice(-4)))
    }
  }
  assert.equal(await stand(), '100.00 held 6.00')
  const { rows } = await sql(`select from external_ids where external_id ~ '9999'`)
  assert.deepEqual(rows, [])
})

test('the service changes no authorisation and no refund, and the verification names what was changed', async (t) => {
  const made = await cardScene(await scene(t))
  const { till, sql } = made
  const id = await approved(till.ask('40.00'))
  await till.capture(id, '30.00')
  await till.refund(id, '10.00')
  const asService = (text: string) => sql(`set role strongroom_service; ${text}; reset role`)
  for (const text of [
    `update card_authorizations set reason = 'card_frozen'`,
    'delete from card_authorizations',
    'delete from card_refunds',
    `update card_refunds set payment_id = payment_id`,
  ]) {
    await assert.rejects(asService(text), /permission denied/, text)
    await sql('reset role')
  }
  // Not even the owner, by mistake.
  await assert.rejects(sql(`update card_authorizations set amount = 1`), /not possible/)
  await assert.rejects(sql('delete from card_refunds'), /not possible/)
  const db = openDatabase(made.address)
  t.after(() => db.close())
  const named = async (text: string, back: string): Promise<string> => {
    const all = 'session_replication_role'
    await sql(`set ${all} = replica; ${text}; set ${all} = origin`)
    const { mismatch } = await verifyLedger(db)
    await sql(`set ${all} = replica; ${back}; set ${all} = origin`)
    assert.equal((await verifyLedger(db)).mismatch, undefined)
    return mismatch ?? ''
  }
  assert.match(
    await named(
      'create table gone as select * from card_refunds; delete from card_refunds',
      'insert into card_refunds select * from gone',
    ),
    /^Entry .*: the chain breaks$/,
  )
  assert.match(
    await named(
      `update card_authorizations set reason = 'card_frozen', expires_at = null`,
      `update card_authorizations set reason = null, expires_at = created_at + interval '7 days'`,
    ),
    /^Hold .*: it is another card payment than was approved$/,
  )
  assert.match(
    await named(
      'create table asked as select * from card_authorizations; delete from card_authorizations',
      'insert into card_authorizations select * from asked',
    ),
    /^Hold .*: it is another card payment than was approved$/,
  )
})
