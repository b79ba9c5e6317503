#!/usr/bin/env bash
# Starts influxd with its data on the volume, and creates the databases once it answers.
set -euo pipefail

create_databases() {
  local _
  for _ in {1..100}; do
    influx -execute 'SHOW DATABASES' >/dev/null 2>&1 && break
    sleep 0.1
  done
  influx -execute "$(cat /docker-entrypoint-initdb.d/*.iql)"
}

export INFLUXDB_META_DIR=/var/lib/influxdb/meta
export INFLUXDB_DATA_DIR=/var/lib/influxdb/data
export INFLUXDB_DATA_WAL_DIR=/var/lib/influxdb/wal
create_databases &
exec influxd run
