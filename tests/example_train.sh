#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the example program $1, which trains from memory, without and with a file for the model.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
export TMPDIR=$scratch/tmp
"$1" | tee "$scratch/out.txt"
# The first label of each text; of the first, either of its two.
grep -A1 -E '^[as]' "$scratch/out.txt" | awk '/^  /{print $2}' | paste -sd' ' |
  grep -qxE '(animal|story) fruit tool'
[[ -z $(ls -A "$TMPDIR") ]]  # nothing stays
"$1" "$scratch/m.mhe" | cmp - "$scratch/out.txt"
echo "a dog" | "$MHE" predict "$scratch/m.mhe" -k 2 2>/dev/null | grep -q animal
[[ $(ls "$scratch") == $'m.mhe\nout.txt\ntmp' ]]
if "$1" "$scratch/missing/m.mhe" 2>"$scratch/err.txt"; then exit 1; fi
grep -q 'missing' "$scratch/err.txt"
