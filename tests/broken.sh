#!/usr/bin/env bash
# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Feeds every broken file of tests/broken/manifest to `mhe convert`: each must end with exit code 1,
# or the one named, exactly one line on standard error that holds the expected words, and no output file.
#   broken.sh MANIFEST_DIR
# A line of the manifest: FILE TAB FLAGS TAB WORDS [TAB EXIT CODE]; FLAGS is - if there are none; 2 where the flags are at fault. A file that does not lie in files/ is made by
# make.sh, which writes the binary ones into the directory it is given.
set -uo pipefail
source_dir=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$source_dir/files/." "$scratch"
bash "$source_dir/make.sh" "$scratch" || { echo "make.sh failed"; exit 1; }
cd "$scratch"

cases=0
bad=0
complain() {
  echo "$file $flags: $*"
  sed 's/^/  /' stderr.txt
  bad=1
}
while IFS=$'\t' read -r file flags words expected; do
  [[ -z $file || $file == \#* ]] && continue
  [[ $flags == - ]] && flags=
  cases=$((cases + 1))
  rm -rf out.jsonl
  # shellcheck disable=SC2086  # flags are words on purpose
  "$MHE" convert "$file" out.jsonl $flags >stdout.txt 2>stderr.txt </dev/null
  code=$?
  [[ $code == "${expected:-1}" ]] || complain "exit code $code, expected ${expected:-1}"
  [[ $(wc -l <stderr.txt) == 1 ]] || complain "$(wc -l <stderr.txt) lines on standard error, expected 1"
  grep -qF -- "$words" stderr.txt || complain "expected \"$words\" in the message"
  grep -qP '[^\x20-\x7e\n]' stderr.txt && complain "the message is not printable"
  [[ -s stdout.txt ]] && complain "something on standard output"
  compgen -G 'out.jsonl*' >/dev/null && complain "an output file was left behind"
done <"$source_dir/manifest"
echo "$cases broken files"
(( cases >= 40 )) || { echo "expected 40 or more"; bad=1; }
exit $bad
