#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# The main job on real data: a reverse dictionary, from a definition to the word, learnt from the
# dictionaries that Debian ships. Usage: examples/demo.sh path/to/mhe
set -euo pipefail
mhe=$(realpath "${1:?usage: demo.sh path/to/mhe}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work="$here/build/demo"
mkdir -p "$work"
cd "$work"

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
title() { printf '\n%s== %s ==%s\n' "$bold" "$*" "$plain"; }
# Shows a command as one would type it, then runs it.
show() { printf '%s$ mhe %s%s\n' "$bold" "$*" "$plain"; "$mhe" "$@" 2>&1; }

# The words for one definition, a line each.
answer() {
  printf '%s\n' "$1" | "$mhe" predict words.mhe -k 5 --json 2>/dev/null |
    grep -oE '"label":"([^"\\]|\\.)*","p":[0-9.e-]+' |
    sed -E 's/"label":"(.*)","p":(.*)/\2 \1/' |
    while read -r p word; do printf '  %5.1f %%  %s\n' "$(awk "BEGIN { print 100 * $p }")" "$word"; done
}

next_steps() {
  title "Next"
  cat <<END
Everything is in build/demo: the task in words, the model in words.mhe.
  mhe inspect words.mhe                    what is in it
  mhe bench predict words.mhe words/test.tsv --threads 1
Your own data, a CSV with a text and a column of tags:
  mhe train my.csv --text title,body --labels tags --out my.mhe
  echo "some text" | mhe predict my.mhe -k 5
The program is build/release/mhe; docs/ explains formats, training and metrics.
END
}

synthetic_demo() {
  echo "The dictionaries of Debian are not to be had here ($1), so the data is made up."
  title "Rows that follow from a seed"
  show data synthetic --rows 50000 --labels 5000 --out synthetic --force
  title "Train, then score on rows it has not seen"
  show train synthetic/train.txt --out synthetic.mhe
  show eval synthetic.mhe synthetic/test.txt
  exit
}

title "A task: from a definition to the word"
command -v apt-get >/dev/null || synthetic_demo "this is not Debian"
show data reverse-dictionary --out words --force --install || synthetic_demo "see above"

title "Train, from raw text to a model file: a minute or two"
show train words/train.tsv --out words.mhe

title "Score it on definitions it has not seen"
show eval words.mhe words/test.tsv

title "Ask it something"
for question in "a small house for a dog" "fear of open or public places" \
  "a person who studies the stars and planets" "to walk slowly without any aim"; do
  printf '%s%s%s\n' "$bold" "$question" "$plain"
  answer "$question"
done

if [[ -t 0 && -t 1 ]]; then
  title "Your turn: type a definition; an empty line ends"
  while read -rep 'definition> ' line && [[ -n $line ]]; do answer "$line"; done
fi
next_steps
