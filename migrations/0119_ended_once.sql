-- piece by piece
-- An order of one day that was refused is told on the first page of its owner for a while. An account
-- may have any number of ended ones.
create index concurrently if not exists standing_orders_ended_once on standing_orders
  (account_id, first_on) where status = 'ended' and rhythm = 'once';
