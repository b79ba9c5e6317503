#!/usr/bin/env bash
# Starts influxd with its data on the volume, and creates the user who writes, the databases and whoever else is in *.iql
# once it answers. Done twice it changes nothing.
set -euo pipefail

initialize() {
  local _ first='SHOW DATABASES'
  # Before there is such a user, this is all that is let in.
  [[ -z "${INFLUXDB_ADMIN_USER:-}" ]] ||
    first="CREATE USER \"${INFLUXDB_ADMIN_USER}\" WITH PASSWORD '${INFLUXDB_ADMIN_PASSWORD}' WITH ALL PRIVILEGES"
  for _ in {1..100}; do
    influx -execute "${first}" >/dev/null 2>&1 && break
    sleep 0.1
  done
  influx -execute "$(cat /docker-entrypoint-initdb.d/*.iql)"
}

export INFLUXDB_META_DIR=/var/lib/influxdb/meta
export INFLUXDB_DATA_DIR=/var/lib/influxdb/data
export INFLUXDB_DATA_WAL_DIR=/var/lib/influxdb/wal
initialize &
exec influxd run
