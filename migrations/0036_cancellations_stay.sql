-- An instance of 0.2.0 knows no cancellations, and would reverse one: the money would lie in clearing
-- for a payment that is never sent. This release refuses that itself. For 0.4 to remove.
create function refuse_cancelled() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  if exists (select from transfers where id = new.reversal_of and kind = 'cancellation') then
    raise exception 'A cancellation is not reversed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
revoke execute on function refuse_cancelled() from public;
create trigger transfers_reverse_no_cancellation before insert on transfers
  for each row when (new.kind = 'reversal') execute function refuse_cancelled();
