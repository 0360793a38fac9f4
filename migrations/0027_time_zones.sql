-- The time zones of the bank's days, each with the moment since which it holds; UTC before the
-- first. A later one begins at a midnight to come, so a day that has begun keeps its limits, and a
-- statement that was issued its bounds. Every batch of the ledger reads them.
create table bank_time_zones (
  since timestamptz primary key,
  time_zone text not null check (time_zone <> '')
);

-- Added by the owner alone, before the service listens.
grant select on bank_time_zones to strongroom_service;
