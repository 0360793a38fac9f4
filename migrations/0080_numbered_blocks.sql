-- A block may have a number of its caller's, as people and accounts have.
-- Not valid: the rows of before have the words of before.
alter table made_resources
  drop constraint made_resources_kind_check,
  add constraint made_resources_kind_check check (kind in ('user', 'account', 'block')) not valid;
