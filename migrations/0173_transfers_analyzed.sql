-- piece by piece
-- PostgreSQL analyzes each part by itself, and what all of them hold together never.
do $$
begin
  analyze transfers;
  commit;
end $$;
