-- piece by piece
-- Memberships that end by their time.
create index concurrently if not exists account_members_due on account_members (until)
  where ended_at is null and accepted_at is not null and until is not null;
