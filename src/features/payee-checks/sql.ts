// Whose account an IBAN is, and the checks of payees.
import { type PurgeBatch, purging } from '../../database/background/purge.ts'
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { keyLifetimeMs } from '../../ledger/batch/idempotency.ts'
import { payeeCheckLifetimeMs } from '../../ledger/rules/payee-check.ts'

const holder = { accountId: 'uuid?', givenName: 'text', familyName: 'text' } as const

const readHolder = statement(
  'payee_checks_read_holder',
  ['text', 'uuid'],
  holder,
  `select a.id as "accountId", u.given_name as "givenName", u.family_name as "familyName"
   from (select $1::text as iban) asked
   left join accounts a on a.iban = asked.iban and a.kind = 'customer' and a.status <> 'closed'
   join users u on u.id = coalesce(a.owner_id, $2)`,
)
/**
 * The holder of the open account with that IBAN. Without such an account, the person in its place
 * and no `accountId`: the work is the same, and so its time tells nothing.
 */
export const holderByIban = (
  db: Db,
  iban: string,
  inPlaceId: string,
): Promise<RowOf<typeof holder> | undefined> => one(db, readHolder, [iban, inPlaceId])

const check = {
  id: 'uuid',
  accountId: 'uuid',
  callerId: 'uuid',
  name: 'text',
  iban: 'text',
  result: 'text',
  holderName: 'text?',
  checkedAt: 'timestamptz',
} as const
export type PayeeCheckRow = RowOf<typeof check>

export const addPayeeCheck = insertInto('payee_checks_insert', 'payee_checks', check)

const readCheck = statement(
  'payee_checks_read',
  ['uuid'],
  check,
  sql`select ${select(check)} from payee_checks where id = $1`,
)
export const payeeCheckById = (db: Db, id: string) => one(db, readCheck, [id])

const purgeChecks = purging('purge_payee_checks', 'payee_checks', {
  by: 'timestamptz',
  past: 'checked_at <= $1 order by checked_at',
  size: 5000n,
})

/**
 * A request with an Idempotency-Key is repeated as long as its key is known, with the check that
 * it was made with. An hour more, so that a request under way finds it.
 */
const checkKeptMs = payeeCheckLifetimeMs + keyLifetimeMs + 3_600_000

export const purgePayeeChecks: PurgeBatch = (db, now) =>
  purgeChecks(db, new Date(now - checkKeptMs))
