#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Trains a tiny model and asks the example program $1 for its labels.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do
  echo "__label__animal the cat and the dog number $i sleep"
  echo "__label__fruit an apple and a pear number $i ripen"
  echo "__label__tool a hammer and a saw number $i lie here"
done >"$scratch/train.txt"
"$MHE" train "$scratch/train.txt" --out "$scratch/m.mhe" 2>/dev/null
printf '%s\n' "a cat, a dog" "an apple, a pear" "hammer and saw" | "$1" "$scratch/m.mhe" >"$scratch/out.txt"
cat "$scratch/out.txt"
# The first label of each text.
grep -A1 -E '^[a-z]' "$scratch/out.txt" | awk '/^  /{print $2}' | sort | paste -sd' ' |
  grep -qx 'animal fruit tool'
if "$1" "$scratch/train.txt" 2>"$scratch/err.txt"; then exit 1; fi
grep -q 'train.txt' "$scratch/err.txt"
