#!/usr/bin/env bash
# Removes what a run has on a cluster, by its label, and returns when it is gone: pods and services of its loads with them.
#
#   tear-down.sh LABEL=VALUE KINDS [FLAG…]  when standard input ends: the one who started us said so, or is dead
#
# KINDS as kubectl takes them (pods,configmaps); FLAGs are kubectl's own (--context, --namespace).
set -uo pipefail

label="$1" kinds="$2"
shift 2
cat >/dev/null
# Another try, because what is on its way while the first one looks is seen by the second.
for _ in 1 2; do
  # The shell that k6 runs in hears no SIGTERM: it would go on to the end of its load.
  kubectl "$@" delete "${kinds}" --selector "${label}" --ignore-not-found --grace-period=1 --timeout=60s >/dev/null 2>&1
done
exit 0
