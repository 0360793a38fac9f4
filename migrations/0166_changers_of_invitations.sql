-- The session in which an invitation was changed last, and the key that signed its token. Once either is
-- revoked, the invitation is not accepted any more: a thief may have raised what it lets a person do.
-- Null: not changed, or by an earlier release, or without a token.
alter table account_members
  add column if not exists changer_session_id uuid,
  add column if not exists changer_kid text;
