-- A settlement has an external identifier too, beside that of the sending: one that a rail tells
-- again is answered as the first time.
alter table external_ids add is_settlement boolean not null default false;
drop index external_ids_of_transfer;
create unique index external_ids_of_transfer on external_ids (transfer_id, is_settlement);
