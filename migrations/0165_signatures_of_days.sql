-- piece by piece
-- What a member has signed on a day counts to its limit of that day. The wider index serves what the
-- narrow one did.
create index concurrently if not exists draft_signatures_of_person_by_time
  on draft_signatures (person_id, signed_at);
drop index concurrently if exists draft_signatures_of_person;
