-- Money from another bank that lies in suspense is sent back there: a return out of suspense waits in
-- clearing for a rail, as a payment does. Identifiers of accounts of the bank are computed; those of
-- suspense are in this range. Earlier rows keep to the check of before, and none has to be read.
alter table transfers
  drop constraint transfers_only_elsewhere_waits,
  add constraint transfers_only_elsewhere_waits check (
    case
      when salt is null then status not in ('pending', 'sent')
      when (kind = 'transfer' and counterparty_iban is not null)
        or (kind = 'return' and from_account_id >= '00000000-0000-8000-8000-000005000000'
          and from_account_id < '00000000-0000-8000-8000-000006000000') then
        case status
          when 'completed' then settled_seq is not null
          when 'returned' then true
          when 'sent' then sent_seq is not null and settled_seq is null
          else sent_seq is null and settled_seq is null
        end
      else status = 'completed' and sent_seq is null and settled_seq is null
    end
  ) not valid;
