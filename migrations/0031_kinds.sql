-- All kinds of transfers and of entries, those of payments from and to other banks and of postings
-- included. Not valid: earlier rows keep to the lists of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'fee', 'interest', 'correction')) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'settlement', 'sending', 'fee', 'interest', 'correction')) not valid;
