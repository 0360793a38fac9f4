-- Money from and to other banks: what a program that carries payments (a rail) tells of them, and
-- the states of a payment to another bank: pending → sent → completed | returned, pending →
-- cancelled, completed → returned. New checks are not valid: earlier rows keep to the checks of
-- before, and none has to be read.

-- Identifiers by which callers number what they order, unique for ever: a rail may deliver a payment
-- again a month later. Written in the transaction of the transfer.
create table external_ids (
  -- The person or the service account: two rails may number alike.
  caller_id uuid not null,
  external_id text not null check (length(external_id) between 1 and 140),
  -- SHA-256 over what was ordered: the same identifier with another body is refused.
  body_hash bytea not null check (octet_length(body_hash) = 32),
  -- What was made, or sent to another bank. No transfer has two.
  transfer_id uuid not null,
  primary key (caller_id, external_id)
);
create unique index external_ids_of_transfer on external_ids (transfer_id);
grant select, insert on external_ids to strongroom_service;
create trigger external_ids_stay before update or delete or truncate on external_ids
  for each statement execute function refuse_change();

-- What few transfers have. The hash of the transfer holds all of it beside its texts.
create table transfer_details (
  transfer_id uuid primary key,
  -- Of an incoming payment: the reference that its payer gave it (ISO 20022 EndToEndId), and the
  -- payer's bank.
  end_to_end_id text check (length(end_to_end_id) <= 35),
  bic text check (length(bic) <= 11),
  -- Of a return: why (ISO 20022 ExternalReturnReason1Code).
  reason_code text check (reason_code ~ '^[A-Z0-9]{4}$'),
  -- JSON of the texts as they came, where they were changed to be shown.
  original text
);
grant select, insert on transfer_details to strongroom_service;

create function erase_details() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  delete from transfer_details where transfer_id = new.id;
  return null;
end $$;
create function refuse_unerased() returns trigger language plpgsql
  set search_path = strongroom, pg_temp as $$
begin
  if exists (select from transfers where id = old.transfer_id and salt is not null) then
    raise exception 'DELETE of transfer_details is not possible: the ledger is append-only'
      using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
revoke execute on function erase_details(), refuse_unerased() from public;
create trigger transfer_details_stay before update or truncate on transfer_details
  for each statement execute function refuse_change();
create trigger transfer_details_go_with_texts before delete on transfer_details
  for each row execute function refuse_unerased();
-- Of an erasure by an older version, too.
create trigger transfers_erase_details after update of salt on transfers
  for each row when (old.salt is not null and new.salt is null)
  execute function erase_details();

alter table transfers
  -- Where it stands in the clearing account that the payment was sent.
  add sent_seq bigint,
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation'
  )) not valid,
  drop constraint transfers_status_check,
  add constraint transfers_status_check
    check (status in ('completed', 'pending', 'returned', 'sent', 'cancelled')) not valid,
  drop constraint transfers_only_elsewhere_waits,
  add constraint transfers_only_elsewhere_waits check (
    case
      when salt is null then status not in ('pending', 'sent')
      when kind = 'transfer' and counterparty_iban is not null then
        case status
          when 'completed' then settled_seq is not null
          when 'returned' then true
          when 'sent' then sent_seq is not null and settled_seq is null
          else sent_seq is null and settled_seq is null
        end
      else status = 'completed' and sent_seq is null and settled_seq is null
    end
  ) not valid,
  drop constraint transfers_brings_back,
  add constraint transfers_brings_back check (
    (kind in ('reversal', 'return', 'cancellation')) = (reversal_of is not null)
  ) not valid;
grant update (sent_seq) on transfers to strongroom_service;

drop trigger transfers_leave_pending_once on transfers;
create trigger transfers_keep_their_states before update of status, sent_seq, settled_seq on transfers
  for each row when (
    not case old.status
      when 'pending' then new.status in ('sent', 'completed', 'returned', 'cancelled')
      when 'sent' then new.status in ('completed', 'returned')
      when 'completed' then new.status = 'returned'
      else false
    end
    -- Two steps may be one change: a batch writes how it leaves a transfer.
    or (new.sent_seq is distinct from old.sent_seq and old.status <> 'pending')
    or (new.settled_seq is distinct from old.settled_seq and old.status = 'completed')
    or (new.status = 'completed' and new.settled_seq is null)
  )
  execute function refuse_change();

alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming', 'cancellation',
    'settlement', 'sending'
  )) not valid,
  -- A sending and a settlement move no money: they put into the chain how far a transfer is.
  drop constraint entries_settle_nothing,
  add constraint entries_settle_nothing
    check ((amount = 0) = (kind in ('settlement', 'sending'))) not valid;
