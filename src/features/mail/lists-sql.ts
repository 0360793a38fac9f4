// The mails about payment lists: queued for the holder of their account, and what they tell.
import { insertInto } from '../../database/statements/rows.ts'
import { currencyText, type Db, one, statement } from '../../database/statements/statement.ts'
import { actor, selectActor } from './about-sql.ts'
import { isDueNow, newMail, newMailColumns } from './sql.ts'

const insertOfList = insertInto(
  'mail_insert_of_list',
  'mails',
  { ...newMailColumns, listId: 'uuid' },
  {
    as: {
      ...isDueNow.as,
      userId: `(
     select a.owner_id from payment_lists p join accounts a on a.id = p.account_id
     where p.id = :listId)`,
    },
    where: `exists (
     select from payment_lists p join accounts a on a.id = p.account_id
     where p.id = :listId and not mail_is_unwanted(a.owner_id, :kind, :createdAt)
   )`,
  },
)
/** Queues a notice to the holder of the account that a list was ordered. */
export const queueListMail = (tx: Db, listId: string, now: number) =>
  insertOfList(tx, { ...newMail('list-ordered', now), listId })

const readOfList = statement(
  'mail_read_list',
  ['uuid'],
  {
    amount: 'int8',
    currency: currencyText,
    iban: 'text',
    count: 'int4',
    refusedCount: 'int4',
    executeOn: 'text?',
    isProgram: 'bool?',
    ...actor,
  },
  `select p.ready_total as amount, a.currency, a.iban, p.ready_count as count,
     p.refused_count - (p.line_count - p.ready_count) as "refusedCount",
     p.execute_on::text as "executeOn", p.is_program as "isProgram", ${selectActor('p')}
   from payment_lists p join accounts a on a.id = p.account_id
   left join users u on u.id = p.caller_id
   where p.id = $1`,
)
export const readListOf = (db: Db, id: string) => one(db, readOfList, [id])
