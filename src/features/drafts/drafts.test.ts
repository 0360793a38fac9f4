// Payment drafts: one person prepares a payment, and others sign it. Who may, when, and what is
// told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import { type DraftScene, draftScene } from '../../../test/support/drafts.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  readBalance,
  tally,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { people } from '../../../test/support/world.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { dayMs } from '../../domain/clock.ts'
import { draftsMax } from './sql.ts'
import { sweepDrafts } from './sweep.ts'

type Name = 'ada' | 'ben' | 'both'
type Right = 'view' | 'prepare' | 'pay'

async function sweep({ address, clock }: DraftScene): Promise<void> {
  const db = openDatabase(address)
  await transaction(db, (tx) => sweepDrafts(tx, clock.now()))
  await db.close()
}

/** The rights of Ben, the maker, the amount, and each signature with its outcome. */
const signings: [right: Right, maker: Name, amount: string, ...signed: [Name, string][]][] = [
  ['prepare', 'ben', '999.99', ['both', 'paid']],
  ['prepare', 'ben', '999.99', ['ada', 'paid']],
  ['prepare', 'ben', '999.99', ['ben', 'forbidden']],
  ['prepare', 'ben', '1000.00', ['ada', 'waiting'], ['ada', 'forbidden'], ['both', 'paid']],
  ['prepare', 'ben', '1000.00', ['both', 'waiting'], ['ben', 'forbidden'], ['ada', 'paid']],
  ['pay', 'ben', '1000.00', ['ben', 'forbidden'], ['ada', 'paid'], ['both', 'illegal_transition']],
  ['pay', 'ada', '1000.00', ['ada', 'forbidden'], ['ben', 'paid'], ['ben', 'illegal_transition']],
  ['pay', 'ada', '999.99', ['ada', 'forbidden'], ['both', 'paid']],
  ['view', 'ada', '1000.00', ['ben', 'forbidden'], ['both', 'paid']],
  ['prepare', 'ada', '1000.00', ['ben', 'forbidden'], ['both', 'paid']],
]

test('two people sign from the amount on, one below it, and none signs twice or a draft of their own', async (t) => {
  const bank = await draftScene(t)
  for (const [right, maker, amount, ...signed] of signings) {
    await bank.member('ben', right)
    const id = await bank.make(maker, amount)
    const outcomes = []
    for (const [by] of signed) {
      const { body } = await bank.sign(by, id)
      outcomes.push([by, body.status === 403 || body.code ? body.code : body.status])
    }
    assert.deepEqual(outcomes, signed, `${right} ${maker} ${amount}`)
    if ((await bank.status(id)) === 'waiting') await bank.cancel('ada', id)
    bank.clock.advance(10_001)
    await deposit(bank.root, bank.from, '1000.00')
  }
  const paid = (await bank.ada.get(`/api/v1/accounts/${bank.from}/drafts`)).body.items
  for (const { id, status, transferId, signedBy, amount } of paid.slice(0, 6)) {
    if (status !== 'paid') continue
    const transfer = (await bank.ada.get(`/api/v1/transfers/${transferId}`)).body
    assert.deepEqual([transfer.amount, transfer.beneficiaryId], [amount, bank.payeeId])
    assert.deepEqual([transfer.draftId, transfer.signedBy], [id, signedBy])
    const [listed] = (await bank.ada.get(`/api/v1/transfers?accountId=${bank.from}`)).body.items
    if (listed.id === transfer.id) assert.deepEqual(listed.signedBy, signedBy)
    assert.equal(new Set(signedBy).size, signedBy.length)
  }
  const last = paid.find(({ status }: { status: string }) => status === 'paid')
  const off = await bank.another({ settings: { MEMBERS: 'off' } })
  const plain = await off.send('GET', `/api/v1/transfers/${last.transferId}`, {
    token: bank.ada.token,
  })
  const names = ['madeBy', 'draftId', 'signedBy'].filter((name) => name in plain.body)
  assert.deepEqual([plain.status, names], [200, []])
  await assertSound(bank)
})

