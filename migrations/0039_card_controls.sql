-- What a customer allows a card to do: limits and channels. And since when a card is frozen, and who
-- froze it: in its own row, which is small and read by few requests.
alter table cards
  -- In minor units of the account's currency; null: no limit of the card.
  add per_payment_limit bigint check (per_payment_limit >= 0),
  add per_day_limit bigint check (per_day_limit >= 0),
  add pays_online boolean not null default true,
  add pays_abroad boolean not null default true,
  add pays_contactless boolean not null default true,
  add pays_cash boolean not null default true,
  add frozen_at timestamptz,
  -- A person or a service account.
  add frozen_by_id uuid,
  add constraint cards_frozen_since
    check ((frozen_at is null) = (frozen_by_id is null) and (frozen_at is null or status = 'frozen'));

update cards c set frozen_at = e.at, frozen_by_id = e.actor_id
from cards f cross join lateral (
  select at, actor_id, action from audit_events
  where target = f.id and action in ('freezeCard', 'unfreezeCard', 'updateCard')
    and outcome = 'success'
  order by id desc limit 1
) e
where c.id = f.id and f.frozen_by = 'admin' and e.action = 'freezeCard' and e.actor_id is not null;

-- Release 0.2.0 and the end of an account change the status alone: what it says of the freeze before
-- goes with that.
create function end_card_freeze() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  new.frozen_at := null;
  new.frozen_by_id := null;
  return new;
end $$;
revoke execute on function end_card_freeze() from public;
create trigger cards_end_freeze before update on cards
  for each row when (
    old.frozen_at is not null and new.frozen_at = old.frozen_at
    and new.frozen_by_id = old.frozen_by_id
    and (new.status <> old.status or new.frozen_by is distinct from old.frozen_by)
  )
  execute function end_card_freeze();
