#!/usr/bin/env bash
# Images as vendors ship them, for tests where no registry answers: the same tags, users, volumes, folders and first steps, from
# Debian's packages and in our own words. A registry on loopback stands in for Docker Hub, as the engine's mirror.
#
#   scripts/vendor-images.sh registry   starts the registry from Debian's package, unpacked into the cache; prints REGISTRY_MIRROR=…
#   scripts/vendor-images.sh push       builds each image on the base of offline-images.sh, pushes it, forgets it; prints VARIABLE=image for each
#   scripts/vendor-images.sh stop       ends the registry
#
# Between the first two: REGISTRY_MIRROR=… scripts/docker-engine.sh start, and scripts/offline-images.sh for base and cAdvisor.
# Redis, Valkey, PostgreSQL and InfluxDB are real servers, in Debian's versions; Kafka and Debezium those of the pins, from Maven. In
# the place of Kvrocks is Redis, in that of MongoDB FerretDB, under a name that says so; Grafana, SpacetimeDB and Convex answer their
# health checks alone. Without digests: an image that
# is built here cannot have its vendor's. They carry the label ladderbench.shaped, and reports say so.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly root
readonly folder="${root}/scripts/vendor-images"
readonly cache="${LADDERBENCH_CACHE:-${XDG_CACHE_HOME:-${HOME}/.cache}/ladderbench}/registry"
readonly address="127.0.0.1:${VENDOR_REGISTRY_PORT:-5055}"

die() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

answers() {
  curl --silent --fail --max-time 5 "http://${address}/v2/" >/dev/null
}

registry() {
  local package _
  [[ -f "${root}/node_modules/.package-lock.json" ]] || npm ci --prefix "${root}" --no-audit --no-fund --loglevel=error >&2
  package="$(node "${root}/scripts/debian-packages.js" --here docker-registry)"
  mkdir -p "${cache}"
  printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: "%s/images"}}\nhttp: {addr: "%s"}\n' "${cache}" "${address}" \
    >"${cache}/config.yml"
  if ! answers; then
    setsid "${package}/usr/bin/docker-registry" serve "${cache}/config.yml" >"${cache}/log" 2>&1 </dev/null &
    echo "$!" >"${cache}/pid"
    for _ in {1..40}; do
      answers && break
      sleep 0.25
    done
    answers || die "the registry does not answer: $(tail -n 1 "${cache}/log")"
  fi
  echo "REGISTRY_MIRROR=http://${address}"
}

# What a tool says only where it fails.
quietly() {
  local said
  said="$("$@" 2>&1)" || die "$1 $2: $(tail -n 5 <<<"${said}")"
}

# What no package of Debian has, for Dockerfiles to copy: built where Go, or Maven and Java, are on PATH.
build_parts() {
  local part name
  while read -r part; do
    name="${part%%=*}"
    quietly docker build --tag "ladderbench/vendor-parts:${name}" --file - "${part#*=}" <<<$'FROM scratch\nCOPY . /'
  done < <(node "${root}/scripts/vendor-parts.js" ferretdb pipeline)
}

push() {
  local file variable image name part place pushed
  # Debian's lists of packages are fetched once for all of them.
  # shellcheck source=/dev/null
  printf 'FROM %s\nRUN apt-get update\n' "ladderbench/base:$(. /etc/os-release && echo "${VERSION_CODENAME}")" >"${cache}/Dockerfile"
  quietly docker build --tag ladderbench/vendor-base:here - <"${cache}/Dockerfile"
  build_parts
  for file in "${folder}"/*/Dockerfile; do
    part="$(sed -n 's/^FROM \(ladderbench\/vendor-parts:[^ ]*\).*/\1/p' "${file}")"
    if [[ "${part}" ]] && ! docker image inspect "${part}" >/dev/null 2>&1; then
      echo "not built: ${file#"${root}"/} (${part#*:} is missing)" >&2
      continue
    fi
    place="$(sed -n 's/^LABEL ladderbench.place=//p' "${file}")"
    # shellcheck disable=SC2013 # words of one line
    for variable in $(sed -n '1s/^# //p' "${file}"); do
      image="$(grep -rhoE "\\$\\{${variable}:-[^}]+" "${root}/docker-compose.yml" "${root}"/stacks/*/compose.yml | head -n 1)"
      image="${image#*:-}"
      image="${image%@*}"
      name="${image}"
      # Only Docker Hub has mirrors.
      [[ "${image}" == */* ]] || name="library/${image}"
      [[ "${image}" != *.*/* ]] || name="${image#*/}"
      # What has another server than its vendor's is named after that.
      pushed="${address}/${place}${name}"
      quietly docker build --force-rm --label ladderbench.shaped=1 --build-arg BASE_IMAGE=ladderbench/vendor-base:here --file "${file}" --tag "${pushed}" "${folder}"
      quietly docker push "${pushed}"
      # Its layers stay for the next time, and the run has something to pull.
      quietly docker tag "${pushed}" "ladderbench/vendor-layers:${variable,,}"
      quietly docker rmi "${pushed}"
      if [[ "${place}" || "${image}" == *.*/* ]]; then image="${pushed}"; fi
      echo "${variable}=${image}"
    done
  done
}

stop() {
  [[ -f "${cache}/pid" ]] || return 0
  kill "$(cat "${cache}/pid")" 2>/dev/null || true
  rm -rf "${cache}"
}

case "${1:-}" in
  registry) registry ;;
  push) push ;;
  stop) stop ;;
  *) die "usage: scripts/vendor-images.sh registry | push | stop" ;;
esac
