-- How staff find a person by what a caller says: the words of the name in any order, each from its
-- beginning, whole or with one letter wrong. PostgreSQL compares them by itself: an extension for
-- likeness (pg_trgm) is not on every server.

-- The words of a folded name. A word of three letters or more also stands there without each of its
-- letters, behind a tilde, which no name has: two words that differ by one letter, or by two that
-- are swapped, are the same without it.
create function spoken_words(folded_name text) returns tsvector immutable language sql
return array_to_tsvector(array(
  select distinct word from unnest(string_to_array(folded_name, ' ')) as word where word <> ''
  union
  select '~' || overlay(word placing '' from place for 1)
  from unnest(string_to_array(folded_name, ' ')) as word
  cross join lateral generate_series(1, char_length(word)) as place
  where char_length(word) >= 3
));

create table user_words (
  user_id uuid primary key references users,
  words tsvector not null
);
-- Without a list of what is not in the index yet, which each search would read.
create index user_words_by_word on user_words using gin (words) with (fastupdate = off);
grant select on user_words to strongroom_service;

-- Runs as the owner: the service only reads what is kept here.
create function keep_user_words() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
begin
  insert into user_words (user_id, words) values (new.id, spoken_words(new.folded_name))
  on conflict (user_id) do update set words = excluded.words;
  return null;
end $$;
revoke execute on function keep_user_words() from public;
create trigger users_keep_words after insert or update of folded_name on users
  for each row when (new.folded_name is not null) execute function keep_user_words();
