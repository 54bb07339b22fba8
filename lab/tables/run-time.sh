# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Table 5, from the runs of the tables text-*: nothing is measured here.
paper='Three members of MHC take 0.9 hours on Eurlex-4K and 44.8 on Amazon-3M, on one V100; AttentionXML 0.9 and 54.8, LightXML 16.9 on Eurlex-4K.'
differs='Ours are CPU seconds of shallow encoders and no GPU, on other data: what can be compared is the order of methods on one machine.'
units() { :; }
result_files=("$LAB_OUT"/text-*.jsonl)

table() {
  header_row data model "training, s" "CPU s" "peak memory, MB" "model, MB"
  local data unit file all=("${result_files[@]}")
  for file in "${all[@]}"; do
    data=$(basename "$file" .jsonl)
    result_files=("$file")
    for unit in linear linear-ensemble bag bag-ensemble; do
      figures_row "${data#text-} | ${unit/-/, }" "$unit" wall_s:0 cpu_s:0 peak_rss_mb:0 model_mb:0
    done
  done
  result_files=("${all[@]}")
}
