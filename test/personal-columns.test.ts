// Each column of the schema that can hold a text or bytes is named here, with what an erasure does
// to it and whether an export shows it. A new column fails the test until it is named. A column
// that an erasure, the end of an account or an export forgets fails it by its canary.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openAsOwner } from './support/owner.ts'
import { erasePersonWholly } from '../src/cli/erase.ts'
import { personAsJson } from '../src/cli/export-person.ts'
import { newId } from '../src/domain/ids.ts'
import { block, lift } from './support/blocks.ts'
import { dump } from './support/database-dump.ts'
import { columns } from './support/personal-columns.ts'
import { deposit, openAccount } from './support/fixture.ts'
import { people, type World, world } from './support/world.ts'

const endWithAccount = [
  'accounts.name',
  'accounts.registered_phone',
  ...['iban', 'name', 'nickname'].map((name) => `beneficiaries.${name}`),
  'cards.nickname',
]

/** A word that is its own folding and stands nowhere else. */
const textOf = (column: string): string => `kanarie${column.replace(/[._]/g, '')}`
const bytesOf = (column: string, length = 32): Buffer =>
  createHash('sha256').update(column).digest().subarray(0, length)

const email = `${textOf('users.email')}@example.com`
const elsewhere = 'GB33BUKB20201555555555'
const [former, unpaid] = ['NL91ABNA0417164300', 'FR1420041010050500013M02606']
const day = 24 * 3_600_000

/** A list of one line that was refused: it has ended, and no payment has its texts. */
async function addExecutedList({ sql, clock }: World, account: string): Promise<void> {
  const [id, now] = [newId(clock.now()), new Date(clock.now())]
  await sql(
    `insert into payment_lists (id, account_id, maker_id, message_id, form, digest, salt, line_count,
       total, ready_count, ready_total, refused_count, status, caller_id, session_id, is_program,
       ordered_at, ended_at, created_at)
     values ($1, $2, $3, $4, 'json', $5, $6, 1, 1, 1, 1, 1, 'executed', $3, $3, false, $7, $7, $7)`,
    [
      id,
      account,
      people.ada.id,
      textOf('payment_lists.message_id'),
      bytesOf('payment_lists.digest'),
      bytesOf('payment_lists.salt', 16),
      now,
    ],
  )
  const texts = ['payee_name', 'payee_iban', 'reference', 'end_to_end_id', 'block_id'].map((name) =>
    textOf(`payment_list_lines.${name}`),
  )
  await sql(
    `insert into payment_list_lines (list_id, place, payee_name, payee_iban, reference,
       end_to_end_id, block_id, amount, is_refused_early, outcome, refusal, at)
     values ($1, 0, $3, $4, $5, $6, $7, 1, false, 'refused', 'forbidden', $2)`,
    [id, now, ...texts],
  )
}

