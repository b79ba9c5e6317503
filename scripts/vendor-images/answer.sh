#!/bin/sh
# In the place of a server that no package has: it answers what its health check asks for (ANSWERS, at PORT), and nothing else.
# It writes where that server writes.
set -e
touch "${DATA_HERE}/here"
mkdir -p "/tmp/www/$(dirname "${ANSWERS}")"
echo ok >"/tmp/www/${ANSWERS}"
exec busybox httpd -f -p "${PORT}" -h /tmp/www
