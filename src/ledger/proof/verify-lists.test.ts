// What the verification finds of payment lists whose rows were changed behind the service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scene } from '../../../test/support/fixture.ts'
import { openHolder } from '../../../test/support/locks.ts'
import { listScene, otherIban } from '../../../test/support/payment-lists.ts'
import { people } from '../../../test/support/world.ts'
import { execute } from '../../database/statements/query.ts'
import type { Db } from '../../database/statements/statement.ts'
import { verifyLedger } from './verify.ts'
import { findMismatchOfLists } from './verify-lists.ts'
import { sinceEver } from './verify-since.ts'

const counts = /it does not count the lines/
const whole = /^List .*it has what no list of its status has/
const orderer = /who ordered it may not have/
const end = /its end is not that of its last line/
const digest = /its lines are not those that were confirmed/
const line = /^Line .*it has what none of its kind has/
const paid = /is missing, or is not its payment/

const lists = 'update payment_lists set'
const lines = 'update payment_list_lines set'
const texts = `payee_name = null, payee_iban = null, end_to_end_id = null, block_id = null,
  reference = ''`
const ofEnded = `where list_id = '<executed>'`
const of = (status: string) =>
  `where list_id in (select id from payment_lists where status = '${status}')`
/** Of the list that waits for its day. */
const ordered = (change: string) => `${lists} ${change} where status = 'ordered'`
const ben = people.ben.id
const byBen = ordered(`caller_id = '${ben}'`)
const member = (person: string, more: { account?: string; accepted?: string } = {}) =>
  `insert into account_members (id, account_id, person_id, username, rights, invited_at, expires_at,
     accepted_at)
   values (gen_random_uuid(), '${more.account ?? '<from>'}', '${person}', 'x', 'pay', now(), now(),
     ${more.accepted ?? 'now()'})`
const programId = '00000000-0000-7000-8000-000000000009'
const program = `insert into service_accounts (id, name, reads_all, pay_from, operations, addresses,
     administrators, created_at)
   values ('${programId}', 'x', true, '{}', '{}', '{}', '{}', now())`

/**
 * Changes by an owner of the database for whom no trigger fires and no check holds, and what is
 * said of each; undefined: nothing. The lines of the executed list are three that were made, one
 * that was refused before and one after it was ordered.
 */
