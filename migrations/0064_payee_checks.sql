-- What a caller was told of the name of a payee, and what it came to: the check is a fact for fifteen
-- minutes, and what is paid, added or ordered by it keeps its result.

create table payee_checks (
  id uuid primary key,
  -- From which account it was asked, and by whom: a person or a service account.
  account_id uuid not null,
  caller_id uuid not null,
  -- What was asked.
  name text not null check (length(name) <= 140),
  iban text not null check (length(iban) <= 34),
  result text not null check (result in ('match', 'close_match', 'no_match', 'not_possible')),
  -- The name that was told, of a close match alone.
  holder_name text check (length(holder_name) <= 141),
  checked_at timestamptz not null,
  constraint payee_checks_tell check ((holder_name is not null) = (result = 'close_match'))
);
create index payee_checks_by_age on payee_checks (checked_at);
-- Update is for the locks of the purge: no check changes.
grant select, insert, update, delete on payee_checks to strongroom_service;
create trigger payee_checks_stay before update or truncate on payee_checks
  for each statement execute function refuse_change();

-- The check of a payment: part of the commitment to its texts, and erased with them.
alter table transfer_details
  add payee_result text,
  add payee_name text,
  add payee_accepted boolean,
  add constraint transfer_details_payee check (
    case when payee_result is null then num_nonnulls(payee_name, payee_accepted) = 0
      else payee_result in ('match', 'close_match', 'no_match', 'not_possible')
        and payee_accepted is not null
        and (payee_accepted or payee_result = 'match')
        and (payee_name is not null) = (payee_result = 'close_match') end
  ) not valid;

-- Null: not checked.
alter table beneficiaries
  add payee_result text,
  add payee_accepted boolean,
  add constraint beneficiaries_payee_result
    check (payee_result in ('match', 'close_match', 'no_match', 'not_possible')) not valid,
  add constraint beneficiaries_payee check (
    (payee_result is null) = (payee_accepted is null)
    and coalesce(payee_accepted or payee_result = 'match', true)
  ) not valid;
alter table standing_orders
  add payee_result text,
  add payee_accepted boolean,
  add constraint standing_orders_payee_result
    check (payee_result in ('match', 'close_match', 'no_match', 'not_possible')) not valid,
  add constraint standing_orders_payee check (
    (payee_result is null) = (payee_accepted is null)
    and coalesce(payee_accepted or payee_result = 'match', true)
  ) not valid;

-- Terms of orders without a check stay as they are.
create or replace view standing_order_terms as
select o.id, o.version, o.reference, b.name as payee_name, coalesce(b.iban, p.iban) as payee_iban,
  jsonb_build_object(
    'accountId', o.account_id,
    'beneficiaryId', o.beneficiary_id,
    'toAccountId', o.to_account_id,
    -- Minor units, as text: a JSON number would lose digits.
    'amount', o.amount::text,
    'currency', a.currency,
    'rhythm', o.rhythm,
    'firstOn', o.first_on,
    'lastOn', o.last_on,
    'retryDays', o.retry_days,
    'status', o.status,
    'pausedBecause', o.paused_because,
    'nextOn', o.next_on,
    'makerId', o.maker_id,
    'callerId', o.caller_id,
    'sessionId', o.session_id,
    'isProgram', o.is_program,
    -- Milliseconds since the epoch: a time as text would depend on the zone of the connection.
    'createdAt', (extract(epoch from o.created_at) * 1000)::int8
  ) || case when o.payee_result is null then '{}'::jsonb else jsonb_build_object(
    'payeeResult', o.payee_result,
    'payeeAccepted', o.payee_accepted
  ) end as terms
from standing_orders o
join accounts a on a.id = o.account_id
left join beneficiaries b on b.id = o.beneficiary_id
left join accounts p on p.id = o.to_account_id;
