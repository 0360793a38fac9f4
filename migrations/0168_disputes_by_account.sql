-- piece by piece
-- No statement looks for the disputes of an account: each is found by itself, its payment or its
-- customer.
drop index concurrently if exists card_disputes_of_account;
