#!/usr/bin/env bash
# Measures each backend with the same k6 workload and writes a report: the entry to everything.
#
#   ./run-all.sh <profile> | systems | check | report <run> | compare <run> <run> | clean | --help
#
# Finds Node.js, gets the npm packages when they are missing or changed, and hands over.
# LADDERBENCH_CACHE: where builds and unpacked servers are kept (default: ~/.cache/ladderbench).
set -euo pipefail

readonly MIN_NODE=20
# Node.js opens some hundred modules at once; it raises its own limit as far as it may.
readonly MIN_FILES=512

# die MESSAGE HINT: one line each on stderr, exit 2 (usage or configuration).
die() {
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 2
}

# Prints the folder of this script, also when it is called through a link.
root() {
  local source="${BASH_SOURCE[0]}" target
  while [[ -L "${source}" ]]; do
    target="$(readlink "${source}")"
    # A relative link starts where the link lies.
    [[ "${target}" == /* ]] || target="$(dirname "${source}")/${target}"
    source="${target}"
  done
  cd "$(dirname "${source}")" && pwd
}

check_node() {
  command -v node >/dev/null || die "Node.js is not on PATH" "install Node.js ${MIN_NODE} or later: https://nodejs.org"
  local major
  major="$(node --version)"
  major="${major#v}"
  major="${major%%.*}"
  ((major >= MIN_NODE)) || die "Node.js ${major} is too old" "install Node.js ${MIN_NODE} or later: https://nodejs.org"
}

check_files() {
  local most
  most="$(ulimit -Hn)"
  [[ "${most}" == unlimited ]] || ((most >= MIN_FILES)) ||
    die "a process may open ${most} files here, and ladderbench needs ${MIN_FILES}, and more for more users" "type: ulimit -n 16384"
}

# is_current ROOT: npm leaves a copy of the lock file behind; when ours is newer, the packages are not those of this checkout.
# A package that it lists and that somebody removed is missing all the same.
is_current() {
  local stamp="$1/node_modules/.package-lock.json" package
  [[ -f "${stamp}" && ! "$1/package-lock.json" -nt "${stamp}" ]] || return 1
  while read -r package; do
    [[ -f "$1/${package}/package.json" ]] || return 1
  done < <(sed -n 's/^    "\(node_modules\/.*\)": {$/\1/p' "${stamp}")
}

# Of several first runs of one checkout one installs, and the others wait for it. Without flock each does it by itself.
ensure_packages() {
  local root="$1"
  is_current "${root}" && return
  command -v npm >/dev/null || die "npm is not on PATH" "install Node.js with npm"
  if command -v flock >/dev/null && [[ -w "${root}" ]]; then
    exec 9>"${root}/.npm-ci.lock"
    flock 9
    is_current "${root}" || install_packages "${root}"
    exec 9>&-
  else
    install_packages "${root}"
  fi
}

install_packages() {
  local log
  echo "npm packages: installing (once)" >&2
  if ! log="$(npm ci --prefix "$1" --no-audit --no-fund --loglevel=error 2>&1)"; then
    die "npm ci failed: $(grep -m 1 -E 'npm error [^c ]' <<<"${log}" || tail -n 1 <<<"${log}")" \
      "is a package registry reachable?"
  fi
  touch "$1/node_modules/.package-lock.json"
}

main() {
  local root
  root="$(root)"
  check_node
  check_files
  ensure_packages "${root}"
  exec node "${root}/lib/cli.js" "$@"
}

main "$@"
