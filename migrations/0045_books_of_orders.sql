-- A standing order that waits for money is tried again when its account has the amount, however that
-- came about: by an entry, by a hold that ended, or by a higher overdraft. The worker looks at the
-- account itself, so nothing has to wake an order.
drop trigger accounts_wake_orders on accounts;
drop function wake_orders_of_account();
alter table standing_orders drop constraint standing_orders_tried, drop column tried_seq;

-- A closed account ends its orders, and takes their texts with it. No run waits for its money.
create or replace function end_orders_of_account() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update standing_order_runs set outcome = 'refused'
  where outcome = 'waiting' and order_id in (
    select id from standing_orders where account_id = new.id);
  update standing_orders
  set status = 'ended', next_on = null, paused_because = null, tried_on = null, reference = ''
  where account_id = new.id;
  return null;
end $$;

-- What a run has paid, by the order as it was then: the verification lays it beside the transfer.
alter table standing_order_runs add column amount bigint;
alter table standing_order_runs disable trigger standing_order_runs_stay;
update standing_order_runs r set amount = t.amount from transfers t where t.id = r.transfer_id;
alter table standing_order_runs
  enable trigger standing_order_runs_stay,
  add constraint standing_order_runs_paid
    check ((outcome = 'made') = (amount is not null)) not valid;
-- No payment is that of two runs.
create unique index standing_order_runs_transfer on standing_order_runs (transfer_id)
  where transfer_id is not null;
