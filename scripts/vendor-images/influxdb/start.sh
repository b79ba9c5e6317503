#!/usr/bin/env bash
# As the image of InfluxDB begins: with an empty folder a first server, inside alone and without passwords, is given the
# database, the administrator and the files of /docker-entrypoint-initdb.d; then the real one starts.
set -euo pipefail
export INFLUXDB_META_DIR=/var/lib/influxdb/meta INFLUXDB_DATA_DIR=/var/lib/influxdb/data INFLUXDB_DATA_WAL_DIR=/var/lib/influxdb/wal
if [[ "$1" == -* ]]; then set -- influxd "$@"; fi
if [[ "$1" == influxd && ! -d /var/lib/influxdb/meta ]]; then
  INFLUXDB_HTTP_BIND_ADDRESS=127.0.0.1:8086 INFLUXDB_HTTP_AUTH_ENABLED=false influxd run &
  pid=$!
  for _ in {1..60}; do
    influx -execute 'SHOW DATABASES' >/dev/null 2>&1 && break
    sleep 0.5
  done
  [[ -z "${INFLUXDB_DB:-}" ]] || influx -execute "CREATE DATABASE ${INFLUXDB_DB}"
  [[ -z "${INFLUXDB_ADMIN_USER:-}" ]] ||
    influx -execute "CREATE USER \"${INFLUXDB_ADMIN_USER}\" WITH PASSWORD '${INFLUXDB_ADMIN_PASSWORD}' WITH ALL PRIVILEGES"
  for file in /docker-entrypoint-initdb.d/*.iql; do
    if [[ -e "${file}" ]]; then influx -execute "$(cat "${file}")"; fi
  done
  kill "${pid}"
  wait "${pid}" || true
fi
exec "$@"
