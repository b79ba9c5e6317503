#!/usr/bin/env bash
# unprivileged.sh <command…>: runs it as it is, or, where that is root, under another id in a namespace of its own:
# PostgreSQL refuses to run as root. The files stay those of root outside, so nothing needs another owner.
set -euo pipefail
if [[ "$(id -u)" != 0 ]]; then exec "$@"; fi
nobody="$(id -u nobody)"
if ! unshare --user --map-user="$nobody" --map-group="$nobody" true 2>/dev/null; then
  echo 'PostgreSQL refuses to run as root, and this machine allows no user namespaces: run as another user' >&2
  exit 1
fi
exec unshare --user --map-user="$nobody" --map-group="$nobody" -- "$@"
