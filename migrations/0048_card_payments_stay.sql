-- An instance of 0.2.0 knows no card payments either, and would reverse one that can be refunded, or a
-- refund: the money would move twice. This release refuses that itself. For 0.4 to remove.
create or replace function refuse_cancelled() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
declare
  -- Named as people read it in the log of that instance.
  undone text := (
    select case kind when 'card' then 'card payment' else kind end
    from transfers where id = new.reversal_of and kind in ('cancellation', 'card', 'refund'));
begin
  if undone is not null then
    raise exception 'A % is not reversed', undone using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
