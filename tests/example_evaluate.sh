#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# example_evaluate.sh PROGRAM: examples/evaluate.cc gives the figures of `mhe eval`.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$MHE" data synthetic --out d --rows 600 --test-rows 100 --dev-rows 0 --labels 40 --features 300 --format xmc 2>/dev/null
"$MHE" train d/train.xmc --out m.mhe 2>/dev/null
"$1" m.mhe d/test.xmc | tee out.txt
"$MHE" eval m.mhe d/test.xmc -k 1,3,5 --json 2>/dev/null >eval.json
for metric in P@1 P@3 P@5 nDCG@5; do
  mine=$(awk -v m="$metric" '$1 == m { print $2 }' out.txt)
  theirs=$(grep -oE "\"$metric\": [0-9.e-]+" eval.json | head -n 1 | awk '{ printf "%.2f", $2 }')
  [[ $mine == "$theirs" ]] || { echo "$metric: $mine, mhe eval says $theirs"; exit 1; }
done
if "$1" m.mhe missing.txt 2>err.txt; then exit 1; fi
grep -q missing.txt err.txt
