// Erases a person whose retention period is over: an identifier and nameless accounts remain.
import { sql, statement } from '../../database/statements/statement.ts'
import { isAboutPerson } from '../approvals/sql.ts'

/** Locks a person and reads what may prevent the erasure. */
export const lockErasable = statement(
  'erase_lock_person',
  ['uuid'],
  { status: 'text', openAccounts: 'int8', openPayments: 'int8', lastAt: 'timestamptz' },
  `select u.status,
          (select count(*) from accounts a where a.owner_id = u.id and a.status <> 'closed')
            as "openAccounts",
          -- 0.2.0 may have closed the account of a payment that was sent.
          (select count(*) from transfers t join accounts a on a.id = t.from_account_id
           where a.owner_id = u.id and t.status in ('pending', 'sent')) as "openPayments",
          greatest(
            u.created_at,
            (select max(greatest(a.created_at, a.last_entry_at)) from accounts a
             where a.owner_id = u.id),
            (select max(s.created_at) from sessions s where s.user_id = u.id)
          ) as "lastAt"
   from users u where u.id = $1 for update of u`,
)

/** All accounts of a person, closed ones included. */
export const listAccounts = statement(
  'erase_list_accounts',
  ['uuid'],
  { id: 'uuid' },
  'select id from accounts where owner_id = $1 order by id',
)

/**
 * Keeps only the identifier, which the ledger and the audit trail refer to. Beneficiaries and cards
 * were erased when the accounts were closed. `test/personal-columns.test.ts` has each column.
 */
export const erasePerson = statement(
  'erase_person',
  ['uuid', 'timestamptz'],
  sql`with erased_accounts as (
     update accounts set name = null, registered_phone = null, notice_below = null,
       is_below_told = false
     where owner_id = $1
   ), erased_sessions as (
     update sessions set device = null where user_id = $1
   ), deleted_devices as (
     delete from devices where user_id = $1
   ), deleted_names as (
     delete from holder_names where user_id = $1
   ), erased_blocks as (
     update account_blocks set note = null
     where account_id in (select id from accounts where owner_id = $1)
   ), erased_disputes as (
     update card_disputes set text = null, closed_reason = null where user_id = $1
   ), deleted_notes as (
     delete from staff_notes where user_id = $1
   ), deleted_entry_notes as (
     delete from entry_notes
     where account_id in (select id from accounts where owner_id = $1)
   ), deleted_former as (
     delete from former_entries
     where account_id in (select id from accounts where owner_id = $1)
   ), deleted_refusals as (
     delete from refused_payments
     where account_id in (select id from accounts where owner_id = $1)
   ), erased_numbers as (
     -- What numbers were ordered with; the numbers themselves stay with their programs.
     update made_resources set salt = null
     where id = $1 or id in (
       select id from accounts where owner_id = $1
       union all
       select b.id from account_blocks b join accounts a on a.id = b.account_id
       where a.owner_id = $1)
   ), deleted_links as (
     delete from password_tokens where user_id = $1
   ), deleted_email_changes as (
     delete from email_changes where user_id = $1
   ), deleted_factors as (
     delete from factors where user_id = $1
   ), deleted_codes as (
     delete from recovery_codes where user_id = $1
   ), deleted_challenges as (
     delete from challenges where user_id = $1
   ), deleted_checks as (
     delete from payee_checks where caller_id = $1
   ), deleted_resets as (
     delete from factor_resets where user_id = $1
   ), deleted_issuer_links as (
     delete from issuer_links where user_id = $1
   ), deleted_mails as (
     delete from mails
     where user_id = $1 or asked_email = (select email from users where id = $1)
   ), erased_members as (
     update account_members
     set username = '', ended_at = coalesce(ended_at, $2), ended_by = coalesce(ended_by, 'staff')
     where person_id = $1 or account_id in (select id from accounts where owner_id = $1)
   ), deleted_choices as (
     delete from notice_choices where user_id = $1
   ), deleted_windows as (
     delete from alert_windows where user_id = $1
   ), deleted_failures as (
     delete from code_failures where user_id = $1
   ), erased_programs as (
     update service_accounts set name = 'Program of an erased person' where customer_id = $1
   ), deleted_approvals as (
     delete from approvals a where ${isAboutPerson}
   )
   update users
   set username = 'erased-' || id, email = 'erased-' || id || '@erased.invalid',
       given_name = 'Erased', family_name = 'person', folded_name = 'erased person',
       phone = null, address = null, language = null,
       password_hash = null, password_version = password_version + 1,
       has_factor = false, recovered_at = null, cooling_since = null, erased_at = $2
   where id = $1`,
)
