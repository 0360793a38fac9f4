-- Orders that wait for money are as many as there are people without money, and the oldest: the
-- search for others does not pass them.
create index standing_orders_untried on standing_orders (next_on, id)
  where status = 'active' and tried_on is null;
create index standing_orders_waiting on standing_orders (id)
  where status = 'active' and tried_on is not null;
drop index standing_orders_due;
