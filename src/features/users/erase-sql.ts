// What is left of a person whose legal time is over: an identifier, and accounts without a name.
import { statement } from '../../database/statement.ts'

/** A person under a lock, with what stands against an erasure. */
export const lockErasable = statement(
  'erase_lock_person',
  ['uuid'],
  { status: 'text', open_accounts: 'int8', last_at: 'timestamptz' },
  `select u.status,
          (select count(*) from accounts a where a.owner_id = u.id and a.status <> 'closed')
            as open_accounts,
          greatest(
            u.created_at,
            (select max(greatest(a.created_at, a.last_entry_at)) from accounts a
             where a.owner_id = u.id),
            (select max(s.created_at) from sessions s where s.user_id = u.id)
          ) as last_at
   from users u where u.id = $1 for update of u`,
)

/** Every account of a person, closed ones too. */
export const listAccounts = statement(
  'erase_list_accounts',
  ['uuid'],
  { id: 'uuid' },
  'select id from accounts where owner_id = $1 order by id',
)

/**
 * The person keeps the identifier that the books and the audit trail know, and nothing else. The
 * accounts were closed before, which took their beneficiaries and cards along.
 */
export const erasePerson = statement(
  'erase_person',
  ['uuid'],
  {},
  `with accounts_nameless as (
     update accounts set name = null, registered_phone = null where owner_id = $1
   ), sessions_nameless as (
     update sessions set device = null where user_id = $1
   ), devices_gone as (
     delete from devices where user_id = $1
   ), links_gone as (
     delete from password_tokens where user_id = $1
   ), mails_gone as (
     delete from mails where user_id = $1
   )
   update users
   set username = 'erased-' || id, email = 'erased-' || id || '@erased.invalid',
       given_name = 'Erased', family_name = 'person', phone = null, address = null,
       password_hash = null, password_version = password_version + 1
   where id = $1`,
)
