-- How many holds an account has is limited. Their number stands beside what they hold, so a decision
-- counts none.
alter table accounts add column active_holds int not null default 0;
update accounts a set active_holds = h.count
from (select account_id, count(*) from holds where status = 'active' group by account_id) h
where a.id = h.account_id;
alter table accounts
  drop constraint accounts_held,
  add constraint accounts_held
    check (
      held >= 0 and active_holds >= 0 and (held > 0) = (active_holds > 0)
      and (kind = 'customer' or held = 0) and (held > 0 or held_until is null))
    not valid;
