#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# example.sh NAME PROGRAM: runs examples/NAME.cc as its first lines say and looks at what it prints.
set -euo pipefail
name=$1 program=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { echo "$name: $*" >&2; exit 1; }
# fails_with WORDS COMMAND ...: the command exits with 1 and says the words.
fails_with() {
  local status=0
  "${@:2}" 2>err.txt || status=$?
  (( status == 1 )) || fail "exit code $status where 1 was expected"
  grep -q -- "$1" err.txt || fail "no word of $1: $(cat err.txt)"
}
# First labels of the texts that an example prints, with its lines of labels below them.
first_labels() { grep -A1 -E '^[a-z]' "$1" | awk '/^  /{ print $2 }' | paste -sd' '; }
make_texts() {
  for i in 1 2 3 4 5 6 7 8 9 10; do
    echo "__label__animal the cat and the dog number $i sleep"
    echo "__label__fruit an apple and a pear number $i ripen"
    echo "__label__tool a hammer and a saw number $i lie here"
  done >train.txt
  "$MHE" train train.txt --out m.mhe 2>/dev/null
}
make_vectors() {
  "$MHE" data synthetic --out d --rows 600 --test-rows 100 --dev-rows 0 --labels 40 --features 300 \
    --format xmc 2>/dev/null
}
make_vector_model() { make_vectors; "$MHE" train d/train.xmc --out m.mhe 2>/dev/null; }
# of_json KEY FILE: the first number of that name, with two digits.
of_json() { grep -oE "\"$1\": [0-9.e-]+" "$2" | head -n 1 | awk '{ printf "%.2f", $2 }'; }

example_train() {
  mkdir tmp
  export TMPDIR=$scratch/tmp
  "$program" >out.txt 2>/dev/null
  [[ $(first_labels out.txt) =~ ^(animal|story)\ fruit\ tool$ ]] || fail "$(cat out.txt)"
  [[ -z $(ls -A tmp) ]] || fail "files stayed: $(ls tmp)"
  "$program" m.mhe 2>/dev/null | cmp - out.txt
  echo "a dog" | "$MHE" predict m.mhe -k 2 2>/dev/null | grep -q animal
  [[ $(ls) == *m.mhe*out.txt*tmp ]] || fail "$(ls)"
  fails_with missing "$program" missing/m.mhe
}

example_predict() {
  make_texts
  printf '%s\n' "a cat, a dog" "an apple, a pear" "hammer and saw" | "$program" m.mhe >out.txt
  # In any order: threads answer.
  [[ $(first_labels out.txt | tr ' ' '\n' | sort | paste -sd' ') == "animal fruit tool" ]]
  fails_with train.txt "$program" train.txt
}

example_evaluate() {
  make_vector_model
  "$program" m.mhe d/test.xmc >out.txt
  "$MHE" eval m.mhe d/test.xmc -k 1,3,5 --json 2>/dev/null >eval.json
  for metric in P@1 P@3 P@5 nDCG@5 PSP@5; do
    mine=$(awk -v m="$metric" '$1 == m { print $2 }' out.txt)
    [[ $mine == "$(of_json "$metric" eval.json)" ]] || fail "$metric $mine, mhe eval says otherwise"
  done
  fails_with missing.txt "$program" m.mhe missing.txt
}

example_vectors() {
  "$program" >out.txt
  grep -q '^linear: 3 labels' out.txt
  grep -q '^dense: 3 labels' out.txt
  grep -q '^labels 2 and 2, ' out.txt || fail "$(cat out.txt)"
}

example_sets() {
  "$program" >out.txt
  [[ $(head -n 2 out.txt | sort | paste -sd' ') == "cat pear" ]] || fail "$(cat out.txt)"
  [[ $(grep -c 'of 4 sets is right in 100 %' out.txt) == 2 ]] || fail "$(cat out.txt)"
}

example_inspect() {
  make_texts
  "$program" m.mhe >out.txt
  grep -q ' of text, 3 labels, .* 30 rows$' out.txt || fail "$(cat out.txt)"
  grep -qE '^most frequent: (animal|fruit|tool), 10 rows$' out.txt || fail "$(cat out.txt)"
  (( $(grep -c ' bytes$' out.txt) == $("$MHE" inspect m.mhe --json | grep -c '"dtype"') )) ||
    fail "$(cat out.txt)"
  # A flipped byte of the weights, at the end of the file.
  printf '\x55' | dd of=m.mhe bs=1 seek=$(($(stat -c %s m.mhe) - 5)) conv=notrunc status=none
  fails_with damaged "$program" m.mhe
}

example_features() {
  make_texts
  "$program" train.txt out.svm >out.txt
  grep -q '^fasttext: 30 rows of ' out.txt || fail "$(cat out.txt)"
  "$MHE" features train.txt mhe.svm --word-ngrams 2 --min-df 2 --label-names-out names.txt \
    --vocabulary-out vocabulary 2>/dev/null
  cmp out.svm mhe.svm
  fails_with missing "$program" train.txt missing/out.svm
}

example_convert() {
  make_vectors
  "$program" d/train.xmc out.svm 2>/dev/null
  "$MHE" stats out.svm --json 2>/dev/null >stats.json
  [[ $(cat out.svm.txt) == "600 rows of sparse vectors, "* ]] || fail "$(cat out.svm.txt)"
  fails_with missing.svm "$program" missing.svm out.svm
}

example_labels() {
  make_vectors
  "$program" d/train.xmc >out.txt
  (( $(grep -c ' of 7 x 7$' out.txt) == 4 )) || fail "$(cat out.txt)"
  [[ $(head -n 1 out.txt) == "0: 0,0 of 7 x 7" ]] || fail "$(cat out.txt)"
  grep -q '^20 labels, set 65540 has 2$' out.txt || fail "$(cat out.txt)"
  (( $(wc -l <order.tsv) == 40 )) || fail "order.tsv has $(wc -l <order.tsv) lines"
}

example_codes() {
  [[ $("$program" 40 7 7) == $'0: 0 0\n39: 5 4\n9 of 49 numbers are no label\n'* ]] ||
    fail "$("$program" 40 7 7)"
  fails_with 'cover 49 labels, fewer than' "$program" 100 7 7
}

example_score() {
  make_vector_model
  "$MHE" predict m.mhe d/test.xmc -k 5 2>/dev/null >predictions.txt
  "$program" d/train.xmc d/test.xmc predictions.txt >out.txt
  "$MHE" eval m.mhe d/test.xmc -k 1 --json 2>/dev/null >eval.json
  [[ $(awk '/^P@1/{ printf "%.2f", $2 }' out.txt) == "$(of_json P@1 eval.json)" ]] ||
    fail "P@1 is not that of mhe eval: $(cat out.txt)"
  fails_with missing.txt "$program" d/train.xmc d/test.xmc missing.txt
}

"example_$name"
