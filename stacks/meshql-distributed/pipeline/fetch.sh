#!/usr/bin/env bash
# fetch.sh <folder>: the jars of pom.xml and of what it needs, as <folder>/lib; each must be the one in SHA256SUMS.
# Beside it <program>.jsa: the classes that the programs load, as Kafka's own image has them, too; a JVM starts by it in
# about half the time, and without it all the same.
# "fetch.sh <folder> --write" writes SHA256SUMS instead, after a change of pom.xml.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="$1"
for tool in mvn java; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is not on PATH; type: apt-get install --no-install-recommends maven openjdk-17-jre-headless, or: brew install maven" >&2
    exit 1
  fi
done
# A repository of its own: nothing is left in the user's.
work="$(mktemp -d)"
broker=
trap '[[ -z "$broker" ]] || kill "$broker" 2>/dev/null || true; rm -rf "$work"' EXIT
mvn --batch-mode --quiet --strict-checksums -Dmaven.repo.local="$work" -f "$here/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DincludeScope=runtime -DoutputDirectory="$target/lib" >&2
cd "$target/lib"
if [[ "${2:-}" == --write ]]; then
  sha256sum -- *.jar >"$here/SHA256SUMS"
fi
sha256sum --check --quiet --strict "$here/SHA256SUMS" >&2
if [[ "$(find . -name '*.jar' | wc -l)" != "$(wc -l <"$here/SHA256SUMS")" ]]; then
  echo "there are jars that SHA256SUMS does not name" >&2
  exit 1
fi

# The programs are started once each, as a run starts them, and keep what they have loaded when they end. The path of the
# jars is relative: an archive holds for the path by which it was made.
cd "$target"
free_ports="const {createServer} = require('net'); const all = [0, 0, 0, 0].map(() => createServer().listen(0, '127.0.0.1'));
  setTimeout(() => { console.log(all.map((s) => s.address().port).join(' ')); process.exit(); }, 100)"
read -r port controller connect nobody < <(node -e "$free_ports")
sed "s|{port.kafka}|$port|g; s|{port.controller}|$controller|g; s|{data}|$work|g" "$here/../config/server.properties" \
  >"$work/server.properties"
jvm=(-Xmx256m -XX:+UseSerialGC -cp 'lib/*')
{
  java -XX:ArchiveClassesAtExit=storage.jsa "${jvm[@]}" kafka.tools.StorageTool format \
    --cluster-id bGFkZGVyYmVuY2gucGlwZQ --config "$work/server.properties"
  timeout 60 java -XX:ArchiveClassesAtExit=kafka.jsa "${jvm[@]}" kafka.Kafka "$work/server.properties" &
  broker=$!
  # It ends by itself: no database answers there.
  KAFKA_BROKER="127.0.0.1:$port" CONNECT_LISTENER="http://127.0.0.1:$connect" CONNECT_OFFSETS="$work/offsets" \
    POSTGRES_HOST=127.0.0.1 POSTGRES_PORT="$nobody" POSTGRES_PASSWORD=none \
    timeout 60 java -XX:ArchiveClassesAtExit=connect.jsa "${jvm[@]}" org.apache.kafka.connect.cli.ConnectStandalone \
    "$here/../config/connect.properties" "$here/../config/connector.properties" || true
  kill "$broker"
  wait "$broker" || true
  broker=
} >"$work/log" 2>&1 || true
for program in storage kafka connect; do
  [[ -s "$program.jsa" ]] || echo "no archive of the classes of $program could be made: it starts without" >&2
done
