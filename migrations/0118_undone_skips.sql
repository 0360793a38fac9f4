-- A skip is undone by its owner: the day has no outcome any more, and may get another one. Only the
-- newest outcome goes this way, and only a skip; the trail keeps both changes.
create function undo_skip(whose uuid, day date) returns boolean language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  delete from standing_order_runs r
  where r.order_id = whose and r.due_on = day and r.outcome = 'skipped'
    and not exists (
      select from standing_order_runs later where later.order_id = whose and later.due_on > day)
    and exists (select from standing_orders o where o.id = whose and o.status <> 'ended');
  return found;
end $$;
revoke execute on function undo_skip(uuid, date) from public;
grant execute on function undo_skip(uuid, date) to strongroom_service;
