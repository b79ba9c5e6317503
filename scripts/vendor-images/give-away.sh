#!/bin/sh
# As the images of Redis and Valkey begin: options alone are the server's (SERVER); root gives the folder to the user AS and
# becomes it; whoever else began it stays who they are.
set -e
case "$1" in -* | *.conf) set -- "$SERVER" "$@" ;; esac
if [ "$1" = "$SERVER" ] && [ "$(id -u)" = 0 ]; then
  find . ! -user "$AS" -exec chown "$AS" {} +
  exec setpriv --reuid "$AS" --regid "$AS" --clear-groups "$0" "$@"
fi
if [ "$(umask)" = 0022 ]; then umask 0077; fi
exec "$@"
