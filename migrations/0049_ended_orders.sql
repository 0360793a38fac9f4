-- An account may have any number of ended standing orders, and closes within the time of one
-- statement. So its close writes only orders that are not ended, at most 100, and their runs. The
-- texts of the ended ones are erased after it, in pages.
create table order_erasures (
  -- Of an account that is closed, with standing orders that may have a text.
  id uuid primary key references accounts,
  -- Orders up to this identifier have none.
  erased_to uuid not null default '00000000-0000-0000-0000-000000000000'
);
grant select, insert, update, delete on order_erasures to strongroom_service;

-- For the close, and for the count of a new order: neither reads the ended ones.
create index standing_orders_open on standing_orders (account_id) where status <> 'ended';

-- A run waits at the next day of its order.
create or replace function end_orders_of_account() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update standing_order_runs r set outcome = 'refused'
  from standing_orders o
  where o.account_id = new.id and o.status <> 'ended'
    and r.order_id = o.id and r.due_on = o.next_on and r.outcome = 'waiting';
  update standing_orders
  set status = 'ended', next_on = null, paused_because = null, tried_on = null, reference = ''
  where account_id = new.id and status <> 'ended';
  insert into order_erasures (id)
  select new.id where exists (select from standing_orders where account_id = new.id);
  return null;
end $$;
