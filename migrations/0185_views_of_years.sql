-- What the bank has made for its own reads of the transfers and of the trail went with these tables
-- when each became the first of its parts, and would miss what comes later: see
-- 0172_transfers_of_years.sql. Its views read all parts again, and so do its roles that read some
-- columns alone.
do $$
declare
  found record;
begin
  for found in
    select t.whole, a.attname, g.grantee, g.is_grantable
    from (values ('transfers'), ('audit_events')) as t (whole)
    join pg_attribute a on a.attrelid = to_regclass(t.whole || '_first') and not a.attisdropped
    cross join lateral aclexplode(a.attacl) g
    where g.privilege_type = 'SELECT' and g.grantee <> 'strongroom_service'::regrole
  loop
    execute format('grant select (%I) on %I to %s%s', found.attname, found.whole,
      case found.grantee when 0 then 'public' else found.grantee::regrole::text end,
      case when found.is_grantable then ' with grant option' else '' end);
  end loop;

  for found in
    select distinct v.oid::regclass as name, v.reloptions, pg_get_viewdef(v.oid) as body
    from pg_depend d
    join pg_rewrite r on r.oid = d.objid
    join pg_class v on v.oid = r.ev_class and v.relkind in ('v', 'm')
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid in (to_regclass('transfers_first'), to_regclass('audit_events_first'))
  loop
    begin
      if found.body ~ '''(transfers|audit_events)_first\M' then
        raise exception 'it has the name in a text';
      end if;
      execute format('create or replace view %s %s as %s', found.name,
        'with (' || array_to_string(found.reloptions, ', ') || ')',
        regexp_replace(found.body, '\m(transfers|audit_events)_first\M', '\1', 'g'));
    exception
      when lock_not_available or deadlock_detected then
        raise;
      when others then
        raise warning '% reads the first part of a table of years alone: make it anew (%)',
          found.name, sqlerrm;
    end;
  end loop;

  for found in
    select distinct p.oid::regprocedure as name from pg_depend d
    join pg_proc p on p.oid = d.objid
    where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid in (to_regclass('transfers_first'), to_regclass('audit_events_first'))
  loop
    raise warning '% reads the first part of a table of years alone: make it anew', found.name;
  end loop;
end $$;
