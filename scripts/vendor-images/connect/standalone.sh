#!/usr/bin/env bash
# As Kafka's own script of this name. What it logs goes to standard error; the configuration of that must be there all the same.
set -euo pipefail
log="${KAFKA_LOG4J_OPTS:-}"
[[ -z "${log}" || -r "${log#*=}" ]] || {
  echo "there is no ${log#*=}" >&2
  exit 1
}
# shellcheck disable=SC2086 # its words are arguments
exec java ${KAFKA_HEAP_OPTS:--Xmx256M} -cp '/kafka/libs/*' org.apache.kafka.connect.cli.ConnectStandalone "$@"
