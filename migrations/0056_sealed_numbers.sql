-- What an external identifier stands for is proved. Of a transfer, and of its sending and its
-- settlement, the hash chain holds the identifier. A hold and an authorization have no entry: their
-- number keeps SHA-256 over itself and the terms of the authorization, so none is changed alone.
alter table external_ids
  -- Null: of a transfer, or of an earlier release.
  add seal bytea,
  -- Not valid: the rows of before have none, so none has to be read.
  add constraint external_ids_seal check (octet_length(seal) = 32) not valid;
