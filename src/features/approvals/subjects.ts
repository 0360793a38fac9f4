// Whom and what a waiting request is about, and how that stands now: so that a list of requests is
// read without a read of each.
import { type Static, Type } from '../../domain/type.ts'
import {
  currencyText,
  type Db,
  fragment,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { AccountId, UserId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { Iban } from '../../domain/iban.ts'
import { closed, Currency, nullable, SignedAmount } from '../../domain/schema.ts'
import type { StoredRequest } from './requests.ts'

export const ApprovalSubject = closed(
  {
    holder: closed({ id: UserId, name: Type.String({ maxLength: 141, examples: ['Ada Okafor'] }) }),
    account: nullable(
      closed({ id: AccountId, iban: Iban, currency: Currency, balance: SignedAmount }),
    ),
    before: Type.String({
      maxLength: 10_000,
      description: 'The members of the body as they stand now, those that have one, as JSON.',
      examples: ['{"status":"active"}'],
    }),
  },
  { title: 'ApprovalSubject' },
)
type ApprovalSubject = Static<typeof ApprovalSubject>

const present = {
  id: 'uuid',
  holderId: 'uuid',
  holderName: 'text',
  accountId: 'uuid?',
  iban: 'text?',
  currency: currencyText,
  balance: 'int8',
  dailyTransferLimit: 'int8?',
  overdraftLimit: 'int8',
  present: 'jsonb',
} as const

/** What a person is asked to become, beside what the person is. */
const ofUser = fragment`jsonb_build_object('givenName', u.given_name, 'familyName', u.family_name,
     'email', u.email, 'phone', u.phone, 'address', u.address, 'language', u.language,
     'roles', u.roles, 'status', u.status)`
const ofAccount = fragment`jsonb_build_object('registeredPhone', a.registered_phone,
     'alertsEnabled', a.alerts_enabled)`
const columns = fragment`u.id as "holderId", u.given_name || ' ' || u.family_name as "holderName",
     a.id as "accountId", a.iban, coalesce(a.currency, 'EUR') as currency,
     coalesce(a.balance, 0) as balance, a.daily_transfer_limit as "dailyTransferLimit",
     coalesce(a.overdraft_limit, 0) as "overdraftLimit"`
const holders = fragment`join accounts a on a.id = n.account_id and a.kind = 'customer'
   join users u on u.id = a.owner_id`

const readSubjects = statement(
  'approvals_read_subjects',
  ['uuid[]'],
  present,
  sql`select u.id, ${columns}, ${ofUser} as present
   from users u left join accounts a on false where u.id = any($1)
   union all
   select s.id, ${columns}, '{}'::jsonb
   from sessions s join users u on u.id = s.user_id left join accounts a on false
   where s.id = any($1)
   union all
   select n.id, ${columns}, ${ofAccount}
   from (select id, id as account_id from accounts where id = any($1)) n ${holders}
   union all
   select n.id, ${columns}, jsonb_build_object('nickname', n.nickname, 'status', n.status)
   from (select id, account_id, nickname, status from cards where id = any($1)) n ${holders}
   union all
   select n.id, ${columns}, '{}'::jsonb
   from (select id, account_id from holds where id = any($1)) n ${holders}
   union all
   select n.id, ${columns}, '{}'::jsonb
   from (
     select id, from_account_id as account_id from transfers where id = any($1)
     union all
     select t.id, t.to_account_id from transfers t
     join accounts f on f.id = t.from_account_id and f.kind <> 'customer'
     where t.id = any($1)
   ) n ${holders}`,
)

const identifier = /"([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})"/g

/** The identifiers of a request, those of its path first. */
const idsIn = ({ params, body }: StoredRequest): string[] =>
  [...`${JSON.stringify(params)} ${JSON.stringify(body)}`.matchAll(identifier)].map(
    ([, id]) => id as string,
  )

/** The subject of each request that names a customer or what is of one, in their order. */
export async function subjectsOf(
  db: Db,
  requests: readonly StoredRequest[],
): Promise<(ApprovalSubject | undefined)[]> {
  const ids = requests.map(idsIn)
  const named = [...new Set(ids.flat())]
  const rows = named.length === 0 ? [] : await db.run(readSubjects, [named])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return requests.map(({ body }, at) => {
    const row = ids[at]?.map((id) => byId.get(id)).find((found) => found !== undefined)
    if (!row) return undefined
    const { holderId, holderName, accountId, iban, currency, balance } = row
    const { dailyTransferLimit, overdraftLimit } = row
    const now = {
      ...(row.present as Record<string, unknown>),
      dailyTransferLimit: dailyTransferLimit && formatAmount(dailyTransferLimit, currency),
      overdraftLimit: formatAmount(overdraftLimit, currency),
    }
    const changed = Object.entries(now).filter(([name]) => Object.hasOwn(body ?? {}, name))
    return {
      holder: { id: holderId, name: holderName },
      account:
        accountId === null || iban === null
          ? null
          : { id: accountId, iban, currency, balance: formatAmount(balance, currency) },
      before: JSON.stringify(Object.fromEntries(changed)),
    }
  })
}
