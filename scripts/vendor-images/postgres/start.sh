#!/usr/bin/env bash
# As the image of PostgreSQL begins: root gives the data away and becomes postgres; an empty folder is filled by initdb, with
# user, database and what /docker-entrypoint-initdb.d holds, by a server that listens on its socket alone.
set -euo pipefail
if [[ "$1" == -* ]]; then set -- postgres "$@"; fi
if [[ "$1" == postgres && "$(id -u)" == 0 ]]; then
  chown -R postgres "${PGDATA}" /var/run/postgresql
  exec setpriv --reuid postgres --regid postgres --clear-groups "$0" "$@"
fi
if [[ "$1" == postgres && ! -s "${PGDATA}/PG_VERSION" ]]; then
  user="${POSTGRES_USER:-postgres}"
  db="${POSTGRES_DB:-${user}}"
  method="${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}"
  [[ -n "${POSTGRES_PASSWORD:-}" || "${method}" == trust ]] || {
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    exit 1
  }
  initdb --username "${user}" --pwfile <(printf '%s\n' "${POSTGRES_PASSWORD:-x}") >/dev/null
  printf 'host all all all %s\n' "${method}" >>"${PGDATA}/pg_hba.conf"
  pg_ctl --pgdata "${PGDATA}" -o "-c listen_addresses=''" -w start >/dev/null
  run() { psql -v ON_ERROR_STOP=1 --no-password --quiet --username "${user}" "$@"; }
  [[ "${db}" == postgres ]] || run --dbname postgres -c "CREATE DATABASE \"${db}\""
  for file in /docker-entrypoint-initdb.d/*.sql; do
    if [[ -e "${file}" ]]; then run --dbname "${db}" -f "${file}"; fi
  done
  pg_ctl --pgdata "${PGDATA}" -m fast -w stop >/dev/null
fi
exec "$@"
