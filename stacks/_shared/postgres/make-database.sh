#!/usr/bin/env bash
# Makes the database cluster `db` in the current folder, which becomes the database's own.
# environment: PGPASSWORD of its superuser `postgres`, without which nobody is let in, on loopback either.
# fails as initdb does.
set -euo pipefail
umask 077
chmod 700 .
printf '%s\n' "$PGPASSWORD" >password
if [[ "$(id -u)" == 0 ]]; then chown nobody . password; fi
# The processes of nobody are not to find it in their environment.
unset PGPASSWORD
"${BASH_SOURCE%/*}/unprivileged.sh" initdb --pgdata=db --username=postgres --auth=scram-sha-256 --pwfile=password \
  --encoding=UTF8 --no-locale --no-sync --no-instructions
rm password
