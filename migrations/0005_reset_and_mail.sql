-- Mails that wait to be sent, and the links in them that set a password. A mail is queued in the
-- transaction of what it tells about, so it exists exactly when that happened.

create table mails (
  id uuid primary key,
  kind text not null
    check (kind in (
      'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
      'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled'
    )),
  user_id uuid references users,
  -- A payment that its payer is told of. Without a foreign key: the ledger writes it while holding
  -- the locks of accounts, and waits for no other row there.
  transfer_id uuid,
  -- The address a user had before a change of it, which is told there. All other mails go to the
  -- address the user has when they are written.
  old_email text,
  -- A reset is asked for by an address that may be nobody's: it is looked up when the mail is
  -- written, so that asking costs the same for everybody. Nothing is ever sent to it as it is.
  asked_email text,
  created_at timestamptz not null,
  -- The next attempt. Whoever takes the mail moves it on by a lease, so that a mail whose sender
  -- died is taken again by another.
  due_at timestamptz not null,
  -- When it is given up: no later than what it tells about is of use.
  expires_at timestamptz not null,
  attempts int not null default 0,
  -- An alert that has its place among those of its hour: see alert_windows.
  is_counted boolean not null default false,
  constraint mails_to_one check (num_nonnulls(user_id, asked_email, transfer_id) = 1),
  constraint mails_payment check ((kind = 'payment') = (transfer_id is not null)),
  constraint mails_asked check ((kind = 'reset') = (asked_email is not null)),
  constraint mails_old check ((kind = 'email-changed') = (old_email is not null))
);
create index mails_due on mails (due_at);
grant select, insert, update, delete, truncate on mails to strongroom_service;

-- How many alerts of one kind a person was sent in an hour that began with the first of them. Each
-- kind counts for itself: many logins do not hide a payment.
create table alert_windows (
  user_id uuid references users,
  kind text,
  ends_at timestamptz not null,
  count int not null,
  -- There were too many: further ones are not queued until the hour is over.
  is_paused boolean not null,
  primary key (user_id, kind)
);
grant select, insert, update, delete on alert_windows to strongroom_service;

create function alerts_paused(whose uuid, which text, at timestamptz) returns boolean
  stable language sql
begin atomic
  select exists (
    select from alert_windows
    where user_id = whose and kind = which and is_paused and ends_at > at
  );
end;

-- The one link a person may set a password with. A newer one takes its place, so an older link is
-- dead the moment the newer one is made; a used one is gone.
create table password_tokens (
  user_id uuid primary key references users,
  -- SHA-256; the token itself is made when its mail is written and is never stored.
  token_hash bytea not null constraint password_tokens_hash unique
    check (octet_length(token_hash) = 32),
  -- What the link was sent to and made for: once either has changed, it opens nothing.
  email text not null,
  password_version int not null,
  expires_at timestamptz not null
);
create index password_tokens_by_expiry on password_tokens (expires_at);
grant select, insert, update, delete, truncate on password_tokens to strongroom_service;

-- All links, known devices and waiting mails at once, in the same time however many there are. The
-- tables are locked in the order in which a reset of a password touches them.
create function void_credentials() returns void language sql as
  'truncate password_tokens, devices, mails';
