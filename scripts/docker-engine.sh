#!/usr/bin/env bash
# A Docker engine for tests, on Debian, beside whatever the machine has: its own socket and its own images.
#
#   scripts/docker-engine.sh compose   Compose from a later Debian release into the cache; nothing is installed
#   scripts/docker-engine.sh start     installs docker.io where dockerd is missing, starts it, prints what to export:
#                                      DOCKER_HOST=…, and, for docker-compose.yml by hand, DOCKER_SOCKET=… and DOCKER_DATA=…
#   scripts/docker-engine.sh running   whether it answers already
#   scripts/docker-engine.sh stop      stops what start started
#
# With `containerd` as a second word the same of another engine, with a socket, images and a folder of its own: a later
# Debian's, unpacked into the cache, which keeps its images with containerd, as Docker does since 29. start prints its
# CONTAINERD_SOCKET=…, too.
#
# REGISTRY_MIRROR=http://… is asked for Docker Hub's images first. start needs root. Images stay in the cache
# (~/.cache/ladderbench/docker), so that the next start has them.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly root
readonly kind="${2:-}"
readonly data="${LADDERBENCH_CACHE:-${XDG_CACHE_HOME:-${HOME}/.cache}/ladderbench}/docker${kind:+-${kind}}"
# Paths of sockets may not be long, so they are not in the cache.
readonly place="/run/ladderbench-docker${kind:+-${kind}}"
readonly socket="${place}/docker.sock"
readonly host="unix://${socket}"

die() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

answers() {
  DOCKER_HOST="${host}" timeout 5 docker version --format '{{.Server.Version}}' >/dev/null 2>&1
}

install_compose() {
  [[ -f "${root}/node_modules/.package-lock.json" ]] || npm ci --prefix "${root}" --no-audit --no-fund --loglevel=error >&2
  node "${root}/scripts/debian-packages.js"
}

install_engine() {
  command -v dockerd >/dev/null && return
  command -v apt-get >/dev/null || die "dockerd is not on PATH, and there is no apt-get to get it with"
  echo "docker.io: installing Debian's package, without starting its service" >&2
  # Debian asks this script before it starts a service that it has just installed.
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  {
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends docker.io iptables
  } >&2
}

start() {
  local options=()
  local words=("DOCKER_HOST=${host}" "DOCKER_SOCKET=${socket}")
  [[ "$(id -u)" == 0 ]] || die "starting an engine needs root"
  install_engine
  install_compose
  if [[ "${kind}" == containerd ]]; then
    local roots
    mapfile -t roots < <(node "${root}/scripts/debian-packages.js" docker.io containerd)
    [[ -n "${roots[1]:-}" ]] || die "Debian's later engine cannot be had"
    PATH="${roots[0]}/usr/sbin:${roots[1]}/usr/bin:${PATH}"
    mkdir -p "${place}"
    echo '{"features":{"containerd-snapshotter":true}}' >"${place}/daemon.json"
    options+=(--config-file "${place}/daemon.json")
    words+=("CONTAINERD_SOCKET=${place}/exec/containerd/containerd.sock")
  fi
  [[ -z "${REGISTRY_MIRROR:-}" ]] || options+=(--registry-mirror "${REGISTRY_MIRROR}")
  if ! answers; then
    mkdir -p "${place}" "${data}"
    note_network
    setsid dockerd "${options[@]}" --host "${host}" --data-root "${data}" --exec-root "${place}/exec" \
      --pidfile "${place}/dockerd.pid" >"${place}/dockerd.log" 2>&1 </dev/null &
    local _
    for _ in {1..60}; do
      answers && break
      sleep 0.5
    done
    answers || die "dockerd does not answer: $(tail -n 1 "${place}/dockerd.log")"
  fi
  printf '%s\n' "${words[@]}" "DOCKER_DATA=${data}"
}

# What stop puts back, where no engine has set up its network before: what packets to be forwarded meet without a rule.
note_network() {
  if [[ -e /sys/class/net/docker0 ]]; then return; fi
  { iptables -S FORWARD 2>/dev/null || true; } | sed -n 's/^-P FORWARD //p' >"${place}/forward-policy"
}

# dockerd leaves its packet rules when it ends. With them the kernel tracks each packet of the machine, those over
# loopback too, which takes a tenth of what a small exchange costs: later measurements would pay for it.
drop_rules() {
  local policy command table rule chain
  policy="$(cat "${place}/forward-policy" 2>/dev/null)" || return 0 # rules of the same names were there before
  if pgrep -x dockerd >/dev/null; then return; fi                   # another engine, which has them now
  for command in iptables ip6tables; do
    command -v "${command}" >/dev/null || continue
    for table in nat filter; do
      while read -r rule; do
        # shellcheck disable=SC2086 # its words are arguments
        "${command}" -t "${table}" -D ${rule#-A } || true
      done < <("${command}" -t "${table}" -S 2>/dev/null | grep -E '^-A .*(DOCKER|docker0|br-[0-9a-f]{12})' || true)
      while read -r _ chain; do
        "${command}" -t "${table}" -X "${chain}" || true
      done < <("${command}" -t "${table}" -S 2>/dev/null | grep -E '^-N DOCKER' || true)
    done
  done
  if [[ -n "${policy}" ]]; then iptables -P FORWARD "${policy}" || true; fi
  local bridge
  for bridge in docker0 /sys/class/net/br-????????????; do
    bridge="${bridge##*/}"
    if [[ -e "/sys/class/net/${bridge}" ]]; then ip link delete "${bridge}" || true; fi
  done
}

stop() {
  local pid
  pid="$(cat "${place}/dockerd.pid" 2>/dev/null)" || return 0
  kill "${pid}" 2>/dev/null || true
  local _
  for _ in {1..60}; do
    kill -0 "${pid}" 2>/dev/null || break
    sleep 0.5
  done
  drop_rules
  # What dockerd may leave mounted below its folder (network name spaces) would keep the folder.
  local mount
  while read -r _ mount _; do
    if [[ "${mount}" == "${place}/"* ]]; then umount --lazy "${mount}"; fi
  done </proc/mounts
  rm -rf "${place}" || echo "left behind: ${place}" >&2
}

case "${1:-} ${kind}" in
  'compose ') install_compose ;;
  'start ' | 'start containerd') start ;;
  'running ' | 'running containerd') answers ;;
  'stop ' | 'stop containerd') stop ;;
  *) die "usage: scripts/docker-engine.sh compose | start | running | stop [containerd]" ;;
esac
