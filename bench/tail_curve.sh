#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# What --tail trades: tail_curve.sh MODEL DATA [FLAGS OF mhe eval]. Prints a row of metrics, in per
# cent, for every tail from 0 to 1 as a Markdown table. MHE names the program if it is not on the
# PATH.
set -euo pipefail
if (( $# < 2 )); then
  echo "usage: $0 MODEL DATA [FLAGS OF mhe eval]" >&2
  exit 2
fi
metrics=(P@1 P@3 P@5 PSP@1 PSP@3 PSP@5 macro-F1@5)
printf '| tail |'; printf ' %s |' "${metrics[@]}"; echo
printf '|---|'; printf -- '---|%.0s' "${metrics[@]}"; echo
for tail in 0 0.25 0.5 0.75 1; do
  json=$("${MHE:-mhe}" eval "$@" -k 1,3,5 --tail "$tail" --json 2>/dev/null)
  printf '| %s |' "$tail"
  for metric in "${metrics[@]}"; do
    # The object is printed a key a line; the first of a name is that of all labels.
    value=$(grep -m1 -oE "\"$metric\": [0-9.]+" <<<"$json" | cut -d' ' -f2)
    LC_ALL=C printf ' %.2f |' "$value"
  done
  echo
done
