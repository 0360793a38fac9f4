-- The language of a person's mails and pages. Null: none was chosen yet. The service knows which
-- ones there are.
alter table users add language text check (language ~ '^[a-z]{2}$');
