-- The key that signed the token with which a person was invited to act on an account. Once that key is
-- revoked, the invitation is not accepted any more: the token may have been forged. Null: by an earlier
-- release, or without a token.
alter table account_members add column if not exists inviter_kid text;
