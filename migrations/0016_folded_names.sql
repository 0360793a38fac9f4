-- Names are folded for the search by JavaScript alone (src/domain/folding.ts): PostgreSQL has
-- another lower case, which its locale decides. It keeps what the service writes.

-- Null: to be folded. `migrate` does it after this and all later files; a file that follows a
-- change of the rule sets all to null.
alter table users add folded_name text;
create index users_to_fold on users (id) where folded_name is null;

create or replace function keep_user_names() returns trigger language plpgsql
  security definer set search_path = strongroom, pg_temp as $$
declare
  words text[] := string_to_array(new.folded_name, ' ');
begin
  delete from user_names where user_id = new.id;
  insert into user_names (tail, user_id)
  select distinct array_to_string(words[first:], ' '), new.id
  from generate_subscripts(words, 1) as first;
  return null;
end $$;

drop trigger users_keep_names on users;
create trigger users_keep_names after insert or update of folded_name on users
  for each row execute function keep_user_names();

-- The people in whose full name that folded text is there from the beginning of a word on.
create or replace function people_named(name text) returns setof uuid stable language sql
begin atomic
  select user_id from user_names
  -- No character comes after this one.
  where name <> '' and tail >= name and tail < name || chr(1114111);
end;

-- The function of one text stays for instances of the version before, until they are restarted.
-- The people with the one text, folded, at the beginning of a word of the full name, or with the
-- other one, in canonical form, at the beginning of the user name or of the e-mail address.
create function people_found(name text, beginning text) returns setof uuid stable language sql
begin atomic
  select people_named(name)
  union
  select id from users
  where username collate "C" >= beginning and username collate "C" < beginning || chr(1114111)
  union
  select id from users
  where email collate "C" >= beginning and email collate "C" < beginning || chr(1114111);
end;

drop function searchable(text);
