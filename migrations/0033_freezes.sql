-- Since when an account is frozen, who froze it, and why: for staff. Beside the account, since every
-- request reads that row and few accounts are frozen. The audit trail has all of it too, but its
-- old events may be removed.
create table account_freezes (
  account_id uuid primary key references accounts,
  at timestamptz not null,
  -- A person of staff or a service account.
  actor_id uuid not null,
  reason text not null
);
grant select, insert, delete on account_freezes to strongroom_service;

insert into account_freezes (account_id, at, actor_id, reason)
select a.id, e.at, e.actor_id, e.detail
from accounts a cross join lateral (
  select at, actor_id, detail from audit_events
  where target = a.id and action = 'freezeAccount' and outcome = 'success'
  order by id desc limit 1
) e
where a.status = 'frozen' and a.kind = 'customer'
  and e.actor_id is not null and e.detail is not null;
