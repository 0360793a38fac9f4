-- What a processor clears is booked whatever the account says: the shop has the money by the rules
-- of its scheme. It takes what its authorisation held, then what is available; the rest is an
-- overdraft that nobody arranged. Only the statement that books a clearing raises it; the trigger
-- lowers it with each change of the account that gives it room, whoever makes it, so other
-- statements need not know of it, those of the release before neither.
--
-- Not valid: every account has none so far, and no row has to be read.
alter table accounts
  -- Minor units: how far what is available is below zero.
  add unarranged bigint not null default 0,
  -- Since when, without an end between.
  add unarranged_since timestamptz,
  drop constraint accounts_floor;
alter table accounts
  add constraint accounts_floor
    check (kind <> 'customer' or balance - held + unarranged >= -overdraft_limit) not valid,
  -- It is exactly what is lacking, so no other movement finds room in it.
  add constraint accounts_unarranged check (
    unarranged >= 0 and (unarranged > 0) = (unarranged_since is not null)
    and (unarranged = 0
      or (kind = 'customer' and balance - held + unarranged = -overdraft_limit))) not valid;

create function lower_unarranged() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  new.unarranged :=
    least(new.unarranged, greatest(0, -(new.balance::numeric - new.held + new.overdraft_limit)));
  new.unarranged_since := case
    when new.unarranged > 0 then coalesce(old.unarranged_since, new.unarranged_since) end;
  return new;
end $$;
create trigger accounts_lower_unarranged
  before update of balance, held, overdraft_limit, unarranged, unarranged_since on accounts
  for each row when (old.unarranged > 0 or new.unarranged > 0)
  execute function lower_unarranged();

alter table card_authorizations
  -- Percent of what is authorised that a capture may take above it, such as a tip.
  add tolerance smallint not null default 0,
  -- Nobody authorised it: a clearing came without an authorisation, and made it.
  add is_cleared boolean not null default false,
  add constraint card_authorizations_tolerance check (tolerance between 0 and 30) not valid,
  add constraint card_authorizations_cleared
    check (not is_cleared or (reason is null and payment_id = id and tolerance = 0)) not valid;
drop trigger card_authorizations_stay on card_authorizations;
create trigger card_authorizations_stay before update on card_authorizations
  for each row when (
    new.merchant_name is not null
    or (new.id, new.card_id, new.account_id, new.amount, new.currency, new.channel, new.caller_id,
      new.created_at, new.expires_at, new.tolerance, new.is_cleared)
    is distinct from (old.id, old.card_id, old.account_id, old.amount, old.currency, old.channel,
      old.caller_id, old.created_at, old.expires_at, old.tolerance, old.is_cleared)
    or new.payment_id is distinct from old.payment_id or new.reason is distinct from old.reason
  )
  execute function refuse_change();

-- What a capture or a clearing took that nothing was held for, in minor units.
alter table hold_captures
  add unheld bigint not null default 0,
  add constraint hold_captures_unheld check (unheld >= 0) not valid;

-- More than was held may be taken of a card payment, and after its hold has ended.
alter table holds
  drop constraint holds_check,
  add constraint holds_captured_check check (
    captured >= 0 and (captured <= amount or (kind = 'authorization' and status <> 'active'))
  ) not valid;
drop trigger ended_holds_stay on holds;
create trigger ended_holds_stay
  before update of amount, captured, remaining, status, expires_at, ended_at on holds
  for each row when (
    old.status <> 'active' and (
      (new.amount, new.remaining, new.status) is distinct from
        (old.amount, old.remaining, old.status)
      or new.expires_at is distinct from old.expires_at
      or new.ended_at is distinct from old.ended_at
      or new.captured < old.captured
      or (new.captured > old.captured and old.kind <> 'authorization'))
  )
  execute function refuse_return();

-- All kinds. Not valid: earlier rows keep to the lists of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'fee', 'interest', 'correction', 'capture', 'card', 'clearing', 'refund')) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'settlement', 'sending', 'fee', 'interest', 'correction', 'capture', 'card', 'clearing',
    'refund')) not valid;

alter table mails
  drop constraint mails_kind_check,
  add constraint mails_kind_check check (kind in (
    'reset', 'invitation', 'password-changed', 'email-changed', 'email-set',
    'new-device', 'phone-changed', 'payment', 'alerts-paused', 'webhook-disabled',
    'factor-added', 'factor-removed', 'recovery-codes-made', 'recovery-code-used', 'factor-reset',
    'wrong-factor', 'codes-refused', 'order-refused', 'order-paused', 'order-made', 'order-changed',
    'card-payment', 'card-declined', 'issuer-linked', 'issuer-unlinked', 'limits-raised',
    'notices-off', 'money-arrived', 'balance-below', 'list-ordered', 'list-refused', 'email-asked',
    'email-proof', 'account-overdrawn')) not valid,
  drop constraint mails_account,
  add constraint mails_account check (
    kind not in ('balance-below', 'account-overdrawn') or account_id is not null) not valid;
