#!/usr/bin/env bash
# Builds, where no registry answers, the images that can be built from Debian's packages and from this checkout.
#
#   scripts/offline-images.sh        prints VARIABLE=image for each; what is up to date is not built again
#
# Needs a Docker engine and, for the first base image, root (debootstrap). Images are named ladderbench/…, never as an
# upstream's; runs use them where upstream's cannot be had, and the report says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -f node_modules/.package-lock.json ]] || npm ci --no-audit --no-fund --loglevel=error >&2
exec node scripts/offline-images.js "$@"
