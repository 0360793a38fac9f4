-- Holds: amounts of an account that are reserved, for a card payment that is still to come, for a
-- court or during a dispute. A hold is no entry. Each transfer locks the row of its account, so what
-- is held stands in that row: a transfer reads it with the balance.
--
-- An instance of 0.2.0 knows no holds and decides by the balance alone. Its statements go on working;
-- one that would spend what is held fails on the check below as a whole, with 500 and no effect, and
-- so does one that would close the account. Its change of settings answers 409, since the check has
-- the name it knows.

alter table accounts
  -- Minor units: what remains of the active holds of the account.
  add held bigint not null default 0,
  -- No active hold expires before then. Null: none does.
  add held_until timestamptz,
  drop constraint accounts_floor,
  drop constraint accounts_closed_empty;
-- Not valid: nothing is held of earlier rows, which keep to the checks of before.
alter table accounts
  add constraint accounts_floor
    check (kind <> 'customer' or balance - held >= -overdraft_limit) not valid,
  add constraint accounts_held
    check (held >= 0 and (kind = 'customer' or held = 0) and (held > 0 or held_until is null))
    not valid,
  add constraint accounts_closed_empty
    check (status <> 'closed' or (balance = 0 and held = 0)) not valid;

-- Whoever writes a hold has the lock of its account.
create table holds (
  id uuid primary key,
  account_id uuid not null references accounts,
  card_id uuid references cards,
  kind text not null check (kind in ('authorization', 'seizure', 'dispute')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- The owner of the account reads it. Erased like the texts of transfers.
  reference text not null check (length(reference) <= 140),
  -- The person or the service account.
  caller_id uuid not null,
  created_at timestamptz not null,
  -- Minor units: the most that may be captured in all, what was captured, and what is held now.
  amount bigint not null check (amount > 0),
  captured bigint not null default 0 check (captured between 0 and amount),
  remaining bigint not null,
  status text not null check (status in ('active', 'captured', 'released', 'expired')),
  -- Null: it stands until it is released or captured.
  expires_at timestamptz,
  ended_at timestamptz,
  constraint holds_remaining check (
    case when status = 'active' then remaining = amount - captured and remaining > 0
      else remaining = 0 end),
  constraint holds_ended check ((status = 'active') = (ended_at is null)),
  constraint holds_captured check (status <> 'captured' or captured > 0),
  constraint holds_expired check (status <> 'expired' or expires_at is not null)
);
create index holds_of_account on holds (account_id, id);
create index holds_of_card on holds (card_id, id) where card_id is not null;
create index holds_active on holds (account_id) where status = 'active';
create index holds_due on holds (expires_at) where status = 'active' and expires_at is not null;
grant select, insert, update (amount, captured, remaining, status, expires_at, ended_at)
  on holds to strongroom_service;

create trigger holds_stay before delete or truncate on holds
  for each statement execute function refuse_change();
create trigger holds_keep_their_terms before update of id, account_id, card_id, kind, currency,
  caller_id, created_at on holds
  for each statement execute function refuse_change();
-- Of an ended one nothing changes but its text, which is erased.
create trigger ended_holds_stay
  before update of amount, captured, remaining, status, expires_at, ended_at on holds
  for each row when (old.status <> 'active') execute function refuse_return();

-- The transfers by which holds were captured.
create table hold_captures (
  transfer_id uuid primary key,
  hold_id uuid not null references holds
);
create index hold_captures_of_hold on hold_captures (hold_id, transfer_id);
grant select, insert on hold_captures to strongroom_service;
create trigger hold_captures_stay before update or delete or truncate on hold_captures
  for each statement execute function refuse_change();

-- What an external identifier stands for may be a hold from now on: its identifier is in the column
-- transfer_id, as in claims.

-- Not valid: earlier rows keep to the lists of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation', 'capture',
    'fee', 'interest', 'correction')) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation', 'capture',
    'settlement', 'sending', 'fee', 'interest', 'correction')) not valid;
