# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Table 7 and Fig. 9: labels in random order (LRD) against clustered labels (LC), for small and large
# models, on the development rows of EURLEX57K.
paper='Eurlex-4K, MHC {172;23}: P@1 86.00 clustered, 85.95 random. For a small convolutional network that underfits, clusters are 4 points better, for a medium one 2, for a large one 0.'
differs='Encoders are shallow. Sizes are widths of `bag`; `linear` has weights for every feature. All `bag` models start from random rows, for centroids would know more than an order does.'
units() {
  local size order
  for size in "bag 16" "bag 64" "bag 512" "linear -"; do
    for order in random clustered; do echo "$size $order"; done
  done
}

measure() {
  use_data eurlex57k || return
  local encoder width order flags
  read -r encoder width order <<<"$1"
  flags=(--encoder "$encoder" --head cascade --lengths "86,50" --candidates 10 --order "$order")
  [[ $encoder == linear ]] || flags+=(--dim "$width" --init random)
  train "${flags[@]}" && evaluate "$dev_file" "${dev_reading[@]}" -k 1,3,5 && model_figures
}

table() {
  header_row "encoder, width" order P@1 P@3 P@5
  local unit encoder width order
  while IFS= read -r unit; do
    read -r encoder width order <<<"$unit"
    [[ $width == - ]] || encoder+=", $width"
    figures_row "$encoder | $order" "$unit" P@1:2 P@3:2 P@5:2
  done < <(units)
}
