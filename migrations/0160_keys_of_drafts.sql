-- The key that signed the token with which a draft was made or signed. A draft is void once that key
-- is revoked: the token may have been forged. Null: by an earlier release, or without a token.
alter table payment_drafts add column if not exists maker_kid text;
alter table draft_signatures add column if not exists kid text;

create or replace trigger payment_drafts_keep_terms before update on payment_drafts
  for each row when ((
    new.account_id, new.maker_id, new.beneficiary_id, new.to_account_id, new.amount,
    new.payee_result, new.payee_accepted, new.created_at, new.maker_session_id, new.maker_kid)
    is distinct from (
    old.account_id, old.maker_id, old.beneficiary_id, old.to_account_id, old.amount,
    old.payee_result, old.payee_accepted, old.created_at, old.maker_session_id, old.maker_kid)
    or new.reference <> old.reference and new.reference <> '')
  execute function refuse_other_draft();
