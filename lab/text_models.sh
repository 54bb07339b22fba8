# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Single models and ensembles on text, for the tables text-*.sh, which name the data: `data`, and the
# flags that make `bag` fit into half an hour: `bag_flags`. Figures are of the test rows.
units() { printf '%s\n' linear linear-ensemble bag bag-ensemble; }

measure() {
  use_data "$data" || return
  case $1 in
    linear) train --encoder linear ;;
    linear-ensemble) train --encoder linear --preset best ;;
    bag) train --encoder bag "${bag_flags[@]}" ;;
    bag-ensemble) train --encoder bag --ensemble 3 "${bag_flags[@]}" ;;
  esac || return
  evaluate "$test_file" "${test_reading[@]}" -k 1,3,5 && model_figures
}

table() {
  header_row model P@1 P@3 P@5 nDCG@5 PSP@5 "training, CPU s" "model, MB"
  local unit
  for unit in $(units); do
    figures_row "${unit/-/, }" "$unit" P@1:2 P@3:2 P@5:2 nDCG@5:2 PSP@5:2 cpu_s:0 model_mb:0
  done
  [[ -z ${paper_rows:-} ]] || echo "$paper_rows"
}
