#!/usr/bin/env bash
# As the image of MongoDB begins: options alone are mongod's; root gives both folders away and becomes mongodb.
set -euo pipefail
if [[ "${1:0:1}" == - ]]; then set -- mongod "$@"; fi
if [[ "$1" == mongo* && "$(id -u)" == 0 ]]; then
  find /data/configdb /data/db ! -user mongodb -exec chown mongodb {} +
  exec setpriv --reuid mongodb --regid mongodb --clear-groups "$0" "$@"
fi
exec "$@"
