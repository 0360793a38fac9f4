-- The day's limit of a card reads what was approved of that card alone: attempts that were declined,
-- however many, and other cards of the account delay no authorization.
create index card_authorizations_approved on card_authorizations (card_id, id) where reason is null;
