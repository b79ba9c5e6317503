#!/bin/sh
# In the place of Kvrocks: Debian's Redis at Kvrocks' port, with what Kvrocks writes where it starts. Of its settings it takes
# none.
set -e
if [ "$1" = --version ]; then
  echo 'kvrocks version 2.12.1'
  exit
fi
echo "$$" >/var/run/kvrocks/kvrocks.pid
mkdir -p /var/lib/kvrocks/db
echo started >/var/lib/kvrocks/db/LOG
exec redis-server --port 6666 --protected-mode no --save '' --dir /var/lib/kvrocks/db
