# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Every head on the same encoder: a sixth of the characters of `mhe data cjk-glyphs`, accuracy on its
# development font. docs/decisions/0010 has more.
paper='CIFAR-100, ResNet-18: one-hot 77.70; {10;10} MHP 75.92, MHC 76.26, MHS 77.95.'
differs='One layer on pixels in place of a ResNet: it cannot learn two heads of arbitrary digits.'
heads=(
  "--head onehot --epochs 10"
  "--head sampling --epochs 10"
  "--head sampling --groups-per-example 1 --epochs 10"
  "--head sampling --groups-per-example 2 --epochs 10"
  "--head sampling --groups-per-example 2 --no-weigh-groups --epochs 10"
  "--head sampling --groups-per-example 32 --epochs 10"
  "--head cascade --epochs 10"
  # Of 64 redundant heads three are the code epochs.
  "--head product --redundant-heads 64 --code-epochs 3 --epochs 7"
  "--head product --redundant-heads 12 --code-epochs 3 --epochs 7"
  "--head product --order product --code-epochs 3 --epochs 7"
  "--head product --heads 2 --epochs 10"
)
every=6
[[ -z ${LAB_QUICK:-} ]] || every=700

units() { printf '%s\n' "${heads[@]}"; }

# The task is made once and stays in build.
make_glyphs() {
  glyphs=build/lab-data/glyphs-$every
  [[ ! -e $glyphs/train.npy ]] || return 0
  mkdir -p build/lab-data
  "$MHE" data cjk-glyphs --every "$every" --out "$glyphs" >/dev/null 2>"$scratch/log" && return
  say "the glyphs cannot be made here: $(grep -m 1 error "$scratch/log")"
  return 77
}

measure() {
  local flags
  make_glyphs || return
  train_file=$glyphs/train.npy reading=(--label-file "$glyphs/train.labels.txt")
  read -ra flags <<<"$1"
  train --dim 256 "${flags[@]}" &&
    evaluate "$glyphs/dev.npy" --label-file "$glyphs/dev.labels.txt" -k 1 && model_figures
}

table() {
  header_row "flags of mhe train" "accuracy, %" "training, CPU s"
  local unit
  while IFS= read -r unit; do figures_row "\`$unit\`" "$unit" accuracy cpu_s:0; done < <(units)
}
