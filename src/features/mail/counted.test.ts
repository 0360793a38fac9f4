// How the alerts of an hour are counted, for each kind with the columns that its rows have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank } from '../../../test/support/bank.ts'
import { people } from '../../../test/support/people.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { isAlert, mailKinds } from './kinds.ts'
import { alertsPerHour, countAlert } from './sql.ts'

const now = Date.UTC(2026, 0, 2)
const id = newId(now)
const toUser = { user_id: people.ada.id }

/** What the rows of each kind have, as they are queued. */
const columns = {
  'new-device': toUser,
  'phone-changed': toUser,
  payment: { transfer_id: id },
  'order-refused': { order_id: id, due_on: '2026-01-02' },
  'order-paused': { order_id: id, due_on: '2026-01-02' },
  'order-made': { order_id: id, order_version: 1 },
  'order-changed': { order_id: id, order_version: 1 },
  'card-payment': { ...toUser, authorization_id: id },
  'card-declined': { ...toUser, authorization_id: id },
  'list-ordered': { ...toUser, list_id: id },
  'list-refused': { ...toUser, list_id: id },
  'draft-waiting': { ...toUser, draft_id: id },
  'draft-paid': { ...toUser, draft_id: id },
  'draft-ended': { ...toUser, draft_id: id },
  'member-invited': { member_id: id },
  'member-changed': { ...toUser, member_id: id },
  'member-ended': { ...toUser, member_id: id },
  'money-arrived': { ...toUser, arrival_id: id },
  'balance-below': { ...toUser, account_id: id },
  'account-overdrawn': { ...toUser, account_id: id },
  'card-dispute': { ...toUser, authorization_id: id, dispute_step: 'opened' },
}

/** Besides the user, what the check of the table allows for their own kinds alone. */
const ofKindAlone = ['transfer_id', 'order_id', 'due_on', 'order_version']

test('the tenth alert of an hour is sent as it is, of every kind; the next one says that there were more', async (t) => {
  assert.deepEqual(Object.keys(columns).toSorted(), mailKinds.filter(isAlert).toSorted())
  const { db, sql } = await bank(t)
  const at = new Date(now)
  const common = { created_at: at, due_at: at, expires_at: at, attempts: 0, is_counted: false }
  for (const [kind, own] of Object.entries(columns)) {
    const rows = []
    for (let number = 0; number < alertsPerHour + 2; number++) {
      const row = { id: newId(now), kind, ...common, ...own }
      await sql('insert into mails select (jsonb_populate_record(null::mails, $1)).*', [row])
      const counted = await transaction(db, (tx) => countAlert(tx, row.id, people.ada.id, now))
      const [found] = await sql('select to_jsonb(m) as row from mails m where id = $1', [row.id])
      rows.push({ counted, row: found?.['row'] as Record<string, unknown> })
    }
    const [next, last] = rows.splice(alertsPerHour)
    for (const { counted, row } of rows) {
      assert.equal(counted, kind)
      const told = Object.fromEntries(Object.keys(own).map((name) => [name, row[name]]))
      assert.deepEqual([row['kind'], row['is_counted'], told], [kind, true, own])
    }
    assert.equal(next?.counted, 'alerts-paused', kind)
    assert.equal(next.row['kind'], 'alerts-paused')
    assert.equal(next.row['user_id'], people.ada.id)
    for (const name of ofKindAlone) assert.equal(next.row[name], null, `${kind}: ${name}`)
    assert.equal(last?.counted, undefined, kind)
    assert.equal(last?.row['kind'], kind, 'it is not sent, and is removed')
  }
})
