-- Payments to other banks by their status, in the order in which staff and rails list them. By
-- itself: other sessions read on while it is built.
create index transfers_by_status on transfers (status, id) where status <> 'completed';
create index transfers_on_their_way on transfers (from_account_id)
  where status in ('pending', 'sent');