/** Each column that is erased or exported holds its canary in a row that belongs to Ada. */
async function fill(bank: World) {
  const { sql, clock } = bank
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = await openAccount(ada)
  await deposit(root, account, '99.00')
  const { iban } = (await ada.get(`/api/v1/accounts/${account}`)).body
  const money = { iban, amount: '1.00', currency: 'EUR', externalId: 'A' }
  const debtor = { name: `<${textOf('transfer_details.original')}>`, bic: 'CANADEFFXXX' }
  const arrival = { ...money, debtor, endToEndId: textOf('transfer_details.end_to_end_id') }
  const arrived = await root.post('/api/v1/admin/incoming-payments', arrival)
  assert.equal(arrived.status, 201, arrived.text)
  const canaries: Record<string, string> = {}
  const payTo = async (name: string, iban: string, nickname: string) => {
    const path = `/api/v1/accounts/${account}/beneficiaries`
    const made = await ada.post(path, { name, iban, nickname })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const payee = await payTo(textOf('transfers.counterparty_name'), elsewhere, 'Paid')
  await payTo(textOf('beneficiaries.name'), unpaid, textOf('beneficiaries.nickname'))
  const held = await root.post(`/api/v1/accounts/${account}/holds`, {
    amount: '1.00',
    currency: 'EUR',
    kind: 'dispute',
    reference: textOf('holds.reference'),
  })
  await root.post(`/api/v1/holds/${held.body.id}/release`)
  const check = async (asked: string, at: string, holder: string) => {
    const id = newId(clock.now())
    await sql(`insert into payee_checks values ($1, $2, $3, $4, $5, 'close_match', $6, $7)`, [
      id,
      account,
      people.ada.id,
      asked,
      at,
      holder,
      new Date(clock.now()),
    ])
    return id
  }
  const [name = '', at = '', holder = ''] = ['name', 'iban', 'holder_name'].map((column) =>
    textOf(`payee_checks.${column}`),
  )
  await check(name, at, holder)
  const told = textOf('transfer_details.payee_name')
  const paid = await ada.post('/api/v1/transfers', {
    payeeCheckId: await check(textOf('transfers.counterparty_name'), elsewhere, told),
    acceptPayee: true,
    fromAccountId: account,
    beneficiaryId: payee,
    amount: '100.00',
    currency: 'EUR',
    reference: textOf('transfers.reference'),
  })
  assert.equal(paid.status, 201, paid.text)
  await root.post(`/api/v1/admin/transfers/${paid.body.id}/settle`)
  const nickname = textOf('cards.nickname')
  const card = (await ada.post(`/api/v1/accounts/${account}/cards`, { nickname })).body
  const declinedTerms = {
    amount: '1.00',
    currency: 'EUR',
    merchant: {
      name: textOf('card_authorizations.merchant_name'),
      category: '5411',
      country: 'DE',
    },
    channel: 'online',
    externalId: 'B',
  }
  const declined = await root.post(`/api/v1/cards/${card.id}/authorizations`, declinedTerms)
  assert.equal(declined.body.status, 'declined', declined.text)
  const { merchant, ...bought } = declinedTerms
  const cleared = await root.post(`/api/v1/cards/${card.id}/clearings`, {
    ...bought,
    merchant,
    externalId: 'cleared',
  })
  const disputes = `/api/v1/card-payments/${cleared.body.cardPaymentId}/disputes`
  const claim = { reason: 'other', text: textOf('card_disputes.text') }
  const disputed = await ada.post(disputes, claim)
  assert.equal(disputed.status, 201, disputed.text)
  await root.post(`/api/v1/admin/disputes/${disputed.body.id}/close`, {
    reason: textOf('card_disputes.closed_reason'),
  })
  const refund = { amount: '1.00', currency: 'EUR', externalId: 'refund' }
  await root.post(`/api/v1/card-payments/${cleared.body.cardPaymentId}/refunds`, refund)
  const ordered = await ada.post(`/api/v1/accounts/${account}/orders`, {
    beneficiaryId: payee,
    amount: '1.00',
    currency: 'EUR',
    reference: textOf('standing_orders.reference'),
    rhythm: 'once',
    firstOn: '2099-01-01',
  })
  assert.equal(ordered.status, 201, ordered.text)
  await addExecutedList(bank, account)
  await sql(
    `insert into payment_drafts (id, account_id, maker_id, beneficiary_id, amount, reference,
       status, expires_at, created_at, ended_at, transfer_id, signatures_needed)
     values ($1, $2, $3, $4, 10000, $5, 'paid', $6, $6, $6, $7, 1)`,
    [
      newId(clock.now()),
      account,
      people.ada.id,
      payee,
      textOf('payment_drafts.reference'),
      new Date(clock.now()),
      paid.body.id,
    ],
  )
  const text = textOf('staff_notes.text')
  await sql(
    `insert into account_members (id, account_id, username, rights, invited_at, expires_at)
     values ($1, $2, $3, 'view', now(), now())`,
    [newId(clock.now()), account, textOf('account_members.username')],
  )
  const noted = await root.post(`/api/v1/admin/accounts/${account}/notes`, { text })
  assert.equal(noted.status, 201, noted.text)
  await lift(
    root,
    account,
    await block(root, account, 'both', { note: textOf('account_blocks.note') }),
  )
  for (const verb of ['freeze', 'unfreeze']) {
    const reason = textOf('audit_events.detail')
    await root.post(`/api/v1/admin/accounts/${account}/${verb}`, { reason })
  }

  const now = new Date(clock.now())
  const later = new Date(clock.now() + 300_000)
  const id = newId(clock.now())
  const write = (text: string, ...values: unknown[]) => sql(text, [people.ada.id, ...values])
  await sql(`insert into imported (kind, source_id, id) values ('person', 'S-4711', $1)`, [
    people.ada.id,
  ])
  const said = [
    textOf('former_entries.counterparty_name'),
    former,
    textOf('former_entries.reference'),
  ]
  await write('insert into former_entries values ($1, $2, now(), 1, $3, $4, $5)', account, ...said)
  await sql('insert into entry_notes values ($1, 1, $2)', [account, textOf('entry_notes.text')])
  await write('update users set given_name = $2 where id = $1', textOf('holder_names.name'))
  await write(
    `update users set username = $2, email = $3, given_name = $4, family_name = $5, phone = $6,
       address = $7, folded_name = $8, password_hash = $9 where id = $1`,
    textOf('users.username'),
    email,
    textOf('users.given_name'),
    textOf('users.family_name'),
    textOf('users.phone'),
    textOf('users.address'),
    `${textOf('users.folded_name')} ${textOf('user_names.tail')} ${textOf('user_words.words')}`,
    textOf('users.password_hash'),
  )
  await write(
    'update accounts set name = $2, registered_phone = $3 where owner_id = $1',
    textOf('accounts.name'),
    textOf('accounts.registered_phone'),
  )
  await write('update sessions set device = $2 where user_id = $1', textOf('sessions.device'))
  await write(
    'insert into devices values ($2, $1, $3, $4, $4)',
    id,
    bytesOf('devices.token_hash'),
    now,
  )
  await write(
    'insert into password_tokens values ($1, $2, $3, 0, $4)',
    bytesOf('password_tokens.token_hash'),
    textOf('password_tokens.email'),
    later,
  )
  await write(
    'insert into email_changes values ($1, $1, $2, $3, $4)',
    textOf('email_changes.email'),
    bytesOf('email_changes.token_hash'),
    later,
  )
  await write(
    'insert into factor_resets values ($1, $2, $3, $4)',
    bytesOf('factor_resets.token_hash'),
    textOf('factor_resets.email'),
    later,
  )
  await write(
    `insert into factors (id, user_id, kind, name, credential_id, public_key, transports,
       created_at, activated_at) values ($2, $1, 'passkey', $3, $4, $5, $6, $7, $7)`,
    id,
    textOf('factors.name'),
    bytesOf('factors.credential_id'),
    bytesOf('factors.public_key'),
    [textOf('factors.transports')],
    now,
  )
  await write(
    `insert into factors (id, user_id, kind, name, secret_sealed, created_at)
     values ($2, $1, 'totp', 'Phone', $3, $4)`,
    newId(clock.now()),
    bytesOf('factors.secret_sealed'),
    now,
  )
  await write(
    'insert into issuer_links values ($1, $2, $3, $4, $1)',
    'https://id.bank.example',
    textOf('issuer_links.subject'),
    now,
  )
  await write(
    `insert into refused_payments (id, account_id, reason, amount, currency, target, created_at)
     select id, id, 'forbidden', 1, 'EUR', $2, now() from accounts where owner_id = $1`,
    textOf('refused_payments.target'),
  )
  await write(
    `insert into made_resources values ($1, 'user', $1, $2)`,
    bytesOf('made_resources.salt', 16),
  )
  await write(
    'insert into recovery_codes values ($1, $2, $3)',
    bytesOf('recovery_codes.hash'),
    bytesOf('recovery_codes.salt', 16),
  )
  await write(
    `insert into challenges (id, purpose, user_id, session_id, operation, terms, digest, nonce,
       created_at, expires_at)
     values ($2, 'confirmation', $1, $2, 'x', jsonb_build_object('a', $3::text), $4, $5, $6, $7)`,
    id,
    textOf('challenges.terms'),
    bytesOf('challenges.digest'),
    bytesOf('challenges.nonce'),
    now,
    later,
  )
  await write(
    `insert into challenges (id, purpose, user_id, password_version, counted_as, origin, nonce,
       created_at, expires_at)
     values ($2, 'login', $1, 0, $3, jsonb_build_object('a', $4::text), sha256(''), $5, $6)`,
    newId(clock.now()),
    textOf('challenges.counted_as'),
    textOf('challenges.origin'),
    now,
    later,
  )
  await write(
    `insert into mails (id, kind, user_id, old_email, created_at, due_at, expires_at)
     values ($2, 'email-changed', $1, $3, $4, $5, $5)`,
    id,
    textOf('mails.old_email'),
    now,
    later,
  )
  await sql(
    `insert into mails (id, kind, asked_email, created_at, due_at, expires_at)
     values ($1, 'reset', $2, $3, $4, $4)`,
    [newId(clock.now()), email, now, later],
  )
  const request = { body: { note: textOf('approvals.request') }, params: { id: people.ada.id } }
  await sql(
    `insert into approvals (id, operation, request, key, maker_id, maker_session_id, created_at,
       expires_at, status, checker_id, checker_session_id, decided_at, reason)
     values ($1, 'x', $2, $3, $4, $4, $5, $5, 'rejected', $6, $6, $5, $7)`,
    [
      id,
      JSON.stringify({ ...request, query: null }),
      textOf('approvals.key'),
      people.root.id,
      now,
      people.agnes.id,
      textOf('approvals.reason'),
    ],
  )
  await write(
    `insert into service_accounts (id, name, reads_all, customer_id, pay_from, operations,
       addresses, administrators, created_at)
     values ($2, $3, false, $1, '{}', '{}', '{}', '{}', $4)`,
    id,
    textOf('service_accounts.name'),
    now,
  )

  const { rows } = await sql(`select data_type, table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'strongroom'`)
  for (const { name, data_type: type } of rows as Record<'name' | 'data_type', string>[]) {
    const bytes = bytesOf(name, name.endsWith('.salt') ? 16 : 32).toString('hex')
    canaries[name] = type === 'bytea' ? bytes : textOf(name)
  }
  const salts = await sql(
    `select encode(salt, 'hex') as salt from transfers where salt is not null`,
  )
  Object.assign(canaries, {
    'accounts.iban': iban,
    'audit_events.address': '127.0.0.1',
    'beneficiaries.iban': unpaid,
    'cards.last_four': card.maskedNumber.slice(-4),
    'mails.asked_email': email,
    'standing_order_changes.payee_iban': elsewhere,
    'standing_order_changes.payee_name': textOf('transfers.counterparty_name'),
    'standing_order_changes.reference': textOf('standing_orders.reference'),
    'entries.counterparty_iban': elsewhere,
    'entries.counterparty_name': textOf('transfers.counterparty_name'),
    'entries.reference': textOf('transfers.reference'),
    'former_entries.counterparty_iban': former,
    'imported.source_id': 'S-4711',
    'transfer_details.bic': 'CANADEFFXXX',
    'transfers.counterparty_iban': elsewhere,
    'transfers.salt': salts.rows.at(-1)?.['salt'],
  })
  return { ada, account, canaries }
}

async function fixture(t: TestContext) {
  const bank = await world(t)
  const owner = openAsOwner(bank.address)
  t.after(() => owner.close())
  const made = await fill(bank)
  /** Of these columns, those whose canary is in the text. */
  const among = (names: readonly string[], text: string): string[] =>
    names.filter((name) => text.includes(made.canaries[name] as string))
  return { ...bank, ...made, owner, among }
}

const namesWith = (place: 0 | 1, fate: string): string[] =>
  Object.keys(columns).filter((name) => columns[name]?.[place] === fate)
const erased = namesWith(0, 'erased')

test('each column that can hold a text or bytes has a fate in this table', async (t) => {
  const { rows } = await (
    await world(t)
  ).sql(
    `select table_name || '.' || column_name as name
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'strongroom' and table_type = 'BASE TABLE'
       and table_name not in (select inhrelid::regclass::text from pg_inherits)
       and udt_name not in ('uuid', '_uuid', 'timestamptz', 'timestamp', 'date', '_date', 'bool',
         'int2', 'int4', 'int8')`,
  )
  const names = rows.map(({ name }) => String(name))
  assert.deepEqual(names.toSorted(), Object.keys(columns).toSorted())
})

test('the end of an account and an erasure leave no text of a person in any column but those that stay with a reason', async (t) => {
  const made = await fixture(t)
  const { ada, account, owner, sql, clock, among } = made
  assert.deepEqual(among(erased, await dump(made)), erased, 'each canary is there before')
  assert.equal((await ada.delete(`/api/v1/accounts/${account}`)).status, 204)
  assert.deepEqual(among(endWithAccount, await dump(made)), [])
  await sql(`update users set status = 'disabled' where id = $1`, [people.ada.id])
  await erasePersonWholly(owner, people.ada.id, { now: clock.now(), limit: clock.now() + day })
  const left = await dump(made)
  assert.deepEqual(among(erased, left), [])
  // Also of what stays, none but the trail holds a word of the fixture.
  assert.deepEqual([...new Set(left.match(/kanarie\w+/g))], [textOf('audit_events.detail')])
})

test('an export shows what each column holds of a person, but for those with a reason', async (t) => {
  const { owner, clock, among } = await fixture(t)
  let text = ''
  for await (const part of await personAsJson(owner, people.ada.id, clock.now())) text += part
  const exported = namesWith(1, 'exported')
  assert.deepEqual(among(exported, text), exported)
  const others = erased.filter((name) => !exported.includes(name) && name !== 'mails.asked_email')
  assert.deepEqual(among(others, text), [])
})
