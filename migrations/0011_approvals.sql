-- Four eyes: changes by staff that wait for a second person. A row is the request of one person, the
-- maker, as it will be executed once another one, the checker, approves it.

create table approvals (
  -- UUID version 7: the order of the list, and the age by which rows are purged.
  id uuid primary key,
  -- The operation by its name in the API reference.
  operation text not null check (length(operation) between 1 and 80),
  -- Canonical JSON of the params, the query and the body. It holds no password: a request with one
  -- is refused.
  request text not null,
  -- The Idempotency-Key of the maker: the same request again is answered by the same row.
  key text check (length(key) between 1 and 255),
  -- A person by the session and the key that signed its token, or a service account by its key.
  maker_id uuid not null,
  maker_session_id uuid not null,
  maker_kid text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  status text not null default 'pending'
    check (status in ('pending', 'executed', 'rejected', 'withdrawn')),
  checker_id uuid,
  checker_session_id uuid,
  decided_at timestamptz,
  -- Of a rejection.
  reason text check (length(reason) between 1 and 140),
  -- What the change has made, if it made anything with an identifier.
  resource_id uuid,
  constraint approvals_two_people
    check (checker_id <> maker_id and checker_session_id <> maker_session_id),
  constraint approvals_decided check (
    (status = 'pending') = (decided_at is null)
    and (status in ('executed', 'rejected')) = (checker_id is not null)
    and (checker_id is null) = (checker_session_id is null)
    and (status = 'rejected') = (reason is not null)
  )
);
create unique index approvals_key on approvals (maker_id, key) where key is not null;

-- What was asked for is never changed.
grant select, insert, delete on approvals to strongroom_service;
grant update (status, checker_id, checker_session_id, decided_at, reason, resource_id) on approvals
  to strongroom_service;