test('who may not prepare makes no draft; what is no payment of the account is none', async (t) => {
  const bank = await draftScene(t)
  await bank.member('ben', 'view')
  await bank.member('both', 'prepare')
  const refused = async (by: Name, amount: string, more: object = {}) => {
    const { status, body } = await bank.post(by, amount, more)
    return status === 201 ? 'made' : (body.code as string)
  }
  assert.equal(await refused('ben', '1.00'), 'forbidden')
  assert.equal(
    await refused('both', '1.00', { toAccountId: bank.to, beneficiaryId: undefined }),
    'forbidden',
    'another account of the owner',
  )
  assert.equal(await refused('ada', '0'), 'invalid_request')
  assert.equal(await refused('ada', '1.001'), 'invalid_request')
  assert.equal(await refused('ada', '1.00', { currency: 'USD' }), 'currency_mismatch')
  assert.equal(await refused('ada', '1.00', { toAccountId: bank.to }), 'invalid_request')
  assert.equal(await refused('ada', '1.00', { beneficiaryId: undefined }), 'invalid_request')
  assert.equal(await refused('both', '1.00'), 'made')
  const inbox = async (by: Name) => (await bank.voices[by].get('/api/v1/me/signatures')).body.items
  assert.equal((await inbox('ada')).length, 1)
  const two = await bank.make('both', '1000.00')
  await bank.member('ben', 'pay')
  const waits = async (by: Name) => (await inbox(by)).some(({ id }: { id: string }) => id === two)
  assert.deepEqual(
    [await waits('ada'), await waits('ben'), await waits('both')],
    [true, true, false],
  )
  assert.equal((await bank.sign('ada', two)).body.status, 'waiting')
  assert.deepEqual([await waits('ada'), await waits('ben')], [false, true])
  assert.equal((await bank.cancel('ada', two)).status, 204)
  assert.deepEqual([await waits('ada'), await waits('ben')], [false, false])
  await bank.member('ben', 'view')
  assert.deepEqual([await inbox('both'), await inbox('ben')], [[], []])
  const path = `/api/v1/accounts/${bank.from}/drafts`
  assert.equal((await bank.voices.ben.get(path)).status, 200)
  const agnes = await bank.as('agnes')
  assert.equal((await agnes.get(path)).status, 200)
  assert.equal((await agnes.post(path, {})).status, 403)
  const [{ id }] = await inbox('ada')
  assert.equal((await bank.cancel('ben', id)).status, 403)
  assert.equal((await bank.sign('both', id)).status, 403)
  await bank.sql(
    `insert into payment_drafts (id, account_id, maker_id, to_account_id, amount, reference,
       expires_at, created_at)
     select gen_random_uuid(), $1, $2, $3, 1, '', now() + interval '1 day', now()
     from generate_series(1, $4::int)`,
    [bank.from, people.ada.id, bank.to, draftsMax - 1],
  )
  const { body } = await bank.post('ada', '1.00')
  assert.deepEqual([body.code, body.limit?.name], ['limit_exceeded', 'drafts'])
})

/** What ends the right of a person that made or signed, and whether it was Ben or Ada. */
const ends: [what: string, end: (bank: DraftScene) => Promise<unknown>][] = [
  [
    'a membership that is ended',
    ({ sql, clock }) =>
      sql("update account_members set ended_at = $2, ended_by = 'owner' where person_id = $1", [
        people.ben.id,
        new Date(clock.now()),
      ]),
  ],
  [
    'a right that is lowered',
    ({ sql }) =>
      sql("update account_members set rights = 'view' where person_id = $1 and ended_at is null", [
        people.ben.id,
      ]),
  ],
  [
    'a membership whose time is over',
    ({ sql, clock }) =>
      sql('update account_members set until = $2 where person_id = $1 and ended_at is null', [
        people.ben.id,
        new Date(clock.now()),
      ]),
  ],
  [
    'a person that is disabled',
    ({ root }) => root.patch(`/api/v1/admin/users/${people.ben.id}`, { status: 'disabled' }),
  ],
  [
    'a person that is no customer any more',
    ({ sql }) => sql("update users set roles = '{support-agent}' where id = $1", [people.ben.id]),
  ],
]

test('a draft whose maker or signer may not any more is refused at once, void within a sweep, and its people are told', async (t) => {
  const bank = await draftScene(t)
  // What a person may do on an account of their own is no right on this one.
  for (const name of ['ben', 'both'] as const) await openAccount(bank.voices[name])
  for (const [what, end] of ends) {
    await bank.sql("update users set status = 'active', roles = '{customer}' where id = $1", [
      people.ben.id,
    ])
    await bank.member('ben', 'pay')
    bank.voices.ben = await bank.login('ben')
    const made = await bank.make('ben', '1000.00', { reference: 'Gone' })
    await bank.member('both', 'prepare')
    const signed = await bank.make('both', '1000.00')
    await bank.member('both', 'pay')
    assert.equal((await bank.sign('ben', signed)).body.status, 'waiting', what)
    await end(bank)
    for (const id of [made, signed]) {
      assert.equal((await bank.sign('ada', id)).body.code, 'illegal_transition', what)
      assert.equal((await bank.read(id)).status, 'waiting')
    }
    await sweep(bank)
    for (const id of [made, signed]) {
      const { status, reference } = await bank.read(id)
      assert.deepEqual([status, reference], ['void', ''], what)
    }
  }
  assert.equal(await readBalance(bank.ada, bank.from), '5000.00')
  const ended = (await readMails(bank)).filter(
    ({ subject }) => subject === 'A payment was not made',
  )
  assert.ok(ended.length >= ends.length)
  await assertSound(bank)
})

