#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# The main job on real data: a reverse dictionary, from a definition to the word, trained on the
# dictionaries that Debian ships. Usage: examples/demo.sh path/to/mhe
set -euo pipefail
mhe=$(realpath "${1:?usage: demo.sh path/to/mhe}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work="$here/build/demo"
# What a reader types to run the program, from the root of the clone.
called=mhe
command -v mhe >/dev/null || called=$(realpath --relative-base="$here" "$mhe")
mkdir -p "$work"
cd "$work"
export LC_NUMERIC=C  # numbers have points here

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'; fi
title() { printf '\n%s== %s ==%s\n' "$bold" "$*" "$plain"; }
# Shows a command as one would type it, then runs it. What it says to do next is done here.
show() {
  printf '%s$ mhe %s%s\n' "$dim" "$*" "$plain"
  { "$mhe" "$@" 2>&3 | sed -u '/^Next:$/,$d'; } 3>&1
}

# A number of the object that `mhe train --json` printed.
figure() { grep -oE "\"$1\":[0-9.e+-]+" trained.json | cut -d: -f2; }

# Trains with a report, and says what it took.
train() {
  local data=$1 model=$2
  printf '%s$ mhe train %s --out %s --report report.html%s\n' "$dim" "$data" "$model" "$plain"
  "$mhe" train "$data" --out "$model" --report report.html --json 2>&1 >trained.json
  printf '\n%sTrained in %.0f s with %.0f MB of memory; the model is a file of %.0f MB.%s\n' "$bold" \
    "$(figure wall_s)" "$(figure peak_rss_mb)" "$(figure model_mb)" "$plain"
}

# Five labels and their probabilities, a line each, from a JSON object of `mhe predict`.
draw_answer() {
  grep -oE '"label":"([^"\\]|\\.)*","p":[0-9.e-]+' | sed -E 's/"label":"(.*)","p":(.*)/\2\t\1/' |
    awk -F '\t' '{ bar = sprintf("%*s", int($1 * 30 + 0.5), ""); gsub(/ /, "#", bar)
                   printf "  %5.1f %%  %-22s %s\n", 100 * $1, $2, bar }'
}

ask() {
  printf '%s%s%s\n' "$bold" "$1" "$plain"
  printf '%s\n' "$1" | "$mhe" predict words.mhe -k 5 --json 2>/dev/null | draw_answer
}

# One process answers all questions: it has the model open and answers a line as it comes.
prompt() {
  local line answer
  title "Your turn: type a definition and press enter; an empty line ends"
  coproc "$mhe" predict words.mhe -k 5 --json --format text 2>/dev/null
  trap 'echo; exec {COPROC[1]}>&-; next_steps; exit 0' INT
  while read -rep 'definition> ' line && [[ -n ${line// } ]]; do
    printf '%s\n' "$line" >&"${COPROC[1]}"
    read -r answer <&"${COPROC[0]}" || break
    draw_answer <<<"$answer" || echo "  no word comes to mind"
  done
  trap - INT
}

next_steps() {
  title "Next"
  cat <<END
Everything is in build/demo: the data, the model, and report.html, a page that
shows how good it is and where it errs.
  $called predict build/demo/words.mhe        # ask it more, line by line
  $called inspect build/demo/words.mhe        # what is in it
  $called bench predict build/demo/words.mhe build/demo/words/test.tsv --threads 1
A CSV with columns of text and one of tags, as yours may be:
  $called train examples/tickets.csv --text subject,message --labels tags \\
    --label-separator ';' --out build/demo/tickets.mhe
  echo "my password has expired" | $called predict build/demo/tickets.mhe -k 3
docs/guides/your-own-data.md goes on from there.
END
}

synthetic_demo() {
  printf '\nDebian'\''s dictionaries are not to be had here (%s),\nso the data is made up.\n' "$1"
  title "Rows that follow from a seed"
  show data synthetic --rows 50000 --labels 5000 --out words --force
  title "Train, from vectors to a model file"
  train words/train.xmc words.mhe
  title "Score it on rows it has not seen"
  show eval words.mhe words/test.xmc
  title "Five labels for each of three rows, with probabilities"
  head -n 4 words/test.xmc | sed '1s/^[0-9]*/3/' >three.txt
  show predict words.mhe three.txt -k 5
  next_steps | sed 's/test\.tsv/test.xmc/; /ask it more/d'
  exit
}

echo "What follows runs in build/demo$([[ $called == mhe ]] || echo "; mhe stands for $called")."
title "A task: from a definition to the word"
command -v apt-get >/dev/null || synthetic_demo "this is not Debian"
show data reverse-dictionary --out words --force --install || synthetic_demo "see above"

title "Train, from raw text to a model file: a minute or two"
train words/train.tsv words.mhe

title "Score it on definitions it has not seen"
show eval words.mhe words/test.tsv

title "Ask it something"
for question in "a small house for a dog" "fear of open or public places" \
  "a person who studies the stars and planets" "to walk slowly without any aim"; do
  ask "$question"
done

if [[ -t 0 && -t 1 ]]; then prompt; fi
next_steps
