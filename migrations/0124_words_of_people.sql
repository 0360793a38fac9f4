-- piece by piece
-- Writes the words of the people of before: 1,000 at a time, about 20 s for 100,000. It holds no lock
-- on a person. Who changes meanwhile has the words of the change.
do $$
declare
  place uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    with next as (
      select id, folded_name from users where id > place order by id limit 1000
    ), written as (
      insert into user_words (user_id, words)
      select id, spoken_words(folded_name) from next
      where folded_name is not null
      on conflict (user_id) do nothing
    )
    select id into place from next order by id desc limit 1;
    exit when not found;
    commit;
  end loop;
end $$;
-- The last digits first: a number is found with its country and without.
create index concurrently if not exists users_by_phone on users ((reverse(phone) collate "C"))
  where phone is not null;
create index concurrently if not exists accounts_by_phone on accounts
  ((reverse(registered_phone) collate "C")) where registered_phone is not null;
create index concurrently if not exists cards_by_last_four on cards (last_four)
  where status <> 'cancelled';
