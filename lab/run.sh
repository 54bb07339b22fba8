#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Measures what docs/lab.md shows and puts it there: run.sh [--again] [--list] [NAME...]. Without a
# name, everything. What was measured before stays, with --again it is measured anew. A table may be
# interrupted at any time: it goes on where it was.
#   MHE          the program (build/release/mhe)
#   MHE_DATA     folder of the real data (../shared/data); without it their tables are left out
#   LAB_SEEDS    seeds of the tables (1 2 3)
#   LAB_THREADS  threads (2)
#   LAB_ROWS     only so many rows of each file
#   LAB_QUICK=1  shows in a minute that all works: one seed, few rows, results and page in LAB_OUT
#   LAB_OUT      where results go (lab/results; quick: build/lab)
#   LAB_PAGE     the page that is written (docs/lab.md; quick: lab.md in LAB_OUT)
# run.sh --assemble measures nothing and writes the page from what is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export LC_ALL=C.UTF-8
MHE=$(realpath "${MHE:-build/release/mhe}")
LAB_DATA=${MHE_DATA:-../shared/data}
LAB_THREADS=${LAB_THREADS:-2}
if [[ -n ${LAB_QUICK:-} ]]; then
  LAB_SEEDS=${LAB_SEEDS:-1} LAB_ROWS=${LAB_ROWS:-200} LAB_OUT=${LAB_OUT:-build/lab}
  LAB_PAGE=${LAB_PAGE:-$LAB_OUT/lab.md} images=$LAB_OUT/images
else
  LAB_SEEDS=${LAB_SEEDS:-1 2 3} LAB_OUT=${LAB_OUT:-lab/results}
  LAB_PAGE=${LAB_PAGE:-docs/lab.md} images=docs/images
fi
[[ -x $MHE ]] || { echo "lab: there is no program $MHE; ./run build makes it" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
isa=$("$MHE" info | sed -n -E 's/^ISA +([^ ]+).*/\1/p')
source lab/frame.sh

experiments() { "$MHE" lab | sed -n -E 's/^  ([a-z0-9-]+) .*/\1/p'; }
# run-time shows what the text tables measured, so it comes last.
tables() { for file in lab/tables/*.sh; do basename "$file" .sh; done | grep -vx run-time; echo run-time; }
is_one_of() { grep -qxF "$1"; }  # of standard input

# An experiment of `mhe lab`: all seeds at once, a picture too.
run_experiment() {
  local json=$LAB_OUT/$name.json fragment=$LAB_OUT/$name.md svg=$images/lab-$name.svg flags=() seconds
  [[ -z ${LAB_QUICK:-} ]] || read -ra flags <<<"$(quick_experiment "$name")"
  if [[ ! -e $json || ! -e $fragment ]]; then
    say "$name"
    seconds=$SECONDS
    "$MHE" lab "$name" --threads "$LAB_THREADS" --json --markdown "$scratch/table" --svg "$svg" "${flags[@]}" \
      >"$scratch/json" 2>"$scratch/log" || { cat "$scratch/log" >&2; return 1; }
    seconds=$((SECONDS - seconds))
    { cat "$scratch/table"; printf '\n![%s](images/lab-%s.svg)\n\n' "$name" "$name"
      printf '`mhe lab %s`, seeds %s to %s, took %d s (%s threads, %s).\n' "$name" \
        "$(json_number first_seed <"$scratch/json")" "$(json_number seeds <"$scratch/json")" "$seconds" \
        "$LAB_THREADS" "$isa"
    } >"$fragment"
    mv "$scratch/json" "$json"
  fi
}

# Flags with which an experiment ends within seconds.
quick_experiment() {
  case $1 in
    theorem-1 | theorem-4) echo "--draws 100 --seeds 1" ;;
    corollary-1) echo "--draws 20 --length 4 --seeds 1" ;;
    theorem-2) echo "--dim 4 --classes 4 --width 2 --starts 2 --seeds 1" ;;
    theorem-3) echo "--classes 4 --samples 2 --dims 2,8 --steps 200 --seeds 1" ;;
    bottleneck) echo "--samples 6 --dim 6 --widths 1,2 --steps 200 --seeds 1" ;;
    error-accumulation) echo "--bits 3 --rows-per-label 5 --epochs 2 --hidden 8 --seeds 1" ;;
    confusion) echo "--labels 8 --rows-per-label 5 --epochs 2 --hidden 8 --seeds 1" ;;
    *) echo "--seeds 1" ;;
  esac
}

run_table() {
  results=$LAB_OUT/$name.jsonl
  result_files=("$results")
  local code=0
  # shellcheck disable=SC1090
  source "lab/tables/$name.sh"
  measure_units || code=$?
  (( code == 0 || code == 77 )) || return "$code"
  (( code == 0 )) || say "$name is left out"
  write_fragment >"$LAB_OUT/$name.md"
}

# Puts the fragments between the lines <!-- lab:NAME --> and <!-- /lab:NAME --> of the page.
assemble() {
  awk -v out="$LAB_OUT" '
    match($0, /^<!-- lab:[a-z0-9-]+ -->$/) {
      print; name = substr($0, 10, RLENGTH - 13); file = out "/" name ".md"; print ""
      lines = 0
      while ((getline line < file) > 0) { print line; lines++ }
      if (!lines) print "Not measured yet: `./run lab " name "`."
      close(file); print ""; skipping = 1; next
    }
    /^<!-- \/lab:/ { skipping = 0 }
    !skipping' "$1"
}

write_page() {
  assemble docs/lab.md >"$scratch/page"
  cp "$scratch/page" "$LAB_PAGE"
  say "the page is $LAB_PAGE"
}

main() {
  local again='' names=() known
  for argument in "$@"; do
    case $argument in
      --again) again=1 ;;
      --assemble) write_page; return ;;
      --list) echo "theory:"; experiments | sed 's/^/  /'; echo "tables:"; tables | sed 's/^/  /'; return ;;
      -*) echo "lab: unknown flag $argument" >&2; return 2 ;;
      *) names+=("$argument") ;;
    esac
  done
  known=$(experiments; tables)
  (( ${#names[@]} )) || mapfile -t names <<<"$known"
  for name in "${names[@]}"; do
    is_one_of "$name" <<<"$known" || { echo "lab: there is no \"$name\"; ./run lab --list shows what there is" >&2; return 2; }
  done
  mkdir -p "$LAB_OUT" "$images"
  for name in "${names[@]}"; do
    [[ -z $again ]] || rm -f "$LAB_OUT/$name".{json,jsonl,md}
    SECONDS=0
    if experiments | is_one_of "$name"; then run_experiment; else (run_table); fi
    say "$name took $SECONDS s"
  done
  write_page
}

main "$@"; exit  # in one line: the script may be edited while it runs
