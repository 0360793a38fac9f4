// What the ledger reads of beneficiaries.
import { type Db, one, statement } from '../database/statement.ts'

const readTarget = statement(
  'beneficiaries_read_target',
  ['uuid'],
  { name: 'text', iban: 'text', target_id: 'uuid?' },
  `select b.name, b.iban, a.id as target_id
   from beneficiaries b left join accounts a on a.iban = b.iban
   where b.id = $1 and b.status <> 'deleted'`,
)
/** Where money for it goes: to an account of this bank, in any state, or to the IBAN elsewhere. */
export const beneficiaryTarget = (db: Db, id: string) => one(db, readTarget, [id])

/**
 * How beneficiaries stand, for transfers that hold their accounts: nothing here changes while they
 * do, since every write waits for the account.
 */
export const readStanding = statement(
  'beneficiaries_read_standing',
  ['uuid[]'],
  { id: 'uuid', account_id: 'uuid', status: 'text' },
  `select id, account_id, status from beneficiaries where id = any($1)`,
)
