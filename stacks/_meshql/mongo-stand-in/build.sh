#!/usr/bin/env bash
# build.sh FOLDER: the jars of pom.xml, held to SHA256SUMS, and StandIn.java compiled against them.
# stdout: nothing. The last line of stderr says what failed.
set -euo pipefail
source=$PWD
out=$1
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.8.1

mvn -q -B -f "$source/pom.xml" "$plugin:copy-dependencies" "-DoutputDirectory=$out/jars" >&2
cd "$out/jars"
if command -v sha256sum >/dev/null; then check=(sha256sum); else check=(shasum -a 256); fi
"${check[@]}" -c "$source/SHA256SUMS" >&2
if [[ $(find . -name '*.jar' | wc -l) -ne $(wc -l <"$source/SHA256SUMS") ]]; then
  echo 'jars that SHA256SUMS does not have' >&2
  exit 1
fi
javac -cp "$out/jars/*" -d "$out/classes" "$source/StandIn.java" >&2
