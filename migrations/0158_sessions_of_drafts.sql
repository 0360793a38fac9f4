-- The session in which a draft was made. A draft is void once that session, or one in which it was
-- signed, is revoked: a thief may have had it. Null: made by an earlier release.
alter table payment_drafts add column if not exists maker_session_id uuid;

create or replace trigger payment_drafts_keep_terms before update on payment_drafts
  for each row when ((
    new.account_id, new.maker_id, new.beneficiary_id, new.to_account_id, new.amount,
    new.payee_result, new.payee_accepted, new.created_at, new.maker_session_id)
    is distinct from (
    old.account_id, old.maker_id, old.beneficiary_id, old.to_account_id, old.amount,
    old.payee_result, old.payee_accepted, old.created_at, old.maker_session_id)
    or new.reference <> old.reference and new.reference <> '')
  execute function refuse_other_draft();
