-- A standing order whose run ends without an outcome is tried later each time, and an order keeps
-- who made it.
alter table standing_orders
  -- Attempts at its next day without an outcome.
  add attempts int not null default 0,
  -- The person or the service account that made it. Of whom its present terms are, caller_id tells.
  add maker_id uuid;
update standing_orders set maker_id = caller_id;
alter table standing_orders alter maker_id set not null;
