#!/usr/bin/env bash
# As the image of Kafka begins: KAFKA_SOME_NAME is some.name of the broker's configuration, which is written beside the program;
# then the storage is formatted, once, and the broker starts.
set -euo pipefail
config=/opt/kafka/config/server.properties
for name in $(compgen -e KAFKA_); do
  case "${name}" in
    KAFKA_HEAP_OPTS | KAFKA_OPTS | KAFKA_LOG4J_* | KAFKA_JVM_* | KAFKA_GC_* | KAFKA_JMX_*) continue ;;
  esac
  key="${name#KAFKA_}"
  key="${key//___/-}"
  key="${key//__/%}"
  key="${key//_/.}"
  key="${key//%/_}"
  printf '%s=%s\n' "${key,,}" "${!name}"
done >"${config}"
java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format --ignore-formatted \
  --cluster-id "${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" --config "${config}"
# shellcheck disable=SC2086 # its words are arguments
exec java ${KAFKA_HEAP_OPTS:--Xmx1G} -cp '/opt/kafka/libs/*' kafka.Kafka "${config}"
