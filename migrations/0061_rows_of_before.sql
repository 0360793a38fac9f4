-- piece by piece
-- Counts the marks from before 0050. It takes 2 to 3 s per million and holds no lock meanwhile. A row
-- goes with its count: one that was interrupted begins with the next account.
do $$
declare
  account record;
  marks bigint;
begin
  if to_regclass('marks_to_count') is null then
    return;
  end if;
  for account in select account_id, last_seq from marks_to_count loop
    marks := (
      select count(*) from entries
      where account_id = account.account_id and seq <= account.last_seq and amount = 0);
    update accounts set mark_count = mark_count + marks where id = account.account_id;
    delete from marks_to_count where account_id = account.account_id;
    commit;
  end loop;
end $$;

drop table if exists marks_to_count;

-- The terms of orders from before 0052: as they are now, and as old as their last run. A version that
-- came since has its row.
do $$
declare
  page uuid[] := array['00000000-0000-0000-0000-000000000000'];
begin
  -- Ends behind the last order.
  loop
    page := array(
      select id from standing_orders where id > page[cardinality(page)] order by id limit 1000);
    exit when cardinality(page) = 0;
    insert into standing_order_changes
      (order_id, version, at, terms, reference, payee_name, payee_iban)
    select t.id, t.version,
      coalesce((select max(r.at) from standing_order_runs r where r.order_id = t.id), o.created_at),
      t.terms, t.reference, t.payee_name, t.payee_iban
    from standing_order_terms t join standing_orders o on o.id = t.id
    where t.id = any (page)
    on conflict (order_id, version) do nothing;
    commit;
  end loop;
end $$;
