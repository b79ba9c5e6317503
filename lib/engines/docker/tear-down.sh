#!/usr/bin/env bash
# Removes the containers, networks and volumes of Compose projects, and of the projects of their sides (PROJECT-side-…).
# What is gone already is no error.
#
#   tear-down.sh PROJECT…            at once
#   tear-down.sh --when-told PROJECT  when standard input ends: the one who started us said so, or is dead
set -uo pipefail

# of PROJECT KIND: ids of everything of one kind that carries the project's label.
of() {
  local filter="label=com.docker.compose.project=$1"
  case "$2" in
    containers) docker ps --all --quiet --filter "${filter}" ;;
    networks) docker network ls --quiet --filter "${filter}" ;;
    volumes) docker volume ls --quiet --filter "${filter}" ;;
  esac
}

# sides_of PROJECT: the projects of systems that it had up at once.
sides_of() {
  local format='{{.Label "com.docker.compose.project"}}'
  {
    docker ps --all --format "${format}"
    docker network ls --format "${format}"
    docker volume ls --format "${format}"
  } | grep --extended-regexp --line-regexp "${1//./\\.}-side-s[0-9]+" | sort --unique
}

tear_down() {
  local project="$1" network guest
  local -a ids
  mapfile -t ids < <(of "${project}" containers)
  ((${#ids[@]} == 0)) || docker rm --force --volumes "${ids[@]}" >/dev/null
  for network in $(of "${project}" networks); do
    # Services of a live view that stays up are guests in the run's network.
    for guest in $(docker network inspect --format '{{range $id, $_ := .Containers}}{{$id}} {{end}}' "${network}"); do
      docker network disconnect --force "${network}" "${guest}" >/dev/null
    done
    docker network rm "${network}" >/dev/null
  done
  mapfile -t ids < <(of "${project}" volumes)
  ((${#ids[@]} == 0)) || docker volume rm --force "${ids[@]}" >/dev/null
}

if [[ "${1:-}" == --when-told ]]; then
  shift
  cat >/dev/null
fi
for project in "$@"; do
  for side in $(sides_of "${project}" 2>/dev/null); do
    tear_down "${side}" 2>/dev/null
  done
  tear_down "${project}" 2>/dev/null
done
exit 0
