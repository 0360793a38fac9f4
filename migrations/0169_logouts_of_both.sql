-- A logout token with `sub` and `sid` also ends what that person began at the issuer without a `sid`,
-- so both hashes are kept. One of them alone is kept as before.
alter table issuer_logouts
  drop constraint if exists issuer_logouts_about,
  add constraint issuer_logouts_about check (num_nulls(sid_hash, subject_hash) < 2) not valid;
