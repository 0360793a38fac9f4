-- piece by piece
-- Invitations that end by their time, so that the sweep of memberships ends them too.
create index concurrently if not exists account_members_lapsing on account_members
  (least(expires_at, until)) where ended_at is null and accepted_at is null;
