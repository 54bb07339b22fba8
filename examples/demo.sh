#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# A walk through mhe on real data that every Debian machine has: what does a package depend on, told
# from its name and one-line description? Usage: examples/demo.sh path/to/mhe
set -euo pipefail
mhe=$(realpath "${1:?usage: demo.sh path/to/mhe}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work="$here/build/demo"
mkdir -p "$work"
cd "$work"

bold= plain=
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
title() { printf '\n%s== %s ==%s\n' "$bold" "$*" "$plain"; }
# Shows a command as one would type it, then runs it.
show() { printf '%s$ mhe %s%s\n' "$bold" "$*" "$plain"; "$mhe" "$@" 2>&1; }

# Stanzas of packages: what apt knows, or else what is installed.
packages() {
  # "|| true": head leaves early, which pipefail would take for a failure.
  if [[ -n $(apt-cache dumpavail 2>/dev/null | head -c 1 || true) ]]; then
    apt-cache dumpavail
  elif [[ -r /var/lib/dpkg/status ]]; then
    cat /var/lib/dpkg/status
  fi
}

# name, dependencies, description as TSV. Packages of one source, which resemble each other, all go to
# the same side: one in ten sources to test.tsv.
make_task() {
  packages | awk -v RS= -F'\n' '
    BEGIN { for (i = 1; i < 128; i++) code[sprintf("%c", i)] = i }
    {
      name = source = depends = text = ""
      for (i = 1; i <= NF; i++) {
        if ($i ~ /^Package: /) name = substr($i, 10)
        else if ($i ~ /^Source: /) { source = substr($i, 9); sub(/ .*/, "", source) }
        else if ($i ~ /^Depends: /) depends = substr($i, 10)
        else if ($i ~ /^Description(-en)?: /) { text = $i; sub(/^[^:]*: /, "", text) }
      }
      if (source == "") source = name
      gsub(/\([^)]*\)/, "", depends)          # versions
      gsub(/\|[^,]*/, "", depends)            # alternatives
      gsub(/:any/, "", depends)
      gsub(/[ \t]/, "", depends)
      gsub(/\t/, " ", text)
      if (name == "" || depends == "" || text == "") next
      hash = 7
      for (i = 1; i <= length(source); i++) hash = (hash * 31 + code[substr(source, i, 1)]) % 1000003
      print name "\t" depends "\t" text > (hash % 10 == 0 ? "test.tsv" : "train.tsv")
    }'
}

flags=(--columns name,labels,description --text name,description --labels labels --label-separator ,)

title "A plan before anything is spent"
show plan --labels 1000000 --head cascade --dim 512 --ram 2G

title "A real task: a package's name and description -> what it depends on"
rm -f train.tsv test.tsv
make_task
if [[ ! -s train.tsv || ! -s test.tsv ]]; then
  echo "This machine has no Debian package index, so the walk ends here; README.md shows the same with your own data."
  exit 0
fi
show stats train.tsv "${flags[@]}"

title "Train, from raw text to a model file"
show train train.tsv "${flags[@]}" --out deps.mhe

title "Predict for packages of sources it has never seen, and score that"
printf '%s$ mhe predict deps.mhe test.tsv ... > predictions.txt%s\n' "$bold" "$plain"
"$mhe" predict deps.mhe test.tsv "${flags[@]}" -k 20 >predictions.txt
show metrics --truth test.tsv "${flags[@]}" --pred predictions.txt --train train.tsv

title "Ask it something"
for question in $'editor\ttext editor written in Python with a GTK interface' \
  $'libfoo-dev\tdevelopment files for a library that parses XML' $'r-cran-bar\tGNU R package for Bayesian statistics'; do
  printf '%s%s%s\n' "$bold" "${question/$'\t'/: }" "$plain"
  printf '%s\n' "$question" |
    "$mhe" predict deps.mhe - --columns name,description --text name,description -k 5 2>/dev/null |
    tr ' ' '\n' | sed 's/^/    /'
done

title "Next"
cat <<END
Everything is in $work.
Your own data: mhe train my.csv --text title,body --labels tags --out my.mhe
               mhe --help, and docs/ for formats, text, metrics and plans
END
