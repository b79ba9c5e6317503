#!/usr/bin/env bash
# fetch.sh <folder>: the jars of pom.xml and of what it needs, as <folder>/lib; each must be the one in SHA256SUMS.
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
trap 'rm -rf "$work"' EXIT
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
