-- What a second recovery, an erasure and a search have to know of a person.

alter table users
  -- When the first of the recoveries was that follow each other within 24 hours: a later one does
  -- not open what was refused since. Null: recovered_at is the only one.
  add cooling_since timestamptz,
  -- Nothing gives an erased person a name or a login again: the books and the trail refer to who it
  -- was.
  add erased_at timestamptz,
  add constraint users_erased check (erased_at is null or status = 'disabled');

update users set erased_at = now() where username = 'erased-' || id;

-- A hyphen is as good as a space, and a letter with an accent is found however it was typed.
create or replace function searchable(name text) returns text immutable language sql
return trim(lower(regexp_replace(normalize(name, NFKC), '[\s-]+', ' ', 'g')));

-- The trigger keeps their names anew.
update users set given_name = given_name
where given_name is not NFKC normalized or family_name is not NFKC normalized;
