-- How many entries of an account have no amount. They put into its chain that a payment was sent, or
-- settled, and are no line of its history: staff are told how many entries are. A clearing account
-- has millions, so their number stands in its row.
alter table accounts
  add column mark_count bigint not null default 0,
  add constraint accounts_mark_count_check check (mark_count >= 0) not valid;

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

-- Only clearing accounts have marks. Those of before are counted by 0061, while payments go on: the
-- trigger counts all marks behind these entries, and no transfer is being changed as it is made.
create table marks_to_count as
select id as account_id, last_seq from accounts where kind = 'clearing' and last_seq > 0;
