#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Every table and experiment of the lab on few rows: each ends with a fragment and lands in the page;
# what is there is not measured again; a seed that is missing is. docs/lab.md has a place for each,
# and holds what lab/results says.
set -euo pipefail
cd "$MHE_SOURCE_DIR"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0
complain() { echo "$*" >&2; bad=1; }
# Without real data, so that every machine does the same.
lab() { LAB_QUICK=1 LAB_OUT=$scratch/out LAB_THREADS=1 MHE_DATA=$scratch/none bash lab/run.sh "$@"; }

mapfile -t names < <(lab --list | sed -n 's/^  //p')
(( ${#names[@]} >= 19 )) || complain "the list has ${#names[@]} names"
diff <(printf '%s\n' "${names[@]}" | sort) \
  <(sed -n -E 's/^<!-- lab:([a-z0-9-]+) -->$/\1/p' docs/lab.md | sort) ||
  complain "docs/lab.md has other places than the lab has tables"

lab >"$scratch/stdout" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
for name in "${names[@]}"; do
  [[ -s $scratch/out/$name.md ]] || complain "$name wrote no fragment"
  grep -qE "^lab: $name took [0-9]+ s$" "$scratch/log" || complain "nothing says how long $name took"
  [[ $name == glyph-heads ]] || grep -q '^|' "$scratch/out/$name.md" || complain "$name has no table"
done
grep -qF "$(sed -n 3p "$scratch/out/text-delicious.md")" "$scratch/out/lab.md" || complain "a row is not in the page"
for file in "$scratch"/out/images/*.svg; do tail -n 1 "$file" | grep -qx '</svg>' || complain "$file is no picture"; done

# A second run measures nothing, and one with another seed that seed alone.
find "$scratch/out" -name '*.json*' | sort | xargs cksum >"$scratch/before"
lab lengths theorem-2 powersets 2>"$scratch/log" >/dev/null
find "$scratch/out" -name '*.json*' | sort | xargs cksum | diff "$scratch/before" - || complain "a second run measured again"
LAB_SEEDS='1 2' lab powersets 2>"$scratch/log" >/dev/null
[[ $(grep -c ', seed' "$scratch/log") == 6 && $(wc -l <"$scratch/out/powersets.jsonl") == 12 ]] ||
  complain "a second seed took $(grep -c ', seed' "$scratch/log") runs"
lab --again powersets 2>/dev/null >/dev/null
[[ $(wc -l <"$scratch/out/powersets.jsonl") == 6 ]] || complain "--again kept old results"

code=0
lab nosuch 2>"$scratch/log" >/dev/null || code=$?
[[ $code == 2 ]] && grep -q 'there is no "nosuch"' "$scratch/log" || complain "an unknown name: exit $code"
# Not a quick run: real data is named, and its table left out.
MHE_DATA=$scratch/none LAB_OUT=$scratch/real LAB_PAGE=$scratch/page.md bash lab/run.sh text-deb-dep 2>"$scratch/log" >/dev/null
grep -q 'MHE_DATA names the folder' "$scratch/log" || complain "nothing says where data is looked for"
grep -q 'Not measured yet' "$scratch/real/text-deb-dep.md" || complain "a table without data has figures"

# A figure computed another way: the mean of two seeds.
expected=$(grep '"unit":"20 sigmoids"' "$scratch/out/powersets.jsonl" | jq -rs 'map(.f1) | add / length' 2>/dev/null || true)
shown=$(grep -F '| 20 | sigmoids |' "$scratch/out/powersets.md" | cut -d '|' -f 5)
[[ -z $expected ]] || awk -v a="$expected" -v b="$shown" 'BEGIN { exit !(a - b < 0.006 && b - a < 0.006) }' ||
  complain "the table says F1$shown, its results $expected"

# The page in the repository is what lab/results gives.
LAB_PAGE=$scratch/again.md bash lab/run.sh --assemble
diff docs/lab.md "$scratch/again.md" || complain "docs/lab.md is not what lab/results gives; bash lab/run.sh --assemble"
exit $bad
