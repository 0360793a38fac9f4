-- What an authorization of a card costs: no more than a transfer.
--
-- Like transfers, neither holds nor authorizations have foreign keys to what is never deleted: each
-- key is looked up and locked for every row, and whoever writes here has the lock of the account.
-- `strongroom verify` finds a hold or an authorization without its account, card or payment.
alter table holds
  drop constraint holds_account_id_fkey,
  drop constraint holds_card_id_fkey,
  -- Of a card payment: what of it counts to the day's limit of its card, and the day of the bank on
  -- which that was authorized. In minor units.
  add counted bigint not null default 0,
  add counted_on date,
  add constraint holds_counted check (
    counted between 0 and captured + remaining and (counted = 0 or counted_on is not null)
  ) not valid;
alter table card_authorizations
  drop constraint card_authorizations_card_id_fkey,
  drop constraint card_authorizations_account_id_fkey,
  drop constraint card_authorizations_payment_id_fkey;
grant update (counted, counted_on) on holds to strongroom_service;

alter table cards
  -- The day of the last authorization, and what counts to the limit of that day: the sum of what
  -- its payments have as counted on it. Of a cancelled card it stays as it was.
  add spent_on date,
  add spent_amount bigint not null default 0 check (spent_amount >= 0);
-- Room in new pages lets the new row stay beside the old one, without a new entry in any index.
alter table cards set (fillfactor = 80);

-- No statement reads them any more.
drop index holds_of_card, card_authorizations_approved;
-- What raised a payment later than it was made. Few are raised.
create index card_authorizations_raising on card_authorizations (payment_id)
  where payment_id <> id and reason is null;

-- Payments of before: what was authorized last, as far as it is held or was taken.
with approved as (
  select a.payment_id, a.amount, (a.created_at at time zone coalesce(
    (select z.time_zone from bank_time_zones z where z.since <= a.created_at
     order by z.since desc limit 1), 'UTC'))::date as day
  from card_authorizations a where a.reason is null
), last as (
  select distinct on (payment_id) payment_id, day, sum(amount) as amount
  from approved group by payment_id, day order by payment_id, day desc
)
update holds h set counted = least(l.amount, h.captured + h.remaining), counted_on = l.day
from last l where h.id = l.payment_id;
with spent as (
  select distinct on (card_id) card_id, counted_on, sum(counted) as amount
  from holds where counted_on is not null group by card_id, counted_on
  order by card_id, counted_on desc
)
update cards c set spent_on = s.counted_on, spent_amount = s.amount
from spent s where c.id = s.card_id and c.status <> 'cancelled';
