-- The business days of the bank, as its time zones are kept: each calendar with the midnight from
-- which it holds. All instances move the same days, and what is past is judged as it was then.

-- Before the first one no day is a holiday, and no payment leaves a day later.
create table bank_calendars (
  since timestamptz primary key,
  -- 'dates': Saturdays, Sundays, and the dates of the operator's file.
  holidays text not null check (holidays in ('none', 'target2', 'dates')),
  dates date[] not null,
  -- Local time, from which on a payment to another bank leaves a day later.
  cut_off text check (cut_off ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  constraint bank_calendars_dates check (holidays = 'dates' or dates = '{}')
);
grant select on bank_calendars to strongroom_service;

-- What becomes of a due day that is no business day: it is paid on it, or on the business day before
-- it or after it. Orders from before are paid on it.
alter table standing_orders
  add column on_holiday text not null default 'pay',
  add constraint standing_orders_on_holiday_check
    check (on_holiday in ('pay', 'before', 'after')) not valid;

-- By which rule the day was moved, and to which one; null: it was paid, or refused, as its due day.
alter table standing_order_runs
  add column on_holiday text not null default 'pay',
  add column moved_to date,
  add constraint standing_order_runs_on_holiday_check
    check (on_holiday in ('pay', 'before', 'after')) not valid,
  add constraint standing_order_runs_moved check (
    moved_to is null or on_holiday = 'before' and moved_to < due_on
      or on_holiday = 'after' and moved_to > due_on) not valid;

-- The terms of an order name its rule where it has one: those of before stay as the trail has them.
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
  ) || case when num_nonnulls(o.payee_result, o.payee_accepted) = 0 then '{}'::jsonb else jsonb_build_object(
    'payeeResult', o.payee_result,
    'payeeAccepted', o.payee_accepted
  ) end || case when o.on_holiday = 'pay' then '{}'::jsonb else jsonb_build_object(
    'onHoliday', o.on_holiday
  ) end as terms
from standing_orders o
join accounts a on a.id = o.account_id
left join beneficiaries b on b.id = o.beneficiary_id
left join accounts p on p.id = o.to_account_id;