test('a draft of an owner who is disabled, or of an account that is closed or frozen, is not paid', async (t) => {
  const bank = await draftScene(t)
  const id = await bank.make('ada', '1000.00')
  const path = `/api/v1/admin/accounts/${bank.from}`
  await bank.root.post(`${path}/freeze`, { reason: 'Asked' })
  assert.equal((await bank.sign('ben', id)).body.code, 'account_frozen')
  await bank.root.post(`${path}/unfreeze`, { reason: 'Asked' })
  await bank.root.patch(`/api/v1/admin/users/${people.ada.id}`, { status: 'disabled' })
  assert.equal((await bank.sign('ben', id)).status, 403)
  await sweep(bank)
  assert.equal(await bank.status(id), 'void')
  await bank.root.patch(`/api/v1/admin/users/${people.ada.id}`, { status: 'active' })
  await bank.loginAgain()
  assert.equal((await bank.sign('ben', id)).body.code, 'illegal_transition')
  await assertSound(bank)
})

test('a draft ends in its millisecond: 30 days without a signature, 7 days after the first', async (t) => {
  const bank = await draftScene(t)
  const started = bank.clock.now()
  await bank.member('ben', 'prepare')
  const cases: [id: string, lastsMs: number][] = [
    [await bank.make('ben', '20.00'), 30 * dayMs],
    [await bank.make('ada', '1000.00'), 7 * dayMs],
  ]
  const late = await bank.make('ben', '1000.00')
  bank.clock.advance(dayMs)
  await bank.loginAgain()
  assert.equal((await bank.sign('ada', late)).body.status, 'waiting')
  cases.push([late, 8 * dayMs])
  for (const [id, lastsMs] of cases.toSorted((one, other) => one[1] - other[1])) {
    const end = started + lastsMs
    bank.clock.advance(end - 1 - bank.clock.now())
    await bank.loginAgain()
    await sweep(bank)
    assert.equal((await bank.read(id)).status, 'waiting')
    assert.equal(Date.parse((await bank.read(id)).expiresAt), end)
    const isAsked = async () =>
      (await bank.voices.both.get('/api/v1/me/signatures')).body.items.some(
        (one: { id: string }) => one.id === id,
      )
    assert.equal(await isAsked(), true)
    bank.clock.advance(end - bank.clock.now())
    assert.equal((await bank.read(id)).status, 'expired')
    assert.equal(await isAsked(), false)
    assert.equal((await bank.sign('both', id)).body.code, 'illegal_transition')
    assert.equal((await bank.cancel('ada', id)).body.code, 'illegal_transition')
    await sweep(bank)
    assert.equal(await bank.status(id), 'expired')
  }
  await assertSound(bank)
})

test('of signatures, a cancellation and an end of a right at once one comes first, and money leaves once', async (t) => {
  const bank = await draftScene(t)
  const other = await bank.another()
  const elsewhere = (by: Name, id: string) =>
    other.send('POST', `/api/v1/drafts/${id}/sign`, { token: bank.voices[by].token })
  const twice = await bank.make('ada', '1000.00')
  const replies = await many(8, (index) =>
    index % 2 === 0
      ? bank.sign(index % 4 === 0 ? 'ben' : 'both', twice)
      : elsewhere(index % 4 === 1 ? 'ben' : 'both', twice),
  )
  assert.equal(replies.filter(({ body }) => body.status === 'paid').length, 1)
  assert.equal(tally(replies)['409 illegal_transition'], 7)
  assert.equal(await readBalance(bank.ada, bank.from), '4000.00')
  for (let round = 0; round < 4; round++) {
    const id = await bank.make('ada', '100.00')
    await Promise.all([bank.sign('ben', id), bank.cancel('both', id), elsewhere('both', id)])
    assert.match(await bank.status(id), /^(paid|cancelled)$/)
    const raced = await bank.make('ada', '100.00')
    await Promise.all([
      bank.sign('ben', raced),
      bank.sql(
        "update account_members set rights = 'view' where person_id = $1 and ended_at is null",
        [people.ben.id],
      ),
    ])
    await sweep(bank)
    await bank.member('ben', 'pay')
  }
  const first = await bank.make('ada', '1000.00')
  const second = await bank.make('ada', '1000.00')
  await bank.ada.put(`/api/v1/accounts/${bank.from}/limits`, {
    currency: 'EUR',
    perPayment: null,
    perDay: '2500.00',
  })
  const limited = await Promise.all([bank.sign('ben', first), bank.sign('ben', second)])
  assert.equal(limited.filter(({ body }) => body.status === 'paid').length <= 1, true)
  const { rows } = await bank.sql(
    `select (select count(*)::int from payment_drafts where status = 'paid') as drafts,
       (select count(*)::int from transfers where kind = 'transfer') as transfers`,
  )
  assert.equal(rows[0]?.['drafts'], rows[0]?.['transfers'])
  await assertSound(bank)
})

