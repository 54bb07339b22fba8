# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Table 1 on text: Delicious cut to its 20 and 80 most frequent tags. A row is right when its whole
# set of tags is.
paper='VOC (20 labels, 5 heads of 16): MHP 80.13, thresholds 79.82. COCO (80 labels, 16 heads of 32): MHP 47.16, thresholds 46.62.'
differs='Rows are sets of words, not pictures: Delicious has 4.8 of 20 and 9.9 of 80 tags per row, where pictures have two or three, so there are more ways to miss a set. The paper does not say what its accuracy is; ours counts exact sets.'
units() {
  local labels method
  for labels in 20 80; do
    for method in sigmoids "heads, best set" "heads, labels above 0.5"; do echo "$labels $method"; done
  done
}

# Keeps the k most frequent labels of the first file, numbered by frequency.
cut_labels() {  # K FIRST FILE
  awk -v k="$1" '
    function labels_of_row() { return $0 ~ /^[ \t]/ || $1 ~ /:/ ? "" : $1 }
    NR == FNR { if (FNR > 1) { n = split(labels_of_row(), l, ","); for (i = 1; i <= n; i++) count[l[i]]++ } next }
    FNR == 1 {
      for (i = 0; i < k; i++) {
        best = ""
        for (x in count) if (best == "" || count[x] > count[best] || (count[x] == count[best] && x + 0 < best + 0)) best = x
        id[best] = i; delete count[best]
      }
      print $1, $2, k; next
    }
    {
      n = split(labels_of_row(), l, ","); split("", kept); out = ""
      for (i = 1; i <= n; i++) if (l[i] in id) kept[id[l[i]]] = 1
      for (i = 0; i < k; i++) if (i in kept) out = out (out == "" ? "" : ",") i
      print out substr($0, length(labels_of_row()) + 1)
    }' "$2" "$3"
}

# A row of predictions as a list of labels: the best set, or those of `LABEL:P LABEL:P ...`.
best_sets() { cut -f 1 | sed -E 's/^[^ ]+ ?//; s/ /,/g'; }
label_lists() { sed -E 's/:[^ ]*//g; s/ /,/g'; }

# Exact sets, and F1 over all pairs of a row and a label, in per cent; predictions on standard input.
set_figures() {  # TRUTH
  paste -d ' ' <(tail -n +2 "$1" | sed -E 's/^([0-9,]*)( .*)?$/[\1]/') <(sed 's/^/[/; s/$/]/') | awk '
    {
      gsub(/[][]/, ""); at = index($0, " ")
      nt = split(substr($0, 1, at - 1), t, ","); np = split(substr($0, at + 1), p, ",")
      split("", is); for (i = 1; i <= nt; i++) is[t[i]] = 1
      hits = 0; for (i = 1; i <= np; i++) hits += p[i] in is
      exact += hits == nt && hits == np; all_hits += hits; all += nt + np
    }
    END { printf "\"exact\":%.4f,\"f1\":%.4f", 100 * exact / NR, all ? 200 * all_hits / all : 0 }'
}

measure() {
  local labels=${1%% *} method=${1#* } plain made=$scratch/cut${1%% *} heads test=$scratch/cut${1%% *}/test
  use_data delicious || return
  mkdir -p "$made"
  for plain in train test; do
    local file=${plain}_file
    if [[ ${!file} == *.xz ]]; then xz -dc "${!file}" >"$made/$plain.all"; else cp "${!file}" "$made/$plain.all"; fi || return 1
  done
  cut_labels "$labels" "$made/train.all" "$made/train.all" >"$made/train" || return 1
  cut_labels "$labels" "$made/train.all" "$made/test.all" >"$test" || return 1
  train_file=$made/train reading=(--format xmc)
  heads=16,16,16,16,16
  (( labels == 20 )) || heads=32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32
  case $method in
    sigmoids) train --encoder bag --head onehot --loss sigmoid ;;
    *) train --encoder bag --head product --powerset --lengths "$heads" ;;
  esac || return
  if [[ $method == *set ]]; then
    "$MHE" predict "$scratch/model" "$test" --format xmc --sets -k 1 2>>"$scratch/log" | best_sets
  else
    "$MHE" predict "$scratch/model" "$test" --format xmc -k "$labels" --threshold 0.5 2>>"$scratch/log" | label_lists
  fi >"$scratch/predicted" || return 1
  set_figures "$test" <"$scratch/predicted"
  printf ','
  pick "$scratch/trained" wall_s cpu_s peak_rss_mb model_mb
}

table() {
  header_row labels method "exact sets, %" "F1 over labels, %" "training, CPU s"
  local unit
  while IFS= read -r unit; do
    figures_row "${unit%% *} | ${unit#* }" "$unit" exact:2 f1:2 cpu_s:0
  done < <(units)
}