const damages: [told: RegExp | undefined, ...changes: string[]][] = [
  [counts, `delete from payment_list_lines ${ofEnded} and place = 1`],
  [
    counts,
    `insert into payment_list_lines (list_id, place, reference, amount, is_refused_early)
     values ('<executed>', 5, '', 100, false)`,
  ],
  [counts, `${lines} place = 7 ${ofEnded} and place = 4`],
  [counts, `${lines} amount = amount + 1 ${ofEnded} and place = 1`],
  ...[
    'line_count = line_count + 1',
    'total = total + 1',
    'ready_count = ready_count - 1',
    'ready_total = ready_total + 1',
    'made_count = made_count - 1',
    'made_total = made_total + 1',
    'refused_count = refused_count + 1',
  ].map((change): [RegExp, string] => [counts, `${lists} ${change} where id = '<executed>'`]),
  [end, `${lists} ended_at = ended_at + interval '1 ms' where status = 'executed'`],
  // What each status has.
  [whole, `${lists} caller_id = maker_id where status = 'checked'`],
  [whole, `${lists} ended_at = now() where status = 'checked'`],
  [whole, `${lists} session_id = null where status = 'ordered'`],
  [whole, `${lists} ended_at = now() where status = 'ordered'`],
  [whole, `${lists} status = 'ordered', ended_at = null where status = 'executed'`],
  [whole, `${lists} ordered_at = null where status = 'executed'`],
  [whole, `${lists} ended_at = null where status = 'executed'`],
  [whole, `${lists} ended_at = null where status = 'cancelled'`],
  [whole, `${lists} status = 'cancelled' where status = 'executed'`],
  [whole, `${lists} status = 'other' where status = 'cancelled'`],
  [whole, ordered(`status = 'executed', ended_at = now()`)],
  ...['checked', 'cancelled'].map((status): [RegExp, ...string[]] => [
    whole,
    `${lines} outcome = 'refused', at = now(), refusal = 'forbidden' ${of(status)}
       and not is_refused_early`,
    `${lists} refused_count = line_count where status = '${status}'`,
  ]),
  // Texts go with the salt, once the list or its account has ended.
  [whole, `${lists} salt = null where id = '<executed>'`],
  [undefined, `${lists} salt = null where id = '<executed>'`, `${lines} ${texts} ${ofEnded}`],
  ...['payee_name', 'payee_iban', 'end_to_end_id', 'block_id', 'reference'].map(
    (column): [RegExp, string] => [whole, `${lines} ${column} = 'x' ${of('cancelled')}`],
  ),
  [whole, ordered('salt = null'), `${lines} ${texts} ${of('ordered')}`],
  [
    undefined,
    ordered('salt = null'),
    `${lines} ${texts} ${of('ordered')}`,
    `update accounts set status = 'closed' where id = '<from>'`,
  ],
  // Its owner, one who is a member by then, or a program.
  [orderer, byBen],
  [orderer, byBen, member(ben, { accepted: 'null' })],
  [orderer, byBen, member(ben, { account: '<to>' })],
  [orderer, byBen, member(people.both.id)],
  [undefined, byBen, member(ben)],
  [orderer, ordered('is_program = true')],
  [orderer, program, ordered(`caller_id = '${programId}'`)],
  [undefined, program, ordered(`caller_id = '${programId}', is_program = true`)],
  [orderer, ordered(`caller_id = '${programId}', is_program = true`)],
  // Its lines.
  [digest, `${lines} amount = 300 - amount ${of('ordered')}`],
  [digest, `${lines} payee_name = 'Eve' ${ofEnded} and place = 0`],
  [digest, `${lines} reference = 'Eve' ${ofEnded} and place = 0`],
  [digest, `${lines} refusal = 'forbidden' ${ofEnded} and place = 3`],
  [digest, `${lines} reference = 'Eve' ${of('checked')}`],
  [line, `${lines} payee_iban = '${otherIban}' ${ofEnded} and place = 0`],
  [line, `${lines} beneficiary_id = gen_random_uuid() ${ofEnded} and place = 0`],
  [line, `update beneficiaries set account_id = '<to>'`],
  [line, `${lines} to_account_id = '<to>' ${ofEnded} and place = 4`],
  [line, `${lines} beneficiary_id = null ${ofEnded} and place = 4`],
  [line, `${lines} at = null ${ofEnded} and place = 3`],
  [line, `${lines} at = now() where outcome is null`],
  [line, `${lines} refusal = null ${ofEnded} and place = 4`],
  [line, `${lines} refusal = 'forbidden' ${ofEnded} and place = 0`],
  [line, `${lines} transfer_id = null ${ofEnded} and place = 0`],
  [line, `${lines} transfer_id = gen_random_uuid() ${ofEnded} and place = 4`],
  [
    line,
    `${lines} is_refused_early = true ${ofEnded} and place = 0`,
    `${lists} ready_count = ready_count - 1, ready_total = ready_total - 100
     where status = 'executed'`,
  ],
  // The transfer of each.
  [paid, `${lines} transfer_id = '<second>' ${ofEnded} and place = 0`],
  [paid, `${lines} transfer_id = gen_random_uuid() ${ofEnded} and place = 0`],
  ...[
    `kind = 'card'`,
    'amount = amount + 1',
    `from_account_id = '<to>'`,
    `created_at = created_at + interval '1 ms'`,
    'caller_id = gen_random_uuid()',
    'session_id = gen_random_uuid()',
    'beneficiary_id = null',
  ].map((change): [RegExp, string] => [
    paid,
    `update transfers set ${change} where id = '<first>'`,
  ]),
  [paid, `update transfers set to_account_id = '<from>' where id = '<own>'`],
]