test('a signature is confirmed over all terms, and so is a draft of a person that may pay', async (t) => {
  const bank = await draftScene(t)
  await bank.member('ben', 'prepare')
  const id = await bank.make('ben', '1000.00', { reference: 'Invoice 1017' })
  await giveFactor(bank, 'ada')
  await giveFactor(bank, 'both')
  const refused = await bank.sign('ada', id)
  assert.equal(refused.body.code, 'confirmation_required', refused.text)
  const { payee, iban, amount, currency, reference, makerId, fromAccountId } =
    refused.body.challenge.terms
  assert.deepEqual(
    [payee, iban, amount, currency, reference, makerId, fromAccountId],
    [
      'Grace Hopper',
      'GB33BUKB20201555555555',
      '1000.00',
      'EUR',
      'Invoice 1017',
      people.ben.id,
      bank.from,
    ],
  )
  const confirmed = (by: Name) => sendConfirmed(bank, (headers) => bank.sign(by, id, { headers }))
  assert.equal((await confirmed('ada')).body.status, 'waiting')
  assert.equal((await confirmed('both')).body.status, 'paid')
  const asked = await bank.post('ada', '1.00', { reference: 'Rent' })
  assert.equal(asked.body.code, 'confirmation_required')
  const { terms } = asked.body.challenge
  assert.deepEqual(
    [terms.payee, terms.amount, terms.currency, terms.reference],
    ['Grace Hopper', '1.00', 'EUR', 'Rent'],
  )
  const own = await sendConfirmed(bank, (headers) =>
    bank.voices.ada.post(
      `/api/v1/accounts/${bank.from}/drafts`,
      { amount: '1.00', currency: 'EUR', beneficiaryId: bank.payeeId },
      { headers },
    ),
  )
  assert.deepEqual(own.body.signedBy, [people.ada.id], own.text)
  const { rows } = await bank.sql(
    `select action, count(*)::int as count from audit_events
     where action in ('createDraft', 'signDraft') and outcome = 'success'
     group by action order by 1`,
  )
  assert.deepEqual(
    rows.map(({ action, count }) => `${String(action)} ${String(count)}`),
    ['createDraft 2', 'signDraft 2'],
  )
  await assertSound(bank)
})

test('the check of a payee stays with a draft, and is that of its payment; an own account is shown by its IBAN', async (t) => {
  const bank = await draftScene(t, { settings: { PAYEE_CHECK: 'shown' } })
  const asked = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const check = await bank.ada.post(`/api/v1/accounts/${bank.from}/payee-checks`, asked)
  const carried = { payeeCheckId: check.body.id, acceptPayee: true }
  const id = await bank.make('ada', '5.00', carried)
  const payeeCheck = { result: 'not_possible', accepted: true }
  const { payee, ...made } = await bank.read(id)
  assert.deepEqual([payee, made.payeeCheck], [asked, payeeCheck])
  const plain = await bank.make('ada', '6.00')
  const strict = await bank.another({ settings: { MEMBERS: 'on', PAYEE_CHECK: 'required' } })
  const { token } = bank.voices.ben
  const unproven = await strict.send('POST', `/api/v1/drafts/${plain}/sign`, { token })
  assert.equal(unproven.body.code, 'payee_check_required', unproven.text)
  await giveFactor(bank, 'ben')
  const shown = async (draft: string) => (await bank.sign('ben', draft)).body.challenge.terms
  const { payeeResult, acceptPayee } = await shown(id)
  assert.deepEqual([payeeResult, acceptPayee], ['not_possible', 'true'])
  assert.equal('payeeResult' in (await shown(plain)), false)
  const signed = await sendConfirmed(bank, (headers) => bank.sign('ben', id, { headers }))
  assert.deepEqual([signed.status, signed.body.status], [200, 'paid'], signed.text)
  const { transferId } = await bank.read(id)
  const paid = (await bank.ada.get(`/api/v1/transfers/${transferId}`)).body
  assert.deepEqual(paid.payeeCheck, payeeCheck)
  const own = await bank.make('ada', '1.00', { toAccountId: bank.to, beneficiaryId: undefined })
  const { iban } = (await bank.ada.get(`/api/v1/accounts/${bank.to}`)).body
  assert.deepEqual((await bank.read(own)).payee, { iban })
  await assertSound(bank)
})

