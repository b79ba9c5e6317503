#!/bin/sh
# In the place of mongod: FerretDB, where mongod listens and writes. Of mongod's options it takes none but those that say so.
set -e
listen=127.0.0.1:27017
for option; do
  case "$option" in
    --bind_ip_all) listen=0.0.0.0:27017 ;;
    --version)
      ferretdb -version
      exit
      ;;
  esac
done
exec ferretdb -listen "$listen" -data /data/db
