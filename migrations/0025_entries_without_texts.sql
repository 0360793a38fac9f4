-- Finds the entries whose texts are still to be filled in. By itself: other sessions read on while
-- it is built.
create index entries_without_texts on entries (account_id, seq)
  where reference is null and kind <> 'settlement';
