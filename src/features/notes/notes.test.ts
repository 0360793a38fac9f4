// Notes of staff: who reads and writes them, what they may hold, and that they stay as they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, readPages, scene } from '../../../test/support/fixture.ts'
import { openHolder, waitingForLock } from '../../../test/support/locks.ts'
import { people } from '../../../test/support/people.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { erasePerson, lockErasable } from '../users/erase-sql.ts'

const ofUser = (id: string) => `/api/v1/admin/users/${id}/notes`
const ofAccount = (id: string) => `/api/v1/admin/accounts/${id}/notes`

test('staff note about a customer and an account; the list of the customer has both, newest first', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const agnes = await bank.as('agnes')
  const first = await agnes.post(ofUser(people.ada.id), { text: 'Called.\nLost a card.' })
  assert.equal(first.status, 201, first.text)
  assert.deepEqual(first.body.writtenBy, { id: people.agnes.id, name: 'Agnes Moreau' })
  assert.equal('accountId' in first.body, false)
  bank.clock.advance(1)
  const second = await root.post(ofAccount(from), { text: 'Asked for a copy of March' })
  assert.deepEqual(
    { ...second.body, id: '', createdAt: '' },
    {
      id: '',
      userId: people.ada.id,
      accountId: from,
      writtenBy: { id: people.root.id, name: 'Root Keeper' },
      text: 'Asked for a copy of March',
      createdAt: '',
    },
  )
  const both = [second.body, first.body]
  assert.deepEqual((await agnes.get(ofUser(people.ada.id))).body.items, both)
  assert.deepEqual(await readPages(agnes, `${ofUser(people.ada.id)}?limit=1`), both)
  assert.deepEqual((await agnes.get(ofAccount(from))).body.items, [second.body])
  assert.deepEqual((await agnes.get(ofUser(people.ben.id))).body.items, [])
  for (const path of [ofUser(people.ada.id), ofAccount(from)]) {
    assert.equal((await ada.get(path)).status, 403)
    assert.equal((await ada.post(path, { text: 'Mine' })).status, 403)
  }
  const { rows } = await bank.sql(
    `select action, target, detail from audit_events where action like 'create%Note' and outcome = 'success' order by id`,
  )
  assert.deepEqual(
    rows.map(({ action, target }) => [action, target]),
    [
      ['createUserNote', people.ada.id],
      ['createAccountNote', from],
    ],
  )
  assert.ok(!JSON.stringify(rows).includes('Lost'), 'the trail, which stays, has no text of it')
})

test('staff neither read nor write what is noted about themselves; a program does as it is granted', async (t) => {
  const bank = await scene(t)
  const both = await bank.as('both')
  const account = (await both.post('/api/v1/accounts', { currency: 'EUR' })).body.id
  await deposit(bank.root, account, '1.00')
  for (const path of [ofUser(people.both.id), ofAccount(account)]) {
    assert.equal((await bank.root.post(path, { text: 'Under review' })).status, 201)
    assert.equal((await both.get(path)).body.code, 'forbidden')
    assert.equal((await both.post(path, { text: 'All is well' })).body.code, 'forbidden')
  }
  const reader = await newProgram(bank, { operations: ['listUserNotes'] })
  assert.equal((await reader.get(ofUser(people.both.id))).body.items.length, 2)
  assert.equal((await reader.post(ofUser(people.both.id), { text: 'No' })).status, 403)
  const writer = await newProgram(bank, { operations: ['createAccountNote'] })
  const made = await writer.post(ofAccount(account), { text: 'From the ticket system' })
  assert.equal(made.status, 201, made.text)
  assert.equal(made.body.writtenBy.id, writer.id)
})

test('a note has 1 to 2,000 characters in lines, something to see, and no number of a card', async (t) => {
  const { root } = await scene(t)
  const path = ofUser(people.ada.id)
  const post = async (text: unknown) => (await root.post(path, { text })).status
  for (const text of ['a', 'a'.repeat(2000), 'First\n\nThird', '\nÄ']) {
    assert.equal(await post(text), 201, JSON.stringify(text))
  }
  const refused = [
    '',
    'a'.repeat(2001),
    '\n',
    ' \n ',
    'a\r\nb',
    '<b>',
    'a\nb\u2060c',
    'a\n\u202eb',
    7,
  ]
  for (const text of [...refused, 'Paid by\n4111 1111 1111 1111']) {
    assert.equal(await post(text), 400, JSON.stringify(text))
  }
})

test('the service can neither change nor delete a note, and an unknown subject is not found', async (t) => {
  const bank = await scene(t)
  const { root, from } = bank
  await root.post(ofUser(people.ada.id), { text: 'Stays' })
  const { rows } = await bank.sql(
    `select privilege_type as right from information_schema.role_table_grants
     where table_name = 'staff_notes' and grantee = 'strongroom_service' order by 1`,
  )
  assert.deepEqual(rows, [{ right: 'INSERT' }, { right: 'SELECT' }])
  for (const path of [ofUser(from), ofAccount(people.ada.id)]) {
    assert.equal((await root.get(path)).status, 404)
    assert.equal((await root.post(path, { text: 'Whom?' })).status, 404)
  }
  const cash = (await bank.sql(`select id from accounts where code = 'cash' limit 1`)).rows[0]
  assert.equal((await root.get(ofAccount(String(cash?.['id'])))).status, 404)
})

test('a note that waits for an erasure of the person is refused, and leaves no text behind', async (t) => {
  const bank = await scene(t)
  await bank.root.post(ofUser(people.ben.id), { text: 'From before' })
  await bank.sql(`update users set status = 'disabled' where id = $1`, [people.ben.id])
  const holder = await openHolder(t, bank)
  await holder.query('begin')
  await holder.query(lockErasable.text, [people.ben.id])
  const waiting = bank.root.post(ofUser(people.ben.id), { text: 'Too late' })
  await waitingForLock(bank)
  await holder.query(erasePerson.text, [people.ben.id, new Date(bank.clock.now())])
  await holder.query('commit')
  assert.equal((await waiting).body.code, 'illegal_transition')
  assert.deepEqual((await bank.sql('select from staff_notes')).rows, [])
})
