-- How many entries of an account have no amount. They put into its chain that a payment was sent, or
-- settled, and are no line of its history: staff are told how many entries are. A clearing account
-- has millions, so their number stands in its row.
alter table accounts add column mark_count bigint not null default 0 check (mark_count >= 0);

-- In the transaction of the marks, also of an instance of the version before. That transaction has
-- the row of the account locked, as for each entry.
create function count_marks() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update accounts a set mark_count = mark_count + m.count
  from (
    select n.to_account_id as id, count(*)
    from new_rows n join old_rows o using (id), lateral (
      values (o.sent_seq, n.sent_seq), (o.settled_seq, n.settled_seq)
    ) as mark (old_seq, new_seq)
    where mark.old_seq is null and mark.new_seq is not null
    group by 1
  ) m
  where a.id = m.id;
  return null;
end $$;
revoke execute on function count_marks() from public;
create trigger transfers_count_marks after update on transfers
  referencing old table as old_rows new table as new_rows
  for each statement execute function count_marks();

-- Only clearing accounts have marks. A bank without payments to others reads none here.
update accounts a set mark_count = m.count
from (
  select e.account_id, count(*)
  from accounts c join entries e on e.account_id = c.id
  where c.kind = 'clearing' and e.amount = 0
  group by 1
) m
where a.id = m.account_id;
