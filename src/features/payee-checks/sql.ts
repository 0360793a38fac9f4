// Whose account an IBAN is.
import { type Db, one, type RowOf, statement } from '../../database/statements/statement.ts'

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
