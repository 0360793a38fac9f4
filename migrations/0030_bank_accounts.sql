-- The bank's own accounts beside cash and clearing, in each currency: fees and interest, suspense for
-- money that belongs to no account yet, and opening for the balances of a former system. An
-- administrator adds up to 50 more ('further'). src/ledger/internal-accounts.ts has the identifiers.

alter table accounts
  -- By what staff name an account of the bank, with its currency; null of a customer's.
  add code text,
  drop constraint accounts_kind_check;
update accounts set code = kind, name = initcap(kind) where kind <> 'customer';
alter table accounts
  add constraint accounts_kind_check check (kind in (
    'customer', 'cash', 'clearing', 'fees', 'interest', 'suspense', 'opening', 'further')),
  add constraint accounts_code check (
    case when kind in ('customer', 'further') then (kind = 'further') = (code is not null)
      else code = kind end);

-- No column of it changes with a transfer.
create unique index accounts_of_bank on accounts (code, currency) where code is not null;

insert into accounts (id, kind, code, name, currency, created_at)
select ('00000000-0000-8000-8000-0000' || side.digits
         || right(cash.id::text, 6))::uuid,
       side.code, side.code, initcap(side.code), cash.currency, now()
from accounts cash,
     (values ('fees', '03'), ('interest', '04'), ('suspense', '05'), ('opening', '06'))
       as side (code, digits)
where cash.kind = 'cash';

-- Not valid: earlier rows keep to the list of before, and none has to be read.
alter table transfers
  drop constraint transfers_kind_check,
  add constraint transfers_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'incoming',
    'fee', 'interest', 'correction')) not valid;
alter table entries
  drop constraint entries_kind_check,
  add constraint entries_kind_check check (kind in (
    'transfer', 'deposit', 'withdrawal', 'reversal', 'return', 'settlement', 'incoming',
    'fee', 'interest', 'correction')) not valid;
