-- piece by piece
-- Accounts that lack money, the one that has for the longest first.
create index concurrently if not exists accounts_unarranged on accounts (unarranged_since, id)
  where unarranged > 0;
