-- The session in which a person was invited to act on an account. Once it is revoked, the invitation
-- is not accepted any more: a thief may have had it. Null: made by an earlier release.
alter table account_members add column if not exists inviter_session_id uuid;
