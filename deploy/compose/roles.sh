#!/bin/sh
# Run once by the image of PostgreSQL, when it makes the database: the two logins of docs/CLUSTER.md.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv owner BANK_OWNER_PASSWORD
\getenv service BANK_SERVICE_PASSWORD
create role strongroom_service nologin;
create role bank_owner login createrole password :'owner';
grant strongroom_service to bank_owner with admin option;
create role bank_service login password :'service' in role strongroom_service;
create database bank owner bank_owner template template0 locale 'C.UTF-8';
SQL
