-- What a payment by a member is judged by beside its right: whether the person has just come back
-- without a second factor, as the owner is judged.
create or replace view standing_members as
  select m.id, m.account_id, m.person_id, a.owner_id, m.rights, m.per_payment, m.per_day, m.until,
    coalesce(p.cooling_since, p.recovered_at) as cooling_since,
    p.recovered_at + interval '24 hours' as cools_until
  from account_members m
  join accounts a on a.id = m.account_id
  join users o on o.id = a.owner_id and o.status = 'active' and 'customer' = any (o.roles)
  join users p on p.id = m.person_id and p.status = 'active' and 'customer' = any (p.roles)
  where m.accepted_at is not null and m.ended_at is null and m.person_id <> a.owner_id;

-- An order is paused when the member who has ordered it acts on the account no more.
alter table standing_orders
  drop constraint standing_orders_paused_because_check,
  add constraint standing_orders_paused_because_check
    check (paused_because in ('owner', 'missed', 'member')) not valid;
