# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# The lengths of the heads (Table 3: {172;23} against {86;46}) on the development rows of EURLEX57K,
# whose 4,108 labels in training take longer last heads.
paper='Eurlex-4K, MHC: {172;23} has P@1/3/5 86.00 / 74.39 / 62.05 and {86;46} 85.54 / 72.97 / 60.61: a longer first head is better.'
differs='Encoders are shallow. `linear` clusters its labels, `bag` has them in random order as the paper. All shapes train 10 candidates.'
units() {
  local lengths
  for lengths in 430,10 172,25 86,50 43,100 17,16,16; do echo "linear $lengths"; done
  for lengths in 430,10 172,25 86,50 43,100 17,16,16; do echo "bag $lengths"; done
}

measure() {
  use_data eurlex57k || return
  local encoder=${1% *} flags=(--candidates 10)
  [[ $encoder == linear ]] || flags+=(--dim 256 --order random)
  train --encoder "$encoder" --head cascade --lengths "${1#* }" "${flags[@]}" &&
    evaluate "$dev_file" "${dev_reading[@]}" -k 1,3,5 && model_figures
}

table() {
  header_row "encoder and lengths" P@1 P@3 P@5 "training, CPU s"
  local unit
  while IFS= read -r unit; do
    figures_row "${unit% *} {$(tr , ';' <<<"${unit#* }")}" "$unit" P@1:2 P@3:2 P@5:2 cpu_s:0
  done < <(units)
}
