-- piece by piece
-- An erasure finds the transfers of an account whose entries are in an archive, in pages.
create index concurrently if not exists archived_terms_from
  on archived_terms (from_account_id, transfer_id);
create index concurrently if not exists archived_terms_to
  on archived_terms (to_account_id, transfer_id);
