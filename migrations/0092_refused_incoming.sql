-- Refused payments from other banks are kept too, under the account that they were for. The target
-- of such a one is the IBAN that it came from.
alter table refused_payments add column is_incoming boolean not null default false;