/** Drops what refuses such changes; each line has a transfer of its own by an index. */
const dropChecks = `do $$ declare c record; begin
    for c in select conrelid::regclass as of, conname from pg_constraint
      where contype = 'c' and connamespace = 'strongroom'::regnamespace and conislocal
        and conrelid::regclass::text in
          ('payment_lists', 'payment_list_lines', 'transfers', 'accounts')
    loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop;
  end $$;
  drop index payment_list_lines_transfer_key`

test('what is no longer as it was confirmed, ordered or paid is found by its name', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const { from, to, known, order, make } = bank
  const iban = (await bank.ada().get(`/api/v1/accounts/${to}`)).body.iban as string
  const own = { name: 'Me', iban, amount: '2.00' }
  const wrong = { name: 'Nobody', iban: 'DE89370400440532013001', amount: '4.00' }
  const fresh = { name: 'Grace Hopper', iban: otherIban, amount: '3.00' }
  const cancelled = await make([known('1.00'), wrong])
  assert.equal((await bank.ada().delete(`/api/v1/payment-lists/${cancelled}`)).status, 204)
  const executed = await order([known('1.00'), known('2.00'), own, wrong, known('9000.00')])
  await bank.work()
  await order([known('1.00'), own], { executeOn: '2099-01-01' })
  await make([fresh, wrong])
  const { rows } = await bank.sql(
    `select transfer_id from payment_list_lines where list_id = $1 order by place limit 3`,
    [executed],
  )
  const [first, second, ofOwn] = rows.map(({ transfer_id: id }) => String(id))
  const ids: Record<string, unknown> = { from, to, executed, first, second, own: ofOwn }
  const owner = await openHolder(t, bank)
  const db: Db = { run: (statement, values) => execute(owner, statement, values) }
  assert.equal((await verifyLedger(db)).mismatch, undefined)
  await owner.query('begin')
  await owner.query('set local session_replication_role = replica')
  await owner.query('savepoint whole')
  const twice = `${lines} transfer_id = '${second}' where transfer_id = '${first}'`
  await assert.rejects(owner.query(twice), /payment_list_lines_transfer_key/)
  await owner.query('rollback to whole')
  await owner.query(dropChecks)
  await owner.query('savepoint whole')
  for (const [told, ...changes] of damages) {
    for (const change of changes) {
      const text = change.replaceAll(/<(\w+)>/g, (_, name: string) => String(ids[name]))
      const { rowCount } = await owner.query(text)
      assert.ok(rowCount, text)
    }
    // Lists that are new, in which the lines of each are read by themselves, beside all lines.
    for (const since of [sinceEver, { ...sinceEver }]) {
      const found = await findMismatchOfLists(db, since)
      if (told) assert.match(found ?? 'nothing', told, changes.join('; '))
      else assert.equal(found, undefined, changes.join('; '))
    }
    await owner.query('rollback to whole')
  }
  await owner.query(damages[0]?.[1]?.replace('<executed>', executed) ?? '')
  assert.match((await verifyLedger(db)).mismatch ?? 'nothing', counts)
  await owner.query('rollback')
})

test('a line has one outcome for ever, and an ended list stays ended', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order([bank.known('1.00')])
  await bank.work()
  for (const change of [
    `update payment_list_lines set outcome = null, transfer_id = null, at = null where list_id = '${id}'`,
    `update payment_list_lines set transfer_id = gen_random_uuid() where list_id = '${id}'`,
    `update payment_lists set status = 'ordered', ended_at = null where id = '${id}'`,
    `update payment_lists set made_count = 2 where id = '${id}'`,
  ]) {
    await assert.rejects(bank.sql(change), change)
  }
})
