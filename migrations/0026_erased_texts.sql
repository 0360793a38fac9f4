-- An instance of a version that knows no texts of entries may erase a transfer after some were
-- filled in. They have to go, too.

-- Before the trigger, without a lock on the table: what was erased so far.
update entries e
set reference = '', counterparty_name = null, counterparty_iban = null
from transfers t
where t.salt is null and not e.texts_in_chain
  and (e.account_id, e.seq) in ((t.from_account_id, t.from_seq), (t.to_account_id, t.to_seq))
  and (e.reference <> '' or e.counterparty_name is not null or e.counterparty_iban is not null);

-- The same as before, of entries whose transfer is there, and after no erasure can come between:
-- the transfers are locked in one statement, and the next one sees what was committed by then.
-- Skips what is locked, so it waits for nobody.
create or replace function fill_entry_texts(count int8) returns int8 language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
declare
  account_ids uuid[];
  seqs int8[];
  transfer_ids uuid[];
  amounts int8[];
  filled int8;
begin
  select array_agg(m.account_id), array_agg(m.seq), array_agg(m.transfer_id), array_agg(m.amount)
  into account_ids, seqs, transfer_ids, amounts
  from (
    select e.account_id, e.seq, e.transfer_id, e.amount
    from entries e join transfers t on t.id = e.transfer_id
    where e.reference is null and e.kind <> 'settlement'
    order by e.account_id, e.seq limit fill_entry_texts.count
    for update of e skip locked for share of t skip locked
  ) m;
  update entries e
  set reference = x.reference, counterparty_name = x.counterparty_name,
      counterparty_iban = x.counterparty_iban
  from unnest(account_ids, seqs, transfer_ids, amounts)
    as m (account_id, seq, transfer_id, amount)
  cross join lateral entry_texts(m.account_id, m.transfer_id, m.amount > 0) x
  where e.account_id = m.account_id and e.seq = m.seq;
  get diagnostics filled = row_count;
  return filled;
end $$;

create function erase_filled_texts() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  update entries e
  set reference = '', counterparty_name = null, counterparty_iban = null
  where (e.account_id, e.seq) in
      ((new.from_account_id, new.from_seq), (new.to_account_id, new.to_seq))
    and not e.texts_in_chain
    and (e.reference <> '' or e.counterparty_name is not null or e.counterparty_iban is not null);
  return null;
end $$;

-- They write names with the rights of the owner: no other table may call them.
revoke execute on function keep_former_name(), keep_user_names(), erase_filled_texts() from public;

create trigger transfers_erase_filled_texts after update of salt on transfers
  for each row when (old.salt is not null and new.salt is null)
  execute function erase_filled_texts();