test('a draft above the amount of the bank is told as a payment once it is paid', async (t) => {
  const bank = await draftScene(t, { settings: { ALERT_ABOVE: 'EUR=1500' } })
  const told = []
  for (const amount of ['1500.00', '1500.01']) {
    const signed = await bank.sign('both', await bank.make('ben', amount))
    assert.equal(signed.body.status, 'paid', signed.text)
    const mails = await readMails(bank)
    told.push(mails.filter(({ subject }) => subject === 'A payment left your account').length)
  }
  assert.deepEqual(told, [0, 1])
})

test('a draft under its key is made once, and its people are told by mail and by the feed', async (t) => {
  const bank = await draftScene(t)
  const asked = { amount: '1000.00', currency: 'EUR', beneficiaryId: bank.payeeId }
  const post = (body: object) =>
    bank.ada.post(`/api/v1/accounts/${bank.from}/drafts`, body, {
      headers: { 'idempotency-key': 'draft-1' },
    })
  const [made, again] = [await post(asked), await post({ ...asked, amount: '1000.0' })]
  assert.deepEqual(again.body, made.body)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal((await post({ ...asked, amount: '1000.01' })).status, 422)
  assert.equal((await bank.sign('ben', made.body.id)).body.status, 'paid')
  assert.deepEqual((await post(asked)).body, made.body, 'as it was answered first')
  const cancelled = await bank.make('ada', '1.00')
  assert.equal((await bank.cancel('both', cancelled)).status, 204)
  const mails = await readMails(bank)
  const waiting = mails.filter(({ subject }) => subject?.includes('waits for your'))
  for (const { text = '' } of waiting) {
    assert.match(text.replaceAll(/\s+/g, ' '), /, prepared by Ada Okafor, waits/)
  }
  assert.ok(
    waiting.every(({ to }) => to?.[0]?.name !== 'Ada Okafor'),
    'its maker is not asked',
  )
  await bank.member('ben', 'prepare')
  const ended = await bank.make('ben', '1000.00')
  await bank.sign('both', ended)
  bank.clock.advance(1)
  await bank.sign('ada', ended)
  const paid = (await readMails(bank)).filter(
    ({ subject }) => subject === 'Your payment was signed',
  )
  assert.deepEqual(
    paid.map(({ to, text = '' }) => [
      to?.[0]?.name,
      / was signed by (.*) and made on /.exec(text.replaceAll(/\s+/g, ' '))?.[1],
    ]),
    [
      ['Ada Okafor', 'Ben Lindqvist'],
      ['Ben Lindqvist', 'Both Hybrid and Ada Okafor'],
    ],
  )
  await bank.member('ben', 'pay')
  await bank.sql(
    'update account_members set until = $2 where person_id = $1 and ended_at is null',
    [people.both.id, new Date(bank.clock.now())],
  )
  const before = (await readMails(bank)).length
  await bank.cancel('ada', await bank.make('ada', '1000.00'))
  const askedNow = (await readMails(bank)).slice(before)
  assert.deepEqual(
    askedNow.map(({ to }) => to?.[0]?.name),
    ['Ben Lindqvist'],
    'who may sign now',
  )
  const told = mails.map(({ to, subject }) => `${to?.[0]?.name} ${subject}`)
  for (const text of [
    'Ben Lindqvist A payment waits for your signature',
    'Both Hybrid A payment waits for your signature',
    'Ada Okafor Your payment was signed',
    'Ada Okafor A payment was not made',
  ]) {
    assert.ok(told.includes(text), `${text} is not in ${told.join('; ')}`)
  }
  const { rows } = await bank.sql(
    `select type from events where type like 'draft.%' order by written`,
  )
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['paid', 'cancelled', 'paid', 'cancelled'].flatMap((end) => ['draft.made', `draft.${end}`]),
  )
})
