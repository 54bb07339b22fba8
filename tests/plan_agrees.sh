#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# plan_agrees.sh: what `mhe plan DATA` says of RAM and model size and what `mhe train`
# then takes differ by at most 15 %, and a budget is kept or refused; the same for learned
# encoders with every head.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

number() { grep -oE "\"$1\":[0-9.]+" "$2" | head -n 1 | cut -d : -f 2; }
agree() {  # WHAT PLANNED MEASURED
  awk -v what="$1" -v planned="$2" -v measured="$3" 'BEGIN {
    ratio = planned / measured
    printf "%s: planned %.1f MB, measured %.1f MB, ratio %.3f\n", what, planned, measured, ratio
    exit !(ratio >= 0.85 && ratio <= 1.15)
  }'
}
compare() {  # DATA, then flags for both
  local data=$1
  shift
  "$MHE" plan "$data" --threads 2 --json "$@" >plan.json
  "$MHE" train "$data" --threads 2 --json --out m.mhe "$@" >train.json
  agree "$data $* model" "$(number model_bytes plan.json | awk '{print $1 / 1e6}')" "$(number model_mb train.json)"
  agree "$data $* RAM" "$(number train_bytes plan.json | awk '{print $1 / 1e6}')" "$(number peak_rss_mb train.json)"
}

compare_learned() {  # DATA, then flags
  compare "$1" --encoder "${encoder:-bag}" --dim "${dim:-256}" --epochs 1 "${@:2}"
}

# Like real texts: labels and words by Zipf's law, 75 and 30 of the words of a row from its labels.
make() {  # NAME, then flags
  "$MHE" data synthetic --out "$1" --dev-rows 0 --test-rows 0 --words-per-label 40 --noise 0.667 "${@:2}" >make.txt 2>&1 ||
    { cat make.txt; exit 1; }
  mv "$1/train.xmc" "$1.txt"
}
make wide --rows 12000 --features 30000 --labels 2000 --words-per-row 225
make narrow --rows 20000 --features 5000 --labels 300 --words-per-row 90
compare wide.txt
compare narrow.txt --prune 0.2 --lengths 20,15
# Rows so short that like ones are tried, which they need not survive.
make short --rows 20000 --features 20000 --labels 5000 --words-per-row 60
compare short.txt
compare short.txt --neighbours 0.2

# Rows of labels, and scores of a batch, weigh more than the data.
make many --rows 1500 --features 2000 --labels 30000 --words-per-row 30
make single --rows 1500 --features 2000 --labels 30000 --words-per-row 30 --labels-per-row 1
for data in many.txt single.txt; do  # sigmoid and softmax
  compare_learned $data --head onehot
  compare_learned $data --head sampling
  compare_learned $data --head cascade --order random
  compare_learned $data --head cascade --order clustered
  compare_learned $data --head product
done
for data in many.txt single.txt; do
  compare_learned $data --head sampling --batch 1024 --extra-groups 40
  compare_learned $data --head sampling --batch 1024 --groups-per-example 3
  compare_learned $data --head onehot --ensemble 3
  compare_learned $data --head product --order clustered
done
compare_learned single.txt --head product --rank 32
compare_learned single.txt --head product --redundant-heads 12 --code-epochs 1
compare_learned many.txt --head product --redundant-heads 12 --order random
compare_learned many.txt --head product --order product
for rule in momentum adamw; do compare_learned many.txt --head cascade --table-rule $rule; done
compare_learned many.txt --head cascade --inner-dim 128
# Rows of more labels than there are candidates: all their parents are trained.
make crowd --rows 1500 --features 2000 --labels 20000 --words-per-row 200 --labels-per-row 100
compare_learned crowd.txt --head cascade
# Dense rows take more while they are read than while they are trained on.
awk 'BEGIN { for (i = 0; i < 6000; ++i) {
  printf "{\"label\":\"l%d\",\"features\":[", i % 500
  for (j = 0; j < 600; ++j) printf "%s%d", j ? "," : "", (i * (j + 7)) % 13
  print "]}"
} }' >dense.jsonl
encoder=dense compare_learned dense.jsonl --head cascade
# Members that are done keep their weights only.
encoder=dense dim=768 compare_learned dense.jsonl --head cascade --hidden-layers 3 --ensemble 4

# Who goes on from a checkpoint takes no more than who trained up to it.
members=(train many.txt --encoder bag --dim 256 --epochs 3 --threads 2 --head onehot --ensemble 3
  --checkpoint-every 1 --out m.mhe)
"$MHE" "${members[@]}" 2>/dev/null &
until grep -qs 'member2\.' m.mhe.resume || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
"$MHE" "${members[@]}" --resume --json >train.json
agree "resumed RAM" "$(number planned_train_mb train.json)" "$(number peak_rss_mb train.json)"

# An open cascade becomes narrower within a budget, which is kept: alike for any threads, and who
# goes on with another budget keeps the shape.
open=(train many.txt --encoder bag --dim 256 --epochs 3)
narrow() { "$MHE" "${open[@]}" --json --out "$@" >train.json; }  # OUT, then flags
narrow wide.mhe --threads 2
narrow one.mhe --threads 1 --ram 40M
awk -v planned="$(number planned_train_mb train.json)" -v peak="$(number peak_rss_mb train.json)" 'BEGIN {
  printf "narrower cascade: planned %.1f MB, measured %.1f MB of 40\n", planned, peak
  exit !(peak <= 40 && planned <= 40)
}'
narrow two.mhe --threads 2 --ram 40M
cmp one.mhe two.mhe
(($(stat -c %s one.mhe) * 2 < $(stat -c %s wide.mhe)))
"$MHE" "${open[@]}" --out on.mhe --threads 2 --ram 40M --checkpoint-every 1 2>/dev/null &
until [[ -s on.mhe.resume ]] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
narrow on.mhe --threads 2 --ram 200M --checkpoint-every 1 --resume
cmp one.mhe on.mhe

# A budget below the data is refused while reading, one below the training before it starts.
if "$MHE" train wide.txt --out r.mhe --ram 15M 2>error.txt; then
  echo "15 MB were enough"; exit 1
fi
grep -q "keeping the first" error.txt
[[ ! -e r.mhe ]]
# Any budget that is enough gives the same model and is kept.
"$MHE" train wide.txt --threads 2 --json --out r.mhe --ram 300M >ram.json
cp r.mhe with.mhe
"$MHE" train wide.txt --threads 2 --out r.mhe
cmp r.mhe with.mhe
awk -v peak="$(number peak_rss_mb ram.json)" 'BEGIN { exit !(peak <= 300) }'
