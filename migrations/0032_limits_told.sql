-- What a refusal told about the limit that it was for, so that a repetition tells the same.
alter table claims add column limit_told text;
