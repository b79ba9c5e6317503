#!/usr/bin/env bash
# unprivileged.sh <command…>: runs it as it is, or, where that is root, as the user nobody with no way back: whoever is
# let into the database may run programs by it. The current folder must be nobody's own by then.
# fails when there is no such user, or it cannot reach the program.
set -euo pipefail
if [[ "$(id -u)" != 0 ]]; then exec "$@"; fi

fail() {
  printf '%s\n' "PostgreSQL refuses to run as root, and $1: run as another user" >&2
  exit 1
}
user="$(id -u nobody 2>/dev/null)" || fail 'this machine has no user nobody'
group="$(id -g nobody)"
drop=(setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --pdeathsig keep --)
"${drop[@]}" true 2>/dev/null || fail 'may not become the user nobody here'

apart=0
if [[ "$1" == --apart ]]; then
  apart=1
  shift
fi
program="$(readlink -f "$(command -v "$1")")" || fail "$1 is not on PATH"
reachable() { "${drop[@]}" test -x "$program" && "${drop[@]}" test -x "$PWD"; }

# Makes a path reachable for nobody in this mount namespace alone: a folder on the way that is shut gives place to one
# that holds nothing but the next folder on the way.
open_the_way() {
  local way='' part next fd
  local -a parts
  IFS=/ read -ra parts <<<"${1#/}"
  for part in "${parts[@]}"; do
    next="$way/$part"
    if ! "${drop[@]}" test -x "${way:-/}"; then
      exec {fd}<"$way"
      shut["$way"]=$fd
      mount -t tmpfs -o mode=0755,size=64k tmpfs "$way"
    fi
    if [[ -n "${shut["${way:-/}"]:-}" && ! -e "$next" ]]; then
      if [[ -d "/proc/self/fd/${shut[$way]}/$part" ]]; then mkdir "$next"; else touch "$next"; fi
      # With what is mounted below it: the data may lie on a disk of its own.
      mount --no-canonicalize --rbind "/proc/self/fd/${shut[$way]}/$part" "$next"
    fi
    way="$next"
  done
}

if ! reachable; then
  if ((!apart)); then
    unshare --mount true 2>/dev/null ||
      fail "the user nobody cannot reach $program from $PWD (LADDERBENCH_CACHE and TMPDIR name folders that others may enter)"
    exec unshare --mount --propagation private -- "$0" --apart "$@"
  fi
  declare -A shut=()
  here="$PWD"
  open_the_way "$program"
  open_the_way "$here"
  cd "$here"
  reachable || fail "the user nobody cannot reach $program from $here"
fi
exec "${drop[@]}" "$@"
