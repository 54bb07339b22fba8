#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Accuracy of every head on the same encoder: glyph_heads.sh DIR [SEED...]. DIR is a task of pictures
# as `mhe data cjk-glyphs --every 6 --out DIR` makes it. Prints a Markdown table: a line a head, with
# accuracy on the dev font in per cent, one figure a seed (1), and CPU seconds of training with the
# first. MHE names the program if it is not on the PATH. docs/decisions/0010 has what it gave.
set -euo pipefail
if (( $# < 1 )); then
  echo "usage: $0 DIR [SEED...]" >&2
  exit 2
fi
dir=$1
seeds=("${@:2}")
(( ${#seeds[@]} )) || seeds=(1)
model=$(mktemp)
trap 'rm -f "$model"' EXIT
# All see ten epochs; of 64 redundant heads three are the code epochs.
heads=(
  "--head onehot --epochs 10"
  "--head sampling --epochs 10"
  "--head sampling --groups-per-example 1 --epochs 10"
  "--head sampling --groups-per-example 2 --epochs 10"
  "--head sampling --groups-per-example 2 --no-weigh-groups --epochs 10"
  "--head sampling --groups-per-example 32 --epochs 10"
  "--head cascade --epochs 10"
  "--head product --redundant-heads 64 --code-epochs 3 --epochs 7"
  "--head product --redundant-heads 12 --code-epochs 3 --epochs 7"
  "--head product --order product --code-epochs 3 --epochs 7"
  "--head product --heads 2 --epochs 10"
)
number() { grep -m1 -oE "\"$1\": ?[0-9.]+" | grep -oE '[0-9.]+$'; }
echo "| flags of mhe train | accuracy, seeds ${seeds[*]} | CPU s |"
echo "|---|---|---|"
for head in "${heads[@]}"; do
  accuracies=() cpu=
  for seed in "${seeds[@]}"; do
    # shellcheck disable=SC2086  # a head is several words
    trained=$("${MHE:-mhe}" train "$dir/train.npy" --label-file "$dir/train.labels.txt" --dim 256 $head \
      --seed "$seed" --json --out "$model" 2>/dev/null)
    cpu=${cpu:-$(number cpu_s <<<"$trained")}
    accuracies+=("$("${MHE:-mhe}" eval "$model" "$dir/dev.npy" --label-file "$dir/dev.labels.txt" -k 1 --json 2>/dev/null |
      number accuracy)")
  done
  LC_ALL=C printf '| `%s` | %s | %.0f |\n' "$head" "$(LC_ALL=C printf '%.1f ' "${accuracies[@]}" | sed 's/ $//')" "$cpu"
done
