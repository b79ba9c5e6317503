#!/usr/bin/env bash
# Measures each backend with the same k6 workload and writes a report: the entry to everything.
#
#   ./run-all.sh <profile> | systems | check | report <run> | compare <run> <run> | clean | --help
#
# Finds Node.js, and hands over.
# LADDERBENCH_RELEASES: folder or URL from which built programs are taken (default: this repository's own releases).
# LADDERBENCH_IMAGES: registry from which the images of a release are taken (default: this repository's own).
# LADDERBENCH_CACHE: where builds and unpacked servers are kept (default: ~/.cache/ladderbench).
set -euo pipefail

# Node.js opens some hundred modules at once; it raises its own limit as far as it may.
readonly MIN_FILES=512
# Node.js reserves addresses, not memory, for the WebAssembly that reads HTTP.
readonly MIN_ADDRESSES_GIB=16

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

check_files() {
  local most
  most="$(ulimit -Hn)"
  [[ "${most}" == unlimited ]] || ((most >= MIN_FILES)) ||
    die "too few file descriptors: ladderbench needs ${MIN_FILES} open files (more with more users), and the limit is ${most}" "type: ulimit -n 16384"
}

check_addresses() {
  local most_kib
  most_kib="$(ulimit -v)"
  [[ "${most_kib}" == unlimited ]] || ((most_kib >= MIN_ADDRESSES_GIB << 20)) ||
    die "a process may have $((most_kib >> 10)) MiB of addresses here, and Node.js reserves up to ${MIN_ADDRESSES_GIB} GiB" "type: ulimit -v unlimited"
}

main() {
  local root
  command -v node >/dev/null || die "Node.js is not on PATH" "install Node.js 20 or later: https://nodejs.org"
  root="$(root)"
  check_files
  check_addresses
  exec node "${root}/lib/start.cjs" "$@"
}

main "$@"
