-- piece by piece
-- By which a logout token finds its sessions.
create index concurrently if not exists sessions_of_issuer on sessions (issuer_sid_hash)
  where issuer_sid_hash is not null;
