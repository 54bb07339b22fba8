# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Fig. 7 a and b: time and memory of a training step by number of labels. A seed is a repetition.
paper='With 1,000,000 labels MHP is 17 times, MHS 8 times and MHC 4 times faster than one-hot, and MHP saves 4 GB.'
differs='Times are of a training step of the head alone, on the CPU; the paper does not say what its times include.'
heads=(onehot product cascade sampling)
counts=(10000 100000 1000000)
shape=(--dim 256 --batch 256 --repeat 5)
if [[ -n ${LAB_QUICK:-} ]]; then
  counts=(300 3000)
  shape=(--dim 16 --batch 16 --repeat 1)
fi

units() {
  local count
  for count in "${counts[@]}"; do echo "$count"; done
}

# All heads in one run, so that they share the machine's mood.
measure() {
  local head part separator=
  "$MHE" bench heads --labels "$1" --heads "$(IFS=,; echo "${heads[*]}")" "${shape[@]}" \
    --threads "$LAB_THREADS" --json >"$scratch/bench" 2>"$scratch/log" || return
  for head in "${heads[@]}"; do
    tr '{' '\n' <"$scratch/bench" | grep -F "\"head\":\"$head\"" >"$scratch/head" || continue
    part=$(pick "$scratch/head" step_ms predict_us ratio_to_onehot memory_mb)
    printf '%s%s' "$separator" "$(sed "s/\"\([a-z_]*\)\":/\"$head \1\":/g" <<<"$part")"
    separator=,
  done
}

table() {
  header_row labels head "step, ms" "x one-hot" "predict, us" "memory to train, MB"
  local count head
  for count in $(units); do
    for head in "${heads[@]}"; do
      figures_row "$count | $head" "$count" "$head step_ms:2" "$head ratio_to_onehot:1" \
        "$head predict_us:1" "$head memory_mb:1"
    done
  done
}
