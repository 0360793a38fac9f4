-- piece by piece
alter table standing_orders validate constraint standing_orders_on_holiday_check;
alter table standing_order_runs validate constraint standing_order_runs_on_holiday_check;
alter table standing_order_runs validate constraint standing_order_runs_moved;

-- What is due depends on the rule of an order: those that wait on a Saturday for Monday are not passed
-- to find the others.
create index concurrently if not exists standing_orders_untried_by_rule on standing_orders
  (on_holiday, next_on, id) where status = 'active' and tried_on is null;
