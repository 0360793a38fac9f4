-- Blocks of accounts come with an import, too: a move to this bank lifts none.
-- Not valid: the rows of before have the words of before.
alter table imported
  drop constraint imported_kind_check,
  add constraint imported_kind_check check (kind in (
    'person', 'account', 'balance', 'beneficiary', 'order', 'block')) not valid;

-- The note of a block is erased with the person.
create trigger blocks_forget_imported after update of note on account_blocks
  for each row when (old.note is not null and new.note is null)
  execute function forget_imported_line();
