-- piece by piece
-- Staff find what a number stands for, whoever gave it.
create index concurrently if not exists external_ids_of_all on external_ids (external_id);
