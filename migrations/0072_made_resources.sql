-- Who made a person, and who made an account under a number of their own. The number is a row of
-- `external_ids`, which stays for ever; what it was ordered with is compared by the salt here.
create table made_resources (
  -- The person or the account.
  id uuid primary key,
  kind text not null check (kind in ('user', 'account')),
  -- A person, or a service account.
  caller_id uuid not null,
  -- Null without a number, and of an erased person: the hash of the order then tells nothing.
  salt bytea check (octet_length(salt) = 16),
  -- Staff have sent the person a link, so the end of the program that made them ends none.
  is_vouched boolean not null default false
);
create index made_resources_of_caller on made_resources (caller_id, kind, id);
grant select, insert, update (is_vouched) on made_resources to strongroom_service;
