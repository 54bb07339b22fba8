#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Is a version of the program faster than another? compare.sh BEFORE AFTER [N] measures two mhe
# binaries in turn (A B A B ...), N times (5), and prints a Markdown table: the least of each measure
# and after / before, below 1 where AFTER is faster. The spread is how far BEFORE's own runs lie
# apart, (median - least) / least: a smaller difference is noise. It is run by hand. A round takes
# about 30 s. On a machine that does other work as well, only the CPU seconds say something, and
# compare.sh BEFORE BEFORE shows how much they say.
#
#   COMPARE_DATA=DIR    measure on EURLEX57K (eurlex57k/train.tsv.xz and dev.tsv.xz in DIR), not on
#                       synthetic rows
#   COMPARE_ONLY=REGEX  only the steps whose name matches: linear, bag, predict, heads
#   COMPARE_HEADS=FLAGS flags of `mhe bench heads` (--labels 100000 --dim 256 --batch 256)
#   COMPARE_AFTER=FLAGS flags that AFTER gets beyond BEFORE's when it trains
set -euo pipefail
(( $# == 2 || $# == 3 )) || { echo "usage: $0 BEFORE AFTER [N] (two mhe binaries)" >&2; exit 2; }
before=$(realpath "$1") after=$(realpath "$2") rounds=${3:-5}
only=${COMPARE_ONLY:-.}
read -ra head_flags <<<"${COMPARE_HEADS:---labels 100000 --dim 256 --batch 256}"
read -ra after_flags <<<"${COMPARE_AFTER:-}"
export LC_ALL=C.UTF-8
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

quietly() { "$@" >out 2>log || { echo "failed: $*" >&2; cat log >&2; exit 1; }; }

reading=()
if [[ ${COMPARE_DATA:-} && -r $COMPARE_DATA/eurlex57k/train.tsv.xz ]]; then
  reading=(--columns id,labels,title,text --text title,text --labels labels --label-separator ,)
  xz -dc "$COMPARE_DATA/eurlex57k/train.tsv.xz" >train
  xz -dc "$COMPARE_DATA/eurlex57k/dev.tsv.xz" >test
else
  [[ ${COMPARE_DATA:-} ]] && echo "skipped: no eurlex57k in $COMPARE_DATA; synthetic rows instead" >&2
  quietly "$before" data synthetic --out made --rows 20000 --labels 3000 --features 20000 --dev-rows 0 --test-rows 4000
  mv made/train.xmc train
  mv made/test.xmc test
fi
matches() { [[ $1 =~ $only ]]; }
record() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>measured; }  # MEASURE, A or B, VALUE
number() { grep -m1 -oE "\"$1\": ?[0-9.e+-]+" | grep -oE '[0-9.e+-]+$'; }

# Wall and CPU seconds of a whole command.
timed() {  # MEASURE, A or B, command
  local wall user system
  TIMEFORMAT='%R %U %S'
  { time "${@:3}" >out 2>log; } 2>times || { echo "failed: ${*:3}" >&2; cat log >&2; exit 1; }
  read -r wall user system <times
  record "$1, wall s" "$2" "$wall"
  record "$1, CPU s" "$2" "$(awk "BEGIN { print $user + $system }")"
}

round() {  # A or B, BINARY, flags of train
  local which=$1 mhe=$2 head
  local flags=("${reading[@]}" "${@:3}")
  if matches linear; then
    timed "train linear" "$which" "$mhe" train train "${flags[@]}" --out "$which.mhe"
    timed "eval linear" "$which" "$mhe" eval "$which.mhe" test "${reading[@]}"
    quietly "$mhe" bench train train --head cascade "${flags[@]}" --json
    # Phases have CPU seconds, which others on the machine disturb least.
    tr '{' '\n' <out | sed -n -E 's/.*"phase":"([^"]*)",.*"cpu_s":([^,}]*)}.*/\1\t\2/p' >phases
    while IFS=$'\t' read -r phase seconds; do record "bench train, $phase, CPU s" "$which" "$seconds"; done <phases
    record "bench train, wall s" "$which" "$(sed 's/.*]//' out | number wall_s)"
  fi
  if matches predict; then
    [[ -e $which.mhe ]] || quietly "$mhe" train train "${flags[@]}" --out "$which.mhe"
    quietly "$mhe" bench predict "$which.mhe" test "${reading[@]}" --rows 4000 --json
    for figure in mean_us p99_us; do record "bench predict, ${figure%_us}, us" "$which" "$(number $figure <out)"; done
  fi
  if matches bag; then
    timed "train bag, 2 epochs" "$which" "$mhe" train train "${flags[@]}" --encoder bag --dim 256 --epochs 2 --out "$which.bag.mhe"
    timed "eval bag" "$which" "$mhe" eval "$which.bag.mhe" test "${reading[@]}"
  fi
  if matches heads; then
    quietly "$mhe" bench heads "${head_flags[@]}" --json
    tr '{' '\n' <out | grep '"head"' >heads
    while read -r head; do
      name=$(sed -E 's/.*"head":"([^"]*)","labels":([0-9]*).*/\1 \2/' <<<"$head")
      record "bench heads, $name, step ms" "$which" "$(number step_ms <<<"$head")"
      record "bench heads, $name, predict us" "$which" "$(number predict_us <<<"$head")"
    done <heads
  fi
}

for ((i = 1; i <= rounds; ++i)); do
  echo "round $i of $rounds" >&2
  round A "$before"
  round B "$after" "${after_flags[@]}"
done
[[ -s measured ]] || { echo "nothing is called \"$only\": linear, predict, bag, heads" >&2; exit 2; }

echo "Least of $rounds, in turn; $("$after" info | grep -m1 -iE 'instruction|isa' | tr -s ' ' || true)"
echo
echo "| measure | before | after | ratio | spread, % |"
echo "|---|---|---|---|---|"
# Measures in the order of the first round; the values of each in ascending order.
awk -F '\t' '!($1 in seen) { seen[$1] = 1; print }' measured | cut -f 1 >order
sort -t "$(printf '\t')" -k 1,1 -k 2,2 -k 3,3g measured | awk -F '\t' '
  NR == FNR && FILENAME == "order" { order[++count] = $0; next }
  { values[$1, $2, ++n[$1, $2]] = $3 }
  END { for (i = 1; i <= count; ++i) {
    m = order[i]; a = values[m, "A", 1]; b = values[m, "B", 1]; middle = values[m, "A", int((n[m, "A"] + 2) / 2)]
    ratio = spread = "-"
    if (a > 0) { ratio = sprintf("%.2f", b / a); spread = sprintf("%.0f", 100 * (middle - a) / a) }
    printf "| %s | %.4g | %.4g | %s | %s |\n", m, a, b, ratio, spread } }' order -
