-- The trail of standing orders: the terms of each order from each change on. A thief's order, or the
-- payee that a thief put into an order, is found by its session or key, whatever was changed later;
-- and the verification lays each order beside its last terms.
--
-- The audit event of a change has the same request, and the order as its target. It is exported, and
-- dropped, without the terms: they hold personal data.

create table standing_order_changes (
  order_id uuid not null references standing_orders,
  -- Of the order, from this change on.
  version int not null,
  at timestamptz not null,
  -- Null: by the bank on its own, by a release before this one, or the order is older than this table.
  request_id uuid,
  -- A person with a session, or a service account with a key.
  caller_id uuid,
  session_id uuid,
  -- Words, identifiers, days and amounts: nothing that is ever erased.
  terms jsonb not null,
  -- Erased as the texts of transfers are: null, with the audit event that is the record of it.
  reference text check (length(reference) <= 140),
  payee_name text,
  payee_iban text,
  erasure_id uuid,
  primary key (order_id, version),
  constraint standing_order_changes_maker
    check (num_nonnulls(request_id, caller_id, session_id) in (0, 3)),
  constraint standing_order_changes_erased check (
    case when erasure_id is null then reference is not null
         else num_nonnulls(reference, payee_name, payee_iban) = 0 end)
);
-- A request changes an order once: the two name one change to the audit event.
create unique index standing_order_changes_of_request
  on standing_order_changes (request_id, order_id) where request_id is not null;
create index standing_order_changes_of_caller on standing_order_changes (caller_id, order_id)
  where caller_id is not null;
create index standing_order_changes_of_session on standing_order_changes (session_id, order_id)
  where session_id is not null;
grant select, insert on standing_order_changes to strongroom_service;

-- Not even the owner of the tables rewrites it by accident. An erasure alone takes texts.
create function refuse_order_rewrite() returns trigger language plpgsql as $$
begin
  raise exception '% of % is not possible: the trail of orders is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger standing_order_changes_are_appended before delete or truncate
  on standing_order_changes
  for each statement execute function refuse_order_rewrite();
create trigger standing_order_changes_lose_texts_alone before update on standing_order_changes
  for each row when (
    old.erasure_id is not null or new.erasure_id is null
    or (old.order_id, old.version, old.at, old.request_id, old.caller_id, old.session_id, old.terms)
      is distinct from
      (new.order_id, new.version, new.at, new.request_id, new.caller_id, new.session_id, new.terms))
  execute function refuse_order_rewrite();

-- The one text of what the terms of an order are.
create view standing_order_terms as
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
  ) as terms
from standing_orders o
join accounts a on a.id = o.account_id
left join beneficiaries b on b.id = o.beneficiary_id
left join accounts p on p.id = o.to_account_id;
grant select on standing_order_terms to strongroom_service;

-- Orders from before: as they are now. They are as old as their last run.
insert into standing_order_changes (order_id, version, at, terms, reference, payee_name, payee_iban)
select t.id, t.version,
  coalesce((select max(r.at) from standing_order_runs r where r.order_id = t.id), o.created_at),
  t.terms, t.reference, t.payee_name, t.payee_iban
from standing_order_terms t join standing_orders o on o.id = t.id;

-- No version of an order is committed without its terms: what the writer has not added by then, as
-- an instance of an earlier release, is added without its maker. Runs raise no version.
create function keep_order_terms() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  insert into standing_order_changes (order_id, version, at, terms, reference, payee_name, payee_iban)
  select id, version, case when tg_op = 'INSERT' then new.created_at else now() end,
    terms, reference, payee_name, payee_iban
  from standing_order_terms where id = new.id
  on conflict (order_id, version) do nothing;
  return null;
end $$;
create constraint trigger standing_orders_keep_first_terms after insert on standing_orders
  deferrable initially deferred for each row execute function keep_order_terms();
create constraint trigger standing_orders_keep_terms after update on standing_orders
  deferrable initially deferred for each row when (old.version <> new.version)
  execute function keep_order_terms();

-- The end of an account changes its orders too.
create or replace function end_orders_of_account() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update standing_order_runs r set outcome = 'refused'
  from standing_orders o
  where o.account_id = new.id and o.status <> 'ended'
    and r.order_id = o.id and r.due_on = o.next_on and r.outcome = 'waiting';
  update standing_orders
  set status = 'ended', next_on = null, paused_because = null, tried_on = null, reference = '',
    version = version + 1
  where account_id = new.id and status <> 'ended';
  insert into order_erasures (id)
  select new.id where exists (select from standing_orders where account_id = new.id);
  return null;
end $$;
