#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Includes point down the list of layers only. A public header counts as part of the layer that
# implements it, named here beside it.
set -euo pipefail
cd "${MHE_SOURCE_DIR:-$(dirname "$0")/..}"

layers=(base kernels matrix input labels data text encoders heads metrics model predict train tasks lab)
declare -A rank=() public_layer=(
  [error]=base [ids]=base [input]=base [context]=base
  [label_space]=labels [plan]=labels
  [dataset]=data [text]=text [metrics]=metrics
  [model]=model [predict]=predict
  [train]=train
)
for i in "${!layers[@]}"; do rank[${layers[i]}]=$i; done

bad=0
complain() { echo "$*" >&2; bad=1; }

for folder in src/*/; do
  name=$(basename "$folder")
  [[ -n ${rank[$name]-} ]] || complain "src/$name is no layer; the layers are: ${layers[*]}"
done
for header in include/mhe/*.h; do
  name=$(basename "$header" .h)
  [[ -n ${public_layer[$name]-} ]] || complain "$header: tests/layers.sh does not say which layer implements it"
  grep -nE '^#include +(<[^>]*[./][^>]*>|")' "$header" | grep -v '<mhe/' >&2 &&
    complain "$header: public headers include only the standard library and other public headers"
done
while IFS=: read -r file line text; do
  own=$(cut -d/ -f2 <<<"$file")
  target=$(sed -E 's/^#include +["<]([^">]*)[">].*/\1/' <<<"$text")
  case $target in
    mhe/*) other=${public_layer[$(basename "$target" .h)]-} ;;
    *) other=${target%%/*} ;;
  esac
  [[ -n ${rank[$other]-} && -n ${rank[$own]-} ]] || continue
  (( rank[$other] <= rank[$own] )) ||
    complain "$file:$line: layer $own includes $target of the layer $other above it"
done < <(grep -rnE '^#include +("[a-z_]+/|<mhe/)' src)
# The program uses what every caller of the library can use, which proves that nothing is missing
# there. bench measures what is inside, tasks are the program's own, and these are still to change:
own='charts|flags|lab|output|tasks|verbs'
mapfile -t found < <(grep -rE '^#include "[a-z_]+/' apps/mhe | grep -v '^apps/mhe/bench/' |
  grep -vE "\"($own)/" | cut -d: -f1 | sort -u | sed 's|^apps/mhe/||')
for file in "${found[@]}"; do
  complain "apps/mhe/$file: the program includes <mhe/...> only, tasks/ and lab/"
done
# Prediction must stay usable without anything that trains.
grep -rn '#include "train/' src/predict 2>/dev/null && complain "src/predict must not include train"
# Tasks are made from files on disk; what trains and predicts knows nothing of them, and they nothing
# of it.
grep -rnE '#include "(kernels|encoders|heads|metrics|model|predict|train)/' src/tasks && complain "src/tasks includes base, matrix, labels, data and text only"
exit $bad
